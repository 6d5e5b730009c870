# SPDX-License-Identifier: Apache-2.0
"""Notebooks beside their pages."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "docs/site"))

import notebooks


def test_notebooks_are_what_their_pages_say() -> None:
    assert notebooks.outdated() == [], "write them: python docs/site/notebooks.py"
    assert len(notebooks.pages()) == 3


def test_a_notebook_has_the_cells_of_its_page_and_no_outputs() -> None:
    head = "---\nkernelspec:\n  name: python3\n---\n\n# A\n\ntext\n\n"
    page = head + '```{code-cell} python\nx = "ä"\n\nx\n```\nend\n'
    cells = json.loads(notebooks.notebook(page))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown"]
    assert ["".join(cell["source"]) for cell in cells] == ["# A\n\ntext", 'x = "ä"\n\nx', "end"]
    assert cells[1]["outputs"] == [] and cells[1]["execution_count"] is None

# SPDX-License-Identifier: Apache-2.0
"""Jupyter notebooks of the pages in docs/notebooks/: the same cells, without outputs.

A page is Markdown, reviewed as text and executed when the site is built; its notebook stands beside
it for whoever downloads one. Without an option the notebooks are written.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
_HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def pages() -> list[Path]:
    """Pages that are notebooks."""
    return [path for path in sorted(FOLDER.glob("*.md")) if path.name != "README.md"]


def notebook(page: str) -> str:
    """A page as the text of a notebook, format 4.5."""
    cells: list[dict[str, Any]] = []
    for i, part in enumerate(_CELL.split(_HEAD.sub("", page))):
        source = part.strip("\n").splitlines(keepends=True)
        if not source:
            continue
        cell = {"cell_type": "markdown", "id": f"cell-{len(cells)}", "metadata": {}}
        if i % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append(cell | {"source": source})
    whole = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def outdated() -> list[Path]:
    """Notebooks that are not what their pages say."""
    found = []
    for page in pages():
        path = page.with_suffix(".ipynb")
        text = notebook(page.read_text(encoding="utf-8"))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            found.append(path)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if any is outdated")
    options = parser.parse_args()
    for path in outdated():
        print(path)
        if options.check:
            return 1
        page = path.with_suffix(".md").read_text(encoding="utf-8")
        path.write_text(notebook(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What several files use: the report of the kept results, written once, and no plots."""

from __future__ import annotations

from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge_papers import _gpu

RESULTS = Path(__file__).resolve().parents[2] / "bench/results"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that ``nttforge paper all --kept`` wrote."""
    out = tmp_path_factory.mktemp("report")
    words = ["paper", "all", "--kept", "--results", str(RESULTS), "--out", str(out)]
    assert main(words) == 0
    return out


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of commands: each paper has one test of its plot, which takes ten seconds."""
    monkeypatch.setattr(_gpu, "can_plot", lambda: False)

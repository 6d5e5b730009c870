# SPDX-License-Identifier: Apache-2.0
"""The report of the kept results, which several files read: written once, in a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from nttforge.cli import main

RESULTS = Path(__file__).resolve().parents[2] / "bench/results"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that ``nttforge paper all --kept`` wrote."""
    out = tmp_path_factory.mktemp("report")
    words = ["paper", "all", "--kept", "--results", str(RESULTS), "--out", str(out)]
    assert main(words) == 0
    return out

# SPDX-License-Identifier: Apache-2.0
"""tools/figures/security_estimate.py: published figures, and the table in SECURITY.md."""

import importlib
import math
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def estimate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "figures"))
    return importlib.import_module("security_estimate")


@pytest.mark.parametrize(
    ("n", "deviation", "classical", "quantum"),
    [(512, math.sqrt(1.5), 118, 107), (768, 1.0, 182, 165), (1024, 1.0, 256, 232)],
)
def test_core_svp_of_kyber_is_as_its_authors_state_it(
    estimate: ModuleType, n: int, deviation: float, classical: int, quantum: int
) -> None:
    """As in Kyber's specification, version 3.01 (q = 3329)."""
    b = estimate.block_size(n, math.log2(3329), deviation, deviation)
    assert abs(estimate.CLASSICAL * b - classical) < 1.5
    assert abs(estimate.QUANTUM * b - quantum) < 1.5


def test_the_table_of_security_md_is_what_the_tool_prints(estimate: ModuleType) -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert text.split(estimate.MARKS[0])[1].split(estimate.MARKS[1])[0] == estimate.table()

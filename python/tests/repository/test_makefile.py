# SPDX-License-Identifier: Apache-2.0
"""The Makefile: what a target's program needs is installed before it runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def _rules() -> dict[str, tuple[str, str]]:
    """By target: prerequisites, and the lines of the recipe."""
    text = (ROOT / "Makefile").read_text()
    found = re.findall(r"^([\w-]+):([^=\n]*)\n((?:\t.*\n)+)", text, re.MULTILINE)
    return {target: (needs, recipe) for target, needs, recipe in found}


@pytest.mark.parametrize("program", ["arm_test.py", "cross_check.py", "cross.py"])
def test_what_compiles_with_zig_waits_for_its_wheel(program: str) -> None:
    rules = _rules()
    users = [target for target, (_, recipe) in rules.items() if f"tools/{program}" in recipe]
    assert users
    for target in users:
        assert ".ready-zig" in rules[target][0], target

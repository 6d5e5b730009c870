# SPDX-License-Identifier: Apache-2.0
"""The Makefile: what a target's program needs is installed before it runs."""

import json
import os
import re
import subprocess
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


def _planned(*words: str) -> str:
    """What make would run; a make around the tests must not decide it."""
    ours = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "SAMPLED", "FULL")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        ["make", "-n", *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_make_test_leaves_out_is_in_make_full() -> None:
    """An option of a check, by whether make test or make full gives it."""
    sampled = (
        "--changed --targets x86_64-windows-gnu",
        "--sample --changed",
        "check_types.py build/dev --sample",
        "test_consumer.py build/dev --sample",
        "run_blocks.py build/dev --quick",
    )
    whole = ("check_types.py build/dev --systems", "check_headers.py", "tools/mutants.py")
    test, full = _planned("test"), _planned("full")
    for text in sampled:
        assert text in test and text not in full, text
    for text in whole:
        assert text in full and text not in test, text
    for tool in ("cross_check.py", "arm_test.py --sample", "run_blocks.py", "pytest", "ctest"):
        assert tool in test and tool in full, tool
    assert "10 to 15 minutes" in test.splitlines()[0] and "hours" in full


def test_two_processes_run_each_python_test_once() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    (listed,) = re.findall(r"^testpaths = (\[.*\])$", text, re.MULTILINE)
    for plan in (_planned("test"), _planned("full")):
        words = [line.split() for line in plan.splitlines() if line.startswith("python -m pytest")]
        one, other = (line[3:] for line in words)
        assert one and other and sorted(one + other) == sorted(json.loads(listed))


def test_a_check_by_its_name_has_every_system() -> None:
    planned = _planned("cross-check", "arm-check", "check", "consumer-test", "web-check")
    assert "--systems" in planned and "web.py test" in planned
    assert not any(text in planned for text in ("--targets", "--changed", "dev --sample"))

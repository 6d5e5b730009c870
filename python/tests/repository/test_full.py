# SPDX-License-Identifier: Apache-2.0
"""Tests marked ``full``: left out with a count, and run by one switch in both languages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "python/tests"
TWO = """import os
import pytest

def test_short():
    assert os.environ.get("NTTFORGE_TEST_FULL") != "0"

@pytest.mark.full
def test_long():
    assert os.environ["NTTFORGE_TEST_FULL"] == "1"
"""


@pytest.mark.parametrize(
    ("words", "switch", "summary"),
    [
        ([], "", "1 passed, 1 deselected"),
        pytest.param([], "2", "1 passed, 1 deselected", marks=pytest.mark.full),
        (["--full"], "", "2 passed"),
        ([], "1", "2 passed"),
        pytest.param(["-k", "short"], "", "1 passed, 1 deselected", marks=pytest.mark.full),
    ],
)
def test_what_is_long_runs_with_the_switch(
    tmp_path: Path, words: list[str], switch: str, summary: str
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = full: takes long\n")
    (tmp_path / "test_two.py").write_text(TWO)
    environment = {**os.environ, "NTTFORGE_TEST_FULL": switch}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(TESTS / "helpers")])
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and summary in done.stdout, done.stdout + done.stderr
    said = "1 test is left to make full" in done.stdout
    assert said == ("deselected" in summary and not words)

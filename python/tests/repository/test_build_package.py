# SPDX-License-Identifier: Apache-2.0
"""tools/build_package.py: progress, what is shown of a failed build, and the log."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PIP = """
import sys, time
for step in range(1, 4):
    print(f"  [{step}/4] Building CXX object {step}.o", flush=True)
    time.sleep(0.02)
if "fails" in sys.argv:
    print("  FAILED: 4.o\\n  4.cpp:1: error: no such thing")
    sys.exit(1)
"""


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "pip").mkdir(exist_ok=True)
    (folder / "pip" / "__init__.py").touch()
    (folder / "pip" / "__main__.py").write_text(PIP)
    program = (
        "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import build_package as b;"
        "b.APART = 0.0; sys.exit(b.main(pathlib.Path(sys.argv[2]), sys.argv[3:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(ROOT / "tools"), str(folder / "log"), *words],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_progress_has_files_and_the_time_that_is_left(tmp_path: Path) -> None:
    done = _run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "compiling: 2 of 4 files, about" in done.stdout
    assert "[3/4]" in (tmp_path / "log").read_text()


def test_a_failed_build_shows_its_error_and_the_log(tmp_path: Path) -> None:
    done = _run(tmp_path, "fails")
    assert done.returncode == 1
    assert "4.cpp:1: error: no such thing" in done.stderr
    assert "[1/4]" not in done.stderr
    assert str(tmp_path / "log") in done.stderr

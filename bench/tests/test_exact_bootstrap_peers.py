# SPDX-License-Identifier: Apache-2.0
"""The script that runs bootstraps of several libraries by turns: with programs of a row each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "peers/exact_bootstrap.py"

PROGRAM = """#!{python}
import json, sys
row = {{"scheme": "BGV", "n": 64, "t": 17, "min_ns": {ns}, "budget_after": 9, "integers": 60}}
document = {{"program": "{name}", "version": "1", "build": "", "results": [row]}}
open(sys.argv[sys.argv.index("--json") + 1], "w").write(json.dumps(document))
open("a file of its own", "w").close()
"""


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    core = str(min(os.sched_getaffinity(0)))
    command = [sys.executable, str(SCRIPT), "--programs", str(folder), "--size", "small"]
    return subprocess.run(
        [*command, "--core", core, *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def test_rows_of_all_programs_are_kept(tmp_path: Path) -> None:
    assert "no folder has exact_bootstrap_bench" in run(tmp_path).stderr
    ours = PROGRAM.format(python=sys.executable, name="nttforge", ns=2_000_000_000)
    program(tmp_path, "exact_bootstrap_bench", ours)
    theirs = PROGRAM.format(python=sys.executable, name="HElib", ns=60_000_000_000)
    program(tmp_path, "bootstrap_helib", theirs)
    out = tmp_path / "out.json"
    done = run(tmp_path, "--rounds", "2", "--json", str(out))
    assert done.returncode == 0, done.stderr
    assert "bootstrap_fheanor is in none of the folders: left out" in done.stdout
    rows = json.loads(out.read_text())["rows"]
    assert [row["library"] for row in rows] == ["nttforge", "HElib", "nttforge"]
    assert all(row["rounds"] == 2 and row["spread"] == 1 for row in rows)
    line = next(line for line in done.stdout.splitlines() if "HElib" in line)
    assert line.split()[-5:] == ["60", "60.000", "1000000.00", "9", "bits"]
    assert not (tmp_path / "a file of its own").exists()


def test_a_program_that_finds_a_wrong_result_has_no_row(tmp_path: Path) -> None:
    wrong = f"#!{sys.executable}\nimport sys\nsys.exit('3 of 64 slots are wrong')\n"
    for name in ("exact_bootstrap_bench", "bootstrap_helib", "bootstrap_fheanor"):
        program(tmp_path, name, wrong)
    done = run(tmp_path, "--json", str(tmp_path / "out.json"))
    assert done.returncode == 1 and done.stderr.count("3 of 64 slots are wrong") == 4
    assert json.loads((tmp_path / "out.json").read_text())["rows"] == []

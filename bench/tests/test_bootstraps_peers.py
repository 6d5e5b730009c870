# SPDX-License-Identifier: Apache-2.0
"""The script that runs bootstraps of CKKS of several libraries: with programs of a row each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "peers/bootstraps.py"

PROGRAM = """#!{python}
import json, os, sys
cores = sorted(os.sched_getaffinity(0))
row = {{"operation": "bootstrap", "set": "a set", "n": 65536, "mean_bits": 23.5,
       "worst_bits": 19.25, "min_ns": {ns}, "median_ns": {ns}, {fields}, "cores": cores,
       "asked": os.environ.get("NTTFORGE_TARGET")}}
rows = [dict(row, operation="bootstrap" + way) for way in {ways}] + [dict(row, operation="encode")]
for row in rows:
    if "graph" in row["operation"]:  # which the programs check and say nothing of
        del row["mean_bits"], row["worst_bits"], row["levels_between"]
document = {{"program": "x", "version": "1", "build": "", "device": "{device}", "results": rows}}
open(sys.argv[sys.argv.index("--json") + 1], "w").write(json.dumps(document))
"""


def program(folder: Path, name: str, **more: object) -> None:
    path = folder / name
    values = {"fields": '"levels_between": 11', "ways": [""], "device": "cpu", **more}
    path.write_text(PROGRAM.format(python=sys.executable, **values))
    path.chmod(0o755)


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--programs", str(folder), "--sets", "boot16w_40"]
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, check=False, cwd=folder
    )


def test_rows_of_all_programs_are_kept(tmp_path: Path) -> None:
    device = "cpu, target avx512_ifma, 1 thread, a CPU"
    ways = ["", ", real numbers"]
    program(tmp_path, "ckks_bench", ns=2_000_000_000, ways=ways, device=device)
    program(tmp_path, "peer_lattigo", ns=15_000_000_000, fields='"levels_left": 12')
    out = tmp_path / "out.json"
    core = str(min(os.sched_getaffinity(0)))
    done = run(tmp_path, "--rounds", "2", "--cores", core, "--json", str(out))
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text())
    one = [row for row in document["rows"] if row["cores"] == [int(core)]]
    assert [row["library"] for row in one] == ["lattigo", *["nttforge"] * 4]
    assert [row["numbers"] for row in one] == ["complex", *["complex", "real"] * 2]
    assert one[0]["levels_between"] == 12 and one[1]["levels_between"] == 11
    assert one[0]["security"].startswith("128 bits") and one[1]["asked"] == "avx2"
    assert one[1]["target"] == "avx512_ifma" and one[3]["asked"] is None
    assert all(row["rounds"] == 2 and row["spread"] == 1 for row in document["rows"])
    line = next(line for line in done.stdout.splitlines() if line.startswith("lattigo "))
    assert line.split()[-5:] == ["1", "15000.00", "23.5", "19.2", "12"]


def test_a_card_has_rows_of_its_own_files_of_parameters(tmp_path: Path) -> None:
    fields = '"levels_between": 16, "security": "none", "key_gigabytes": 5.5'
    program(tmp_path, "peer_cheddar_bootstrap", ns=20_000_000, fields=fields)
    program(tmp_path, "ckks_bench", ns=9_000_000, ways=["", ", as a graph"], device="cuda: H200")
    (tmp_path / "parameters").mkdir()
    (tmp_path / "parameters/bootparam_40.json").write_text("{}")
    out = tmp_path / "out.json"
    done = run(tmp_path, "--device", "gpu", "--json", str(out))
    assert done.returncode == 0, done.stderr
    assert "peer_heongpu_bootstrap is nowhere to be found" in done.stdout
    rows = json.loads(out.read_text())["rows"]
    assert [row["way"] for row in rows] == ["", "as a graph", ""]
    assert rows[1]["mean_bits"] == 23.5 and rows[1]["levels_between"] == 11
    assert rows[2]["library"] == "cheddar" and rows[2]["security"] == "none"


def test_a_program_that_finds_a_wrong_result_has_no_row(tmp_path: Path) -> None:
    wrong = tmp_path / "peer_lattigo"
    wrong.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('wrong result of a bootstrap')\n")
    wrong.chmod(0o755)
    done = run(tmp_path, "--json", str(tmp_path / "out.json"))
    assert done.returncode == 1 and "wrong result of a bootstrap" in done.stderr
    assert "different cores of" in run(tmp_path, "--cores", "0,0").stderr

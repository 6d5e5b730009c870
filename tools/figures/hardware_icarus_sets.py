# SPDX-License-Identifier: Apache-2.0
"""Measure how long Icarus takes for the 150 random sets that it runs, compilation included.

python tools/figures/hardware_icarus_sets.py --out bench/results/hardware-simulation/sets.jsonl

One set after the other, as ``nttforge_hardware.tools.random_sets`` draws them (every second of
300); seconds are those of the processor in iverilog and vvp. Sets that the file has for the same
files are not run again. Words, cycles and error flags are checked by each design's own testbench.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import tempfile
from pathlib import Path

from nttforge_hardware.emit.files import write_design
from nttforge_hardware.tools.icarus import icarus_version, simulate_icarus
from nttforge_hardware.tools.random_sets import COUNT, random_set


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="lines of JSON, one a set")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    lines = {}
    if options.out.is_file():
        read = map(json.loads, options.out.read_text("utf-8").splitlines())
        lines = {line["set"]: line for line in read}
    for number in range(0, COUNT, 2):
        files = random_set(number).files()
        digest = hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()[:16]
        if lines.get(number, {}).get("emitted") != digest:
            lines[number] = {"set": number, "emitted": digest, **_run(number, files)}
            print(lines[number], flush=True)
            text = "".join(json.dumps(line) + "\n" for _, line in sorted(lines.items()))
            options.out.write_text(text, "utf-8")
    seconds = sum(line["seconds"] for line in lines.values())
    failed = [number for number, line in lines.items() if not line["passed"]]
    print(f"{len(lines)} sets, {seconds:.0f} s of a core, failed: {failed or 'none'}")
    if failed:
        raise SystemExit(1)


def _run(number: int, files: dict[str, str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as scratch:
        write_design(files, Path(scratch))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        runs = simulate_icarus(Path(scratch), 1 + number)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    passed = all(run.passed for run in runs.values())
    return {"passed": passed, "seconds": round(seconds, 2), "tool": icarus_version()}


if __name__ == "__main__":
    if shutil.which("iverilog") is None:
        raise SystemExit("no iverilog on the path: apt install iverilog")
    main()

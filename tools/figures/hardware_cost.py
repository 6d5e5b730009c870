#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops that Yosys counts for random small designs, and the estimate fitted to them.

collect synthesises designs (minutes for each) and adds a line for each to a file; fit prints the
coefficients of nttforge_hardware.plan.cost and their errors; again counts those whose Verilog has
changed since. All need nttforge on the Python path.

  python tools/figures/hardware_cost.py collect --designs 0:170 --out yosys.jsonl
  python tools/figures/hardware_cost.py collect --designs 2000:2018 --out yosys.jsonl (loaded)
  python tools/figures/hardware_cost.py fit yosys.jsonl
  python tools/figures/hardware_cost.py again --most 20 yosys.jsonl
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware._parallel import run_parallel, usable_cores
from nttforge_hardware.emit.engine import engine_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.cost import COEFFICIENTS, GROUPS, AnyDesign, parts_of, weighed
from nttforge_hardware.plan.cost_parts import features
from nttforge_hardware.plan.design import Design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.engine import EngineDesign, EngineParameters, plan_engines
from nttforge_hardware.plan.primes import usable_dgt_primes, usable_primes
from nttforge_hardware.tools.set_runs import emitted_digest
from nttforge_hardware.tools.synthesis import synthesise

SEED = 777000
WIDTH, FAST_WIDTH = 250, 100  # bits of all cores' words: a matter of time
SMALL_WIDTH = 64  # the same of engines with loaded moduli and of designs with buffers
ENGINES, BUFFERS = 2000, 4000  # designs from these numbers on have them
LATER, LATER_FAST = 40, 15  # numbers within a thousand, and within its `fast` ones
FAMILIES = ("xc7", "xcup", "ecp5")
COUNTED = ("luts", "ffs", "dsps", "ramb18")
#: Beside the random ones: many lanes, many bits, many stages.
LARGER = (
    {"n": 4096, "bits": 30, "dp": 4, "pp": 2},
    {"n": 4096, "bits": 32, "dp": 8, "pp": 1},
    {"n": 4096, "bits": 60, "dp": 8, "pp": 1},
    {"n": 16384, "bits": 52, "dp": 32, "pp": 1},
)


def small_design(number: int) -> AnyDesign:
    """Design ``number``: the larger ones, then random ones."""
    if number < len(LARGER):
        shape = dict(LARGER[number])
        moduli = usable_primes(shape["n"], shape.pop("bits"), 1)
        return plan_design(HardwareParameters(moduli=moduli, core="montgomery", **shape))
    source = random.Random(SEED + number - len(LARGER))
    if number >= BUFFERS:
        return buffered_design(source, number)
    if number >= ENGINES:
        return engine_design(source, number)
    while True:
        log_n = source.randint(4, 14)
        dp = 2 ** source.randint(1, min(5, log_n - 1))
        pp = source.randint(1, min(6, log_n))
        core = source.choice(("montgomery", "barrett", "solinas"))
        bits = source.randint(max(16, log_n + 4), 61)
        direction = source.choice(("forward", "forward", "inverse", "both"))
        ring = source.choice(("negacyclic", "cyclic"))
        pipeline = source_pipeline(source, number)
        dgt = source.randrange(6) == 0
        width = FAST_WIDTH if number % 1000 >= 100 else WIDTH
        if dp // 2 * pp * bits * (3 if dgt else 1) > width:
            continue
        n = 1 << log_n
        try:
            if dgt:
                moduli = usable_dgt_primes(2 * n, bits, 1, core)
                return plan_dgt(2 * n, moduli, direction, 2 * dp, pp, core, pipeline)
            moduli = usable_primes(n, bits, 1, ring, core)
            return plan_design(
                HardwareParameters(n, moduli, direction, ring, dp, pp, core, pipeline)
            )
        except ParameterError:
            continue


def engine_design(source: random.Random, number: int) -> EngineDesign:
    """A design of engines with loaded moduli."""
    while True:
        log_n, engines = source.randint(4, 12), source.choice((1, 1, 2))
        dp, pp = 2 ** source.randint(1, min(3, log_n - 1)), source.randint(1, min(3, log_n))
        bits = source.randint(max(16, log_n + 4), 61)
        shape = {
            "direction": source.choice(("forward", "inverse", "both")),
            "core": source.choice(("montgomery", "montgomery", "barrett")),
            "start": source.choice(("word", "frame")),
            "sets": source.choice((1, 2, 3, 6)),
            "pipeline": source_pipeline(source, number),
        }
        if engines * dp // 2 * pp * bits <= SMALL_WIDTH:
            return plan_engines(EngineParameters(1 << log_n, bits, engines, dp=dp, pp=pp, **shape))


def buffered_design(source: random.Random, number: int) -> Design:
    """A transform with buffers at both ports."""
    while True:
        log_n = source.randint(4, 13)
        dp, pp = 2 ** source.randint(1, min(3, log_n - 1)), source.randint(1, min(3, log_n))
        bits = source.randint(max(16, log_n + 4), 61)
        direction = source.choice(("forward", "inverse", "both"))
        buffers = source.choice(("word", "frame"))
        pipeline = source_pipeline(source, number)
        if dp // 2 * pp * bits <= SMALL_WIDTH:
            shape = (usable_primes(1 << log_n, bits, 1), direction, "negacyclic", dp, pp)
            return plan_design(
                HardwareParameters(1 << log_n, *shape, "auto", pipeline, buffers=buffers)
            )


def held_out(number: int, group: str) -> bool:
    """Whether a design takes no part in a fit: those of every second thousand.

    For ECP5 only those made after the features were chosen, which the others had told of.
    """
    later = number % 1000 >= (LATER if number % 1000 < 100 else 100 + LATER_FAST)
    return number // 1000 % 2 == 1 and number > 0 and (group != "ecp5" or later)


def family_of(number: int) -> str:
    """The family for which design ``number`` is synthesised: they take turns."""
    return "xcup" if number < len(LARGER) else FAMILIES[number % len(FAMILIES)]


def source_pipeline(source: random.Random, number: int) -> Pipeline:
    """Registers of design ``number``: ``fast`` from the hundredth of a thousand on."""
    choice = "fast" if number % 1000 >= 100 else source.choice(("small", "balanced"))
    return device_pipeline(family_of(number), choice)


def collect_one(number: int) -> dict[str, Any]:
    """The line of a design: its parameters and what Yosys counts."""
    design, family = small_design(number), family_of(number)
    p = design.parameters
    fields = asdict(p)
    if isinstance(p, HardwareParameters):
        fields |= {"moduli": list(p.moduli), "parts": p.parts}
    return {"design": number, "family": family, **fields, **count(design, family)}


def files_of(design: AnyDesign) -> dict[str, str]:
    """What is emitted for a design."""
    if isinstance(design, EngineDesign):
        return engine_files(design)
    return design_files(design, sets=1)


def read_digest(files: dict[str, str]) -> str:
    """Digest of what synthesis reads: no comments, no testbench."""
    read = ("rtl/", "models/", "twiddles/", "tables/")
    return emitted_digest({name: text for name, text in files.items() if name.startswith(read)})


def count(design: AnyDesign, family: str) -> dict[str, Any]:
    """What Yosys counts for a design, and a digest of what it read."""
    start, files = time.perf_counter(), files_of(design)
    with tempfile.TemporaryDirectory() as scratch:
        write_design(files, Path(scratch))
        got = synthesise(Path(scratch), family)
    return {
        **{what: getattr(got, what) for what in COUNTED},
        "tool": got.tool,
        "seconds": round(time.perf_counter() - start, 1),
        "read": read_digest(files),
    }


def planned(line: dict[str, Any]) -> AnyDesign:
    """The design of a line."""
    if "engines" in line:
        names = [field.name for field in dataclasses.fields(EngineParameters)]
        values = {name: line[name] for name in names} | {"pipeline": Pipeline(**line["pipeline"])}
        return plan_engines(EngineParameters(**values))
    keys = ("n", "moduli", "direction", "ring", "dp", "pp", "core")
    p = {key: line[key] for key in keys} | {"pipeline": Pipeline(**line["pipeline"])}
    if line["parts"] == 1:
        p["buffers"] = line.get("buffers", "none")
        return plan_design(HardwareParameters(**p))
    p |= {"n": 2 * p["n"], "dp": 2 * p["dp"]}
    del p["ring"]
    return plan_dgt(**p)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def collect(numbers: range, jobs: int, path: Path) -> None:
    done = {line["design"] for line in read(path)}
    left = [n for n in numbers if n not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for _, line in run_parallel(collect_one, left, jobs, "yosys", "design {}".format):
            file.write(json.dumps(line) + "\n")
            file.flush()


def again(path: Path, most: int) -> None:
    """Counts designs again whose Verilog is another one now, the shortest first, and says how far
    their counts moved. A line without a digest counts as changed."""
    lines, moved, left = read(path), dict.fromkeys(COUNTED, 0.0), most
    for line in sorted(lines, key=lambda line: line["seconds"]):
        design = planned(line)
        if not left or line.get("read") == read_digest(files_of(design)):
            continue
        got, left = count(design, line["family"]), left - 1
        for what in COUNTED:
            off = got[what] / line[what] - 1 if line[what] else float(got[what])
            moved[what] = max(moved[what], off, key=abs)
        line.update(got)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        print(line["design"], line["family"], got["seconds"], moved, flush=True)
    stale = sum(line.get("read") != read_digest(files_of(planned(line))) for line in lines)
    print(f"{stale} of {len(lines)} lines are of other Verilog; largest moves {moved}")


_SUMS = ("montgomery sums", "barrett sums", "solinas sums", "modular sums")
#: Features that a fit leaves out: what others of the same designs say as well or better.
LEFT_OUT = {
    ("xilinx", "luts"): (*_SUMS, "squares"),
    ("xilinx", "ffs"): (*_SUMS, "squares"),
    ("ecp5", "luts"): ("sums",),
    ("ecp5", "ffs"): (*_SUMS, "squares"),
}
SHRINK = 0.1  # weight of the pull towards zero, which keeps coefficients of few designs small


#: The same of what loaded moduli and buffers take beside the transforms.
LEFT_OUT_BESIDE = {
    "luts": ("loaded registers",),
    "ffs": ("loaded rows", "loaded shifts", "loaded tables", "chosen", "rows of buffers"),
}


def solve(rows, wanted):
    """Least squares of relative errors with coefficients that are not negative."""
    import numpy as np

    typical = rows.mean(axis=0)
    pull = SHRINK * np.diag(np.where(typical > 0, typical, 1.0))
    wanted = np.concatenate([wanted, np.zeros(len(pull))])
    a, columns = np.vstack([rows, pull]), list(range(rows.shape[1]))
    while True:
        x = np.linalg.lstsq(a[:, columns], wanted, rcond=None)[0]
        if (x >= 0).all():
            break
        columns.pop(int(np.argmin(x * typical[columns])))
    out = np.zeros(rows.shape[1])
    out[columns] = x
    return out


def fit(path: Path) -> None:
    """Prints the coefficients of each group and the errors by family, of designs held out."""
    import numpy as np

    lines = read(path)
    for group, families in GROUPS.items():
        mine = [x for x in lines if x["family"] in families and x["design"] < ENGINES]
        counted = [features(planned(line)) for line in mine]
        held = np.array([held_out(line["design"], group) for line in mine])
        for what in ("luts", "ffs"):
            names = sorted({name for row in counted for name in row} - {*LEFT_OUT[group, what]})
            table = np.array([[row.get(name, 0) for name in names] for row in counted], float)
            relative = table / np.array([line[what] for line in mine], float)[:, None]
            x = solve(relative[~held], np.ones(sum(~held)))
            in_turn = np.abs(
                [1 / (relative[k] @ _without(relative, k)) - 1 for k in range(len(mine))]
            )
            found = {n: round(float(v), 4) for n, v in zip(names, x, strict=True) if v > 5e-5}
            print(f"{group} {what}: {found}")
            for family in families:
                which = held & np.array([line["family"] == family for line in mine])
                off = np.abs(1 / (relative[which] @ x) - 1)  # as a part of the estimate
                print(
                    f"  {family}: {len(off)} held out of {sum(m['family'] == family for m in mine)}"
                    f", median {np.median(off):.1%}, nine in ten {np.quantile(off, 0.9):.1%}, "
                    f"largest {off.max():.1%}"
                )
            print(f"  all in turn: nine in ten {np.quantile(in_turn, 0.9):.1%}")


def _without(relative: Any, k: int) -> Any:
    """The coefficients of a fit to all designs but one."""
    import numpy as np

    others = np.arange(len(relative)) != k
    return solve(relative[others], np.ones(len(relative) - 1))


def fit_beside(path: Path) -> None:
    """Prints the same of designs with loaded moduli or buffers: what they take beside transforms.

    They are few, so each one is predicted by a fit to all others.
    """
    import numpy as np

    for group, families in GROUPS.items():
        mine = [x for x in read(path) if x["family"] in families and x["design"] >= ENGINES]
        parts = [parts_of(planned(line)) for line in mine]
        counted = [beside for _, beside in parts]
        plain = np.array([weighed(COEFFICIENTS[group], shape) for shape, _ in parts])
        for which, what in enumerate(("luts", "ffs")):
            names = sorted({name for row in counted for name in row} - {*LEFT_OUT_BESIDE[what]})
            y = np.array([line[what] for line in mine], float)
            table = np.array([[row.get(name, 0) for name in names] for row in counted], float)
            rows, rest = table / y[:, None], 1 - plain[:, which] / y
            x = solve(rows, rest)
            found = {n: round(float(v), 4) for n, v in zip(names, x, strict=True) if v > 5e-5}
            print(f"{group} {what} beside: {found}")
            off = []
            for k in range(len(mine)):
                others = np.arange(len(mine)) != k
                guess = plain[k, which] + table[k] @ solve(rows[others], rest[others])
                off.append(abs(y[k] / guess - 1))
            print(
                f"  {len(mine)} designs, median {np.median(off):.1%}, nine in ten "
                f"{np.quantile(off, 0.9):.1%}, largest {max(off):.1%}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = parser.add_subparsers(dest="action", required=True)
    first = actions.add_parser("collect")
    first.add_argument("--designs", default="0:170", help="FIRST:END (default 0:170)")
    first.add_argument("--jobs", type=int, default=usable_cores())
    first.add_argument("--out", type=Path, required=True)
    more = actions.add_parser("again")
    more.add_argument("--most", type=int, default=10, help="designs counted again (default 10)")
    more.add_argument("file", type=Path)
    second = actions.add_parser("fit")
    second.add_argument("file", type=Path)
    options = parser.parse_args()
    if options.action == "fit":
        fit(options.file)
        fit_beside(options.file)
    elif options.action == "again":
        again(options.file, options.most)
    else:
        collect(range(*map(int, options.designs.split(":"))), options.jobs, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())

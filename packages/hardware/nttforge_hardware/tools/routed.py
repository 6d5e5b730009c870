# SPDX-License-Identifier: Apache-2.0
"""Routed clocks of twenty designs with a register at every pin, on devices of open tools.

Each design is placed and routed on each device from several seeds, its ports bound to pads. A
line is written as soon as a placement ends; a run that was interrupted, or is asked for more, does
what is not there yet for the same Verilog, tools and options. Times in µs are cycles at these
clocks.

examples:
  python -m nttforge_hardware.tools.routed --list
  python -m nttforge_hardware.tools.routed --devices ecp5-8 --sets n1024-30 --seeds 1 2 3 4 5
  python -m nttforge_hardware.tools.routed --table
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer
from nttforge.console.output import table
from nttforge.errors import ParameterError, UnsupportedError

from .._parallel import run_parallel
from ..emit.files import design_files
from ..plan.design import Design, plan_design
from ..plan.devices import device_pipeline
from ..plan.parameters import HardwareParameters
from ..plan.primes import usable_primes
from .flows import TARGETS, Target
from .pinned import pinned_top
from .place import critical_path, slowest_mhz

TOP = "ntt_top"
RESULTS = Path("bench/results/hardware-league/routed.jsonl")
SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Case:
    """A design: of a prime of ``bits`` bits, or a standard's of this name: modulus and layers."""

    name: str
    n: int
    bits: int
    dp: int
    pp: int
    direction: str = "both"
    core: str = "auto"
    scheme: tuple[int, int] | None = None

    def design(self, device: str) -> Design:
        """The design for a family, with ``fast`` registers."""
        if self.scheme:
            q, layers = self.scheme
            n, degree = 1 << layers, self.n >> layers
            moduli = (q,) * degree
        else:
            n, degree = self.n, 1
            moduli = usable_primes(n, self.bits, 1, core=self.core)
        return plan_design(
            HardwareParameters(
                n, moduli, direction=self.direction, dp=self.dp, pp=self.pp, core=self.core,
                pipeline=device_pipeline(device, "fast"), degree=degree,
            )
        )  # fmt: skip

    @property
    def command(self) -> str:
        """What generates it, without its device."""
        what = f"--scheme {self.name}" if self.scheme else f"--n {self.n} --bits {self.bits}"
        core = "" if self.core == "auto" else f" --core {self.core}"
        shape = f"--dp {self.dp} --pp {self.pp} --direction {self.direction}{core}"
        return f"nttforge rtl generate {what} {shape} --pipeline fast"


CASES = {
    case.name: case
    for case in (
        Case("n64-16", 64, 16, 2, 1),
        Case("n64-30", 64, 30, 2, 1),
        Case("ml-kem", 256, 12, 2, 1, scheme=(3329, 7)),
        Case("ml-dsa", 256, 23, 2, 1, scheme=(8380417, 8)),
        Case("falcon-512", 512, 14, 2, 1, scheme=(12289, 9)),
        Case("falcon-1024", 1024, 14, 2, 1, scheme=(12289, 10)),
        Case("n128-60", 128, 60, 2, 1),
        Case("n256-28-solinas", 256, 28, 2, 1, core="solinas"),
        Case("n256-30", 256, 30, 2, 1),
        Case("n256-30-barrett", 256, 30, 2, 1, core="barrett"),
        Case("n256-30-wide", 256, 30, 4, 2, "forward"),
        Case("n512-20", 512, 20, 2, 1),
        Case("n512-30", 512, 30, 4, 1),
        Case("n1024-14", 1024, 14, 2, 2, "forward"),
        Case("n1024-30-narrow", 1024, 30, 2, 1),
        Case("n1024-30", 1024, 30, 4, 2, "forward"),
        Case("n1024-30-both", 1024, 30, 4, 2),
        Case("n2048-28", 2048, 28, 2, 2, "forward"),
        Case("n4096-30", 4096, 30, 2, 1, "forward"),
        Case("n4096-60", 4096, 60, 2, 2, "forward"),
    )
}

Key = tuple[str, str, int]  # case, target, seed


def files_of(case: Case, target: Target) -> tuple[Design, dict[str, str]]:
    """A design and what is placed of it: modules, images, and the top level with pins."""
    design = case.design(target.device)
    emitted = design_files(design, sets=1)
    kept = {k: v for k, v in emitted.items() if k.startswith(("rtl/", "twiddles/", "models/"))}
    kept[f"rtl/{TOP}_pins.sv"] = pinned_top(kept[f"rtl/{TOP}.sv"], TOP)
    return design, kept


def digest_of(files: dict[str, str]) -> str:
    """Digest of the lines of all files that are no comments."""
    total = hashlib.sha256()
    for name, text in sorted(files.items()):
        lines = [line.partition("//")[0].rstrip() for line in text.splitlines()]
        total.update("\n".join([name, *(line for line in lines if line)]).encode())
    return total.hexdigest()[:16]


def read_lines(path: Path) -> dict[Key, dict[str, Any]]:
    """The last line for each design, device and seed."""
    if not path.is_file():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(line["case"], line["target"], line["seed"]): line for line in lines}


def statement_of(files: dict[str, str], target: Target) -> dict[str, Any]:
    """What a line is true of: it is placed again where any of this has changed."""
    return {
        "verilog": digest_of(files),
        "tool": target.tool(),
        "options": " ".join(target.options),
        "asked_mhz": target.asked_mhz,
    }


def missing_keys(keys: Sequence[Key], lines: dict[Key, dict[str, Any]]) -> list[Key]:
    """The keys without a line for today's Verilog, tools and options."""
    today = {
        (case, device): statement_of(files_of(CASES[case], TARGETS[device])[1], TARGETS[device])
        for case, device in dict.fromkeys(key[:2] for key in keys if key in lines)
    }
    return [
        key for key in keys if key not in lines or not today[key[:2]].items() <= lines[key].items()
    ]


def route_one(scratch: str, key: Key) -> dict[str, Any]:
    """The line of one placement."""
    name, device, seed = key
    case, target = CASES[name], TARGETS[device]
    design, files = files_of(case, target)
    line = {"case": name, "target": device, "seed": seed, "part": target.part,
            "command": f"{case.command} --device {target.device}",
            **statement_of(files, target)}  # fmt: skip
    try:
        folder = _synthesised(files, target, Path(scratch) / f"{name}_{target.family}")
        report = target.place(folder, seed)
    except UnsupportedError as error:
        return line | {"mhz": None, "failed": str(error)}
    mhz = round(slowest_mhz(report), 2)
    latency = max(design.latency_cycles(d) for d in design.schedules)
    return line | {
        "mhz": mhz,
        "latency_cycles": latency,
        "interval_cycles": design.interval_cycles,
        "interval_us": round(design.interval_cycles / mhz, 3),
        "used": target.used(report),
        "critical_path": critical_path(report),
    }


def _synthesised(files: dict[str, str], target: Target, folder: Path) -> Path:
    """The folder with a netlist; of several processes that make it the first one's counts."""
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        own = Path(scratch) / folder.name
        for name, text in files.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(text, encoding="utf-8")
        target.synthesise(own, f"{TOP}_pins")
        with suppress(OSError):  # there already
            own.rename(folder)
    return folder


def route(keys: Sequence[Key], path: Path, jobs: int = 1) -> list[dict[str, Any]]:
    """Places and routes what ``path`` does not have yet and adds a line for each; gives all lines.

    Raises
    ------
    UnsupportedError
        If a tool is missing.
    """
    for device in dict.fromkeys(key[1] for key in keys):
        TARGETS[device].check_installed()
    done = read_lines(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, path.open("a", encoding="utf-8") as file:
        work = partial(route_one, scratch)
        for key, line in run_parallel(work, missing_keys(keys, done), jobs, "routed", _said):
            done[key] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
    return [done[key] for key in keys if key in done]


def _said(key: Key) -> str:
    return f"{key[0]} on {key[1]}, seed {key[2]}"


def rows_of(lines: Iterable[dict[str, Any]]) -> list[list[Any]]:
    """A row for each design and device: median and worst clock, and the time between transforms."""
    rows = []
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        groups.setdefault((line["case"], line["target"]), []).append(line)
    for (case, device), group in groups.items():
        routed = [line for line in group if line["mhz"] is not None]
        if not routed:
            rows.append([case, device, 0, "-", "-", "-", "-", _reason(group[0]["failed"])])
            continue
        clocks = [line["mhz"] for line in routed]
        median, used = statistics.median(clocks), routed[-1]["used"]
        cycles = routed[-1]["interval_cycles"]
        counted = f"{used['luts']}, {used['ffs']}, {used.get('multipliers', '-')}"
        rows.append([case, device, len(clocks), f"{median:.1f}", f"{min(clocks):.1f}", cycles,
                     f"{cycles / median:.2f}", counted])  # fmt: skip
    return rows


HEADER = [
    "design",
    "device",
    "seeds",
    "median MHz",
    "worst",
    "interval, cycles",
    "µs",
    "LUT, FF, mult.",
]


def _reason(text: str) -> str:
    return text.partition("ERROR: ")[2].partition("\n")[0] or text.partition("\n")[0]


def main(arguments: Sequence[str] | None = None) -> int:
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m nttforge_hardware.tools.routed",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--devices", nargs="+", default=list(TARGETS), help=", ".join(TARGETS))
    parser.add_argument("--sets", nargs="+", default=list(CASES), help="names of designs (all)")
    parser.add_argument("--seeds", nargs="+", type=integer, default=list(SEEDS))
    parser.add_argument("--jobs", type=integer, default=1, help="processes (1: each has a GiB)")
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="lines, added to and resumed from"
    )
    parser.add_argument("--list", action="store_true", help="say the designs and devices")
    parser.add_argument("--table", action="store_true", help="only the table of what is there")
    options = parser.parse_args(arguments)
    try:
        _check("--devices", options.devices, TARGETS)
        _check("--sets", options.sets, CASES)
        if options.list:
            print(table(["design", "command"], [[c.name, c.command] for c in CASES.values()]))
            print(table(["device", "part"], [[name, t.part] for name, t in TARGETS.items()]))
            return 0
        keys = [(c, d, s) for c in options.sets for d in options.devices for s in options.seeds]
        lines = read_lines(options.out)
        if options.table:
            found = [lines[key] for key in keys if key in lines]
        else:
            found = route(keys, options.out, options.jobs)
    except (ParameterError, UnsupportedError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(HEADER, rows_of(found)))
    return 0


def _check(name: str, values: Sequence[str], allowed: Iterable[str]) -> None:
    wrong = [value for value in values if value not in allowed]
    if wrong:
        raise ParameterError(f"{name} = {wrong[0]!r} must be one of {', '.join(allowed)}")


if __name__ == "__main__":
    sys.exit(main())

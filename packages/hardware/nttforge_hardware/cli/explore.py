# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl explore``, and the limits by which designs are chosen."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer, number
from nttforge.console.output import table
from nttforge.errors import ParameterError

if TYPE_CHECKING:
    from ..plan.explorer import Candidate, Constraints
    from ..plan.parameters import HardwareParameters
    from ..plan.pipeline import Pipeline


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-latency-us", type=number, help="first word in to last word out")
    parser.add_argument("--max-dsp", type=integer, help="DSP blocks (27 x 18)")
    parser.add_argument("--max-memory-kbits", type=number, help="on-chip memory, 1024 bits each")
    parser.add_argument("--max-ramb18", type=integer, help="block memories; a RAMB36 is two")
    parser.add_argument("--max-ramb36", type=integer, help="the same, in pairs")
    parser.add_argument("--max-uram", type=integer, help="UltraRAM, with --memories ultra")
    parser.add_argument(
        "--max-lut", type=integer, help="LUTs, of which the prediction is an estimate"
    )
    parser.add_argument(
        "--max-bandwidth-gb-s",
        type=number,
        help="of the words in and out, in the cycle that moves most of them (no buffers)",
    )
    parser.add_argument(
        "--max-interval-gb-s",
        type=number,
        help="the same on the average of an interval (buffers at both ends)",
    )
    parser.add_argument(
        "--memory-gb-s",
        type=number,
        help="words come from and go to such a memory: its stalls count (default: the device's)",
    )
    parser.add_argument(
        "--device",
        default="generic",
        help="xcu200, xcu280, xcau25p, xc7vx690, lfe5u85, xcvc1902, agf014: blocks and limits; "
        "xcup, xc7, ecp5, versal, agilex: blocks",
    )
    parser.add_argument(
        "--twiddles",
        default="auto",
        help="table; on_the_fly: products where that saves block memories; auto: what limits ask",
    )
    parser.add_argument(
        "--buffers",
        default="none",
        help="of a transform at both ports: none; word: used as words come; frame: when all came",
    )
    parser.add_argument(
        "--memories",
        default="block",
        help="ultra: permutations of 1024 words and more are in UltraRAM (default block)",
    )
    parser.add_argument(
        "--objective",
        help="what is best within the limits: latency (default), throughput or area",
    )
    parser.add_argument("--jobs", type=integer, help="processes (default: all cores)")
    parser.add_argument(
        "--frequency-mhz", type=number, default=250.0, help="assumed clock (default 250)"
    )


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pipeline",
        help="registers: small, balanced (default) or fast (default for ecp5); docs/hardware.md",
    )
    parser.add_argument(
        "--registers",
        nargs="+",
        metavar="NAME=COUNT",
        default=[],
        help="single ones in place of the choice's own, such as add_regs=1 memory_regs=2",
    )


def pipeline(options: argparse.Namespace) -> Pipeline:
    """The registers and multiplier blocks that were asked for."""
    from ..plan.devices import device_pipeline

    single = {}
    for text in options.registers:
        name, _, count = text.partition("=")
        if not count.isdigit():
            raise ParameterError(
                f"--registers = {text!r} must be NAME=COUNT, such as memory_regs=2"
            )
        if name in single:
            raise ParameterError(f"--registers gives {name} twice: leave one out")
        single[name] = int(count)
    return device_pipeline(options.device, options.pipeline, **single)


def pipeline_words(options: argparse.Namespace) -> list[str]:
    """The options of a device and its registers, for the command that makes a design again."""
    from ..plan.devices import default_choice

    words = ["--device", options.device] if options.device != "generic" else []
    words += ["--memories", options.memories] if options.memories != "block" else []
    words += ["--pipeline", options.pipeline or default_choice(options.device)]
    return words + (["--registers", *options.registers] if options.registers else [])


_LIMITS = (
    "max_latency_us",
    "max_dsp",
    "max_memory_kbits",
    "max_ramb18",
    "max_ramb36",
    "max_uram",
    "max_lut",
    "max_bandwidth_gb_s",
    "max_interval_gb_s",
)


def constraints(options: argparse.Namespace) -> Constraints:
    from ..plan.explorer import Constraints

    for name in (*_LIMITS, "memory_gb_s", "frequency_mhz"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            option = "--" + name.replace("_", "-")
            raise ParameterError(f"{option} = {value:g} must be more than 0")
    if options.max_uram is not None and options.memories != "ultra":
        raise ParameterError(
            f"--max-uram = {options.max_uram} goes with --memories ultra only, as other designs "
            "have no UltraRAM: leave it out"
        )
    ramb18 = [n for n in (options.max_ramb18, options.max_ramb36 and 2 * options.max_ramb36) if n]
    limits = Constraints(
        latency_us=options.max_latency_us,
        dsps=options.max_dsp,
        memory_kbits=options.max_memory_kbits,
        frequency_mhz=options.frequency_mhz,
        ramb18=min(ramb18, default=None),
        uram=options.max_uram,
        luts=options.max_lut,
        peak_gb_s=options.max_bandwidth_gb_s,
        interval_gb_s=options.max_interval_gb_s,
        memory_gb_s=options.memory_gb_s,
    )
    return limits.within(options.device)


def objective(options: argparse.Namespace) -> str:
    """What is asked to be best."""
    from ..plan.explorer import OBJECTIVES
    from ..plan.parameters import check_choice

    chosen: str = options.objective or "latency"
    check_choice("--objective", chosen, tuple(OBJECTIVES))
    return chosen


def check_shape(options: argparse.Namespace) -> None:
    """Raises ParameterError if one of dp and pp is given without the other."""
    for one, other in (("dp", "pp"), ("pp", "dp")):
        if getattr(options, one) is not None and getattr(options, other) is None:
            raise ParameterError(
                f"--{one} = {getattr(options, one)} without --{other}: give both --dp and --pp, or "
                "neither and limits to choose by"
            )


def check_limited(options: argparse.Namespace, limits: Constraints) -> None:
    """Raises ParameterError if the best design would be the largest that there is."""
    names = ("latency_us", "dsps", "memory_kbits", "ramb18", "uram", "luts", "peak_gb_s")
    given = [getattr(limits, name) for name in (*names, "interval_gb_s")]
    if options.objective is None and all(limit is None for limit in given):
        raise ParameterError(
            "nothing limits the design: give --dp and --pp, or a limit such as --max-dsp or a "
            "--device, or say what is best with --objective latency, throughput or area"
        )


def check_no_objective(options: argparse.Namespace) -> None:
    """Raises ParameterError if an objective is given beside a shape."""
    if options.objective is not None:
        raise ParameterError(
            f"--objective = {options.objective!r} beside --dp and --pp, which leave nothing to "
            "choose: leave it out"
        )


def check_seed(options: argparse.Namespace) -> None:
    """Raises ParameterError unless test vectors can be made from the seed."""
    if options.seed < 0:
        raise ParameterError(f"--seed = {options.seed} must be 0 or more")


def recipes(options: argparse.Namespace) -> tuple[str, ...]:
    """Memory recipes to explore."""
    check_twiddles(options)
    return ("table", "on_the_fly") if options.twiddles == "auto" else (options.twiddles,)


def check_twiddles(options: argparse.Namespace) -> None:
    """Raises ParameterError if there are no such twiddles."""
    from ..plan.parameters import TWIDDLES, check_choice

    check_choice("twiddles", options.twiddles, ("auto", *TWIDDLES))


def jobs_of(options: argparse.Namespace) -> int:
    from .._parallel import check_jobs, usable_cores

    return usable_cores() if options.jobs is None else check_jobs(options.jobs)


def _summary(candidate: Candidate) -> dict[str, Any]:
    from ..plan.design import Design

    design = candidate.design
    p = design.parameters
    return {
        "dp": p.dp * p.parts,
        "pp": p.pp,
        "core": design.cores[0].kind,
        "twiddles": p.twiddles,
        "pipeline": p.pipeline.name,
        "latency_cycles": {d: design.latency_cycles(d) for d in p.directions}
        if isinstance(design, Design)
        else {"product": candidate.latency_cycles},
        "stall_cycles": candidate.stall_cycles,
        "interval_cycles": candidate.interval_cycles,
        "interval_stall_cycles": candidate.interval_stall_cycles,
        "latency_us_assumed": round(candidate.latency_us, 3),
        "dsps": candidate.dsps,
        "memory_bits": candidate.memory_bits,
        "ramb18": candidate.ramb18,
        "uram": candidate.uram,
        "luts_estimated": candidate.luts,
        "ffs_estimated": candidate.ffs,
        "peak_gb_s_assumed": round(candidate.peak_gb_s, 2),
        "interval_gb_s_assumed": round(candidate.interval_gb_s, 2),
    }


def explore_action(options: argparse.Namespace, base: HardwareParameters) -> int:
    from ..plan.explorer import choose, explore

    limits, jobs, best = constraints(options), jobs_of(options), objective(options)
    check_predicted(options)
    ways = recipes(options)
    found = [_summary(c) for c in explore(base, limits, jobs, "explore", ways, best)]
    if not found and not options.json:
        choose(base, limits, jobs, "", ways, best)  # says how near the nearest comes
    if options.json:
        print(json.dumps(found, indent=2))
        return 0 if found else 1
    header = ["dp", "pp", "core", "twiddles", "cycles", "interval", "us (assumed)", "DSPs"]
    ultra = base.memories == "ultra"
    header += ["RAMB18", *(["URAM"] if ultra else []), "LUTs (est.)", "FFs (est.)"]
    header += ["peak GB/s", "interval GB/s"]
    print(table(header, [_row(c, ultra) for c in found]))
    print(f"\n{len(found)} designs that no other one within the limits dominates, ", end="")
    print(f"by {best}, registers {base.pipeline.name};")
    print(f"microseconds and GB/s at an assumed clock of {options.frequency_mhz:g} MHz")
    say_interval(base.pipeline.block, base.buffers != "none")
    if limits.memory_gb_s is not None:
        print(
            f"cycles after + are stalls of a memory of {limits.memory_gb_s:g} GB/s without "
            "buffers, and are part of the microseconds"
        )
    return 0 if found else 1


def say_interval(block: str, beside: bool) -> None:
    """How far estimates are off; ``beside``: of designs with loaded moduli or buffers."""
    from ..plan.cost import interval

    if off := interval(block, beside):
        print(
            f"estimates: nine in ten designs take LUTs within {off['luts']:.0%} and flip-flops "
            f"within {off['ffs']:.0%} of them"
        )


def _row(found: dict[str, Any], ultra: bool) -> list[object]:
    def stalled(cycles: int, more: int) -> str:
        return f"{cycles} + {more}" if more else str(cycles)

    return [
        found["dp"],
        found["pp"],
        found["core"],
        found["twiddles"],
        stalled(max(found["latency_cycles"].values()), found["stall_cycles"]),
        stalled(found["interval_cycles"], found["interval_stall_cycles"]),
        f"{found['latency_us_assumed']:.2f}",
        found["dsps"],
        found["ramb18"],
        *([found["uram"]] if ultra else []),
        "-" if found["luts_estimated"] is None else found["luts_estimated"],
        "-" if found["ffs_estimated"] is None else found["ffs_estimated"],
        f"{found['peak_gb_s_assumed']:.1f}",
        f"{found['interval_gb_s_assumed']:.1f}",
    ]


def check_predicted(options: argparse.Namespace) -> None:
    """Raises ParameterError for a limit on what is not predicted of products."""
    if options.direction == "product" and options.max_lut is not None:
        raise ParameterError(
            f"--max-lut = {options.max_lut} is not predicted for direction = 'product': leave it "
            "out"
        )

# SPDX-License-Identifier: Apache-2.0
"""``--moduli runtime`` of ``nttforge rtl generate`` and ``explore``: engines that limbs share."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer
from nttforge.console.output import table
from nttforge.errors import ParameterError

from . import explore as rtl_explore
from . import streams as rtl_streams

if TYPE_CHECKING:
    from ..plan.engine import EngineParameters
    from ..plan.engine_explorer import EngineCandidate
    from ..plan.explorer import Constraints
    from ..plan.pipeline import Pipeline

RUNTIME = "runtime"


def modulus(text: str) -> int | str:
    """A prime, or the word for moduli that are loaded."""
    return text if text == RUNTIME else integer(text)


def add_options(parser: argparse.ArgumentParser, several: bool) -> None:
    """Options that go with ``--moduli runtime``; ``several``: numbers of engines to compare."""
    group = parser.add_argument_group("with --moduli runtime")
    group.add_argument(
        "--engines",
        type=integer,
        nargs="+" if several else None,
        help="that limbs share in turn (default 1)" + (", several to compare" if several else ""),
    )
    group.add_argument(
        "--tables", type=integer, help="moduli that an engine holds (default: what --limbs needs)"
    )
    group.add_argument(
        "--start",
        help="when an engine begins a frame: word (as it comes), frame (when complete) or room "
        "(when complete, with room for its result: nothing waits, no register has an enable)",
    )
    if not several:
        group.add_argument(
            "--burst",
            type=integer,
            metavar="BEATS",
            help="also a module that reads and writes memory by itself (AXI4), with descriptors "
            "and an interrupt, in bursts of at most so many words of all lanes",
        )


def wanted(options: argparse.Namespace) -> bool:
    """Whether moduli are loaded.

    Raises
    ------
    ParameterError
        If options are given that do not go together.
    """
    if options.moduli and RUNTIME in options.moduli:
        if len(options.moduli) > 1:
            raise ParameterError(
                f"--moduli = {options.moduli} must be {RUNTIME} alone: primes are loaded later"
            )
        if options.transform != "ntt":
            raise ParameterError(
                f"transform = {options.transform!r} with --moduli {RUNTIME} must be ntt"
            )
        for name, allowed in (
            ("twiddles", ("auto", "table")),
            ("core", ("auto", *_CORES)),
            ("memories", ("block",)),
        ):
            if getattr(options, name) not in allowed:
                raise ParameterError(
                    f"--{name} = {getattr(options, name)!r} with --moduli {RUNTIME} must be one of "
                    + ", ".join(allowed)
                )
        return True
    for name in ("engines", "tables", "start", "burst"):
        if getattr(options, name, None) is not None:
            raise ParameterError(
                f"--{name} = {getattr(options, name)} goes with --moduli {RUNTIME} only: leave it "
                f"out, or add --moduli {RUNTIME}"
            )
    return False


_CORES = ("montgomery", "barrett")


def _parameters(
    options: argparse.Namespace, engines: int, dp: int, pp: int, pipeline: Pipeline
) -> EngineParameters:
    from ..plan.engine import MAX_SETS, EngineParameters

    limbs = 1 if options.limbs is None else options.limbs
    if limbs < 1:
        raise ParameterError(f"--limbs = {limbs} must be at least 1")
    if options.tables is not None and not 1 <= options.tables <= MAX_SETS:
        raise ParameterError(f"--tables = {options.tables} must be in 1 ... {MAX_SETS}")
    sets = -(-limbs // max(1, engines)) if options.tables is None else options.tables
    start = "word" if options.start is None else options.start
    ring, core = options.ring, options.core
    shape = (options.n, options.bits, engines, sets, options.direction, ring, dp, pp)
    return EngineParameters(*shape, core, start, pipeline, getattr(options, "layers", None))


def _no_other_limits(options: argparse.Namespace) -> None:
    if options.buffers != "none":
        raise ParameterError(f"--buffers with --moduli {RUNTIME}: engines have them, see --start")
    names = ("max_memory_kbits", "max_bandwidth_gb_s", "max_interval_gb_s", "memory_gb_s")
    for name in names:
        if getattr(options, name) is not None:
            option = f"--{name.replace('_', '-')} = {getattr(options, name):g}"
            raise ParameterError(f"{option} is not predicted with --moduli {RUNTIME}: leave it out")


def _found(options: argparse.Namespace, pipeline: Pipeline) -> list[EngineCandidate]:
    from ..plan.engine_explorer import explore_engines

    _no_other_limits(options)
    engines = options.engines if isinstance(options.engines, list) else [_engines(options)]
    bases = [_parameters(options, count, 4, 1, pipeline) for count in engines]
    limits, jobs = rtl_explore.constraints(options), rtl_explore.jobs_of(options)
    found = explore_engines(bases, options.limbs or 1, limits, jobs, "explore")
    return sorted(found, key=_ORDER[rtl_explore.objective(options)])


_ORDER: dict[str, Callable[[EngineCandidate], tuple[int, ...]]] = {
    "latency": lambda c: (c.cycles, c.dsps, c.ramb18),
    "throughput": lambda c: (c.interval, c.dsps, c.ramb18, c.cycles),
    "area": lambda c: (c.dsps, c.ramb18, c.cycles),
}


def _engines(options: argparse.Namespace) -> int:
    return 1 if options.engines is None else int(options.engines)


def explore(options: argparse.Namespace, pipeline: Pipeline) -> int:
    found = [_summary(c, options.frequency_mhz) for c in _found(options, pipeline)]
    if options.json:
        print(json.dumps(found, indent=2))
        return 0 if found else 1
    header = ["engines", "sets", "dp", "pp", "core", "cycles", "interval", "busy %", "us (assumed)"]
    header += ["DSPs", "RAMB18", "LUTs (est.)", "FFs (est.)"]
    rows = [["-" if value is None else value for value in c.values()] for c in found]
    print(table(header, rows))
    print(f"\n{len(found)} designs that no other one within the limits dominates;")
    print(
        f"cycles are those of all {options.limbs or 1} limbs, interval of one batch after another"
    )
    rtl_explore.say_interval(pipeline.block, True)
    _say_no_stalls(options, rtl_explore.constraints(options))
    return 0 if found else 1


def _summary(candidate: EngineCandidate, mhz: float) -> dict[str, Any]:
    p = candidate.parameters
    return {
        "engines": p.engines,
        "sets": p.sets,
        "dp": p.dp,
        "pp": p.pp,
        "core": candidate.core,
        "cycles": candidate.cycles,
        "interval": candidate.interval,
        "busy_percent": round(100 * candidate.busy, 1),
        "us_assumed": round(candidate.cycles / mhz, 3),
        "dsps": candidate.dsps,
        "ramb18": candidate.ramb18,
        "luts_estimated": candidate.luts,
        "ffs_estimated": candidate.ffs,
    }


def generate(options: argparse.Namespace, pipeline: Pipeline) -> int:
    from ..emit.engine import bench_moduli, engine_files
    from ..emit.files import write_design
    from ..plan.engine import plan_engines
    from ..plan.engine_explorer import predict_engines

    rtl_explore.check_shape(options)
    rtl_explore.check_seed(options)
    if options.tdata is not None:
        raise ParameterError(
            f"--tdata = {options.tdata!r} with --moduli {RUNTIME}: residues take 4 bytes at the "
            "ports for DMA, or 8 above 32 bits, as the driver nttf_engine.h has them: leave it out"
        )
    if options.sets is not None:
        raise ParameterError(
            f"--sets does not go with --moduli {RUNTIME}: frames follow from --limbs"
        )
    _no_other_limits(options)
    limits = rtl_explore.constraints(options)
    rtl_explore.jobs_of(options)
    if options.dp is None:
        rtl_explore.check_limited(options, limits)
        found = _found(options, pipeline)
        if not found:
            raise ParameterError("no engines keep the limits: relax one, or give --dp and --pp")
        p = found[0].parameters
    else:
        rtl_explore.check_no_objective(options)
        p = _parameters(options, _engines(options), options.dp, options.pp, pipeline)
    design = plan_engines(p)
    limbs = options.limbs or p.engines * p.sets
    candidate = predict_engines(p, limbs)
    if broken := candidate.broken(limits):
        raise ParameterError(f"the design does not keep the limits: {broken}")
    out = rtl_streams.free_folder(options.out)
    command = shlex.join(map(str, _command(options, p, limbs)))
    moduli = getattr(options, "bench_moduli", None) or bench_moduli(p, limbs)
    how = rtl_streams.file_arguments(options)
    del how["tdata"]
    files = engine_files(design, command, moduli, options.seed, burst=options.burst, **how)
    write_design(files, out, options.force)
    print(f"{len(files)} files in {out}: n = {p.n}, loaded moduli of {p.bits} bits, ", end="")
    print(f"{p.engines} engines x {p.sets} sets, dp = {p.dp}, pp = {p.pp}, core {design.core.kind}")
    print(
        f"predicted: {candidate.cycles} cycles for {limbs} limbs, {candidate.interval} between ",
        end="",
    )
    print(f"batches, cores busy {100 * candidate.busy:.1f} %")
    print(f"DSPs: {design.dsps}, RAMB18: {design.ramb18}; a table has {design.table_words} words")
    if candidate.luts is not None:
        print(f"LUTs: {candidate.luts}, flip-flops: {candidate.ffs}, estimated")
        rtl_explore.say_interval(p.pipeline.block, True)
    _say_no_stalls(options, limits)
    return 0


def _say_no_stalls(options: argparse.Namespace, limits: Constraints) -> None:
    """That the memory of a device is not in the cycles of engines, as it is in those of others."""
    if limits.memory_gb_s is not None:
        print(
            f"no stalls are counted of the memory of {options.device}, {limits.memory_gb_s:g} "
            "GB/s: words come and go as the engines take and give them"
        )


def _command(options: argparse.Namespace, p: EngineParameters, limbs: int) -> list[object]:
    words: list[object] = ["nttforge", "rtl", "generate"]
    chosen = options.scheme is not None  # sets the rest
    words += ["--scheme", options.scheme] if chosen else ["--n", p.n, "--bits", p.bits]
    words += [] if chosen else ["--moduli", RUNTIME]
    words += ["--engines", p.engines, "--tables", p.sets]
    words += [] if chosen else ["--limbs", limbs]
    words += ["--direction", p.direction]
    words += [] if chosen else ["--ring", p.ring]
    words += ["--core", p.core, "--start", p.start]
    words += [] if chosen or p.layers is None else ["--layers", p.layers]
    words += ["--dp", p.dp, "--pp", p.pp, "--seed", options.seed]
    words += [] if options.burst is None else ["--burst", options.burst]
    words += rtl_streams.output_words(options)
    return [*words, *rtl_explore.pipeline_words(options)]

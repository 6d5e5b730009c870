# SPDX-License-Identifier: Apache-2.0
"""Streaming NTT designs in Verilog: choose, generate, simulate, synthesise, report.

examples:
  nttforge rtl primes --n 4096 --bits 30 --count 3
  nttforge rtl explore --n 1024 --bits 28 --core solinas --max-dsp 640
  nttforge rtl generate --n 256 --bits 30 --dp 4 --pp 2 --out design
  nttforge rtl generate --n 4096 --bits 30 --limbs 6 --max-latency-us 25 --max-dsp 168 --out design
  nttforge rtl generate --n 1024 --bits 30 --dp 4 --pp 2 --device ecp5 --out placed
  nttforge rtl generate --n 4096 --bits 30 --moduli runtime --dp 4 --pp 2 --out loaded
  nttforge rtl explore --n 16384 --bits 52 --moduli runtime --limbs 21 --engines 1 2 4
  nttforge rtl dataflow --algorithm pease_nc --n 1024 --units 16 --out pease
  nttforge rtl permute --n 256 --dp 8 --bits 32 --permutation stride:16 --out transpose
  nttforge rtl simulate design
  nttforge rtl synthesise design --device xcup
  nttforge rtl synthesise design --device ecp5 --seeds 1 2 3
  nttforge rtl prove --quick
  nttforge rtl report design --open

Cycles, DSPs and block memories are predicted exactly for these designs; microseconds are cycles at
the clock that --frequency-mhz assumes, which no tool has confirmed. `simulate`, `synthesise`,
`prove` and `report` need tools: `nttforge doctor` says which are missing and how to get them.
"""

from __future__ import annotations

import argparse
import json
import shlex
from typing import TYPE_CHECKING

from ...console.arguments import integer
from ...console.output import table
from ...errors import ParameterError
from . import engine as rtl_engine
from . import explore as rtl_explore
from . import streams as rtl_streams
from . import tools as rtl_tools

if TYPE_CHECKING:
    from ...hardware.emit.product import ProductDesign
    from ...hardware.plan.design import Design
    from ...hardware.plan.parameters import HardwareParameters


_GENERATE_EXAMPLES = """examples:
  nttforge rtl generate --n 256 --bits 30 --dp 4 --pp 2 --out design
  nttforge rtl generate --n 1024 --max-dsp 60 --axi --image-folder ip/ntt --out ip/ntt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    primes = actions.add_parser("primes", help="moduli for a design, and what their cores cost")
    _transform(primes)
    primes.add_argument("--count", type=integer, default=5, help="how many (default 5)")
    explore = actions.add_parser("explore", help="designs within limits that nothing dominates")
    _transform(explore)
    rtl_explore.add_limits(explore)
    rtl_explore.add_pipeline(explore)
    rtl_engine.add_options(explore, several=True)
    generate = actions.add_parser(
        "generate",
        help="write Verilog, testbench and vectors",
        epilog=_GENERATE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _transform(generate)
    rtl_explore.add_limits(generate)
    rtl_explore.add_pipeline(generate)
    rtl_engine.add_options(generate, several=False)
    generate.add_argument("--dp", type=integer, help="coefficients per cycle and limb")
    generate.add_argument("--pp", type=integer, help="stages in hardware")
    generate.add_argument(
        "--sets", type=integer, help="test transforms per direction (default: enough)"
    )
    generate.add_argument("--seed", type=integer, default=1, help="of the test vectors")
    rtl_streams.add_output(generate, "ntt")
    rtl_streams.add_actions(actions)
    rtl_tools.add_actions(actions)
    for action in (primes, explore):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def _transform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=integer, default=4096, help="transform size (default 4096)")
    parser.add_argument("--bits", type=integer, default=30, help="size of the primes (default 30)")
    parser.add_argument("--limbs", type=integer, help="number of primes (default 1)")
    parser.add_argument(
        "--moduli",
        type=rtl_engine.modulus,
        nargs="+",
        metavar="Q",
        help="these primes instead; runtime: they are loaded, and limbs share engines",
    )
    parser.add_argument("--direction", default="forward", help="forward, inverse, both or product")
    parser.add_argument("--transform", default="ntt", help="ntt, or dgt: over GF(q)[i]")
    parser.add_argument("--ring", default="negacyclic", help="negacyclic or cyclic")
    parser.add_argument("--core", default="auto", help="auto, montgomery, barrett or solinas")


def run(options: argparse.Namespace) -> int:
    actions = {"primes": _primes, "explore": _explore, "generate": _generate}
    actions |= rtl_streams.ACTIONS
    return actions.get(options.action, rtl_tools.run)(options)


def _moduli(options: argparse.Namespace, count: int | None) -> tuple[int, ...]:
    if options.moduli and options.limbs not in (None, len(options.moduli)):
        given = len(options.moduli)
        raise ParameterError(f"--limbs = {options.limbs} beside {given} --moduli: leave one out")
    count = 1 if count is None else count
    if options.moduli:
        return tuple(options.moduli)
    from ...hardware.plan.primes import usable_dgt_primes, usable_primes

    if options.transform == "dgt":
        return usable_dgt_primes(options.n, options.bits, count, options.core)
    if options.transform != "ntt":
        raise ParameterError(f"transform = {options.transform!r} must be one of ntt, dgt")
    return usable_primes(options.n, options.bits, count, options.ring, options.core)


def _parameters(options: argparse.Namespace, dp: int = 2, pp: int = 1) -> HardwareParameters:
    from ...hardware import HardwareParameters

    return HardwareParameters(
        n=options.n,
        moduli=_moduli(options, options.limbs),
        direction=options.direction,
        ring=options.ring,
        dp=dp,
        pp=pp,
        core=options.core,
        pipeline=rtl_explore.pipeline(options),
        twiddles=_twiddles(options),
    )


def _twiddles(options: argparse.Namespace) -> str:
    """Where the twiddles of a design of a given shape come from."""
    chosen = getattr(options, "twiddles", "auto")
    return "table" if chosen == "auto" else chosen


def _primes(options: argparse.Namespace) -> int:
    from ...hardware.plan.parameters import check_prime
    from ...hardware.plan.primes import describe_prime

    _check_choices(options)
    for q in options.moduli or ():
        check_prime(q)
    found = [describe_prime(q) for q in _moduli(options, options.count)]
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    header = ["prime", "form", "core", "DSPs", "cycles", "largest negacyclic n"]
    rows = [
        [p["q"], p["form"] or "-", c["core"], c["dsps"], c["cycles"], p["max_n_negacyclic"]]
        for p in found
        for c in p["cores"]
    ]
    print(table(header, rows))
    return 0


def _check_choices(options: argparse.Namespace) -> None:
    """Check the choices of a command that makes no ``HardwareParameters``."""
    from ...hardware.plan.cores import KINDS
    from ...hardware.plan.parameters import DIRECTIONS, RINGS, check_choice

    check_choice("direction", options.direction, (*DIRECTIONS, "product"))
    check_choice("ring", options.ring, RINGS)
    check_choice("core", options.core, ("auto", *KINDS))


def _base(options: argparse.Namespace) -> HardwareParameters:
    """The transform to explore, of any shape."""
    if options.transform != "dgt":
        return _parameters(options)
    return _dgt_design(options, 4, 1).parameters


def _explore(options: argparse.Namespace) -> int:
    if rtl_engine.wanted(options):
        return rtl_engine.explore(options, rtl_explore.pipeline(options))
    return rtl_explore.explore_action(options, _base(options))


def _generate(options: argparse.Namespace) -> int:
    from ...hardware.emit.files import design_files, write_design
    from ...hardware.plan.design import plan_design
    from ...hardware.plan.explorer import choose, predict

    if rtl_engine.wanted(options):
        return rtl_engine.generate(options, rtl_explore.pipeline(options))
    if (options.dp is None) != (options.pp is None):
        raise ParameterError("give both --dp and --pp, or neither and limits to choose by")
    if options.sets is not None and options.sets < 1:
        raise ParameterError(f"--sets = {options.sets} must be at least 1")
    if options.seed < 0:
        raise ParameterError(f"--seed = {options.seed} must be 0 or more")
    if options.direction == "product":
        return _generate_product(options)
    limits = rtl_explore.constraints(options)
    if options.dp is None:
        recipes = rtl_explore.recipes(options)
        jobs = rtl_explore.jobs_of(options)
        design: Design = choose(_base(options), limits, jobs, "explore", recipes).design
    elif options.transform == "dgt":
        design = _dgt_design(options, options.dp, options.pp)
    else:
        design = plan_design(_parameters(options, options.dp, options.pp))
    broken = predict(design.parameters, limits.frequency_mhz).broken(limits)
    if broken:
        raise ParameterError(f"the design does not keep the limits: {broken}")
    out = rtl_streams.free_folder(options.out)
    p = design.parameters
    command = _command(options, p, p.direction)
    how = rtl_streams.file_arguments(options)
    files = design_files(design, command, options.sets, options.seed, **how)
    write_design(files, out)
    print(
        f"{len(files)} files in {out}: n = {p.n * p.parts}, {p.bp} x {p.bits // p.parts} bits, ",
        end="",
    )
    print(f"dp = {p.dp * p.parts}, pp = {p.pp}, core {design.cores[0].kind}")
    print(f"registers: {p.pipeline.name}")
    for d in p.directions:
        print(f"predicted {d} latency: {design.latency_cycles(d)} cycles")
    print(f"predicted interval: {design.interval_cycles} cycles, DSPs: {design.dsps}")
    return 0


def _dgt_design(options: argparse.Namespace, dp: int, pp: int) -> Design:
    from ...hardware.plan.dgt import plan_dgt

    if options.ring != "negacyclic":
        raise ParameterError(f"ring = {options.ring!r}: a DGT is negacyclic")
    moduli = _moduli(options, options.limbs)
    shape = (options.direction, dp, pp, options.core, rtl_explore.pipeline(options))
    return plan_dgt(options.n, moduli, *shape, _twiddles(options))


def _generate_product(options: argparse.Namespace) -> int:
    from ...hardware.emit.files import write_design
    from ...hardware.emit.product import plan_product, product_files

    if options.dp is None:
        raise ParameterError("direction = 'product' needs --dp and --pp")
    if options.transform != "ntt":
        raise ParameterError("direction = 'product' is for transform = 'ntt'")
    options.direction = "forward"
    p = _parameters(options, options.dp, options.pp)
    design = plan_product(p)
    _check_product_limits(options, design)
    out = rtl_streams.free_folder(options.out)
    command = _command(options, p, "product")
    how = rtl_streams.file_arguments(options)
    files = product_files(design, command, options.sets, options.seed, **how)
    write_design(files, out)
    print(f"{len(files)} files in {out}: products, n = {p.n}, {p.bp} x {p.bits} bits, dp = {p.dp}")
    print(f"registers: {p.pipeline.name}")
    print(f"predicted latency: {design.latency_cycles} cycles, ", end="")
    print(f"interval: {design.interval_cycles}, DSPs: {design.dsps}")
    return 0


def _check_product_limits(options: argparse.Namespace, design: ProductDesign) -> None:
    for name in ("max_memory_kbits", "max_lut", "max_bandwidth_gb_s"):
        if getattr(options, name) is not None:
            option = "--" + name.replace("_", "-")
            raise ParameterError(f"{option} is not predicted for direction = 'product'")
    limits = rtl_explore.constraints(options)
    us = design.latency_cycles / limits.frequency_mhz
    figures = {"latency_us": us, "dsps": design.dsps, "ramb18": design.ramb18}
    wanted = [(name, value, getattr(limits, name)) for name, value in figures.items()]
    broken = [f"{n} {v:.6g} > {limit:g}" for n, v, limit in wanted if limit and v > limit]
    if broken:
        raise ParameterError(f"the design does not keep the limits: {' and '.join(broken)}")


def _command(options: argparse.Namespace, p: HardwareParameters, direction: str) -> str:
    """The command that makes this design again, with everything that was chosen."""
    words = ["nttforge", "rtl", "generate", "--n", options.n, "--moduli", *p.moduli]
    words += ["--transform", options.transform] if options.transform != "ntt" else []
    words += ["--direction", direction, "--ring", p.ring, "--core", p.core]
    words += ["--dp", p.dp * p.parts, "--pp", p.pp, "--seed", options.seed]
    words += rtl_streams.output_words(options)
    words += rtl_explore.pipeline_words(options)
    words += ["--twiddles", p.twiddles] if p.twiddles != "table" else []
    words += ["--sets", options.sets] if options.sets else []
    return shlex.join(map(str, words))

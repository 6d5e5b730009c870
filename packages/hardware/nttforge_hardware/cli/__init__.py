# SPDX-License-Identifier: Apache-2.0
"""Streaming NTT designs in Verilog: choose, generate, simulate, synthesise, report.

examples:
  nttforge rtl primes --n 4096 --bits 30 --count 3
  nttforge rtl explore --n 1024 --bits 28 --core solinas --max-dsp 640
  nttforge rtl generate --n 256 --bits 30 --dp 4 --pp 2 --out design
  nttforge rtl generate --n 4096 --bits 30 --limbs 6 --max-latency-us 25 --max-dsp 168 --out design
  nttforge rtl explore --n 1024 --bits 28 --direction product --max-dsp 200 --objective area
  nttforge rtl generate --n 1024 --bits 30 --dp 4 --pp 2 --device ecp5 --out placed
  nttforge rtl generate --n 4096 --bits 30 --moduli runtime --dp 4 --pp 2 --out loaded
  nttforge rtl generate --n 1024 --bits 30 --moduli runtime --dp 4 --pp 2 --burst 64 --out bursts
  nttforge rtl explore --n 16384 --bits 52 --moduli runtime --limbs 21 --engines 1 2 4
  nttforge rtl generate --scheme ml-kem --direction both --dp 4 --pp 7 --out kyber
  nttforge rtl keyswitch --n 4096 --limbs 4 --special 1 --bits 52 --memory channels=4 --out switch
  nttforge rtl dataflow --algorithm pease_nc --n 1024 --units 16 --out pease
  nttforge rtl permute --n 256 --dp 8 --bits 32 --permutation stride:16 --out transpose
  nttforge rtl simulate design
  nttforge rtl generate --n 256 --bits 30 --dp 4 --pp 2 --axi --out axi
  nttforge rtl layout axi --bits-out frames
  nttforge rtl synthesise design --device xcup
  nttforge rtl synthesise design --device ecp5 --seeds 1 2 3
  nttforge rtl paths design
  nttforge rtl prove --quick
  nttforge rtl report design --open

Cycles are predicted exactly, DSPs and memories as Yosys 0.70 counts them; LUTs and flip-flops are
estimates, whose error on other designs is told with them. Microseconds are cycles at the clock that
--frequency-mhz assumes, which no tool has confirmed. `simulate`, `synthesise`, `paths`, `prove` and
`report` need tools: `nttforge doctor` says which are missing and how to get them.
"""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer
from nttforge.console.output import table
from nttforge.console.scheduler import add_scheduler, on_scheduler
from nttforge.errors import ParameterError

from . import engine as rtl_engine
from . import explore as rtl_explore
from . import keyswitch as rtl_keyswitch
from . import layout as rtl_layout
from . import schemes as rtl_schemes
from . import streams as rtl_streams
from . import tools as rtl_tools

if TYPE_CHECKING:
    from ..plan.explorer import Candidate
    from ..plan.parameters import HardwareParameters


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
    rtl_schemes.add_options(generate)
    generate.add_argument(
        "--sets", type=integer, help="test transforms per direction (default: enough)"
    )
    generate.add_argument("--seed", type=integer, default=1, help="of the test vectors")
    rtl_streams.add_output(generate, "ntt")
    rtl_streams.add_actions(actions)
    rtl_keyswitch.add_actions(actions)
    rtl_tools.add_actions(actions)
    rtl_layout.add_actions(actions)
    add_scheduler(explore)
    for action in (primes, explore):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def _transform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=integer, default=4096, help="transform size (default 4096)")
    parser.add_argument("--bits", type=integer, help="size of the primes (default 30)")
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
    if options.action == "generate":
        rtl_schemes.choose(options)
    actions = {"primes": _primes, "explore": _explore, "generate": _generate}
    if options.action in actions:
        primes = [q for q in options.moduli or () if q != rtl_engine.RUNTIME]
        options.bits = rtl_streams.chosen_bits(options, 30, primes)
    actions |= rtl_streams.ACTIONS | rtl_keyswitch.ACTIONS | rtl_layout.ACTIONS
    return actions.get(options.action, rtl_tools.run)(options)


def _moduli(options: argparse.Namespace, count: int | None) -> tuple[int, ...]:
    if options.moduli and options.limbs not in (None, len(options.moduli)):
        given = len(options.moduli)
        raise ParameterError(f"--limbs = {options.limbs} beside {given} --moduli: leave one out")
    count = 1 if count is None else count
    if count < 1:
        option = "--count" if options.action == "primes" else "--limbs"
        raise ParameterError(f"{option} = {count} must be at least 1")
    if options.moduli:
        return tuple(options.moduli)
    from ..plan.primes import usable_dgt_primes, usable_primes

    if options.transform == "dgt":
        return usable_dgt_primes(options.n, options.bits, count, options.core)
    if options.transform != "ntt":
        raise ParameterError(f"transform = {options.transform!r} must be one of ntt, dgt")
    points = options.n if getattr(options, "layers", None) is None else 1 << options.layers
    return usable_primes(points, options.bits, count, options.ring, options.core)


def _parameters(options: argparse.Namespace, dp: int = 2, pp: int = 1) -> HardwareParameters:
    from .. import HardwareParameters
    from ..plan.product import ProductParameters

    _check_choices(options)
    chosen: dict[str, Any] = {
        "moduli": _moduli(options, options.limbs),
        "direction": options.direction,
        "ring": options.ring,
        "dp": dp,
        "pp": pp,
        "core": options.core,
        "pipeline": rtl_explore.pipeline(options),
        "twiddles": _twiddles(options),
        "buffers": options.buffers,
        "memories": _memories(options),
    }
    if getattr(options, "layers", None) is not None:
        return rtl_schemes.parameters(options, **chosen)
    if options.direction == "product":
        chosen["direction"] = "forward"
        return ProductParameters(options.n, **chosen)
    return HardwareParameters(options.n, **chosen)


def _memories(options: argparse.Namespace) -> str:
    """What keeps the words of permutations, which the device must have."""
    from ..plan.devices import check_memories

    chosen: str = getattr(options, "memories", "block")
    check_memories(getattr(options, "device", "generic"), chosen)
    return chosen


def _twiddles(options: argparse.Namespace) -> str:
    """Where the twiddles of a design of a given shape come from."""
    rtl_explore.check_twiddles(options)
    return "table" if options.twiddles == "auto" else str(options.twiddles)


def _primes(options: argparse.Namespace) -> int:
    from ..plan.parameters import check_prime
    from ..plan.primes import describe_prime

    _check_choices(options)
    if options.limbs is not None:
        raise ParameterError(f"--limbs = {options.limbs} with primes: say how many with --count")
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
    """Check the choices of which ``HardwareParameters`` may have others, or is not made."""
    from ..plan.cores import KINDS
    from ..plan.parameters import DIRECTIONS, RINGS, check_choice

    check_choice("direction", options.direction, (*DIRECTIONS, "product"))
    check_choice("ring", options.ring, RINGS)
    check_choice("core", options.core, ("auto", *KINDS))


def _base(options: argparse.Namespace) -> HardwareParameters:
    """The transform to explore, of any shape."""
    if options.transform != "dgt":
        return _parameters(options)
    return _dgt_parameters(options, 4, 1)


def _explore(options: argparse.Namespace) -> int:
    if rtl_engine.wanted(options):
        return rtl_engine.explore(options, rtl_explore.pipeline(options))
    with on_scheduler(options):
        return rtl_explore.explore_action(options, _base(options))


def _generate(options: argparse.Namespace) -> int:
    from ..emit.files import design_files, write_design
    from ..emit.product import product_files
    from ..plan.product import ProductDesign

    rtl_schemes.check(options)
    if rtl_engine.wanted(options):
        return rtl_engine.generate(options, rtl_explore.pipeline(options))
    rtl_explore.check_shape(options)
    if options.sets is not None and options.sets < 1:
        raise ParameterError(f"--sets = {options.sets} must be at least 1")
    rtl_explore.check_seed(options)
    found = _chosen(options)
    out = rtl_streams.free_folder(options.out)
    p, design = found.parameters, found.design
    command = _command(options, p)
    how = rtl_streams.file_arguments(options)
    if isinstance(design, ProductDesign):
        files = product_files(design, command, options.sets, options.seed, **how)
        cycles, kind = {"product": design.latency_cycles}, "products, "
    else:
        files = design_files(design, command, options.sets, options.seed, **how)
        cycles, kind = {d: design.latency_cycles(d) for d in p.directions}, ""
    write_design(files, out, options.force)
    layers = f", {p.log_n} layers" if p.degree > 1 else ""
    size = f"n = {p.n * p.parts * p.degree}{layers}, {p.bp} x {p.bits // p.parts} bits"
    print(f"{len(files)} files in {out}: {kind}{size}, ", end="")
    print(f"dp = {p.dp * p.parts}, pp = {p.pp}, core {design.cores[0].kind}")
    tile = p.pipeline.tile
    print(f"registers: {p.pipeline.name}")
    print(f"multipliers: {p.pipeline.block.upper()}, tiles of {tile.a_bits} x {tile.b_bits} bits")
    for direction, count in cycles.items():
        print(f"predicted {direction} latency: {count} cycles")
    print(f"predicted interval: {design.interval_cycles} cycles, DSPs: {design.dsps}")
    if found.stall_cycles:
        print(f"a memory without buffers adds {found.stall_cycles} cycles of stalls to a latency")
    return 0


def _chosen(options: argparse.Namespace) -> Candidate:
    """The design that was asked for, by its shape or by limits."""
    from ..plan.explorer import choose, predict

    limits = rtl_explore.constraints(options)
    rtl_explore.check_predicted(options)
    jobs = rtl_explore.jobs_of(options)
    if options.dp is None:
        rtl_explore.check_limited(options, limits)
        recipes, objective = rtl_explore.recipes(options), rtl_explore.objective(options)
        return choose(_base(options), limits, jobs, "explore", recipes, objective)
    rtl_explore.check_no_objective(options)
    shape = (options.dp, options.pp)
    dgt = options.transform == "dgt"
    p = _dgt_parameters(options, *shape) if dgt else _parameters(options, *shape)
    found = predict(p, limits.frequency_mhz, limits.memory_gb_s)
    broken = found.broken(limits)
    if broken:
        raise ParameterError(
            f"the design does not keep the limits: {broken}; relax them, or leave --dp and --pp out"
        )
    return found


def _dgt_parameters(options: argparse.Namespace, dp: int, pp: int) -> HardwareParameters:
    from ..plan.dgt import plan_dgt

    if options.ring != "negacyclic":
        raise ParameterError(
            f"ring = {options.ring!r} with transform = 'dgt' must be negacyclic, as a DGT is"
        )
    if options.direction == "product":
        raise ParameterError(
            "direction = 'product' with transform = 'dgt' must be one of forward, inverse, both; "
            "products are for transform = 'ntt'"
        )
    moduli = _moduli(options, options.limbs)
    shape = (options.direction, dp, pp, options.core, rtl_explore.pipeline(options))
    p = plan_dgt(options.n, moduli, *shape, _twiddles(options), _memories(options)).parameters
    return replace(p, buffers=options.buffers)


def _command(options: argparse.Namespace, p: HardwareParameters) -> str:
    """The command that makes this design again, with everything that was chosen."""
    words = ["nttforge", "rtl", "generate", "--n", options.n, "--moduli", *p.moduli[:: p.degree]]
    words += ["--layers", options.layers] if p.degree > 1 else []
    words += ["--transform", options.transform] if options.transform != "ntt" else []
    words += ["--direction", options.direction, "--ring", p.ring, "--core", p.core]
    words += ["--dp", p.dp * p.parts, "--pp", p.pp, "--seed", options.seed]
    words += rtl_streams.output_words(options)
    words += rtl_explore.pipeline_words(options)
    words += ["--twiddles", p.twiddles] if p.twiddles != "table" else []
    words += ["--buffers", p.buffers] if p.buffers != "none" else []
    words += ["--sets", options.sets] if options.sets else []
    return shlex.join(map(str, words))

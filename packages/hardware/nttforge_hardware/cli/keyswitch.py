# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl keyswitch``: a key-switching pipeline, and what a memory of keys does to it."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer, number
from nttforge.errors import ParameterError

from . import explore as rtl_explore
from . import streams as rtl_streams

if TYPE_CHECKING:
    from ..plan.keyswitch import KeySwitchDesign, KeySwitchParameters
    from ..plan.keyswitch_timing import KeyMemory

_EXAMPLES = """examples:
  nttforge rtl keyswitch --n 4096 --limbs 4 --special 1 --bits 52 --out switch
  nttforge rtl keyswitch --n 8192 --limbs 6 --dp 16 --memory channels=8,width=512 --out six
  nttforge rtl keyswitch --n 64 --limbs 4 --special 2 --bits 20 --dp 4 --out small
  nttforge rtl simulate small
"""
DEFAULT_OPERATIONS = 3


def add_actions(actions: Any) -> None:
    parser = actions.add_parser(
        "keyswitch",
        help="write a key-switching pipeline with keys from memory",
        description="Inverse transform, digits to all primes, forward transforms, products with "
        "keys that stream from memory, sums, inverse transforms, division by the special primes; "
        "the words of nttforge's own key switching.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--n", type=integer, default=4096, help="coefficients (default 4096)")
    parser.add_argument("--limbs", type=integer, help="primes of Q (default 4)")
    parser.add_argument("--special", type=integer, help="special primes (default 1)")
    parser.add_argument("--bits", type=integer, help="of each prime (default 52)")
    parser.add_argument(
        "--moduli", type=integer, nargs="+", metavar="Q", help="these primes of Q instead"
    )
    parser.add_argument(
        "--special-primes", type=integer, nargs="+", metavar="P", help="with --moduli"
    )
    parser.add_argument(
        "--digit-primes", type=integer, help="of a digit (default: as many as special primes)"
    )
    parser.add_argument(
        "--dp", type=integer, default=8, help="coefficients per cycle and prime (default 8)"
    )
    parser.add_argument("--pp", type=integer, default=1, help="stages in hardware (default 1)")
    parser.add_argument("--core", default="auto", help="auto, montgomery or barrett")
    parser.add_argument(
        "--key-words", type=integer, default=64, help="words in the buffer of keys (default 64)"
    )
    parser.add_argument(
        "--memory",
        metavar="NAME=COUNT,...",
        help="where keys come from: channels, width (bits of a beat), burst (beats), mhz, latency "
        "(clocks), outstanding (bursts of a channel); its stalls are predicted and simulated",
    )
    parser.add_argument(
        "--frequency-mhz", type=number, default=250.0, help="of the design (default 250)"
    )
    parser.add_argument(
        "--device", default="generic", help="as of generate: blocks, and registers for ecp5"
    )
    rtl_explore.add_pipeline(parser)
    parser.set_defaults(memories="block")
    parser.add_argument(
        "--operations", type=integer, help=f"that are tested (default {DEFAULT_OPERATIONS})"
    )
    parser.add_argument("--seed", type=integer, default=1, help="of the test vectors")
    rtl_streams.add_output(parser, "ntt", tdata=False)


def _parameters(options: argparse.Namespace) -> KeySwitchParameters:
    from ..plan.keyswitch import KeySwitchParameters

    special = _count(options, "special", options.special_primes, 1)
    limbs = _count(options, "limbs", options.moduli, 4)
    primes = min(special, limbs) if options.digit_primes is None else options.digit_primes
    how = {
        "digit_primes": primes,
        "dp": options.dp,
        "pp": options.pp,
        "core": options.core,
        "key_words": options.key_words,
        "pipeline": rtl_explore.pipeline(options),
    }
    if (options.moduli is None) != (options.special_primes is None):
        given = "--moduli" if options.moduli else "--special-primes"
        raise ParameterError(f"{given} alone: give both --moduli and --special-primes, or neither")
    if options.moduli:
        if options.bits is not None:
            raise ParameterError(f"--bits = {options.bits} beside --moduli: leave one out")
        return KeySwitchParameters(
            options.n, tuple(options.moduli), tuple(options.special_primes), **how
        )
    bits = 52 if options.bits is None else options.bits
    return KeySwitchParameters.of_size(options.n, limbs, special, bits, **how)


def _count(options: argparse.Namespace, name: str, given: list[int] | None, default: int) -> int:
    wanted: int | None = getattr(options, name)
    if given and wanted not in (None, len(given)):
        raise ParameterError(f"--{name} = {wanted} beside {len(given)} primes: leave one out")
    return len(given) if given else default if wanted is None else wanted


def _keyswitch(options: argparse.Namespace) -> int:
    from ..emit.files import write_design
    from ..emit.keyswitch import keyswitch_files
    from ..plan.keyswitch import plan_keyswitch
    from ..plan.keyswitch_timing import KeyMemory

    operations = DEFAULT_OPERATIONS if options.operations is None else options.operations
    if not 1 <= operations <= 64:
        raise ParameterError(f"--operations = {operations} must be in 1 ... 64")
    if options.seed < 0:
        raise ParameterError(f"--seed = {options.seed} must be 0 or more")
    if options.frequency_mhz <= 0:
        raise ParameterError(f"--frequency-mhz = {options.frequency_mhz:g} must be more than 0")
    p = _parameters(options)
    memory = KeyMemory.parse(options.memory) if options.memory is not None else None
    design, out = plan_keyswitch(p), rtl_streams.free_folder(options.out)
    how = rtl_streams.file_arguments(options)
    names = {key: how[key] for key in ("name", "folder", "prefix", "axi")}
    mhz = options.frequency_mhz
    files = keyswitch_files(
        design, _command(options, p), operations, options.seed, **names, memory=memory, mhz=mhz
    )
    write_design(files, out, options.force)
    print(
        f"{len(files)} files in {out}: key switching, n = {p.n}, {p.limbs} + {len(p.special)} ",
        end="",
    )
    print(f"primes of {p.bits} bits, {p.digits} digits, dp = {p.dp}, pp = {p.pp}, ", end="")
    print(f"core {design.cores[0].kind}")
    _say(design, memory, mhz)
    return 0


def _say(design: KeySwitchDesign, memory: KeyMemory | None, mhz: float) -> None:
    """What is predicted."""
    from ..plan.keyswitch_timing import key_rate, least_buffer, predict_switch

    plain = predict_switch(design)
    print(f"predicted latency: {plain.latency} cycles, interval: {plain.interval}, ", end="")
    print(f"cores busy {100 * design.busy:.1f} %")
    print(f"DSPs: {design.dsps}, RAMB18: {design.ramb18}")
    moved = ", ".join(f"{name} {count}" for name, count in design.bytes_moved().items())
    total = sum(design.bytes_moved().values())
    least = total / plain.interval * mhz / 1000
    print(f"bytes of an operation: {moved}; {least:.1f} GB/s at {mhz:g} MHz without stalls")
    if memory is None:
        return
    rate = key_rate(design, memory, mhz)
    found = predict_switch(design, rate)
    print(f"memory: {float(memory.bytes_per_second) / 1e9:.1f} GB/s, ", end="")
    print(f"{rate.words} words of keys in {rate.cycles} cycles")
    print(f"from memory: latency {found.latency_stalled} cycles, ", end="")
    print(
        f"interval {found.interval_stalled}; stalls by digit: {', '.join(map(str, found.stalled))}"
    )
    if any(found.stalled):
        size = least_buffer(design, rate)
        if size is None:
            print("the memory is too slow on the average: no buffer of keys would help")
        else:
            print(f"with --key-words {size} nothing stalls")


def _command(options: argparse.Namespace, p: KeySwitchParameters) -> str:
    words: list[object] = ["nttforge", "rtl", "keyswitch", "--n", p.n, "--moduli", *p.moduli]
    words += ["--special-primes", *p.special, "--digit-primes", p.digit_primes]
    words += ["--dp", p.dp, "--pp", p.pp, "--core", p.core, "--key-words", p.key_words]
    words += ["--memory", options.memory] if options.memory is not None else []
    words += ["--frequency-mhz", f"{options.frequency_mhz:g}"]
    words += ["--operations", options.operations] if options.operations is not None else []
    words += ["--seed", options.seed, *rtl_streams.output_words(options)]
    return shlex.join(map(str, [*words, *rtl_explore.pipeline_words(options)]))


ACTIONS = {"keyswitch": _keyswitch}

# SPDX-License-Identifier: Apache-2.0
"""The values after each stage of an algorithm, as JSON, to check other implementations against.

Numbers come as arguments, from a .npy file or from standard input (-).

examples:
  nttforge trace --list                                          the algorithm collection
  nttforge trace --q 97 --algorithm stockham 1 2 3 4 5 6 7 8
  nttforge trace --q 97 --algorithm dif --inverse --hex in.npy --out trace.json
  nttforge trace --check trace.json       recompute a trace from its input; where do they part?
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..console import arguments
from ..console.output import table, whole_file
from ..errors import FormatError, ParameterError
from . import transform_arguments
from .ntt import add_transform_arguments, given_root, read_numbers

#: Most bytes of a trace file; a trace of 2^17 points has 50 MB.
_MAX_FILE_BYTES = 2**27


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the algorithms and stop")
    what.add_argument("--check", metavar="FILE", help="recompute that trace and compare")
    what.add_argument("--inverse", action="store_true", help="trace the inverse transform")
    parser.add_argument(
        "numbers", nargs="*", help="residues in [0, q), a .npy file, or - for standard input"
    )
    parser.add_argument("--q", type=arguments.integer, help="the prime")
    add_transform_arguments(parser)
    transform_arguments.add_word_bits(parser)
    parser.add_argument("--hex", action="store_true", help="values as hexadecimal strings")
    parser.add_argument("--out", metavar="FILE", help="write there instead of standard output")


def run(options: argparse.Namespace) -> int:
    if options.list:
        _list()
        return 0
    if options.check is not None:
        return _check(Path(options.check))
    if options.q is None or not options.numbers or options.algorithm is None:
        raise ParameterError("--q, --algorithm and the numbers are needed (or --list, --check)")
    from ..ntt.plan import NttPlan

    x = read_numbers("numbers", options.numbers)
    plan = NttPlan(
        x.shape[-1],
        options.q,
        options.ring,
        options.input_order,
        options.output_order,
        options.word_bits,
        roots=given_root(options.root, "ntt"),
        algorithm=options.algorithm,
        radix=options.radix,
    )
    trace = plan.trace(x.tolist(), "inverse" if options.inverse else "forward")
    text = trace.to_json(hex=options.hex) + "\n"
    if options.out is None:
        sys.stdout.write(text)
    else:
        with whole_file(options.out) as file:
            file.write(text)
    return 0


def _list() -> None:
    from ..ntt.algorithms import algorithms

    print(
        table(
            ["name", "what", "source", "orders", "radix"],
            [
                [
                    a.name,
                    a.title,
                    a.source,
                    f"{a.input_order} -> {a.output_order}",
                    " ".join(map(str, a.radices)),
                ]
                for a in algorithms()
            ],
        )
    )


def _check(path: Path) -> int:
    from ..ntt.algorithms import NttTrace
    from ..ntt.plan import NttPlan

    with path.open("rb") as file:
        text = file.read(_MAX_FILE_BYTES + 1)
    if len(text) > _MAX_FILE_BYTES:
        raise FormatError(f"{path} is too large: a trace has at most {_MAX_FILE_BYTES} bytes")
    theirs = NttTrace.from_json(text)
    plan = NttPlan(
        theirs.n,
        theirs.q,
        theirs.ring,
        theirs.input_order,
        theirs.output_order,
        roots=theirs.root,
        algorithm=theirs.algorithm,
        radix=theirs.radix,
    )
    line = plan.trace(theirs.input, theirs.direction).difference(theirs)
    print(f"{path}: equal in all {len(theirs.steps)} steps" if line is None else f"{path}: {line}")
    return 0 if line is None else 1

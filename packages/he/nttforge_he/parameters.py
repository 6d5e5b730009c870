# SPDX-License-Identifier: Apache-2.0
"""``nttforge he parameters``: sets with their sizes, or one for a computation."""

from __future__ import annotations

import argparse
import json
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer, number
from nttforge.console.output import size, table
from nttforge.errors import ParameterError

from .client import parse_bounds
from .scales import add_scale, scales_of

if TYPE_CHECKING:
    from nttforge.encrypted import ArraySpec

_LEVELS = ["classical128", "classical192", "classical256"]
_TABLES = ["guidelines2024", "hes2018"]
_ALL = [2**i for i in range(10, 16)]


def add_actions(actions: Any) -> None:
    for name, text in (("parameters", "parameter sets, or one for a computation"), ("params", "")):
        hidden = {"help": text} if text else {}
        _add_options(actions.add_parser(name, **hidden))


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=integer, nargs="+", help="ring dimensions (default: all)")
    modulus = parser.add_mutually_exclusive_group()
    modulus.add_argument("--t", type=integer, default=0, help="plaintext modulus (default: chosen)")
    modulus.add_argument("--t-bits", type=integer, help="a prime plaintext modulus of this size")
    parser.add_argument(
        "--security", default="classical128", choices=_LEVELS, help="default classical128"
    )
    parser.add_argument(
        "--security-table",
        default="guidelines2024",
        choices=_TABLES,
        help="whose limits: the guidelines of 2024 (default) or the standard of 2018",
    )
    parser.add_argument("--for", dest="expression", help="choose for an expression, as eval takes")
    parser.add_argument(
        "--input",
        nargs="+",
        default=[],
        metavar="NAME=SHAPE:LOW..HIGH",
        help="each array: LENGTH or ROWSxLENGTH, and its range",
    )
    parser.add_argument(
        "--scheme", choices=["bfv", "ckks"], help="of --for: exact integers (default), real numbers"
    )
    parser.add_argument(
        "--precision", type=number, help="of --for: bits behind the point that results need"
    )
    add_scale(parser, "of the inputs of --for")
    parser.add_argument("--block", type=integer, help="positions of a vector, as for encrypt")
    parser.add_argument("--out", type=Path, help="file for the plan, with --for")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def _run(options: argparse.Namespace) -> int:
    if options.expression is not None:
        return _choose(options)
    needs_for: list[tuple[str, Any]] = [("--input", options.input), ("--out", options.out)]
    needs_for += [("--scheme", options.scheme), ("--precision", options.precision)]
    for name, value in needs_for:
        if value:
            raise ParameterError(f"{name} goes with --for: the expression to choose for")
    sets, refused = [], []
    for n in options.n or _ALL:
        try:
            sets.append(_describe(n, options))
        except ParameterError as error:
            if options.n:
                raise
            refused.append(f"n = {n}: {error}")
    if not sets:
        raise ParameterError(f"no set fits: {'; '.join(refused)}")
    if options.json:
        print(json.dumps(sets, indent=2))
        return 0
    header = ["n", "log2 Q", "special", "t", "slots", "depth", "ciphertext", "secret key"]
    header += ["public key", "relin. key", "each rotation"]
    print(table(header, [_row(s) for s in sets]))
    for line in refused:
        print(f"not listed: {line}")
    print(
        "\nSizes as serialised. Depth: levels of multiplication that decrypt by the noise model. "
        f"\nSecurity: {options.security} by the {sets[0]['security_source']}."
    )
    return 0


def _specs(options: argparse.Namespace) -> dict[str, ArraySpec]:
    from nttforge.encrypted import ArraySpec

    specs = {}
    scales = scales_of(options, [text.partition("=")[0] for text in options.input])
    for text in options.input:
        name, _, rest = text.partition("=")
        shape, colon, bounds = rest.partition(":")
        parts = shape.split("x")
        if not (name and colon and len(parts) in (1, 2) and all(p.isdecimal() for p in parts)):
            raise ParameterError(
                f"--input {text!r}: need NAME=SHAPE:LOW..HIGH, such as a=1000:0..9 or b=20x16:-5..5"
            )
        low, high = parse_bounds(bounds, f"--input {name}")
        lengths = tuple(int(part[:9]) for part in parts)
        specs[name] = ArraySpec(lengths, low, high, scales[name], options.block)
    return specs


def _choose(options: argparse.Namespace) -> int:
    from nttforge.choosing import choose

    from .expression import parse
    from .files import Plan

    for name, value in (("--n", options.n), ("--t-bits", options.t_bits)):
        if value:
            raise ParameterError(f"{name} does not go with --for, which finds n and t; --t does")
    expression, specs = parse(options.expression), _specs(options)
    missing = [name for name in expression.names if name not in specs]
    if missing or len(specs) > len(expression.names):
        raise ParameterError(
            f"--input: the expression has the names {', '.join(expression.names)}, and given are "
            f"{', '.join(specs) or 'none'}"
        )
    security = int(options.security.removeprefix("classical"))
    choice: Any = choose(
        lambda **arrays: expression.evaluate(arrays),
        specs,
        security=security,
        t=options.t or None,
        scheme=options.scheme,
        precision=options.precision,
    )
    print(choice.explain())
    if options.out is not None:
        plan = Plan(
            choice.parameters,
            choice.rotations,
            getattr(choice, "swap_columns", False),
            choice.relinearization,
            expression.text,
        )
        plan.write(options.out)
        print(f"{options.out}: for nttforge he keygen --plan")
    return 0


def _describe(n: int, options: argparse.Namespace) -> dict[str, Any]:
    from nttforge.bfv import Parameters
    from nttforge.number_theory import ntt_primes

    t = options.t if options.t_bits is None else ntt_primes(n, options.t_bits)[0]
    p = Parameters.preset(n, t, options.security, options.security_table)
    return {
        "n": n,
        "q": p.q,
        "q_bits": p.q_bits,
        "special": p.special,
        "t": p.t,
        "slots": n if p.has_batching else 0,
        "depth": p.promised_depth,
        "security_bits": p.security_verdict()[0],
        "security_table": p.security_table,
        "security_source": p.security_source,
        "serialized_bytes": p.serialized_sizes(),
        "memory_bytes": p.memory_sizes(),
    }


def _row(s: dict[str, Any]) -> list[object]:
    sizes = s["serialized_bytes"]
    return [
        s["n"],
        s["q_bits"],
        f"{prod(s['special']).bit_length()}-bit" if s["special"] else "-",
        s["t"],
        s["slots"] or "-",
        s["depth"],
        size(sizes["ciphertext"]),
        size(sizes["secret_key"]),
        size(sizes["public_key"]),
        size(sizes["relinearization_key"]) if sizes["relinearization_key"] else "-",
        size(sizes["rotation_key"]) if sizes["rotation_key"] else "-",
    ]


ACTIONS = {"parameters": _run, "params": _run}

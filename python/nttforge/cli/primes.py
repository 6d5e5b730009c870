# SPDX-License-Identifier: Apache-2.0
"""Find primes; say which transforms a modulus supports.

examples:
  nttforge primes --n 4096 --bits 50 --count 3      largest 50-bit primes for n = 4096
  nttforge primes --generalised-mersenne --bits 52  primes 2^i +- 2^j +- 1, and what they carry
  nttforge primes --support 4503599627366401        what one modulus supports
"""

from __future__ import annotations

import argparse
import json

from ..console.arguments import integer
from ..console.output import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=integer, default=4096, help="transform size (default 4096)")
    parser.add_argument("--bits", type=integer, default=60, help="size of the primes (default 60)")
    parser.add_argument("--count", type=integer, default=1, help="how many (default 1)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--generalised-mersenne",
        action="store_true",
        help="list primes 2^i +- 2^j +- 1 of exactly that size instead",
    )
    what.add_argument(
        "--support", type=integer, nargs="+", metavar="Q", help="say what these moduli support"
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    from .. import number_theory

    forms: dict[int, str] = {}
    if options.support:
        values = options.support
    elif options.generalised_mersenne:
        found = number_theory.generalised_mersenne_primes(options.bits)
        forms = {p.value: str(p) for p in found}
        values = list(forms)
    else:
        values = number_theory.ntt_primes(options.n, options.bits, options.count)
    supports = [number_theory.transform_support(q) for q in values]
    if options.json:
        print(json.dumps([_as_dict(s, forms.get(s.q)) for s in supports], indent=2))
    elif options.support:
        for s in supports:
            print(s.explanation)
    else:
        header = ["prime", "hex", "negacyclic n", "cyclic n", "DGT n", *(["form"] if forms else [])]
        rows = [
            [s.q, hex(s.q), *(n or "-" for n in _sizes(s)), *([forms[s.q]] if forms else [])]
            for s in supports
        ]
        print(table(header, rows))
    return 0


def _sizes(s: object) -> list[int]:
    return [getattr(s, f"max_n_{kind}") for kind in ("negacyclic", "cyclic", "dgt")]


def _as_dict(s: object, form: str | None) -> dict[str, object]:
    keys = ("q", "prime", "max_n_negacyclic", "max_n_cyclic", "max_n_dgt", "explanation")
    result: dict[str, object] = {k: getattr(s, k) for k in keys}
    if form:
        result["form"] = form
    return result

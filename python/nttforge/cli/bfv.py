# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the homomorphic scheme, with sizes before anything is made.

examples:
  nttforge bfv params                         the presets for 128-bit security
  nttforge bfv params --t 786433 --json       with another plaintext modulus
  nttforge bfv params --n 16384 --t-bits 40   a 40-bit prime t with n slots
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..console.arguments import add_command, integer
from ..console.output import size, table
from ..errors import ParameterError

_LEVELS = ["classical128", "classical192", "classical256"]
_TABLES = ["guidelines2024", "hes2018"]
_ALL = [2**i for i in range(10, 16)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_command(parser, "what", {"params": "parameter sets: n, moduli, depth, sizes, security"})
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
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
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


def _describe(n: int, options: argparse.Namespace) -> dict[str, Any]:
    from ..bfv import Parameters
    from ..number_theory import ntt_primes

    t = options.t if options.t_bits is None else ntt_primes(n, options.t_bits)[0]
    p = Parameters.preset(n, t, options.security, options.security_table)
    return {
        "n": n,
        "q": p.q,
        "q_bits": p.q_bits,
        "p": p.p,
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
        f"{s['p'].bit_length()}-bit" if s["p"] else "-",
        s["t"],
        s["slots"] or "-",
        s["depth"],
        size(sizes["ciphertext"]),
        size(sizes["secret_key"]),
        size(sizes["public_key"]),
        size(sizes["relinearization_key"]) if sizes["relinearization_key"] else "-",
        size(sizes["rotation_key"]) if sizes["rotation_key"] else "-",
    ]

# SPDX-License-Identifier: Apache-2.0
"""Key-switching pipelines: their engines as transforms, and the constants between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from nttforge.errors import FormatError

from .folder_constants import MONTGOMERY, SHOWN
from .folder_files import Finding, Reader, number_of
from .folder_transform import transform_findings


class _SwitchReader(Reader):
    """The engines of a pipeline are limbs of a transform modulo all primes."""

    def moduli(self) -> list[int]:
        return [*super().moduli(), *self.special()]

    def special(self) -> list[int]:
        values = self.parameters.get("special")
        good = isinstance(values, list) and all(isinstance(p, int) and p > 2 for p in values)
        if not good or not values:
            raise FormatError(f"design.json: special = {values!r} must be a list of primes")
        return list(values)

    def ring(self) -> str:
        return "negacyclic"


def keyswitch_findings(reader: Reader) -> list[Finding]:
    """Findings for the engine of every prime, and one for each table of the top level."""
    switch = _SwitchReader(reader.folder, reader.manifest)
    findings = transform_findings(switch)
    if not all(f.proved for f in findings):
        return findings
    limbs = {limb.q: limb for limb in switch.limbs()}
    everything, special = switch.moduli(), switch.special()
    moduli = everything[: -len(special)]
    primes, bits = reader.integer("digit_primes", 1, 64), reader.integer("bits", 2, 62)
    core = limbs[everything[0]].core
    montgomery = core["KIND"] == MONTGOMERY
    factor = 2 ** (core["STEPS"] * core["DIGIT_BITS"]) if montgomery else 1
    big_p = prod(special)

    wanted: dict[str, tuple[int, list[int]]] = {
        "MODULI": (bits, everything),
        "CONSTANTS": (bits + 4, [limbs[q].constant for q in everything]),
        "INVERSES": (bits, [pow(big_p, -1, q) * factor % q for q in moduli]),
    }
    if primes > 1:
        digits = [moduli[i : i + primes] for i in range(0, len(moduli), primes)]
        scales = [_scale(digit, q) * factor % q for digit in digits for q in digit]
        wanted["SCALES"] = bits, scales
        wanted["FACTORS"] = (
            bits,
            [
                prod(digit) // digit[i] * factor % q if i < len(digit) else 0
                for digit in digits
                for q in everything
                for i in range(primes)
            ],
        )
    if len(special) > 1:
        wanted["SPECIAL_SCALES"] = bits, [_scale(special, p) * factor % p for p in special]
        wanted["SPECIAL_FACTORS"] = bits, [big_p // p * factor % q for q in moduli for p in special]
    name, text = reader.only("rtl/*_top.sv")
    found = dict(re.findall(r"localparam logic \[\d{1,9}:0\] (\w+) = (\d+'h[0-9a-f]+);", text))
    return findings + [
        _table(f"{name}: {table}", found.get(table), width, values)
        for table, (width, values) in wanted.items()
    ]


def _scale(base: Sequence[int], q: int) -> int:
    """1 / (D / q) modulo q, D the product of the base."""
    return pow(prod(base) // q, -1, q)


def _table(name: str, text: str | None, width: int, values: Sequence[int]) -> Finding:
    if text is None:
        raise FormatError(f"{name} is missing: generate the design again")
    number, said = number_of(text), []
    for k, value in enumerate(values):
        given = number >> (k * width) & ((1 << width) - 1)
        if given != value:
            said.append(f"entry {k} is {given}, the definition {value}")
    if number >> (len(values) * width):
        said.append(f"more than {len(values)} entries")
    return Finding(name, len(values), tuple(said[:SHOWN]))

# SPDX-License-Identifier: Apache-2.0
"""Primes 2^i +- 2^j +- 1 ([Yan22] section 5.2.2): their reduction weights and when they suffice."""

from __future__ import annotations

from dataclasses import dataclass

NO_SOURCE = 127


@dataclass(frozen=True)
class Solinas:
    """q = 2^i + sign_j 2^j + sign_0."""

    i: int
    j: int
    sign_j: int
    sign_0: int

    @property
    def value(self) -> int:
        return (1 << self.i) + self.sign_j * (1 << self.j) + self.sign_0


def solinas_form(q: int) -> Solinas | None:
    """The form 2^i +- 2^j +- 1 of ``q`` with the fewest folds that the core can reduce, if any.

    Examples
    --------
    >>> solinas_form(2**30 - 2**18 + 1)
    Solinas(i=30, j=18, sign_j=-1, sign_0=1)
    >>> solinas_form(1073692673) is None
    True
    """
    forms = [
        Solinas(i, j, sign_j, sign_0)
        for i in (q.bit_length() - 1, q.bit_length())
        for j in range(1, i)
        for sign_j in (1, -1)
        for sign_0 in (1, -1)
        if 2**i + sign_j * 2**j + sign_0 == q
    ]
    usable = [f for f in forms if solinas_problem(f) is None]
    return min(usable, key=lambda f: (f.j, f.i), default=None)


def solinas_terms(form: Solinas) -> list[tuple[int, int, int, int]]:
    """The reduction weights: (sign, low bit in z, bits, shift) of each operand.

    z = sum sign * ((z >> low) mod 2^bits) << shift  (mod q) for every z in [0, q^2).
    """
    width = 2 * form.value.bit_length()
    step = form.i - form.j
    terms, low, sign = [(1, 0, form.i, 0)], form.i, 1
    while low < width:
        terms.append((-sign * form.sign_0, low, width - low, 0))
        terms.append((-sign * form.sign_j, low, min(step, width - low), form.j))
        low, sign = low + step, -sign * form.sign_j
    return terms


Piece = tuple[int, int, int]  # low bit in z, bits, shift


def solinas_operands(form: Solinas) -> list[tuple[int, list[Piece]]]:
    """The weight matrix by rows: (sign, pieces of z) of each operand, as few as are found.

    Terms of one sign whose bits do not meet are one operand: wires side by side need no adder.

    Examples
    --------
    >>> len(solinas_terms(Solinas(30, 9, -1, -1))), len(solinas_operands(Solinas(30, 9, -1, -1)))
    (5, 4)
    """
    operands: list[tuple[int, list[Piece], int]] = []
    for sign, low, bits, shift in solinas_terms(form):
        mask = (2**bits - 1) << shift
        for i, (other, pieces, taken) in enumerate(operands):
            if other == sign and not taken & mask:
                operands[i] = (sign, [*pieces, (low, bits, shift)], taken | mask)
                break
        else:
            operands.append((sign, [(low, bits, shift)], mask))
    return [(sign, pieces) for sign, pieces, _ in operands]


def solinas_sources(form: Solinas, bits: int) -> list[list[int]]:
    """For each operand and bit (bits + 1 of them) the bit of z it is, or ``NO_SOURCE``."""
    rows = []
    for _, pieces in solinas_operands(form):
        row = [NO_SOURCE] * (bits + 1)
        for low, count, shift in pieces:
            row[shift : shift + count] = range(low, low + count)
        rows.append(row)
    return rows


def solinas_problem(form: Solinas) -> str | None:
    """Why the core cannot reduce modulo this form, or None."""
    q = form.value
    smallest, largest = sum_range(form)
    fold = -form.sign_j * 2**form.j - form.sign_0
    tops = (smallest >> form.i, largest >> form.i)
    low = min(t * fold for t in tops)
    high = max(t * fold for t in tops) + 2**form.i - 1
    if low <= -q or high >= 2 * q:
        return f"its folded sum spans [{low}, {high}], not within (-q, 2q)"
    return None


def sum_range(form: Solinas) -> tuple[int, int]:
    """Bounds of the sum of the operands for every z <= (q - 1)^2."""
    limits = [(t[0], _term_limit(t, form.value)) for t in solinas_terms(form)]
    return (
        -sum(limit for sign, limit in limits if sign < 0),
        sum(limit for sign, limit in limits if sign > 0),
    )


def _term_limit(term: tuple[int, int, int, int], q: int) -> int:
    _, low, bits, shift = term
    return min(((q - 1) ** 2) >> low, (1 << bits) - 1) << shift

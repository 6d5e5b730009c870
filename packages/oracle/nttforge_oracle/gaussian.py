# SPDX-License-Identifier: Apache-2.0
"""Cumulative tables of the centred discrete Gaussian, to 63 fractional bits.

The distribution has weight rho(x) = exp(-x^2 / (2 sigma^2)) on the integers |x| <= bound. The
table entry T[k] = floor(2^63 P(|e| <= k)), k = 0 ... bound - 1, is the number of 63-bit words that
give a magnitude of at most k. Distances to the ideal distribution: docs/bounds/gaussian.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

DIGITS = 240  # working precision; an entry needs 19 digits
FRACTION_BITS = 63


@dataclass(frozen=True)
class ErrorDistribution:
    """A centred discrete Gaussian cut off at ``bound``; ``sigma`` is an exact decimal."""

    name: str
    sigma: str
    bound: int
    cpp_name: str


SIGMA_3_2 = ErrorDistribution("sigma_3_2", "3.2", 41, "kGaussianSigma32")
SIGMA_8_BOUND_48 = ErrorDistribution("sigma_8_bound_48", "8", 48, "kGaussianSigma8")
DISTRIBUTIONS = (SIGMA_3_2, SIGMA_8_BOUND_48)


def weights(distribution: ErrorDistribution, up_to: int) -> list[Decimal]:
    """Unnormalised weight of each magnitude 0 ... ``up_to``: rho(0), then 2 rho(k).

    Examples
    --------
    >>> [str(round(w, 6)) for w in weights(SIGMA_8_BOUND_48, 2)]
    ['1.000000', '1.984436', '1.938466']
    """
    with localcontext(Context(prec=DIGITS)):
        two_sigma_squared = 2 * Decimal(distribution.sigma) ** 2
        rho = [(-Decimal(k * k) / two_sigma_squared).exp() for k in range(up_to + 1)]
        return [rho[0]] + [2 * r for r in rho[1:]]


def cumulative(distribution: ErrorDistribution) -> list[Decimal]:
    """P(|e| <= k) for k = 0 ... bound; the last one is 1.

    Examples
    --------
    >>> str(round(cumulative(SIGMA_3_2)[0], 12))
    '0.124669462625'
    """
    with localcontext(Context(prec=DIGITS)):
        masses = weights(distribution, distribution.bound)
        total = sum(masses)
        sums, running = [], Decimal(0)
        for mass in masses:
            running += mass
            sums.append(running / total)
        return sums


def gaussian_table(distribution: ErrorDistribution) -> list[int]:
    """T[k] = floor(2^63 P(|e| <= k)) for k = 0 ... bound - 1.

    Rounding down keeps every entry below 2^63, so that signed 64-bit comparisons are right too.

    Examples
    --------
    >>> gaussian_table(SIGMA_3_2)[0]
    1149872835429266008
    >>> [2**63 - entry for entry in gaussian_table(SIGMA_3_2)[27:31]]
    [59, 4, 1, 1]
    """
    with localcontext(Context(prec=DIGITS)):
        table = []
        for probability in cumulative(distribution)[:-1]:
            scaled = probability * 2**FRACTION_BITS
            entry = int(scaled)
            # The floor is certain only if the value is further from an integer than the error of
            # its computation.
            if min(scaled - entry, entry + 1 - scaled) < Decimal(10) ** (40 - DIGITS):
                raise ArithmeticError("raise DIGITS: the floor is not certain")
            table.append(entry)
        return table


def table_probabilities(distribution: ErrorDistribution) -> list[Fraction]:
    """Exact probability with which the sampler returns each magnitude 0 ... bound.

    Examples
    --------
    >>> sum(table_probabilities(SIGMA_8_BOUND_48)) == 1
    True
    """
    edges = [0, *gaussian_table(distribution), 2**FRACTION_BITS]
    return [Fraction(b - a, 2**FRACTION_BITS) for a, b in pairwise(edges)]


def table_distance(distribution: ErrorDistribution) -> Decimal:
    """Statistical distance of the sampler to the Gaussian on |e| <= bound, sign included.

    Examples
    --------
    >>> f"{table_distance(SIGMA_3_2):.3e}", f"{table_distance(SIGMA_8_BOUND_48):.3e}"
    ('5.514e-19', '8.724e-19')
    """
    with localcontext(Context(prec=DIGITS)):
        sums = cumulative(distribution)
        masses = [sums[0]] + [b - a for a, b in pairwise(sums)]
        actual = [Decimal(p.numerator) / p.denominator for p in table_probabilities(distribution)]
        return sum((abs(a - m) for a, m in zip(actual, masses, strict=True)), Decimal(0)) / 2


def tail_mass(distribution: ErrorDistribution) -> Decimal:
    """P(|e| > bound) of the Gaussian on all integers: its distance to the one cut off at bound.

    Examples
    --------
    >>> f"{tail_mass(SIGMA_3_2):.3e}", f"{tail_mass(SIGMA_8_BOUND_48):.3e}"
    ('9.924e-39', '1.308e-9')
    """
    with localcontext(Context(prec=DIGITS)):
        masses = weights(distribution, 20 * distribution.bound)
        return sum(masses[distribution.bound + 1 :], Decimal(0)) / sum(masses, Decimal(0))


def cpp_header(command: str) -> str:
    """The C++ header with all tables, in the project's format.

    Examples
    --------
    >>> cpp_header("some command").splitlines()[0]
    '// SPDX-License-Identifier: Apache-2.0'
    """
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Written by `{command}`. Do not edit.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "",
        "namespace nttforge {",
        "",
        "// Entry k is floor(2^63 P(|e| <= k)), e discrete Gaussian on |e| <= size.",
        "// Distance to the ideal: docs/bounds/gaussian.md.",
        "// A 63-bit word u gives the magnitude #{k : entry k <= u}. Every entry is below 2^63.",
    ]
    for d in DISTRIBUTIONS:
        table = [f"0x{entry:016x}U" for entry in gaussian_table(d)]
        lines += ["", f"// sigma = {d.sigma}, |e| <= {d.bound}"]
        lines.append(f"inline constexpr std::array<std::uint64_t, {d.bound}> {d.cpp_name} = {{")
        for start in range(0, len(table), 5):
            last = start + 5 >= len(table)
            lines.append("    " + ", ".join(table[start : start + 5]) + ("};" if last else ","))
    lines += ["", "}  // namespace nttforge", ""]
    return "\n".join(lines)

# SPDX-License-Identifier: Apache-2.0
"""Key switching in residues, word for word: what ``fv.Scheme.switch`` says with big integers.

A polynomial comes as values modulo each prime of Q. It goes back to coefficients and is cut
into digits. Each digit is transformed modulo all K primes (those of Q, then the special ones),
multiplied by its key and summed. Both sums go back to coefficients and are divided by the special
primes.
"""

from __future__ import annotations

from collections.abc import Sequence

from .fast import forward_fast, inverse_fast
from .step import RnsStep
from .steps import digits as digit_steps
from .steps import mod_down, mod_down_fast

Rows = Sequence[Sequence[int]]  # [limb][n]


def division(moduli: Sequence[int], special: Sequence[int]) -> RnsStep:
    """The step by which key switching ends: exact for one special prime, fast for several.

    Examples
    --------
    >>> division((11, 13), (5,)).value([2], [8, 0])  # 52 / 5
    [10, 10]
    """
    if len(special) == 1:
        return mod_down((*moduli, *special))
    return mod_down_fast(moduli, special)


def digit_values(
    values: Rows, moduli: Sequence[int], special: Sequence[int], primes: int = 1
) -> list[list[list[int]]]:
    """The transformed digits [digit][limb of all K][n] of a polynomial given by its values.

    Examples
    --------
    >>> digit_values([[3, 16, 9, 10]], [17], [41])  # 1 + X
    [[[3, 16, 9, 10], [4, 39, 28, 15]]]
    """
    targets = (*moduli, *special)
    rows = [inverse_fast(row, q) for row, q in zip(values, moduli, strict=True)]
    found, first = [], 0
    for step in digit_steps(moduli, targets, primes):
        sources = rows[first : first + len(step.sources)]
        first += len(step.sources)
        columns = [step.value(column) for column in zip(*sources, strict=True)]
        limbs = zip(*columns, strict=True)
        found.append([forward_fast(list(x), q) for x, q in zip(limbs, targets, strict=True)])
    return found


def switch_values(
    values: Rows,
    moduli: Sequence[int],
    special: Sequence[int],
    key: Sequence[Sequence[Rows]],
    primes: int = 1,
) -> list[list[list[int]]]:
    """Both parts, coefficients [part][limb][n] modulo the primes of Q.

    Parameters
    ----------
    values : [limb][n]
        Values of the polynomial modulo each of ``moduli``, bit-reversed order.
    moduli, special : sequences of int
        Primes of Q and special primes.
    key : [digit][part][limb of all K][n]
        Values of the key, bit-reversed order, modulo ``moduli`` and then ``special``.
    primes : int
        Primes of a digit.

    Returns
    -------
    list
        The words of ``fv.Scheme.switch`` modulo each prime of Q.

    Examples
    --------
    >>> key = [[[[41 % 17] * 4, [0] * 4], [[0] * 4, [0] * 4]]]  # P in the first part
    >>> switch_values([[3, 16, 9, 10]], [17], [41], key)  # 1 + X and 0
    [[[1, 1, 0, 0]], [[0, 0, 0, 0]]]
    """
    everything = (*moduli, *special)
    digits = digit_values(values, moduli, special, primes)
    step, out = division(moduli, special), []
    for part in (0, 1):
        sums = []
        for limb, q in enumerate(everything):
            pairs = zip(digits, key, strict=True)
            terms = [
                [x * y for x, y in zip(digit[limb], pair[part][limb], strict=True)]
                for digit, pair in pairs
            ]
            sums.append(inverse_fast([sum(column) % q for column in zip(*terms, strict=True)], q))
        own, sources = sums[: len(moduli)], sums[len(moduli) :]
        columns = [
            step.value(x, y)
            for x, y in zip(zip(*sources, strict=True), zip(*own, strict=True), strict=True)
        ]
        out.append([list(limb) for limb in zip(*columns, strict=True)])
    return out

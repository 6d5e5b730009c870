# SPDX-License-Identifier: Apache-2.0
"""The recommended BGV chains: primes that give the greatest promised depth.

docs/bounds/bgv_noise.md says why the sizes are what they are and lists the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, log2

from .bgv_noise import NoiseModel
from .number_theory import ntt_primes

MAX_BITS = 50  # the fastest kernels are for primes below 2^50
FIRST_WITH_KEYS = 4096  # a smaller n has no room for a special prime

#: Limits on log2(Q p) for 128-bit security, ternary secrets, [Bos24] Table 5.2.
GUIDELINES_2024 = {1024: 26, 2048: 53, 4096: 106, 8192: 214, 16384: 430, 32768: 868}


@dataclass(frozen=True)
class Chain:
    """Primes of a set, special primes, promised depth, budget left at its end.

    Digits of key switching have as many primes as there are special ones.
    """

    moduli: tuple[int, ...]
    special: tuple[int, ...]
    depth: int
    left: float


@dataclass(frozen=True)
class Shape:
    """Bits of the primes of the chain and of p, and what they would promise were they 2^bits."""

    moduli: tuple[int, ...]
    special: int
    depth: int
    left: float


def spread(bits: int, count: int) -> tuple[int, ...]:
    """``count`` sizes with so many bits in all, as equal as possible, the smaller ones first.

    Examples
    --------
    >>> spread(75, 2), spread(7, 0)
    ((37, 38), ())
    """
    low, high = divmod(bits, count) if count else (0, 0)
    return (low,) * (count - high) + (low + 1,) * high


def fewest(bits: float) -> int:
    """How many primes of at most MAX_BITS are needed for so many bits."""
    return ceil(bits / MAX_BITS)


def shapes(n: int, t: int, bits: int, depth: int) -> Iterator[Shape]:
    """Shapes that promise ``depth``, for every size of p and some sizes of a step down.

    At the bottom are the primes that the last product needs, above them one step down for each
    product but the first. With R the rounding's canonical bound and operands within w before each
    product, a step has q = 2 w^2 / (w - R) and the bottom w^2: all together is least at
    w = 2 R L / (L + 1), hence q = 8 R L^2 / (L^2 - 1). Steps from half of that to 32 times that are
    looked at: primes may be too few, and whole bits do not always add up.
    """
    smallest = n.bit_length() + 7
    rounding = NoiseModel(n, (), t).rounding()
    steps = max(depth - 1, 0)
    if steps:
        best = rounding.canonical + 3 + log2(depth**2 / (depth**2 - 1))
        totals = sorted({ceil(steps * (best + i / 4)) for i in range(-4, 21)})
    else:
        best, totals = 0.0, [0]
    # The bottom is at least the square of the rounding.
    least = 2 * rounding.coefficient + log2(n) + 1 if depth else rounding.coefficient
    for special in range(smallest, MAX_BITS + 1):
        for total in totals:
            bottom = bits - special - total
            if bottom < least:
                continue
            above = spread(total, steps * fewest(total / steps) if steps else 0)
            sizes = spread(bottom, fewest(bottom)) + above
            if min(sizes) < smallest:
                continue
            model = NoiseModel(n, [1 << size for size in sizes], t, (1 << special,))
            reached, left = model.promise()
            if reached >= depth:
                yield Shape(sizes, special, reached, left)


def primes_of(n: int, sizes: Sequence[int], exclude: Sequence[int]) -> list[int]:
    """For each size the largest prime = 1 (mod 2n) that is not taken yet.

    Raises
    ------
    ValueError
        If there are too few.
    """
    found: list[int] = []
    for bits, group in groupby(sizes):
        found += ntt_primes(n, bits, len(list(group)), [*exclude, *found])
    return found


def chain_of(n: int, t: int, shape: Shape) -> Chain:
    """The primes of a shape; t is not among them."""
    *moduli, p = primes_of(n, (*shape.moduli, shape.special), (t,))
    return Chain(tuple(moduli), (p,), *NoiseModel(n, moduli, t, (p,)).promise())


def model_of(n: int, t: int, moduli: Sequence[int], special: Sequence[int]) -> NoiseModel:
    """The noise model of digits of as many primes as there are special ones."""
    digit_primes = max(1, min(len(special), len(moduli)))
    return NoiseModel(n, moduli, t, special, digit_primes=digit_primes)


def decrypts(n: int, t: int, chain: Chain) -> bool:
    """Whether a fresh ciphertext does."""
    model = model_of(n, t, chain.moduli, chain.special)
    return model.budget_bits(model.fresh_public(), model.top) > 0


def preset(n: int, t: int, bits: int) -> Chain:
    """The chain for n and t with log2(Q p) of at most ``bits``.

    The greatest depth; then the fewest primes, the most budget left, the smallest p, the smallest
    step. Without room for a special prime: one prime of all bits.

    Raises
    ------
    ValueError
        If not even a fresh ciphertext decrypts.

    Examples
    --------
    >>> chain = preset(8192, 65537, 214)
    >>> [q.bit_length() for q in chain.moduli], chain.special[0].bit_length(), chain.depth
    ([33, 33, 35, 35, 36], 42, 4)
    """
    if n < FIRST_WITH_KEYS:
        moduli = tuple(primes_of(n, (bits,), (t,)))
        chain = Chain(moduli, (), *NoiseModel(n, moduli, t).promise())
        if decrypts(n, t, chain):
            return chain
        raise ValueError(f"t = {t} is too large for n = {n} and {bits} bits")
    step = NoiseModel(n, (), t).rounding().canonical + 2
    for depth in range(floor(bits / step) + 1, -1, -1):
        found = list(shapes(n, t, bits, depth))
        found.sort(key=lambda s: (len(s.moduli), -s.left, s.special, s.moduli))
        for shape in found:
            try:
                chain = chain_of(n, t, shape)
            except ValueError:
                continue
            if chain.depth >= depth and decrypts(n, t, chain):
                return chain
    raise ValueError(f"t = {t} is too large for n = {n} and {bits} bits")


def equal_preset(n: int, t: int, bits: int, max_bits: int, special: int = 0) -> Chain:
    """The chain of primes of nearly one size, at most ``max_bits`` bits, the smaller ones first.

    The last ``special`` ones are special; 0: a quarter of all, rounded up. The number of primes is
    between the fewest possible and half as many more; the greatest depth, then the fewest primes.

    Raises
    ------
    ValueError
        If not even a fresh ciphertext decrypts.

    Examples
    --------
    >>> chain = equal_preset(8192, 65537, 214, 30)
    >>> [q.bit_length() for q in chain.moduli + chain.special], len(chain.special), chain.depth
    ([26, 26, 27, 27, 27, 27, 27, 27], 2, 3)
    """
    fewest_primes = ceil(bits / max_bits)
    best: Chain | None = None
    for count in range(fewest_primes, fewest_primes + fewest_primes // 2 + 1):
        leave = 0 if n < FIRST_WITH_KEYS else special or ceil(count / 4)
        if 2 * leave > count:
            continue
        sizes = spread(bits, count)
        if leave and sizes[0] < n.bit_length() + 7:
            break
        try:
            primes = tuple(primes_of(n, sizes, (t,)))
        except ValueError:
            break
        moduli, leaving = primes[: count - leave], primes[count - leave :]
        chain = Chain(moduli, leaving, *model_of(n, t, moduli, leaving).promise())
        if decrypts(n, t, chain) and (best is None or chain.depth > best.depth):
            best = chain
    if best is None:
        raise ValueError(f"t = {t} is too large for n = {n} and {bits} bits")
    return best

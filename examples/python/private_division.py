# SPDX-License-Identifier: Apache-2.0
"""Division of encrypted integers, with remainder, of as many pairs at once as there are slots.

    python examples/python/private_division.py [--bits 4] [--secure]

Numbers are encrypted bit by bit, an array for each bit. The server divides as on paper: it shifts
in a bit, tries to subtract, and keeps what the borrow says. Its circuit is plain arithmetic; where
it bootstraps is found by nttforge.choose, which records it first. Quotients and remainders are
compared with NumPy's. The ring is small and not secure unless --secure is given.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

import nttforge
from nttforge import ArraySpec, EncryptedArray


def bit(x: Any) -> Any:
    """An array of bits, of which the server may know that they are bits."""
    return x.within(0, 1)


def divided(*bits: Any) -> list[Any]:
    """Bits of quotients and remainders, the lowest first, from those of numbers and divisors."""
    width = len(bits) // 2
    numbers, divisors = bits[:width], bits[width:]
    rest: list[Any] = []
    quotient: list[Any] = []
    for number in reversed(numbers):
        rest = [number, *rest]
        left, less = subtracted(rest, divisors)
        fits = bit(1 - less)
        quotient.insert(0, fits)
        rest = [bit(r + fits * (x - r)) for r, x in zip(rest, left, strict=True)][:width]
    return [*quotient, *rest]


def subtracted(a: list[Any], b: Sequence[Any]) -> tuple[list[Any], Any]:
    """Bits of a - b as far as a has them, and whether it is negative."""
    found: list[Any] = []
    less: Any = None
    for x, y in zip_longest(a, b):
        if x is None:
            less = bit(less + y - less * y)
            continue
        both = 0 if y is None else x * y
        differ = x if y is None else bit(x + y - 2 * both)
        borrows = 0 if y is None else y - both
        if less is None:
            less = bit(borrows)
        else:
            borrowed = differ * less
            differ, less = bit(differ + less - 2 * borrowed), bit(less - borrowed + borrows)
        found.append(differ)
    return found, less


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--bits", type=int, default=4, help="of numbers and divisors")
    parser.add_argument("--secure", action="store_true", help="128 bits, minutes on a CPU")
    options = parser.parse_args()
    width = options.bits
    # All pairs of a number and a divisor, or a part of them that fits a row of slots.
    pairs = np.array([(x, y) for x in range(2**width) for y in range(1, 2**width)])
    pairs = np.random.default_rng(5).permutation(pairs)[:64]
    spec = ArraySpec((len(pairs),), 0, 1)

    begun = time.perf_counter()
    small = None if options.secure else 2**7
    choice = nttforge.choose(divided, [spec] * (2 * width), insecure_n=small)
    planned = time.perf_counter() - begun
    machine = choice.bootstrapper(**({} if options.secure else {"threads": 1}))
    keys = choice.generate_keys(machine.context)
    helper = machine.make_keys(keys)
    columns = [pairs[:, 0] >> i & 1 for i in range(width)]
    columns += [pairs[:, 1] >> i & 1 for i in range(width)]
    inputs = [EncryptedArray.encrypt(column, keys, bounds=(0, 1)) for column in columns]

    before = time.process_time()
    found = choice.run(divided, inputs, helper)
    cpu = time.process_time() - before

    weights = 1 << np.arange(width)
    bits = np.array([x.decrypt(keys) for x in found])
    quotients, remainders = weights @ bits[:width], weights @ bits[width:]
    assert np.array_equal(quotients, pairs[:, 0] // pairs[:, 1])
    assert np.array_equal(remainders, pairs[:, 0] % pairs[:, 1])
    plan = choice.bootstraps
    assert plan is not None
    products = sum(step.name == "multiply" for step in choice.steps)
    print(
        f"{len(pairs)} divisions of {width} bits, {products} products, {plan.bootstraps} planned "
        f"bootstraps of {plan.name}: every quotient and remainder as NumPy has it"
    )
    print(f"planned in {planned:.1f} s")
    print(f"server: {cpu:.1f} s of processor time")


if __name__ == "__main__":
    main()

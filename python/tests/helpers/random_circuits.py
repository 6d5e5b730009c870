# SPDX-License-Identifier: Apache-2.0
"""Random computations: whether the parameters that `nttforge.choose` gives suffice.

A program is a list of operations that runs on recorded objects, on ciphertexts and on arrays.

    python python/tests/helpers/random_circuits.py --count 2000 --seed 1 --json FILE
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import bfv, bgv
from nttforge.integer_encoding import Parameters

Program = list[tuple[Any, ...]]

_KINDS = (
    *("add", "sub", "negate", "constant", "add array", "array", "product", "product"),
    *("rotate", "sum", "matrix", "axis"),
)
_MOST = 2**50  # absolute value of what a program computes


def random_program(rng: random.Random, levels: int) -> tuple[Program, list[tuple[int, int]]]:
    """Operations with at most so many products one after the other, and the ranges of inputs."""
    ranges = []
    for _ in range(rng.randint(1, 3)):
        high = 2 ** rng.randint(0, 8)
        ranges.append((-high if rng.random() < 0.5 else 0, high))
    program: Program = []
    most = [max(abs(low), high) for low, high in ranges]
    depth = [0] * len(ranges)
    for _ in range(rng.randint(2, 14)):
        i, j = rng.randrange(len(most)), rng.randrange(len(most))
        kind = rng.choice(_KINDS)
        if kind == "add" or kind == "sub":
            step, bound, level = (kind, i, j), most[i] + most[j], max(depth[i], depth[j])
        elif kind == "product":
            step, bound = (kind, i, j), most[i] * most[j]
            level = max(depth[i], depth[j]) + 1
        else:
            level, bound = depth[i], most[i]
            if kind == "negate":
                step = (kind, i)
            elif kind == "constant":
                value = rng.randint(-9, 9)
                step, bound = (kind, i, value), bound * abs(value)
            elif kind in ("array", "add array"):
                values = [rng.randint(-9, 9) for _ in range(rng.randint(1, 64))]
                step = (kind, i, np.array(values))
                bound = bound * 9 if kind == "array" else bound + 9
                level += kind == "array"
            elif kind == "rotate":
                step = (kind, i, rng.choice([-40, -1, 1, 7, 100]))
            elif kind == "sum":
                span = 2 ** rng.randint(1, 4)
                step, bound = (kind, i, span), bound * span
            elif kind == "axis":
                step, bound = (kind, i, rng.randint(0, 1)), bound * 4
            else:
                matrix = np.array([[rng.randint(-3, 3) for _ in range(4)] for _ in range(3)])
                step, bound, level = (kind, i, matrix), bound * 12, level + 1
        if bound > _MOST or level > levels:
            continue
        program.append(step)
        most.append(bound)
        depth.append(level)
    if rng.random() < 0.3:  # products of bits, so that large n are needed
        ranges += [(0, 1)] * 2
        program = [("product", 0, 1)]
        for i in range(rng.randint(1, levels + 1)):
            program.append(("product", 2 + i, rng.choice([1 + i, 2 + i])))
        ranges = ranges[-2:]
    return program, ranges


def run(program: Program, inputs: list[Any], keys: Any) -> list[Any]:
    """The last results of a program, of recorded objects or ciphertexts."""
    values = list(inputs)
    for kind, i, *rest in program:
        x = values[i]
        if kind == "add":
            x = x + values[rest[0]]
        elif kind == "sub":
            x = x - values[rest[0]]
        elif kind == "product":
            x = (x * values[rest[0]]).relinearize(keys)
        elif kind == "negate":
            x = -x
        elif kind in ("constant", "array"):
            x = x * rest[0]
        elif kind == "add array":
            x = x + rest[0]
        elif kind == "rotate":
            x = x.rotate_rows(rest[0], keys)
        elif kind == "sum":
            x = x.inner_sum(rest[0], keys)
        elif kind == "axis":
            x = x.sum_axis((4, 4), rest[0], keys)
        else:
            x = x.matmul(rest[0], keys)
        values.append(x)
    return values[-2:]


def run_plain(program: Program, inputs: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The same of arrays of n slots."""

    def rotated(x: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        return np.roll(x.reshape(2, -1), -step, axis=1).ravel()

    values = list(inputs)
    for kind, i, *rest in program:
        x = values[i]
        if kind in ("array", "add array"):
            padded = np.zeros_like(x)
            padded[: rest[0].size] = rest[0]
            x = x * padded if kind == "array" else x + padded
        elif kind in ("sum", "axis"):
            steps = [1 << s for s in range(rest[0].bit_length() - 1)]
            if kind == "axis":
                steps = [4, 8] if rest[0] == 0 else [1, 2]
            for step in steps:
                x = x + rotated(x, step)
        elif kind == "matrix":
            out = np.zeros((x.size // 4, 4), dtype=np.int64)
            out[:, :3] = x.reshape(-1, 4) @ rest[0].T
            x = out.ravel()
        elif kind == "rotate":
            x = rotated(x, rest[0])
        elif kind == "negate":
            x = -x
        elif kind == "constant":
            x = x * rest[0]
        else:
            y = values[rest[0]]
            x = x + y if kind == "add" else x - y if kind == "sub" else x * y
        values.append(x)
    return values[-2:]


def check(
    seed: int,
    levels: int,
    most_n: int = 2**15,
    device: Any = "cpu",
    words: str = "cpu",
    security: Any = 128,
    scheme: Any = "bfv",
) -> dict[str, Any]:
    """Chooses for a random program, computes it, and compares; what was chosen, as a row.

    ``words`` is the device that is chosen for: "cuda" has primes for 32-bit words.

    Raises
    ------
    AssertionError
        The parameters are not enough, or a bound of the choice is not one.
    """
    rng = random.Random(seed)
    program, ranges = random_program(rng, levels)
    row: dict[str, Any] = {"seed": seed, "operations": len(program)}
    row |= {"words": words, "security": security, "scheme": scheme}
    options = {"security": security, "device": words, "scheme": scheme}
    try:
        choice = nttforge.choose(lambda *x: run(program, list(x), None), ranges, **options)
    except nttforge.ParameterError:
        return {**row, "verdict": "no set is enough"}
    p = choice.parameters
    row |= {"n": p.n, "primes": len(p.q), "t_bits": p.t.bit_length()}
    row |= {"budget_bits": round(choice.noise_budget_bits, 1), "refused": len(choice.refused)}
    if p.n > most_n:
        return {**row, "verdict": "left out"}
    budgets = []
    keys, results, expected = computed(program, ranges, p, choice, seed, device)
    for got, want in zip(results, expected, strict=True):
        assert got.predicted_noise_budget_bits >= choice.noise_budget_bits > 0, row
        assert (keys.decrypt(got) == want).all(), row
        budgets.append(keys.noise_budget_bits(got))
    row |= {"exact_bits": round(min(budgets), 1)}
    return {**row, "smaller": smaller(program, ranges, choice, seed, device), "verdict": "enough"}


def computed(
    program: Program,
    ranges: list[tuple[int, int]],
    p: Parameters,
    choice: nttforge.Choice,
    seed: int,
    device: Any,
) -> tuple[Any, list[Any], list[NDArray[np.int64]]]:
    """Keys, encrypted results and what they should be."""
    context: Any = (bgv if isinstance(p, bgv.Parameters) else bfv).Context
    keys = choice.generate_keys(context(p, device))
    numbers = np.random.default_rng(seed)
    inputs = [numbers.integers(low, high + 1, p.n) for low, high in ranges]
    results = run(program, [keys.encrypt(x) for x in inputs], keys)
    return keys, results, run_plain(program, inputs)


def smaller(
    program: Program,
    ranges: list[tuple[int, int]],
    choice: nttforge.Choice,
    seed: int,
    device: Any,
) -> str:
    """What becomes of a program with one size less: a prime fewer, or the largest set of n/2.

    "refused": there is no such set, or it has no room for keys or slots. "insufficient": computed
    with it, a result's exact noise budget is 0 or its values are wrong. "enough" otherwise.
    """
    p = choice.parameters
    try:
        if len(p.q) > 1:
            small = type(p).custom(
                p.n,
                p.t,
                p.q[:-1],
                p.special,
                security=p.security,
                word_bits=p.word_bits,
                digit_primes=min(p.digit_primes, len(p.q) - 1),
            )
        else:
            if p.t % p.n != 1:
                return "refused"
            small = type(p).preset(p.n // 2, p.t, p.security, word_bits=p.word_bits)
        keys, results, expected = computed(program, ranges, small, choice, seed, device)
    except (nttforge.ParameterError, nttforge.UnsupportedError, nttforge.SizeError):
        return "refused"
    for got, want in zip(results, expected, strict=True):
        if keys.noise_budget_bits(got) <= 0 or (keys.decrypt(got, check=False) != want).any():
            return "insufficient"
    return "enough"


def main() -> None:
    """Many programs; a table of them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-n", type=int, default=2**15)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    start = time.perf_counter()
    for seed in range(options.seed, options.seed + options.count):
        words = "cuda" if seed % 3 == 0 or options.device != "cpu" else "cpu"
        security = (128, 128, 192, 256)[seed % 4]
        kinds = (options.device, words, security)
        rows.append(check(seed, seed % 12, options.most_n, *kinds))
        if options.json:
            options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    verdicts = Counter(row["verdict"] for row in rows)
    below = Counter(row["smaller"] for row in rows if "smaller" in row)
    sizes = Counter(row["n"] for row in rows if "n" in row)
    print(
        dict(verdicts),
        "one size less:",
        dict(below),
        dict(sorted(sizes.items())),
        f"{time.perf_counter() - start:.0f} s",
    )


if __name__ == "__main__":
    main()

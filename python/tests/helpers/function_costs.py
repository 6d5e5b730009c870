# SPDX-License-Identifier: Apache-2.0
"""The table of costs in docs/can-i.md: python python/tests/helpers/function_costs.py [--measure]

Without --measure what ``nttforge.choose`` says is printed, which a test compares with the page.
With it each function is run on one core as well, for the last two columns.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import nttforge
from nttforge import EncryptedArray, bfv, encrypted
from nttforge.encrypted import IntegerBits, OneHot, SetIntersection, UnitVectors

RNG = np.random.default_rng(1)
TABLE = RNG.integers(0, 1000, 1000)
MATRIX = RNG.integers(0, 1000, (64, 64))
VECTORS = RNG.normal(size=(8192, 128))
PLACES = OneHot(10).encode(RNG.integers(0, 10, 10_000))
RUN = SetIntersection(client_items=1000, server_items=10_000, salt=b"costs")


@dataclass(frozen=True)
class Cost:
    """A function, what it is chosen for, and values for its inputs."""

    name: str
    what: str
    circuit: Callable[..., Any]
    needs: dict[str, Any]
    values: tuple[Any, ...] = ()


def costs() -> Iterator[Cost]:
    """Rows of the table."""
    for bits in (8, 16, 32):
        code = IntegerBits(bits)
        many, bit = [code.spec(256)] * 2, code.encode(RNG.integers(0, 2**bits, 256))
        what = f"256 pairs of {bits} bits"
        yield Cost("equal", what, encrypted.equal, {"inputs": many}, (bit, bit))
        yield Cost("less", what, encrypted.less, {"inputs": many}, (bit, bit))
    limit = IntegerBits(8).encode(100)
    code8, bit8 = IntegerBits(8), IntegerBits(8).encode(RNG.integers(0, 256, 256))
    yield Cost(
        "less",
        "256 of 8 bits, a public limit",
        lambda x: encrypted.less(x, limit),
        {"inputs": [code8.spec(256)]},
        (bit8,),
    )
    both = {"inputs": [code8.spec(256)] * 2}
    yield Cost("maximum", "256 pairs of 8 bits", encrypted.maximum, both, (bit8, bit8))
    yield Cost(
        "look_up",
        "4 places of 1000",
        lambda index: encrypted.look_up(index, TABLE),
        {"inputs": [OneHot(1000).spec(4)]},
        (OneHot(1000).encode([1, 2, 3, 4]),),
    )
    yield Cost(
        "look_up twice",
        "1 place of 64 times 64",
        lambda row, column: encrypted.look_up(column, encrypted.look_up(row, MATRIX)),
        {"inputs": [OneHot(64).spec()] * 2},
        (OneHot(64).encode(3), OneHot(64).encode(5)),
    )
    records = {"inputs": [OneHot(10).spec(10_000)]}
    yield Cost("histogram", "10,000 of 10", encrypted.histogram, records, (PLACES,))
    yield Cost(
        "similarities",
        "8192 vectors of 128",
        lambda query: encrypted.similarities(query, VECTORS),
        {"inputs": [UnitVectors(128).spec()]},
        (np.rint(100 * VECTORS[0] / np.linalg.norm(VECTORS[0])).astype(np.int64),),
    )
    yield Cost("SetIntersection", "1000 of 10,000 items", RUN.circuit, RUN.needs)


HEADER = ("function", "of", "n", "log2 Q", "bits of t", "products", "rotations", "keys")


def row(cost: Cost) -> list[str]:
    """Cells of the table, without times."""
    choice = nttforge.choose(cost.circuit, **cost.needs)
    p, names = choice.parameters, Counter(step.name.split()[0] for step in choice.steps)
    rotations = names["rotate"] + names["swap"]
    if any("matrix" in s.name or "similarities" in s.name for s in choice.steps):  # one step each
        rotations = max(rotations, len(choice.rotations))
    keys = choice.evaluation_keys_bytes / 1e6
    cells = [f"`{cost.name}`", cost.what, str(p.n), str(p.q_bits), str(p.t.bit_length())]
    cells += [str(names["multiply"] - sum("multiply by" in s.name for s in choice.steps))]
    return [*cells, str(rotations), f"{keys:.1f} MB" if keys else "none"]


def _given(spec: encrypted.ArraySpec, words: Any, keys: Any) -> EncryptedArray:
    """Integers as they are encrypted: values times the scale."""
    return spec.encrypt(words / spec.scale if spec.scale != 1 else words, keys)


def measured(cost: Cost) -> list[str]:
    """Least processor time of a call on one core, bytes of a question and of an answer."""
    choice = nttforge.choose(cost.circuit, **cost.needs)
    keys = choice.generate_keys(bfv.Context(choice.parameters, threads=1))
    if cost.name == "SetIntersection":
        question = RUN.encrypt([f"item {i}" for i in range(1000)], keys)
        ready = RUN.prepare((f"item {i}" for i in range(500, 10_500)), choice.parameters.n)
        sent, call = [question], lambda: RUN.answer(question, ready, keys)
    else:
        sent = [_given(*pair, keys) for pair in zip(cost.needs["inputs"], cost.values, strict=True)]
        call = lambda: cost.circuit(*sent).shrink()  # noqa: E731
    best = float("inf")
    for _ in range(5):
        begun = time.thread_time()
        answer = call()
        best = min(best, time.thread_time() - begun)
    bytes_sent = sum(len(x.to_bytes()) for x in sent)
    return [
        f"{best * 1e3:.3g} ms",
        f"{bytes_sent / 1e3:.0f} kB, {len(answer.to_bytes()) / 1e3:.0f} kB",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="run each function as well")
    measure = parser.parse_args().measure
    more = ["time", "question, answer"] if measure else []
    rows = [[*row(cost), *(measured(cost) if measure else [])] for cost in costs()]
    for cells in ([*HEADER, *more], ["---"] * (len(HEADER) + len(more)), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

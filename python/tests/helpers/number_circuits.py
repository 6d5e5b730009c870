# SPDX-License-Identifier: Apache-2.0
"""Random circuits of CKKS beside NumPy's complex numbers.

python python/tests/helpers/number_circuits.py --count 100000 --seed 1
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from small_ckks import DOUBLES, small_set, uniform, windows_set

from nttforge import PrecisionError, ckks

Numbers = NDArray[Any]

_MOST = 2.0**12  # absolute value of what circuits compute
_OPERATIONS = (
    *("add", "sub", "product", "product", "product of three parts", "sum of products"),
    *("array", "add array", "integer", "number", "complex", "constant", "rotate", "composed"),
    *("conjugate", "i", "negative", "inner sum", "down", "matrix", "polynomial", "power"),
    *("bytes", "within", "plaintext"),
)


class Party:
    """A set with the keys and what is made once."""

    def __init__(self, parameters: ckks.Parameters, slots: int, device: Any = "cpu") -> None:
        self.context = ckks.Context(parameters, device, *((1,) if device == "cpu" else ()))
        self.slots = slots
        rng = np.random.default_rng(1)
        self.matrices = []
        steps = {1, -3}
        for level in range(2, parameters.top_level + 1):
            matrix = uniform(rng, (4, 4), real=level % 2 == 0)
            made = ckks.LinearMap(matrix, self.context, slots=slots, level=level)
            self.matrices.append((made, matrix))
            steps |= set(made.rotations)
        self.keys = self.context.generate_keys(
            rotations=steps, conjugation=True, inner_sum=slots, seed=bytes(range(32))
        )
        self.plain = uniform(rng, slots)
        self.plaintext = ckks.Plaintext(self.context, self.plain, slots=slots)


def sets() -> list[tuple[ckks.Parameters, int]]:
    """Parameters and slots: scales of doubles and double-doubles, windows, full and sparse."""
    return [
        (small_set(64, 4), 32),
        (small_set(32, 6, 45, 2), 16),
        (small_set(64, 3, 54, 2), 32),
        (small_set(64, 4, 36), 8),
        (windows_set(64), 32),
        (windows_set(32, 4), 4),
    ]


@dataclass
class Circuit:
    """What a circuit has computed, exactly and encrypted."""

    party: Party
    rng: np.random.Generator
    texts: list[ckks.Ciphertext] = field(default_factory=list)
    exact: list[Numbers] = field(default_factory=list)
    worst: float = -np.inf  # log2 of error / stated error
    done: Counter[str] = field(default_factory=Counter)

    def run(self, operations: int) -> None:
        """So many random operations on two fresh ciphertexts, each result compared."""
        party, rng = self.party, self.rng
        for _ in range(2):
            bound = float(2.0 ** rng.integers(-2, 3))
            values = bound * uniform(rng, party.slots, real=bool(rng.integers(2)))
            self._keep(party.keys.encrypt(values, bound, slots=party.slots), values, "fresh")
        for _ in range(operations):
            name = str(rng.choice(_OPERATIONS))
            i, j = (int(k) for k in rng.integers(len(self.texts), size=2))
            x, a = self.texts[i], self.exact[i]
            if self.texts[i].bound * self.texts[j].bound > _MOST:
                continue
            try:
                made = self._apply(name, x, a, self.texts[j], self.exact[j])
            except PrecisionError:  # numbers have grown too large for the level
                self.done["no room"] += 1
                continue
            if made is not None:
                self._keep(*made, name)

    def _apply(
        self, name: str, x: ckks.Ciphertext, a: Numbers, y: ckks.Ciphertext, b: Numbers
    ) -> tuple[ckks.Ciphertext, Numbers] | None:
        party, rng, keys = self.party, self.rng, self.party.keys
        number = float(rng.uniform(-2, 2))
        array = uniform(rng, party.slots, real=bool(rng.integers(2)))
        free = {
            "add": lambda: (x + y, a + b),
            "sub": lambda: (x - y, a - b),
            "add array": lambda: (array - x, array - a),
            "integer": lambda: (x * -3, a * -3),
            "constant": lambda: (x + (number - 0.5j), a + (number - 0.5j)),
            "rotate": lambda: (x.rotate_rows(1, keys), np.roll(a, -1)),
            "composed": lambda: (x.rotate_rows(5, keys, compose=True), np.roll(a, -5)),
            "conjugate": lambda: (x.conjugate(keys), a.conj()),
            "i": lambda: (x.multiply_by_i(), 1j * a),
            "negative": lambda: (-x, -a),
            "inner sum": lambda: (x.inner_sum(4, keys), sum(np.roll(a, -k) for k in range(4))),
            "bytes": lambda: (self._through_bytes(x), a),
            "within": lambda: (x.within(min(x.bound, float(np.abs(a).max()) * 1.001 + 1e-30)), a),
        }
        if name in free:
            return free[name]()
        if min(x.levels_left, y.levels_left) < 1:
            return None
        level = {
            "product": lambda: ((x * y).relinearize(keys), a * b),
            "product of three parts": lambda: ((x * y + x).relinearize(keys), a * b + a),
            "sum of products": lambda: (
                (x * y - x * x).relinearize(keys, rescale=False).rescale(),
                a * b - a * a,
            ),
            "array": lambda: (x * array, a * array),
            "plaintext": lambda: (x * party.plaintext, a * party.plain),
            "number": lambda: (x * number, a * number),
            "complex": lambda: (x * (number + 0.75j), a * (number + 0.75j)),
            "down": lambda: (x.mod_switch(), a),
        }
        if name in level:
            return level[name]()
        if name == "matrix":
            made, matrix = party.matrices[int(rng.integers(x.level - 1))]
            return x.matmul(made, keys), (a.reshape(-1, 4) @ matrix.T).ravel()
        if x.levels_left < 2 or x.bound > 4:
            return None
        if name == "power":
            return x.power(3, keys), a**3
        coefficients = [number, 0.5, -0.25, 1]
        exact = np.polynomial.polynomial.polyval(a, coefficients)
        return x.polynomial(coefficients, keys), exact

    def _through_bytes(self, x: ckks.Ciphertext) -> ckks.Ciphertext:
        return ckks.Ciphertext.from_bytes(self.party.context, x.to_bytes())

    def _keep(self, x: ckks.Ciphertext, exact: Numbers, name: str) -> None:
        self.done[name] += 1
        size = float(np.abs(exact).max())
        assert size <= x.bound * (1 + 1e-9), (name, size, x.bound)
        try:
            values = self.party.keys.decrypt(x)
        except PrecisionError:
            self.done["no bit left"] += 1
            return
        error = float(np.abs(values - exact).max())
        rounding = DOUBLES * x.bound * len(self.texts)
        assert error <= min(x.error, x.proved_error) + rounding, (name, error, x)
        if x.error > 4 * rounding:
            self.worst = max(self.worst, float(np.log2(max(error, 1e-300) / x.error)))
        self.texts.append(x)
        self.exact.append(exact)


def run_circuits(parties: list[Party], count: int, seed: int) -> tuple[Counter[str], float]:
    """Operations that were compared, by name, and log2 of the largest error / stated error."""
    done: Counter[str] = Counter()
    worst = -np.inf
    for index in range(count):
        rng = np.random.default_rng([seed, index])
        circuit = Circuit(parties[index % len(parties)], rng)
        try:
            circuit.run(int(rng.integers(1, 9)))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, circuit {index}: {error}") from error
        done += circuit.done
        worst = max(worst, circuit.worst)
    return done, worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found, least = run_circuits([Party(*each) for each in sets()], options.count, options.seed)
    print(
        f"{sum(found.values())} results, error at most 2^{least:.2f} of the stated: {dict(found)}"
    )

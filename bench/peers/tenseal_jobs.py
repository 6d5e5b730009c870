# SPDX-License-Identifier: Apache-2.0
"""TenSEAL's four jobs on vectors, by TenSEAL and by nttforge, on one thread in one run.

    NTTFORGE_THREADS=1 python bench/peers/tenseal_jobs.py [--rounds 5] [--json FILE]

Statistics of 1000 numbers, a 30-8-1 network on 256 records, a look-up in a table of 1000 x 8, and
the similarity of a query to 2000 vectors of 64. Results are checked against NumPy, then all ways
take turns. For TenSEAL each job has the smallest set of 128-bit security that keeps its error,
and every way that its interface offers; for nttforge what ``nttforge.choose`` finds for that
error. Times are the server's; key bytes are those of what it needs, without a public key.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tenseal as ts

import nttforge
from nttforge import ArraySpec, ckks
from nttforge.encrypted import OneHot, UnitVectors, look_up, similarities

ERROR, PRECISION = 1e-3, 10  # an error, and the bits that keep it
SLOW = 10  # seconds: what takes longer runs once
#: TenSEAL's sets by depth: n, bits of the primes, log2 of the scale; at most 109 and 218 bits.
SETS = {
    1: (4096, [37, 34, 38], 34),
    2: (8192, [60, 40, 40, 60], 40),
    3: (8192, [44, 36, 36, 36, 44], 36),
}


class Theirs:
    """A way of TenSEAL: how inputs are encrypted, and the program on them."""

    name = "TenSEAL"

    def __init__(
        self,
        depth: int,
        encrypt: Callable[..., Any],
        program: Callable[..., Any],
        rotates: bool = True,
    ):
        n, bits, scale = SETS[depth]
        self._context = ts.context(ts.SCHEME_TYPE.CKKS, n, coeff_mod_bit_sizes=bits, n_threads=1)
        self._context.global_scale = 2.0**scale
        if rotates:
            self._context.generate_galois_keys()
        self._encrypt, self._program = encrypt, program
        self.set = f"n = {n}, primes of {bits} bits"
        kept = {"save_galois_keys": rotates, "save_relin_keys": True}
        left_out = {"save_public_key": False, "save_secret_key": False}
        self.key_bytes = len(self._context.serialize(**kept, **left_out))

    def run(self, values: Any) -> tuple[Any, float]:
        """Results, flat, and seconds of the server."""
        inputs = self._encrypt(self._context, values)
        begun = time.perf_counter()
        results = self._program(inputs)
        spent = time.perf_counter() - begun
        found = [result.decrypt() for result in results]
        return np.concatenate(
            [np.ravel(getattr(x, "tolist", lambda x=x: x)()) for x in found]
        ), spent


class Ours:
    """A program of encrypted arrays."""

    name = "nttforge"

    def __init__(self, spec: ArraySpec, program: Callable[..., Any]):
        choice = nttforge.choose(program, [spec], scheme="ckks", precision=PRECISION)
        self._owner = choice.generate_keys(ckks.Context(choice.parameters, threads=1))
        self._spec, self._program = spec, program
        self.set = f"n = {choice.parameters.n}, log2 Q = {choice.parameters.q_bits}"
        self.key_bytes = len(self._owner.evaluation.to_bytes())

    def run(self, values: Any) -> tuple[Any, float]:
        inputs = self._spec.encrypt(values, self._owner)
        begun = time.perf_counter()
        results = self._program(inputs)
        spent = time.perf_counter() - begun
        several = results if isinstance(results, tuple) else (results,)
        return np.concatenate([np.ravel(x.decrypt(self._owner)) for x in several]), spent


def vector(context: Any, values: Any) -> Any:
    return ts.ckks_vector(context, values)


def records_of(context: Any, values: Any) -> Any:
    return [ts.ckks_vector(context, row) for row in values]


def batched(context: Any, values: Any) -> Any:
    return ts.ckks_tensor(context, values, batch=True)


def statistics(draw: Any) -> tuple[Any, Any, dict[str, Any]]:
    ages = draw.uniform(0, 1, 1000)

    def theirs(v: Any) -> Any:
        mean = v.sum() * (1 / 1000)
        return mean, v.dot(v) * (1 / 1000) - mean * mean

    ways = {
        "vector": Theirs(2, vector, theirs),
        "array": Ours(ArraySpec((1000,), 0, 1), lambda x: (x.mean(), x.var())),
    }
    return ages, np.array([ages.mean(), ages.var()]), ways


def network(draw: Any) -> tuple[Any, Any, dict[str, Any]]:
    first, bias, last = draw.normal(size=(30, 8)) / 6, draw.normal(size=8), draw.normal(size=8) / 4
    records = draw.uniform(-1, 1, (256, 30))
    first_rows, last_rows = first.tolist(), last[:, None].tolist()

    def by_record(rows: Any) -> Any:
        hidden = [x.mm(first_rows) + bias.tolist() for x in rows]
        return [(x * x).mm(last_rows) for x in hidden]

    def by_batch(x: Any) -> Any:
        hidden = x.reshape([1, 30]).mm(ts.plain_tensor(first_rows)) + ts.plain_tensor(
            bias[None, :].tolist()
        )
        return [(hidden * hidden).mm(ts.plain_tensor(last_rows))]

    def ours(x: Any) -> Any:
        hidden = x @ first + bias
        return hidden * hidden @ last

    ways = {
        "a vector each": Theirs(3, records_of, by_record),
        "one batch": Theirs(3, batched, by_batch, rotates=False),
        "array": Ours(ArraySpec((256, 30), -1, 1), ours),
    }
    return records, (records @ first + bias) ** 2 @ last, ways


def table_row(draw: Any) -> tuple[Any, Any, dict[str, Any]]:
    table, places = draw.uniform(-1, 1, (1000, 8)), OneHot(1000)
    rows, columns = table.tolist(), table.T.tolist()
    ways = {
        "matrix": Theirs(1, vector, lambda place: [place.mm(rows)]),
        "a product for each column": Theirs(1, vector, lambda p: [p.dot(x) for x in columns]),
        "array": Ours(places.spec(), lambda place: look_up(place, table)),
    }
    return places.encode(321), table[321], ways


def nearest(draw: Any) -> tuple[Any, Any, dict[str, Any]]:
    vectors, query = draw.normal(size=(2000, 64)), draw.normal(size=64)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    query /= np.linalg.norm(query)
    columns = units.T.tolist()
    ways = {
        "matrix": Theirs(1, vector, lambda q: [q.mm(columns)]),
        "array": Ours(UnitVectors(64).spec(), lambda q: similarities(q, vectors)),
    }
    return query, units @ query, ways


JOBS = {
    "statistics, 1000 numbers": statistics,
    "network 30-8-1, 256 records": network,
    "look-up, 1000 x 8": table_row,
    "similarity, 2000 x 64": nearest,
}


def measure(job: str, rounds: int) -> list[dict[str, Any]]:
    values, expected, ways = JOBS[job](np.random.default_rng(1))
    rows = []
    for way, one in ways.items():
        found, seconds = one.run(values)
        error = float(np.abs(found[: expected.size] - expected).max())
        if not error <= ERROR:
            raise SystemExit(f"{job}, {one.name}, {way}: an error of {error:.1e}, not {ERROR:.0e}")
        row = {"job": job, "library": one.name, "way": way, "set": one.set, "error": error}
        rows.append(row | {"key_bytes": one.key_bytes, "seconds": seconds})
    for _ in range(rounds):
        for row, one in zip(rows, ways.values(), strict=True):
            if row["seconds"] < SLOW:
                row["seconds"] = min(row["seconds"], one.run(values)[1])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for job in JOBS:
        for row in measure(job, options.rounds):
            rows.append(row)
            print(
                f"{job:28} {row['library']:9}{row['way']:26}{row['seconds'] * 1e3:10.2f} ms  keys "
                f"{row['key_bytes'] / 1e6:8.2f} MB  error {row['error']:.0e}  {row['set']}",
                flush=True,
            )
    versions = {"TenSEAL": version("tenseal"), "nttforge": nttforge.__version__}
    if options.json:
        options.json.write_text(json.dumps({"versions": versions, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

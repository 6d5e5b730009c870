# SPDX-License-Identifier: Apache-2.0
"""One record of a public database, without telling the server which.

    python examples/python/private_retrieval.py [--records 4096] [--bytes 256] [--index 1234]

MulPIR [ACLS18, ALPR21]: plaintexts stand in a rectangle, the query is a single ciphertext, and the
server expands it to one selector for each row and each column. What is multiplied with the
rectangle's rows is added up, and so is what comes out for each column.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np

from nttforge import bfv

N, BITS = 8192, 16  # a coefficient modulo t = 65537 holds two bytes


class Shape:
    """How records lie in plaintexts, and these in a rectangle."""

    def __init__(self, records: int, size: int) -> None:
        if not 1 <= size <= 2 * N:
            raise SystemExit(f"--bytes {size}: 1 to {2 * N}, what a plaintext holds")
        self.words = -(-size // 2)
        self.together = N // self.words
        plaintexts = -(-records // self.together)
        self.columns = math.ceil(math.sqrt(plaintexts))
        self.rows = -(-plaintexts // self.columns)

    def place(self, index: int) -> tuple[int, int, int]:
        """Row, column, and the record's first coefficient."""
        plaintext, within = divmod(index, self.together)
        return *divmod(plaintext, self.columns), within * self.words


class Server:
    """Holds the database, transformed once."""

    def __init__(self, context: bfv.Context, shape: Shape, database: np.ndarray[Any, Any]) -> None:
        self.context, self.shape = context, shape
        words = np.zeros((shape.rows * shape.columns, N), np.uint16)
        for first in range(0, len(database), shape.together):
            row = np.ravel(database[first : first + shape.together])
            words[first // shape.together, : len(row)] = row
        encoder = bfv.CoefficientEncoder(context)
        rows = words.reshape(shape.rows, shape.columns, N).astype(np.uint64)
        self.rows = [encoder.encode(row, signed=False).prepare() for row in rows]

    def answer(self, query: bytes, keys: bfv.EvaluationKeys) -> bytes:
        """The plaintext that the query selects."""
        shape = self.shape
        asked = bfv.Ciphertext.from_bytes(self.context, query)
        selectors = asked.expand(shape.rows + shape.columns, keys)
        columns = bfv.sum_of_products(selectors[: shape.rows], self.rows)
        found = bfv.sum_of_products(columns, selectors[shape.rows :])
        return found.relinearize(keys).shrink().to_bytes(noise=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--records", type=int, default=4096)
    parser.add_argument("--bytes", type=int, default=256)
    parser.add_argument("--index", type=int, default=1234)
    parser.add_argument("--device", default="cpu", help="the server's")
    options = parser.parse_args()
    if not 0 <= options.index < options.records:
        raise SystemExit(f"--index {options.index}: 0 to {options.records - 1}")
    shape = Shape(options.records, options.bytes)
    draw = np.random.default_rng(1)
    database = draw.integers(0, 2**BITS, (options.records, shape.words), np.uint16)

    # The client, once.
    parameters = bfv.Parameters.preset(N)
    context = bfv.Context(parameters)
    generator = bfv.KeyGenerator(context)
    count = shape.rows + shape.columns
    evaluation = bfv.EvaluationKeys(
        generator.relinearization_key(), generator.expansion_keys(count)
    ).to_bytes()
    # The server, once.
    there = bfv.Context(parameters, device=options.device)
    server = Server(there, shape, database)
    keys = bfv.EvaluationKeys.from_bytes(there, evaluation)

    # The query: 1 for the row and 1 for the column, before they are multiplied by a power of two.
    row, column, first = shape.place(options.index)
    selected = np.zeros(N, np.uint64)
    selected[[row, shape.rows + column]] = pow(2 ** (count - 1).bit_length(), -1, context.t)
    plaintext = bfv.CoefficientEncoder(context).encode(selected, signed=False)
    query = bfv.Encryptor(generator.secret_key()).encrypt(plaintext).to_bytes()

    server.answer(query, keys)
    begun, cpu = time.perf_counter(), time.process_time()
    answer = server.answer(query, keys)
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu

    found = bfv.Decryptor(generator.secret_key()).decrypt(
        bfv.Ciphertext.from_bytes(context, answer)
    )
    words = bfv.CoefficientEncoder(context).decode(found, signed=False)
    record = words[first : first + shape.words].astype(np.uint16)
    assert np.array_equal(record, database[options.index])
    print(
        f"record {options.index} of {options.records}, {options.bytes} bytes, is right; "
        f"{shape.rows} x {shape.columns} plaintexts of {2 * N} bytes"
    )
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, query {len(query) / 2**10:.0f} KiB, "
        f"answer {len(answer) / 2**10:.0f} KiB"
    )


if __name__ == "__main__":
    main()

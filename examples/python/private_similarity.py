# SPDX-License-Identifier: Apache-2.0
"""Similarity of an encrypted query with encrypted records: all inner products, exactly.

    python examples/python/private_similarity.py [--records 50000]

Records are vectors of 128 integers from -7 to 7. Ciphertext (d, g) holds entry d of the records of
group g, one in each slot, and the query is 128 ciphertexts with one entry in all slots. The scores
of a group are then a sum of 128 products, which is scaled and relinearized once. Real data, if it
is smaller: ``--digits`` takes scikit-learn's 1797 digits, turned into 128 random signs of their
pixels, and counts how often the best match shows the same digit.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import nttforge
from nttforge import bfv, cuda

DIMENSIONS, MOST = 128, 7


def scores(records: list[Any], query: list[Any], keys: Any) -> Any:
    """Inner products of one group."""
    return bfv.sum_of_products(records, query).relinearize(keys)


def traced(record: Any, query: Any, keys: Any) -> Any:
    """The same for choosing parameters: as many products, added up."""
    total = record * query
    for _ in range(DIMENSIONS - 1):
        total = total + record * query
    return total.relinearize(keys)


def digits() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """128 features of each digit, and the digits."""
    from sklearn.datasets import load_digits

    data: Any = load_digits()
    signs = np.random.default_rng(2).choice([-1, 1], (64, DIMENSIONS))
    features = (data.data - data.data.mean(axis=0)) @ signs
    features /= np.linalg.norm(features, axis=1, keepdims=True) / 40
    return np.clip(np.rint(features), -MOST, MOST).astype(np.int64), data.target


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--digits", action="store_true", help="1796 digits, and one as the query")
    parser.add_argument("--device", default="cpu", help="of the server: cuda")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    names = np.zeros(0)
    if options.digits:
        features, names = digits()
        records, query = features[1:], features[0]
    else:
        records = rng.integers(-MOST, MOST + 1, (options.records, DIMENSIONS))
        query = rng.integers(-MOST, MOST + 1, DIMENSIONS)

    choice = nttforge.choose(traced, [(-MOST, MOST)] * 2)
    context = bfv.Context(choice.parameters)
    keys, n = choice.generate_keys(context), context.n
    encoder, encryptor = bfv.BatchEncoder(context), bfv.Encryptor(keys.secret)
    groups = [records[i : i + n] for i in range(0, len(records), n)]
    stored = [
        [encryptor.encrypt(encoder.encode(np.ascontiguousarray(column))) for column in group.T]
        for group in groups
    ]
    asked = encryptor.encrypt(encoder.encode(np.repeat(query[:, None], n, axis=1)))
    request = asked.to_bytes()

    # The server.
    server = context.on(options.device)
    given = bfv.EvaluationKeys.from_bytes(server, keys.evaluation.to_bytes())
    stored = [[text.to(server) for text in group] for group in stored]
    entries = bfv.unstack(bfv.Ciphertext.from_bytes(server, request))
    scores(stored[0], entries, given)  # once before, so that tables are there
    begun, cpu = time.perf_counter(), time.process_time()
    results = [scores(group, entries, given).shrink(min_budget_bits=1) for group in stored]
    if server is not context:
        cuda.synchronize(options.device)
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu
    answer = [result.to_bytes() for result in results]

    opened = [keys.decrypt(bfv.Ciphertext.from_bytes(context, data)) for data in answer]
    found = np.concatenate(opened)[: len(records)]
    assert np.array_equal(found, records @ query)
    best = int(found.argmax())
    print(f"{len(records)} inner products of {DIMENSIONS} are exact; record {best} is the nearest")
    if options.digits:
        print(f"the query shows a {names[0]}, the nearest record a {names[1 + best]}")
    print(f"n = {n}, t = {context.t}, log2 Q = {context.parameters.q_bits}, {len(groups)} groups")
    print(f"server: {cpu:.2f} s of processor time, {spent:.2f} s passed")
    print(
        f"bytes: request {len(request) / 2**20:.1f} MiB, answer "
        f"{sum(map(len, answer)) / 2**20:.2f} MiB, records "
        f"{len(groups) * DIMENSIONS * len(stored[0][0].to_bytes()) / 2**20:.0f} MiB"
    )


if __name__ == "__main__":
    main()

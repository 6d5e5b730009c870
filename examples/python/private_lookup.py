# SPDX-License-Identifier: Apache-2.0
"""A row of the server's table, without the server learning which.

    python examples/python/private_lookup.py [--index 300]

The table is scikit-learn's breast cancer data, 569 patients with 30 measurements each, in three
significant digits. The client encrypts a one at the place of the row that it wants and zeros
elsewhere; the server multiplies each column by that and adds up.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv


def table() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Integers up to 999, (columns, rows), and the unit of each column."""
    from sklearn.datasets import load_breast_cancer

    data: Any = load_breast_cancer()
    values = data.data
    unit = values.max(axis=0) / 999
    return np.rint(values / unit).astype(np.int64).T, unit


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--index", type=int, default=300)
    options = parser.parse_args()
    records, unit = table()
    rows = records.shape[1]

    def lookup(chosen: Any) -> Any:
        return (chosen * records).sum(axis=1)

    choice = nttforge.choose(lookup, [ArraySpec((rows,), 0, 1)])
    context = bfv.Context(choice.parameters)
    keys = choice.generate_keys(context)
    one = (np.arange(rows) == options.index).astype(np.int64)
    request = EncryptedArray.encrypt(one, keys.secret, bounds=(0, 1)).to_bytes()
    evaluation = keys.evaluation.to_bytes()

    # The server.
    given = bfv.EvaluationKeys.from_bytes(context, evaluation)
    chosen = EncryptedArray.from_bytes(context, request, given)
    begun, cpu = time.perf_counter(), time.process_time()
    answer = lookup(chosen).shrink().to_bytes()
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu

    found = EncryptedArray.from_bytes(context, answer).decrypt(keys)
    assert np.array_equal(found, records[:, options.index])
    print(
        f"row {options.index} of {rows}: {len(found)} numbers, mean radius {found[0] * unit[0]:.2f}"
    )
    print(f"n = {context.n}, t = {context.t}, log2 Q = {context.parameters.q_bits}")
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, request {len(request) / 2**10:.0f} KiB, "
        f"answer {len(answer) / 2**10:.0f} KiB"
    )


if __name__ == "__main__":
    main()

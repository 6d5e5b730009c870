# SPDX-License-Identifier: Apache-2.0
"""Means, covariances and a regression of an encrypted table, without showing a row of it.

    python examples/python/private_statistics.py [--rows 569]

The table is scikit-learn's breast cancer data: ten measurements of 569 patients, and the outcome.
The client sends its columns in pairs; the server multiplies and adds them up, which is all that
linear statistics need. The client turns the sums into means, 55 covariances and a regression, and
compares them with NumPy's.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv

MOST = 63  # measurements are integers from 0 to this


def sums(left: Any, right: Any) -> Any:
    """The sum of products of each pair of columns."""
    return (left * right).sum(axis=1)


def table(rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A column of ones, ten measurements and the outcome, as integers; and their units."""
    from sklearn.datasets import load_breast_cancer

    data: Any = load_breast_cancer()
    values = data.data[:rows, :10]
    unit = values.max(axis=0) / MOST
    columns = np.rint(values / unit).astype(np.int64).T
    return np.vstack([np.ones(rows, int), columns, data.target[:rows]]), unit


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=569)
    options = parser.parse_args()
    columns, unit = table(options.rows)
    pairs = [(i, j) for i in range(12) for j in range(i, 12)]
    left, right = (columns[[pair[k] for pair in pairs]] for k in (0, 1))

    spec = ArraySpec(left.shape, 0, MOST)
    choice = nttforge.choose(sums, [spec, spec])
    context = bfv.Context(choice.parameters)
    keys = choice.generate_keys(context)
    request = [
        EncryptedArray.encrypt(x, keys.secret, bounds=(0, MOST)).to_bytes() for x in (left, right)
    ]
    evaluation = keys.evaluation.to_bytes()

    # The server.
    given = bfv.EvaluationKeys.from_bytes(context, evaluation)
    arrays = [EncryptedArray.from_bytes(context, data, given) for data in request]
    begun, cpu = time.perf_counter(), time.process_time()
    answer = sums(*arrays).shrink().to_bytes()
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu

    # The client.
    found = EncryptedArray.from_bytes(context, answer).decrypt(keys)
    moments = np.zeros((12, 12))
    for (i, j), value in zip(pairs, found, strict=True):
        moments[i, j] = moments[j, i] = value
    assert np.array_equal(moments, columns @ columns.T)
    count = moments[0, 0]
    means = moments[0, 1:11] / count * unit
    centred = moments[1:11, 1:11] - np.outer(moments[0, 1:11], moments[0, 1:11]) / count
    covariances = centred / (count - 1) * np.outer(unit, unit)
    weights = np.linalg.solve(moments[:11, :11], moments[:11, 11])
    plain = columns[1:11].T * unit
    assert np.allclose(means, plain.mean(axis=0))
    assert np.allclose(covariances, np.cov(plain.T))
    fitted = np.linalg.lstsq(columns[:11].T.astype(float), columns[11], rcond=None)[0]
    assert np.allclose(weights, fitted, atol=1e-6)
    print(f"{options.rows} rows: 10 means, 55 covariances and 11 weights equal NumPy's")
    print(f"n = {context.n}, t = {context.t}, log2 Q = {context.parameters.q_bits}")
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, request "
        f"{sum(map(len, request)) / 2**20:.1f} MiB, answer {len(answer) / 2**20:.2f} MiB"
    )


if __name__ == "__main__":
    main()

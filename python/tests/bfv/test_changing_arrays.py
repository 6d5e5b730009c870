# SPDX-License-Identifier: Apache-2.0
"""Arrays that another thread writes to while they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import EncryptedArray, bfv


@contextmanager
def written_to(values: np.ndarray, wrong: int) -> Iterator[None]:
    """Another thread writes a wrong value and a right one in turn, in the last place."""
    done, last = threading.Event(), (-1,) * values.ndim

    def write() -> None:
        while not done.is_set():
            values[last] = wrong
            values[last] = 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


CONTEXT = bfv.Context(bfv.Parameters.preset(4096), threads=1)
KEYS = CONTEXT.generate_keys(relinearization=False)
Q = np.array(CONTEXT.parameters.q, np.uint64)[:, None]


def _below(words: np.ndarray, moduli: Any) -> bool:
    return bool((words < moduli).all())


USES: dict[str, tuple[tuple[int, ...], type, Callable[[np.ndarray], bool]]] = {
    "coefficients": (
        (16, 4096),
        np.uint64,
        lambda v: _below(
            bfv.CoefficientEncoder(CONTEXT).encode(v, signed=False).coefficients, CONTEXT.t
        ),
    ),
    "residues": (
        (4, 2, len(Q), 4096),
        np.uint64,
        lambda v: _below(bfv.Ciphertext.from_residues(CONTEXT, v, encoding="slots").residues, Q),
    ),
    "array": (
        (16, 2048),
        np.int64,
        lambda v: bool(
            (np.abs(EncryptedArray.encrypt(v, KEYS, bounds=(0, 1)).decrypt(KEYS)) <= 1).all()
        ),
    ),
}


@pytest.mark.parametrize("use", USES)
def test_what_is_accepted_was_checked(use: str) -> None:
    shape, dtype, accepted = USES[use]
    values = np.ones(shape, dtype)
    with written_to(values, 2**62):
        for _ in range(5):
            try:
                assert accepted(values)
            except nttforge.ParameterError:
                continue

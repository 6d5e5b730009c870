# SPDX-License-Identifier: Apache-2.0
"""What several rooms share about contexts, keys and matrices has one definition."""

from __future__ import annotations

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import bfv
from nttforge.circuits import Diagonals
from nttforge.integer_encoding.linear_map import matrix_bounds
from nttforge.rlwe.keys import _SwitchingKey
from nttforge.typing import DeviceName


def test_a_context_on_its_own_device_is_itself() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1)
    assert context.on("cpu") is context


@pytest.mark.parametrize("device", gpu_devices())
def test_a_context_on_its_own_gpu_is_itself(device: DeviceName) -> None:
    there = bfv.Context(bfv.Parameters.preset(4096), device)
    assert there.on(device) is there
    assert there.on("cpu").device == "cpu"


@pytest.mark.parametrize("word_bits", [32, 64])
def test_bytes_of_diagonals(word_bits: int) -> None:
    parameters = bfv.Parameters.preset(4096, word_bits=word_bits)
    layout = Diagonals.of((4, 4), 2048, None, False)
    diagonals = len(layout.baby_steps) * len(layout.giant_steps)
    primes = len(parameters.q) + len(parameters.special)
    want = diagonals * 4096 * primes * word_bits // 8
    assert layout.memory_bytes(parameters, parameters.top_level) == want
    made = bfv.LinearMap(np.eye(4, dtype=int), bfv.Context(parameters))
    assert made.memory_bytes == want


def test_bounds_hold_for_every_vector_and_are_reached() -> None:
    generator = np.random.default_rng(5)
    matrix = generator.integers(-9, 9, size=(3, 4))
    low, high = -2, 5
    grid = np.array(np.meshgrid(*[[low, high]] * 4)).reshape(4, -1)
    products = matrix @ grid
    assert matrix_bounds(matrix, low, high) == (min(0, products.min()), max(0, products.max()))


def test_levels_of_keys_are_defined_once() -> None:
    for key in (bfv.RelinearizationKey, bfv.RotationKeys):
        assert issubclass(key, _SwitchingKey)
        assert not {"level", "at_level", "load", "offloaded"} & set(vars(key))

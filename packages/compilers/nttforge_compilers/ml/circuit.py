# SPDX-License-Identifier: Apache-2.0
"""A network as a graph of few rotations, for as many records at once as the slots hold.

Feature f of record r is in slot f * records + r. A rotation by ``records`` then moves the features
of every record in a circle, without masks, and a matrix costs the same for one record as for all:

    slots   f0 f0 f0 f0 | f1 f1 f1 f1 | f2 ...          records = 4
            r0 r1 r2 r3   r0 r1 r2 r3   r0

Features are filled up with zeros to a power of two and repeated up to the width of the widest
layer. A matrix with fewer rows than columns takes one diagonal a row, and sums over the columns
that are left fold them together [JVC18]; one with more takes one a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nttforge import ckks
from nttforge.choosing.simulated import Run

from ..execution import execute
from ..graph import Graph
from ..steps import steps_of_diagonals
from .networks import Curve, Network

__all__ = ["Layout", "graph_of", "simulated_scores"]

Real = NDArray[np.float64]


def _power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()


class Layout:
    """Where numbers of records lie.

    Parameters
    ----------
    features, outputs : int
    width : int
        A power of two, of the widest layer.
    records : int
        In a ciphertext.
    shift : int
        Scores are divided by 2^shift, which leaves room for them at the lowest level.
    """

    def __init__(
        self, features: int, outputs: int, width: int, records: int, shift: int = 0
    ) -> None:
        self.features, self.outputs, self.shift = features, outputs, shift
        self.width, self.records, self.slots = width, records, width * records

    @staticmethod
    def width_of(network: Network) -> int:
        """That of the widest layer."""
        return max(_power_of_two(max(layer.weights.shape)) for layer in network.layers)

    def pack(self, x: Real) -> Real:
        """Records in rows of slots, of which the last is filled up with zeros."""
        rows = -(-len(x) // self.records)
        period = _power_of_two(self.features)
        padded = np.zeros((rows * self.records, period))
        padded[: len(x), : self.features] = x
        turned = padded.reshape(rows, self.records, period).transpose(0, 2, 1)
        return np.tile(turned, (1, self.width // period, 1)).reshape(rows, self.slots)

    def unpack(self, rows: Real, count: int) -> Real:
        """Scores of so many records."""
        turned = rows.reshape(-1, self.width, self.records)[:, : self.outputs] * 2.0**self.shift
        return turned.transpose(0, 2, 1).reshape(-1, self.outputs)[:count].copy()


def graph_of(
    network: Network, curves: Sequence[Curve | None], ranges: Real, layout: Layout
) -> Graph:
    """The computation on packed records, whose ranges were mapped to [-1, 1]."""
    graph = Graph(layout.slots)
    x, period = graph.input(), _power_of_two(network.features)
    middle, half = ranges.mean(axis=0), (ranges[1] - ranges[0]) / 2
    factor = 1.0  # of what a square gives, which the next matrix takes along
    for i, (layer, curve) in enumerate(zip(network.layers, curves, strict=True)):
        weights, bias = layer.weights * factor, layer.bias
        if i == 0:
            weights, bias = weights * half, bias + weights @ middle
        if curve is not None:
            weights, bias = weights / curve.limit, bias / curve.limit
        else:
            weights, bias = weights * 2.0**-layout.shift, bias * 2.0**-layout.shift
        x, period = _affine(graph, x, period, weights, bias, layout)
        factor = 1.0
        if layer.activation == "square" and curve is not None:
            x, factor = graph.add("multiply", x, x), curve.limit**2
        elif curve is not None:
            x = graph.polynomial(x, curve.coefficients, "chebyshev")
    graph.outputs = [x]
    return graph


def _affine(
    graph: Graph, x: int, period: int, weights: Real, bias: Real, layout: Layout
) -> tuple[int, int]:
    """``weights @ x + bias`` of vectors that repeat with a period, and the period of the result."""
    width, rows = layout.width, _power_of_two(len(weights))
    padded = np.zeros((rows, period))
    padded[: weights.shape[0], : weights.shape[1]] = weights
    j = np.arange(width)
    diagonals = {
        k * layout.records: np.repeat(padded[j % rows, (j + k) % period], layout.records)
        for k in range(min(rows, period))
    }
    x = graph.linear_transform(x, diagonals)
    while period > rows:
        period //= 2
        x = graph.add("add", x, graph.rotate(x, period * layout.records))
    added = np.zeros(rows)
    added[: len(bias)] = bias
    return graph.add_plain(x, np.repeat(np.tile(added, width // rows), layout.records)), rows


class _Noisy:
    """Carries out a graph on numbers with the noise that ciphertexts of a set would have."""

    def __init__(self, period: int) -> None:
        self._period = period

    def __getattr__(self, name: str) -> Any:
        return _OPERATIONS[name]

    def linear_transform(self, x: Any, diagonals: Any, number: int) -> Any:
        slots = x.slots
        steps = steps_of_diagonals(diagonals, self._period)
        babies, giants = (sorted({pair[k] for pair in steps.values()}) for k in (0, 1))
        rows = {k % slots: np.resize(row, slots) for k, row in diagonals.items()}
        return x.mapped([rows], babies, giants)

    def rotate(self, x: Any, steps: list[int]) -> list[Any]:
        return [x.rotate_rows(step) for step in steps]


_OPERATIONS: dict[str, Any] = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "add_plain": lambda x, value, number: x + value,
    "multiply_plain": lambda x, value, number: x * value,
    "polynomial": lambda x, coefficients, basis: x.polynomial(coefficients, basis=basis),
    "in_two_parts": lambda x: x.relinearize(),
}


def simulated_scores(graph: Graph, parameters: ckks.Parameters, rows: Real) -> tuple[Real, Real]:
    """What decryption would give of packed rows, and the noise in it."""
    run, noisy = Run(parameters), cast("Any", _Noisy(graph.slots))
    (found,) = execute(graph, noisy, [run.input(rows)])
    return found.values + found.noise, found.noise

# SPDX-License-Identifier: Apache-2.0
"""ResNet-20 [HZRS16] on an encrypted image: every layer is encrypted.

    image -> conv 3x3 -> relu -> 3 stages of blocks -> mean of the pixels -> matrix -> scores

    block    x -> conv -> relu -> conv -> + -> relu         stages 2 and 3 begin with stride 2,
             x -> (conv 1x1, where the stride is 2) --^      and have twice the channels

Convolutions have their normalisation folded in. Numbers are divided by one limit, so that all stay
in [-1, 1]. relu(x) = x step(x), and the step from 0 to 1 is a composition of polynomials of degree
15, 15 and 27, as in [LLLKKNC22]. A planner places bootstraps where levels end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from packing import Packing, convolution, readout

from nttforge_compilers import Argument, Graph, Program, Result
from nttforge_compilers.signs import step_polynomials

Real = NDArray[np.float64]
CLASSES, COLOURS = 10, 3
#: Degrees, and bits of where the step is right and of the noise that it bears.
DEGREES, ALPHA_BITS, ERROR_BITS = (15, 15, 27), 8, 16
#: What relu may be off by, stated: it is what noise and the step's error make near 0.
RELU_ERROR = 2.0**-10


@dataclass(frozen=True)
class Shape:
    """How large a network is; ResNet-20 has a side of 32, widths 16, 32, 64 and three blocks."""

    side: int = 32
    widths: tuple[int, int, int] = (16, 32, 64)
    blocks: int = 3

    @property
    def layers(self) -> int:
        """Convolutions of blocks, the first one and the matrix."""
        return 6 * self.blocks + 2


@dataclass(frozen=True)
class Layer:
    """A convolution with its normalisation: (out, in, k, k), and what is added to each channel."""

    kernel: Real
    bias: Real
    stride: int = 1


@dataclass(frozen=True)
class Block:
    """Two convolutions, and one for what goes around them."""

    first: Layer
    second: Layer
    around: Layer | None


@dataclass(frozen=True)
class Network:
    """All weights."""

    shape: Shape
    first: Layer
    blocks: tuple[Block, ...]
    matrix: Real
    bias: Real


def random_network(shape: Shape, seed: int = 20) -> Network:
    """Random weights whose layers keep the sizes of numbers; it recognises nothing."""
    random = np.random.default_rng(seed)

    def layer(into: int, out: int, size: int, stride: int = 1, gain: float = 1.0) -> Layer:
        deviation = gain * np.sqrt(2 / (into * size**2))
        kernel = random.normal(size=(out, into, size, size)) * deviation
        return Layer(kernel, random.normal(size=out) * 0.1, stride)

    first, blocks = layer(COLOURS, shape.widths[0], 3), list[Block]()
    into = shape.widths[0]
    for stage, width in enumerate(shape.widths):
        for k in range(shape.blocks):
            stride = 2 if stage and not k else 1
            around = layer(into, width, 1, stride, 0.7) if stride == 2 else None
            main = layer(into, width, 3, stride), layer(width, width, 3, 1, 0.5)
            blocks.append(Block(*main, around))
            into = width
    matrix = random.normal(size=(CLASSES, into)) / np.sqrt(into)
    return Network(shape, first, tuple(blocks), matrix, random.normal(size=CLASSES) * 0.1)


def in_the_clear(network: Network, image: Real, relu: Callable[[Real], Real]) -> tuple[Real, float]:
    """Scores, by convolutions of images, and the largest number before a relu."""
    largest = 0.0

    def bent(x: Real) -> Real:
        nonlocal largest
        largest = max(largest, float(np.abs(x).max()))
        return relu(x)

    x = bent(_convolved(image, network.first))
    for block in network.blocks:
        around = x if block.around is None else _convolved(x, block.around)
        inner = bent(_convolved(x, block.first))
        x = bent(_convolved(inner, block.second) + around)
    return network.matrix @ x.mean(axis=(1, 2)) + network.bias, largest


def _convolved(x: Real, layer: Layer) -> Real:
    """A convolution of (channels, y, x), with zeros around."""
    size, stride = layer.kernel.shape[-1], layer.stride
    half = size // 2
    padded = np.pad(x, [(0, 0), (half, half), (half, half)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))
    kept = windows[:, ::stride, ::stride]
    found = np.einsum("cyxij,ocij->oyx", kept, layer.kernel, optimize=True)
    return np.asarray(found + layer.bias[:, None, None])


def polynomials() -> list[Real]:
    """Chebyshev coefficients of the step, the first polynomial first."""
    return [np.array(row) for row in step_polynomials(DEGREES, ALPHA_BITS, ERROR_BITS)]


def relu_by_polynomials(limit: float) -> Callable[[Real], Real]:
    """What is evaluated in place of relu, on numbers up to a limit."""
    rows = polynomials()

    def relu(x: Real) -> Real:
        step = x / limit
        for row in rows:
            step = np.polynomial.chebyshev.chebval(step, row)
        return x * step

    return relu


class _Builder:
    """Makes the graph; numbers are divided by the limit."""

    def __init__(self, shape: Shape, limit: float) -> None:
        self.packing = Packing(shape.widths[0], shape.side, 1)  # colours, and planes that are 0
        self.graph, self._limit, self._rows = Graph(self.packing.period), limit, polynomials()

    def convolution(self, x: int, layer: Layer, before: Packing, name: str) -> tuple[int, Packing]:
        """A layer, and the packing that it leads to."""
        graph = self.graph
        diagonals, after = convolution(layer.kernel, before, layer.stride)
        x = graph.noted(graph.linear_transform(x, diagonals), f"{name}, {len(diagonals)} diagonals")
        bias = np.broadcast_to(layer.bias[:, None, None], (after.channels, *[after.pixels] * 2))
        return graph.add_plain(x, after.pack(bias / self._limit)), after

    def relu(self, x: int) -> int:
        """x step(x)."""
        graph = self.graph
        x = step = graph.within(x, 1.0, RELU_ERROR)
        for row in self._rows:
            found = graph.polynomial(step, row.tolist(), "chebyshev")
            step = graph.within(found, 1.0, RELU_ERROR)
        return graph.within(graph.add("multiply", x, step), 1.0, RELU_ERROR)

    def mean(self, x: int, packing: Packing) -> int:
        """The sum of the pixels of every channel, at its first."""
        step = 1
        while step < packing.pixels:
            for unit in (packing.gap, packing.gap * packing.side):
                x = self.graph.add("add", x, self.graph.rotate(x, unit * step))
            step *= 2
        return x


def circuit(network: Network, limit: float) -> Program:
    """The network as a program, without bootstraps."""
    shape, build = network.shape, _Builder(network.shape, limit)
    graph, packing = build.graph, build.packing
    kernel = np.zeros((packing.channels, packing.channels, 3, 3))
    kernel[:, :COLOURS] = network.first.kernel / limit
    x, _ = build.convolution(graph.input(), Layer(kernel, network.first.bias), packing, "layer 1")
    x = build.relu(x)
    for i, block in enumerate(network.blocks):
        name, around = f"layer {2 * i + 2}", x
        if block.around is not None:
            around, _ = build.convolution(x, block.around, packing, f"around {name}")
        inner, packing = build.convolution(x, block.first, packing, name)
        inner = build.relu(inner)
        x, packing = build.convolution(inner, block.second, packing, f"layer {2 * i + 3}")
        x = build.relu(graph.add("add", x, around))
    x = build.mean(x, packing)
    diagonals, places = readout(network.matrix / packing.pixels**2, packing)
    x = graph.linear_transform(x, diagonals)
    x = graph.noted(x, f"layer {shape.layers}, {len(diagonals)} diagonals")
    bias = np.zeros(packing.period)
    bias[places] = network.bias / limit
    graph.outputs = [graph.add_plain(x, bias)]

    def pack(image: Any) -> list[Real]:
        row = np.zeros(graph.slots)
        found = Packing(COLOURS, shape.side, 1).pack(np.asarray(image, np.float64))
        row[: len(found)] = found
        return [row]

    taken = [Argument("image", 1, pack)]
    given = [Result(1, lambda vectors: vectors[0][places] * limit)]
    return Program(f"resnet{shape.layers}", "ckks", graph, taken, given)

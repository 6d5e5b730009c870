# SPDX-License-Identifier: Apache-2.0
"""Images of many channels in slots, and convolutions as diagonals of matrices.

Multiplexed packing [LLLKKNC22]: where a stride leaves a gap between pixels, other channels fill it.
Of gap g, g^2 channels share a plane of side x side slots:

    plane    c0 c1 c0 c1        gap 2: pixel (y, x) of channel 4 p + 2 i + j is in plane p,
             c2 c3 c2 c3        row 2 y + i, column 2 x + j
             c0 c1 c0 c1
             c2 c3 c2 c3

A convolution is one matrix whatever its stride, as in Orion [EGR25]: row (channel, y, x) of the
packing that it leads to and column (channel, y, x) of the one it comes from are slots, and their
difference is the number of a diagonal. It takes one level. Vectors repeat in the slots, so that
diagonals repeat as well, and a layer with fewer numbers has shorter ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]
Diagonals = dict[int, Real]


@dataclass(frozen=True)
class Packing:
    """Where the pixels of channels lie.

    Parameters
    ----------
    channels : int
    side : int
        Of a plane, and of images before any stride.
    gap : int
        Of neighbouring pixels of a channel; pixels are side / gap on a side.
    """

    channels: int
    side: int
    gap: int

    @property
    def planes(self) -> int:
        """A power of two."""
        return 1 << (-(-self.channels // self.gap**2) - 1).bit_length()

    @property
    def period(self) -> int:
        """Slots that it fills; vectors repeat with it."""
        return self.planes * self.side**2

    @property
    def pixels(self) -> int:
        """On a side of a channel."""
        return self.side // self.gap

    def slots(self, channel: Any, y: Any, x: Any) -> Any:
        """Where pixels lie."""
        g = self.gap
        plane, cell = channel // g**2, channel % g**2
        return (plane * self.side + g * y + cell // g) * self.side + g * x + cell % g

    def pack(self, images: Real) -> Real:
        """The vector of images, (channels, pixels, pixels)."""
        channel, y, x = np.indices(images.shape)
        row = np.zeros(self.period)
        row[self.slots(channel, y, x)] = images
        return row


def convolution(kernel: Real, before: Packing, stride: int) -> tuple[Diagonals, Packing]:
    """The diagonals of a convolution (out, in, k, k), k odd, with zeros around the image."""
    after = Packing(len(kernel), before.side, before.gap * stride)
    out, into, y, x = np.indices((len(kernel), before.channels, after.pixels, after.pixels))
    rows, half = after.slots(out, y, x), kernel.shape[-1] // 2
    pieces = []
    for i, j in np.ndindex(kernel.shape[2:]):
        above, left = stride * y + i - half, stride * x + j - half
        inside = (above >= 0) & (left >= 0) & (above < before.pixels) & (left < before.pixels)
        columns = before.slots(into, above, left)
        weights = np.broadcast_to(kernel[:, :, i, j, None, None], inside.shape)
        pieces.append((rows[inside], columns[inside], weights[inside]))
    return _diagonals(pieces, before.period, after.period), after


def readout(weights: Real, before: Packing) -> tuple[Diagonals, NDArray[np.intp]]:
    """A matrix (classes, channels) of pixels (0, 0), and the slots of its result."""
    channel = np.arange(before.channels)
    columns = before.slots(channel, 0, 0)
    rows = columns[: len(weights)]
    pairs = zip(rows, weights, strict=True)
    pieces = [(np.full(len(columns), row), columns, weight) for row, weight in pairs]
    return _diagonals(pieces, before.period, before.period), rows


def _diagonals(pieces: list[Any], period: int, rows_period: int) -> Diagonals:
    """Diagonals of (rows, columns, weights); rows repeat with a period of their own."""
    rows, columns, weights = (np.concatenate(part) for part in zip(*pieces, strict=True))
    kept = weights != 0
    rows, columns, weights = rows[kept], columns[kept], weights[kept]
    copies = np.arange(0, period, rows_period)[:, None]
    rows = (rows + copies).ravel()
    columns, weights = np.tile(columns, len(copies)), np.tile(weights, len(copies))
    numbers, of = np.unique((columns - rows) % period, return_inverse=True)
    table = np.zeros((len(numbers), period))
    np.add.at(table, (of.ravel(), rows), weights)
    return {int(number): row for number, row in zip(numbers, table, strict=True)}

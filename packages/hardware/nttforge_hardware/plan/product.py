# SPDX-License-Identifier: Apache-2.0
"""A planned product pipeline: two forward transforms, products value by value, one inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nttforge.errors import ParameterError

from .cores import CoreDesign
from .design import Design, plan_design
from .parameters import HardwareParameters


@dataclass(frozen=True)
class ProductParameters(HardwareParameters):
    """Parameters of a product pipeline, for the explorer; ``direction`` is not used."""


@dataclass(frozen=True)
class ProductDesign:
    """Two engines for the factors and one back, with the multipliers between them."""

    forward: Design
    inverse: Design

    @property
    def parameters(self) -> HardwareParameters:
        return self.forward.parameters

    @property
    def multipliers(self) -> tuple[CoreDesign, ...]:
        """Cores of the products: a Montgomery product would leave its factor in the values."""
        return tuple(
            c
            if c.kind != "montgomery"
            else CoreDesign("barrett", c.q, c.q.bit_length(), c.pipeline, c.two_adicity)
            for c in self.forward.cores
        )

    @property
    def cores(self) -> tuple[CoreDesign, ...]:
        return self.forward.cores

    @property
    def latency_cycles(self) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        there = self.forward.schedules["forward"].first_out  # in the buffers: once, at the ends
        return there + self.multipliers[0].product_latency + self.inverse.latency_cycles("inverse")

    @property
    def interval_cycles(self) -> int:
        return max(self.forward.interval_cycles, self.inverse.interval_cycles)

    @property
    def dsps(self) -> int:
        dp = self.parameters.dp
        between = sum(core.constant_dsps for core in self.multipliers) * dp
        return 2 * self.forward.dsps + self.inverse.dsps + between

    @property
    def ramb18(self) -> int:
        return 2 * self.forward.ramb18 + self.inverse.ramb18

    @property
    def uram(self) -> int:
        return 2 * self.forward.uram + self.inverse.uram

    @property
    def memory_bits(self) -> dict[str, int]:
        """Bits of the permutation and of the twiddle memories of all three engines."""
        there, back = self.forward.memory_bits, self.inverse.memory_bits
        return {name: 2 * bits + back[name] for name, bits in there.items()}

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        return 2 * self.forward.block_memories + self.inverse.block_memories

    def compute(self, limb: int, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """The product by the steps of the hardware."""
        x, y = self.forward.compute(limb, a), self.forward.compute(limb, b)
        core = self.multipliers[limb]
        values = [core.multiply(u, v) for u, v in zip(x, y, strict=True)]
        return self.inverse.compute(limb, values, "inverse")


def plan_product(parameters: HardwareParameters) -> ProductDesign:
    """Plans the three engines; ``direction`` of the parameters is not used.

    Examples
    --------
    >>> p = HardwareParameters(n=16, moduli=(97,), dp=4, pp=2)
    >>> plan_product(p).latency_cycles
    112
    """
    if parameters.buffers != "none":
        raise ParameterError(
            f"buffers = {parameters.buffers!r}: a product pipeline has none; leave them out"
        )
    forward, inverse = (
        plan_design(replace(parameters, direction=d)) for d in ("forward", "inverse")
    )
    return ProductDesign(forward, inverse)

# SPDX-License-Identifier: Apache-2.0
"""A planned product pipeline: two forward transforms, products value by value, one inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nttforge.errors import ParameterError, SizeError
from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import bit_reverse, powers

from .cores import CoreDesign
from .design import Design, plan_design
from .parameters import HardwareParameters

#: Products of a value: one, or those of two remainders of degree 1 (nttf_base_product).
_PRODUCTS = {1: 1, 2: 5}


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
    def between_cycles(self) -> int:
        """Cycles of the products between the transforms."""
        core = self.multipliers[0]
        if self.parameters.degree == 1:
            return core.product_latency
        return 2 * core.product_latency + 1 + core.pipeline.add_regs

    @property
    def latency_cycles(self) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        there = self.forward.schedules["forward"].first_out  # in the buffers: once, at the ends
        return there + self.between_cycles + self.inverse.latency_cycles("inverse")

    @property
    def interval_cycles(self) -> int:
        return max(self.forward.interval_cycles, self.inverse.interval_cycles)

    @property
    def dsps(self) -> int:
        p = self.parameters
        each = p.dp * _PRODUCTS[p.degree]
        between = sum(core.constant_dsps for core in self.multipliers[:: p.degree]) * each
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

    def gammas(self, prime: int) -> list[int]:
        """The gamma of the factor X^2 - gamma at each position of the bit-reversed order."""
        p = self.parameters
        q, negacyclic = p.moduli[prime * p.degree], p.ring == "negacyclic"
        roots = powers(smallest_root_of_unity(p.root_order, q), p.root_order, q)
        places = (bit_reverse(k, p.log_n) for k in range(p.n))
        return [roots[2 * k + 1 if negacyclic else k] for k in places]

    def compute(self, prime: int, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """The product by the steps of the hardware, of polynomials whose limbs are together."""
        p = self.parameters
        d, first = p.degree, prime * p.degree
        for factor in (a, b):
            if len(factor) != p.n * d:
                raise SizeError(f"{len(factor)} coefficients: need n = {p.n * d}")
        limbs = range(first, first + d)
        x = [self.forward.compute(limb, a[limb - first :: d]) for limb in limbs]
        y = [self.forward.compute(limb, b[limb - first :: d]) for limb in limbs]
        multiply = self.multipliers[first].multiply
        if d == 1:
            values = [[multiply(u, v) for u, v in zip(x[0], y[0], strict=True)]]
        else:
            q, low, high = p.moduli[first], [], []
            for a0, a1, b0, b1, gamma in zip(*x, *y, self.gammas(prime), strict=True):
                low.append((multiply(a0, b0) + multiply(multiply(a1, b1), gamma)) % q)
                high.append((multiply(a0, b1) + multiply(a1, b0)) % q)
            values = [low, high]
        back = [
            self.inverse.compute(limb, v, "inverse") for limb, v in zip(limbs, values, strict=True)
        ]
        return [coefficient for together in zip(*back, strict=True) for coefficient in together]


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
    if parameters.degree not in _PRODUCTS:
        raise ParameterError(
            f"layers = {parameters.log_n} leaves remainders of degree {parameters.degree - 1}: a "
            f"product pipeline multiplies those of degree 0 and 1; take layers = "
            f"{parameters.log_n + parameters.degree.bit_length() - 2} or one more"
        )
    forward, inverse = (
        plan_design(replace(parameters, direction=d)) for d in ("forward", "inverse")
    )
    return ProductDesign(forward, inverse)

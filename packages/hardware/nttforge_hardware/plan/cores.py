# SPDX-License-Identifier: Apache-2.0
"""The three NTT cores: their constants, their exact cycles and DSPs, and their steps in integers.

Each ``reduce_*`` function follows its module in hardware/rtl step by step and asserts the ranges
that docs/bounds/hardware-cores.md derives.
"""

from __future__ import annotations

from dataclasses import dataclass

from nttforge.errors import ParameterError
from nttforge.spec.transform import Ring
from nttforge_oracle.fast import twiddles as product_tree
from nttforge_oracle.number_theory import two_adic_valuation

from .pipeline import BLOCKS, Pipeline, Tile
from .solinas import NO_SOURCE, Solinas, solinas_form, solinas_operands, solinas_sources

KINDS = ("montgomery", "barrett", "solinas")
_DIGIT_LIMIT = 18
# Smallest product that synthesis gives a DSP (both factors, product), as Yosys does for Xilinx.
_DSP_FACTOR_BITS, _DSP_PRODUCT_BITS = 2, 9


def multiplier_dsps(
    a_bits: int,
    b_bits: int,
    out_bits: int | None = None,
    tile: Tile = BLOCKS["dsp48e2"],
    a_value: int | None = None,
    b_value: int | None = None,
) -> int:
    """DSP blocks of nttf_multiplier.

    With the value of a constant factor: without those of tiles that come to a shift or to little,
    and one for tiles of the same value.

    Examples
    --------
    >>> multiplier_dsps(30, 30), multiplier_dsps(52, 52), multiplier_dsps(60, 60)
    (4, 6, 12)
    >>> multiplier_dsps(52, 52, tile=BLOCKS["dsp48e1"])
    9
    >>> multiplier_dsps(30, 30, tile=BLOCKS["mult18x18d"])
    4
    >>> multiplier_dsps(52, 52, b_value=2**51 + 3)
    2
    """
    least = 1 if tile.family else _DSP_PRODUCT_BITS
    out_bits = a_bits + b_bits if out_bits is None else out_bits
    rest = b_bits % tile.b_bits
    rows = rest if rest <= tile.lut_bits and b_bits > tile.b_bits else 0
    if tile.family:  # instantiated as they are
        a_value = b_value = None
    kept: dict[object, int] = {}  # bits of the products, by what they multiply
    for low_a in range(0, a_bits, tile.a_bits):
        for low_b in range(0, b_bits - rows, tile.b_bits):
            size_a = min(tile.a_bits, a_bits - low_a)
            size_b = min(tile.b_bits, b_bits - rows - low_b)
            what_a, used_a, zeros_a = _factor(size_a, low_a, a_value)
            what_b, used_b, zeros_b = _factor(size_b, low_b, b_value)
            zeros = zeros_a + zeros_b
            bits = min(used_a + used_b, out_bits - low_a - low_b - zeros)
            if min(used_a, used_b) >= _DSP_FACTOR_BITS:
                kept[what_a, what_b] = max(bits, kept.get((what_a, what_b), 0))
    return sum(bits >= least for bits in kept.values())


def multiplier_terms(a_bits: int, b_bits: int, tile: Tile) -> int:
    """Numbers that nttf_multiplier adds: tiles and rows.

    Examples
    --------
    >>> multiplier_terms(30, 30, BLOCKS["dsp48e2"]), multiplier_terms(52, 52, BLOCKS["dsp48e1"])
    (4, 10)
    """
    rest = b_bits % tile.b_bits
    rows = rest if rest <= tile.lut_bits and b_bits > tile.b_bits else 0
    return -(-a_bits // tile.a_bits) * -(-(b_bits - rows) // tile.b_bits) + rows


def _factor(size: int, low: int, value: int | None) -> tuple[object, int, int]:
    """What a tile multiplies by, its bits between zeros at both ends, the zeros at the low end."""
    if value is None:
        return low, size, 0
    part = value >> low & (1 << size) - 1
    zeros = (part & -part).bit_length() - 1 if part else 0
    return (size, part), part.bit_length() - zeros, zeros


@dataclass(frozen=True)
class CoreDesign:
    """A core for one modulus: what its module needs and what it costs.

    ``moving``: the modulus comes with each word, and ``q`` is one of those that may. ``layers``: of
    those of a transform its twiddles have so many, and are 1 behind them; None: all.
    """

    kind: str
    q: int
    bits: int
    pipeline: Pipeline
    two_adicity: int
    solinas: Solinas | None = None
    moving: bool = False
    layers: int | None = None

    @property
    def steps(self) -> int:
        """Digits of a Montgomery reduction."""
        return -(-self.bits // _DIGIT_LIMIT)

    @property
    def digit_bits(self) -> int:
        """Bits of such a digit."""
        return -(-self.bits // self.steps)

    @property
    def constant(self) -> int:
        """Port ``constant`` of the module."""
        if self.kind == "montgomery":
            return pow(self.q, -1, 1 << self.digit_bits)
        return (1 << (2 * self.bits + 3)) // self.q if self.kind == "barrett" else 0

    @property
    def twiddle_factor(self) -> int:
        """What every twiddle is multiplied by, because the product divides by it."""
        return pow(2, self.steps * self.digit_bits, self.q) if self.kind == "montgomery" else 1

    @property
    def sum_regs(self) -> int:
        """Registers in the adder tree of a full product: of those asked for one for each level."""
        beside = 4 if self.kind == "barrett" else 0
        terms = multiplier_terms(self.bits + beside // 2, self.bits + beside, self.pipeline.tile)
        return min(self.pipeline.sum_regs, max(1, (terms - 1).bit_length()))

    @property
    def full_latency(self) -> int:
        """Cycles of the full product, before its reduction."""
        return self.pipeline.input_regs + 1 + self.pipeline.product_regs + self.sum_regs

    @property
    def product_latency(self) -> int:
        """Cycles of a modular product."""
        p = self.pipeline
        block = 1 + p.product_regs  # cycles of a multiplier block behind its inputs
        full = self.full_latency
        if self.kind == "montgomery":
            front = self.digit_bits > self.two_adicity or p.reduction_regs > 0
            return full + self.steps * (1 + block + front + (p.reduction_regs > 1)) + 1
        if self.kind == "barrett":
            return full + 2 * (block + self.sum_regs + (p.reduction_regs > 0)) + 2
        return full + p.tree_regs + 2

    def latency(self, directions: int = 1) -> int:
        """Cycles of a butterfly that does so many directions."""
        return self.product_latency + directions * (1 + self.pipeline.add_regs)

    @property
    def dsps(self) -> int:
        """DSP blocks of a core that is given its modulus as an input."""
        return self._dsps(None, None)

    @property
    def constant_dsps(self) -> int:
        """DSP blocks of a core in a design, where its modulus is a constant."""
        return self._dsps(self.q, self.constant)

    def _dsps(self, q: int | None, constant: int | None) -> int:
        bits, tile = self.bits, self.pipeline.tile
        full = multiplier_dsps(bits, bits, tile=tile)
        if self.kind == "montgomery":
            return full + self.steps * self._step_dsps(q)
        if self.kind == "barrett":
            return (
                full
                + multiplier_dsps(bits + 2, bits + 4, tile=tile, b_value=constant)
                + multiplier_dsps(bits + 1, bits, bits + 1, tile, b_value=q)
            )
        return full

    @property
    def step_dsps(self) -> int:
        """Those of a step of the Montgomery reduction, likewise."""
        return self._step_dsps(self.q)

    def _step_dsps(self, q: int | None) -> int:
        low = min(self.two_adicity, self.digit_bits)
        high = None if q is None else q >> low
        tile = self.pipeline.tile
        return multiplier_dsps(self.bits - low, self.digit_bits, tile=tile, a_value=high)

    @property
    def module_parameters(self) -> dict[str, int]:
        """The fields of the parameter CORE (nttf_core_pkg.sv); 0 where another core has them."""
        p, montgomery = self.pipeline, self.kind == "montgomery"
        form = self.solinas if self.kind == "solinas" else None
        rows = solinas_sources(form, self.bits) if form else []
        signs = [sign < 0 for sign, _ in solinas_operands(form)] if form else []
        return {
            "KIND": KINDS.index(self.kind),
            "DATA_BITS": self.bits,
            "PRODUCT_LATENCY": self.product_latency,
            "INPUT_REGS": p.input_regs,
            "PRODUCT_REGS": p.product_regs,
            "CARRY_BITS": p.carry_bits,
            "SUM_REGS": self.sum_regs,
            "ADD_REGS": p.add_regs,
            "REDUCTION_REGS": p.reduction_regs,
            "TILE_A": p.tile.a_bits,
            "TILE_B": p.tile.b_bits,
            "LUT_BITS": p.tile.lut_bits,
            "DIGIT_BITS": self.digit_bits if montgomery else 0,
            "STEPS": self.steps if montgomery else 0,
            "TWO_ADICITY": self.two_adicity if montgomery else 0,
            "I": form.i if form else 0,
            "J": form.j if form else 0,
            "SIGN_J": form.sign_j if form else 0,
            "SIGN_0": form.sign_0 if form else 0,
            "TREE_REGS": p.tree_regs if form else 0,
            "OPERANDS": len(rows),
            "MOVING": int(self.moving),
            "SIGNS": sum(sign << k for k, sign in enumerate(signs)),
            "SOURCES": sum(v << (7 * i) for i, v in enumerate(v for row in rows for v in row)),
        }

    def tables(self, n: int, ring: Ring) -> dict[str, list[int]]:
        """The product tree as stored: with the core's factor, inverse ones also with 1/2."""
        q, points = self.q, n if self.layers is None else 1 << self.layers
        forward = [*product_tree(points, q, ring), *[1] * (n - points)]
        factor, half = self.twiddle_factor, (q + 1) // 2
        return {
            "forward": [w * factor % q for w in forward],
            "inverse": [pow(w, -1, q) * factor * half % q for w in forward],
        }

    def ratio(self, wanted: int, coarse: int) -> int:
        """The factor between two stored twiddles, as stored for twiddles on the fly."""
        return wanted * pow(coarse, -1, self.q) * self.twiddle_factor % self.q

    def multiply(self, a: int, b: int) -> int:
        """What nttf_modular_multiplier gives for a, b in [0, q)."""
        if self.kind == "montgomery":
            return reduce_montgomery(a * b, self)
        if self.kind == "barrett":
            return reduce_barrett(a * b, self)
        return reduce_solinas(a * b, self)

    def butterfly(self, a: int, b: int, w: int, inverse: bool = False) -> tuple[int, int]:
        """What nttf_butterfly gives; ``w`` as stored (with ``twiddle_factor``)."""
        q = self.q
        if not inverse:
            product = self.multiply(b, w)
            return (a + product) % q, (a - product) % q
        total = (a + b) % q
        return (total + (q if total & 1 else 0)) // 2, self.multiply((a - b) % q, w)


def reduce_montgomery(z: int, core: CoreDesign) -> int:
    """z 2^(-steps digit_bits) mod q as nttf_reduce_montgomery computes it, z in [0, q^2)."""
    q, d = core.q, core.digit_bits
    width = min(core.two_adicity, d)
    high = q >> width
    for step in range(core.steps):
        m = (z % 2**d) * core.constant % 2**d
        z = (((z - m) >> width) - m * high) >> (d - width)
        assert -q < z <= (q - 1) ** 2 >> ((step + 1) * d)
    return z + q if z < 0 else z


def reduce_barrett(z: int, core: CoreDesign) -> int:
    """z mod q as nttf_reduce_barrett computes it, z in [0, q^2)."""
    quotient = ((z >> (core.bits - 2)) * core.constant) >> (core.bits + 5)
    lazy = z - quotient * core.q
    assert 0 <= lazy < 2 * core.q
    return lazy - core.q if lazy >= core.q else lazy


def reduce_solinas(z: int, core: CoreDesign) -> int:
    """z mod q as nttf_reduce_solinas computes it, z in [0, q^2)."""
    form = core.solinas
    assert form is not None
    total = 0
    for (sign, _), row in zip(
        solinas_operands(form), solinas_sources(form, core.bits), strict=True
    ):
        bits = (((z >> source) & 1) << t for t, source in enumerate(row) if source != NO_SOURCE)
        total += sign * sum(bits)
    top = total >> form.i
    lazy = total % (1 << form.i) - top * (form.sign_j * (1 << form.j) + form.sign_0)
    assert -core.q < lazy < 2 * core.q
    return lazy + core.q if lazy < 0 else lazy - core.q if lazy >= core.q else lazy


def choose_cores(kind: str, moduli: tuple[int, ...], pipeline: Pipeline) -> list[CoreDesign]:
    """One core per limb, all of one kind and latency.

    Raises
    ------
    ParameterError
        If ``kind`` cannot serve one of the moduli, saying why.

    Examples
    --------
    >>> [c.kind for c in choose_cores("auto", (1073692673, 2**30 - 2**18 + 1), Pipeline())]
    ['montgomery', 'montgomery']
    """
    forms = [solinas_form(q) for q in moduli]
    if kind == "auto":
        kind = "solinas" if all(forms) else "montgomery"
    bits = max(moduli).bit_length()
    for q, form in zip(moduli, forms, strict=True):
        if kind == "solinas" and form is None:
            raise ParameterError(
                f"core = 'solinas': q = {q} is not 2^i +- 2^j +- 1 with a short reduction; "
                "use core = 'montgomery'"
            )
        if kind == "barrett" and q.bit_length() != bits:
            raise ParameterError(
                f"core = 'barrett': q = {q} has {q.bit_length()} bits and another modulus {bits}; "
                "use moduli of one size or core = 'montgomery'"
            )
    adicity = min(two_adic_valuation(q - 1) for q in moduli)
    if kind == "montgomery":
        forms = [None] * len(moduli)
    return [
        CoreDesign(kind, q, bits, pipeline, adicity, form)
        for q, form in zip(moduli, forms, strict=True)
    ]

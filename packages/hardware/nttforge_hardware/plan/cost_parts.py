# SPDX-License-Identifier: Apache-2.0
"""What LUTs and flip-flops of a design go with: bits of its registers, sums, memories and choices.

Registers are counted as synthesis keeps them. Yosys moves registers into a DSP48E1 (the product's
and those of the narrow factor, which in a core is the twiddle) and none into a DSP48E2; a block of
ECP5 has its own. On Xilinx devices three registers or more, one behind the other, are a shift
register in LUTs; ECP5 has no such thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cores import CoreDesign
from .memories import BLOCK_DEPTH, multiplexed
from .twiddles import twiddle_depths

if TYPE_CHECKING:
    from .design import Design

#: Family by multiplier block.
FAMILY_OF = {"dsp48e2": "xcup", "dsp48e1": "xc7", "mult18x18d": "ecp5"}
_Span = tuple[int, int]


@dataclass
class Count:
    """Bits of registers, of sums, of shift registers and of rows of truncated products."""

    family: str
    registers: float = 0
    sums: float = 0
    shifted: float = 0
    rows: float = 0

    def line(self, bits: int, depth: int, apart: int = 0) -> None:
        """A delay, whose last ``apart`` registers are no part of a shift register."""
        if self.family == "ecp5" or depth - apart < 3:
            self.registers += bits * max(0, depth)
        else:
            self.shifted += bits * -(-(depth - apart) // 32)
            self.registers += bits * apart

    def tree(self, spans: list[_Span], regs: int, out_bits: int) -> None:
        """A tree of sums of numbers that lie in these bits (nttf_adder_tree)."""
        levels = (len(spans) - 1).bit_length()
        if not levels:
            self.registers += regs * sum(high - low for low, high in spans)
            return
        nodes = spans
        for level in range(1, levels + 1):
            above: list[_Span] = [] if len(nodes) % 2 == 0 else [nodes[-1]]
            pairs = []
            for (a, a_high), (b, b_high) in zip(nodes[::2], nodes[1::2], strict=False):
                top = min(out_bits, max(a_high, b_high) + 1)
                self.sums += max(0, top - max(a, b))
                pairs.append((min(a, b), top))
            nodes = pairs + above
            depth = level * regs // levels - (level - 1) * regs // levels
            self.registers += depth * sum(high - low for low, high in nodes)

    def product(
        self, core: CoreDesign, a_bits: int, b_bits: int, out_bits: int, input_regs: int,
        sum_regs: int, moving: tuple[bool, bool] = (True, True),
    ) -> None:  # fmt: skip
        """One nttf_multiplier; a factor that does not move is a constant."""
        tile, product_regs = core.pipeline.tile, core.pipeline.product_regs
        rest = b_bits % tile.b_bits
        rows = rest if rest <= tile.lut_bits and b_bits > tile.b_bits else 0
        spans = [
            (a + b, min(out_bits, a + b + min(tile.a_bits, a_bits - a)
                        + min(tile.b_bits, b_bits - rows - b)))
            for a in range(0, a_bits, tile.a_bits)
            for b in range(0, b_bits - rows, tile.b_bits)
            if a + b < out_bits
        ]  # fmt: skip
        a, b = a_bits * moving[0], b_bits * moving[1]
        if self.family == "ecp5":
            self.registers += max(0, input_regs - 1) * (a + b)
        elif self.family == "xcup":
            held = sum(high - low for low, high in spans)
            self.registers += input_regs * (a + b) + held * (1 + product_regs)
        else:
            self.registers += input_regs * a + max(0, input_regs - 2) * b
        self.registers += rows * a_bits * (1 + product_regs)
        lows = range(b_bits - rows, min(b_bits, out_bits))
        spans += [(low, min(out_bits, low + a_bits)) for low in lows]
        self.tree(spans, sum_regs, out_bits)


def _modular_product(core: CoreDesign, family: str) -> Count:
    """One nttf_modular_multiplier."""
    p, bits = core.pipeline, core.bits
    count = Count(family)
    count.product(core, bits, bits, 2 * bits, p.input_regs, core.sum_regs)
    front, deep = p.reduction_regs > 0, p.reduction_regs > 1
    if core.kind == "montgomery":
        digit = core.digit_bits
        known = min(core.two_adicity, digit)
        front = front or digit > known
        value = 2 * bits
        for step in range(core.steps):
            following = max(2 * bits - (step + 1) * digit, bits) + 1
            count.line(value - (0 if front else known), int(front))
            count.line(value - known, 1 + p.product_regs + deep, int(deep))
            count.registers += following + digit * front
            count.sums += value - known + following
            count.rows += (digit - known) * digit / 2
            high = bits - known
            count.product(core, high, digit, high + digit, int(front), int(deep), (False, True))
            value = following
        count.registers += bits
        count.sums += bits
    elif core.kind == "barrett":
        for a, b, out in ((bits + 2, bits + 4, 2 * bits + 6), (bits + 1, bits, bits + 1)):
            count.product(core, a, b, out, int(front), core.sum_regs, (True, False))
        count.line(bits + 1, 2 * (1 + p.product_regs + core.sum_regs + front), int(deep))
        count.registers += 2 * bits + 1
        count.sums += 2 * bits + 2
    else:
        operands = int(core.module_parameters["OPERANDS"])
        width = bits + (operands - 1).bit_length() + 2
        count.tree([(0, bits + 1)] * operands, p.tree_regs, width)
        count.registers += width + bits
        count.sums += 4 * width
        count.rows += width
    return count


def features(design: Design) -> dict[str, float]:
    """Bits of each kind in a design, by name."""
    p, core = design.parameters, design.cores[0]
    pipeline, directions = p.pipeline, len(p.directions)
    family = FAMILY_OF[pipeline.block]
    cores = p.bp * p.pp * p.dp // 2
    products = cores + p.bp * sum(design.on_the_fly) * p.dp // 2
    products *= 3 if p.parts == 2 else 1
    word, lanes = core.bits * p.parts, p.bp * p.dp * core.bits * p.parts
    inner = _modular_product(core, family)

    around = Count(family)
    around.line(word, core.product_latency, int(pipeline.add_regs > 0))
    inside = family == "xc7" and p.parts == 1 and pipeline.input_regs < 2  # twiddles, in DSPs
    if "inverse" in p.directions:
        around.registers += word * (2 if inside else 3)
        around.registers += pipeline.add_regs * word * (3 if directions == 1 else 5)
    if "forward" in p.directions:
        around.registers += 2 * word * (1 + pipeline.add_regs)

    places = sum(design.has_memory(i) for i in range(p.pp))
    depths = twiddle_depths(p, design.schedules)
    logic_rows = sum(depth for depth in depths if depth < BLOCK_DEPTH)
    held, behind, front = lanes * places, pipeline.memory_regs > 0, pipeline.memory_regs > 1
    beside = 0 if places == p.pp else p.pp * behind
    tile, rest = pipeline.tile, core.bits % pipeline.tile.b_bits
    has_rows = 0 < rest <= tile.lut_bits and core.bits > tile.b_bits
    return {
        "constant": p.bp,
        "places": p.pp * p.bp,
        f"{core.kind} registers": inner.registers * products,
        "sums": inner.sums * products,
        f"{core.kind} sums": inner.sums * products,
        "squares": core.bits**2 * products,  # all products of parts, of which a core sums
        "shifted": inner.shifted * products,
        "rows": inner.rows * products,
        "left-over rows": products * core.bits * has_rows,
        "around": around.registers * cores,
        "shifted around": around.shifted * cores,
        "directions": cores * word * directions,
        "modular sums": cores * word * directions * (2 * p.parts - 1),
        "dgt": cores * word * (p.parts - 1),
        "switches": sum(2 * design.exchanges(i) for i in range(p.pp)) * lanes,
        "outs": p.pp * lanes * (1 if inside and p.direction == "forward" else 1.5),
        "memories": held,
        "memory choices": p.bp * _choices(design, depths),
        "memory registers": (2 * places * (behind + front) + beside) * lanes
        + p.pp * (pipeline.memory_regs > 2) * lanes,
        "small memories": held * -(-p.words // 32) * (p.words < BLOCK_DEPTH),
        "tiny memories": held * -(-p.words // 16) * (p.words < BLOCK_DEPTH),
        "ports": lanes * pipeline.enable_regs,
        "twiddle choice": p.pp * lanes / 2 * max(0, p.log_dp - 1),
        "twiddle logic": logic_rows * lanes / 2 / 64,
        "twiddle words": p.pp * lanes / 2,
        "selects": p.bp * p.passes * directions * p.pp,
    }


def _choices(design: Design, depths: list[int]) -> int:
    """Bits that multiplexers behind one limb's block memories choose."""
    p = design.parameters
    block, width = p.pipeline.block, p.dp // 2 * p.bits
    tables = sum(multiplexed(width, depth, block, written=False) for depth in depths)
    if design.in_ultra_ram:
        return tables
    return tables + sum(n * multiplexed(w, d, block) for n, w, d in design.permutation_memories())

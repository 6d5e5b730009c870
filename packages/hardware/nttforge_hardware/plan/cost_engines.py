# SPDX-License-Identifier: Apache-2.0
"""What LUTs and flip-flops of loaded moduli, and of buffers at both ports, go with.

Both are counted beside what the same transform has without them (cost_parts.py). With loaded moduli
q and its constant go through every core beside the words that they belong to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cost_parts import FAMILY_OF, Count
from .memories import BLOCK_DEPTH

if TYPE_CHECKING:
    from .design import Design
    from .engine import EngineDesign


def buffer_features(
    design: Design, tag_bits: int = 0, frames: tuple[int, int] = (1, 1)
) -> dict[str, float]:
    """Bits of a buffer of frames at each port, in memories of LUTs too, and of its counters."""
    p = design.parameters
    word = p.bp * p.dp * p.bits * p.parts
    found = dict.fromkeys(("buffers", "small buffers", "rows of buffers", "counters"), 0.0)
    for bits, depth in zip((word + tag_bits, word), (f * p.words for f in frames), strict=True):
        small = depth < BLOCK_DEPTH
        found["small buffers" if small else "buffers"] += bits
        found["rows of buffers"] += bits * -(-depth // 16) if small else 0
        found["counters"] += 5 * depth.bit_length() + 10
    return found


def _beside(design: Design) -> Count:
    """Registers of q and its constant beside one core, and of constant factors that now move."""
    p, core = design.parameters, design.cores[0]
    pipeline, bits, count = p.pipeline, core.bits, Count(FAMILY_OF[p.pipeline.block])
    montgomery = core.kind == "montgomery"
    constant = core.digit_bits if montgomery else bits + 4
    deep = int(pipeline.reduction_regs > 1)
    if "inverse" in p.directions:
        count.registers += (1 + pipeline.add_regs) * (bits + constant)
    if "forward" in p.directions:
        count.line(bits, core.product_latency + pipeline.add_regs, pipeline.add_regs)
    count.line(bits + constant, core.full_latency)
    if montgomery:
        known = min(core.two_adicity, core.digit_bits)
        front = int(core.digit_bits > known or pipeline.reduction_regs > 0)
        for _ in range(core.steps):
            depth = 2 + pipeline.product_regs + front + deep
            count.line(bits + constant, depth, deep)
            count.registers += front * (bits - known)
            count.rows += (core.digit_bits - known) * core.digit_bits / 2
    else:
        front = int(pipeline.reduction_regs > 0)
        depth = 1 + pipeline.product_regs + core.sum_regs + front
        count.line(bits, depth)
        count.line(bits, depth + 1, deep)
        count.registers += front * (2 * bits + 4)
    return count


def engine_features(design: EngineDesign) -> dict[str, float]:
    """Bits of each kind in all engines, beside those of as many transforms."""
    shape, engines = design.shape, design.parameters.engines
    p, core = shape.parameters, shape.cores[0]
    pipeline, bits = p.pipeline, core.bits
    beside = _beside(shape)
    # Cores that move by one enable share these registers.
    copies = engines * p.pp * (p.dp // 2 if pipeline.enable_regs else 1)
    constant = core.digit_bits if core.kind == "montgomery" else bits + 4
    held = 2 + sum(pipeline.memory_regs > k for k in (0, 1))
    depths = [design.parameters.sets * rows for rows in design.table_rows]
    tables = sum(-(-depth // 16) for depth in depths if depth < BLOCK_DEPTH)
    buffered = engines * design.buffer_regs * (2 * p.dp * bits + design.tag_bits)
    found = {
        "loaded registers": beside.registers * copies
        + engines * p.pp * held * (bits + constant)
        + buffered,
        "loaded shifts": beside.shifted * copies,
        "loaded rows": beside.rows * engines * p.pp * p.dp / 2,
        "checked": engines * p.dp * bits,
        "loader": p.dp / 2 * bits + 2 * bits,
        "engines": engines,
        "chosen": (engines - 1) * p.dp * bits,
        "loaded tables": engines * tables * p.dp / 2 * bits,
    }
    buffers = buffer_features(shape, design.tag_bits, design.buffered_frames)
    return found | {name: engines * bits for name, bits in buffers.items()}

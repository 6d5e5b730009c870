# SPDX-License-Identifier: Apache-2.0
"""Block memories of a design as synthesis maps them: what Yosys 0.70 counts, exactly.

Yosys (passes/memory/memory_libmap.cc) gives each memory the cheapest of a family's shapes. Rows
above what one block holds go beside each other before they are cut to the width of a block, so that
a block may hold the ends of two rows. What costs are blocks and the multiplexers between rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_

#: Words from which the modules ask for block memory (BLOCK_DEPTH).
BLOCK_DEPTH = 64
#: Words from which ``memories = "ultra"`` asks for UltraRAM.
ULTRA_DEPTH = 1024
_BYTE = 9  # bits behind one write enable
_MULTIPLEXER_COST, _ENABLE_COST = 0.5, 0.5
#: An UltraRAM: words, bits.
_ULTRA = (4096, 72)


@dataclass(frozen=True)
class Shape:
    """Blocks of ``units`` x 18 kbit with 2^address_bits words of the first of ``widths``.

    ``packed``: the ends of two rows may share a block.
    """

    units: int
    address_bits: int
    widths: tuple[int, ...]
    cost: int
    packed: bool = True


_NARROW = (1, 2, 4, 9, 18)
_XILINX = (
    Shape(1, 14, _NARROW, 129),
    Shape(2, 15, (*_NARROW, 36), 257),
    Shape(1, 14, (*_NARROW, 36), 129),
    Shape(2, 15, (*_NARROW, 36, 72), 257),
)
#: By multiplier block, which stands for a family: 7-series has pairs of RAMB36 beside each other.
_SHAPES = {
    "dsp48e2": _XILINX,
    "dsp48e1": (*_XILINX, Shape(4, 16, (1, 2, 4, 9), 513)),
    "mult18x18d": (Shape(1, 14, _NARROW, 128), Shape(1, 14, (*_NARROW, 36), 128)),
    # By the manuals alone, as no tool here counts for these: AM007 (RAMB18 of Versal), and the M20K
    # of 20 kbit of Agilex (embedded memory user guide, document 683241).
    "dsp58": (Shape(1, 11, (9, 18, 36), 128, packed=False),),
    "dsp_agilex": (Shape(1, 11, (10, 20, 40), 128, packed=False),),
}


@cache
def block_memories(width: int, depth: int, block: str = "dsp48e2", written: bool = True) -> int:
    """Blocks of 18 kbit (Agilex: 20) for ``depth`` words of ``width`` bits.

    Parameters
    ----------
    width, depth : int
        A memory of fewer than BLOCK_DEPTH words is made of LUTs.
    block : str
        Multiplier block, which stands for the device's family.
    written : bool
        With a read and a write port; False: a table, which is only read.

    Examples
    --------
    >>> block_memories(120, 1024), block_memories(60, 512), block_memories(60, 32)
    (7, 2, 0)
    >>> block_memories(60, 1365), block_memories(60, 1365, written=False)
    (6, 5)
    """
    if depth < BLOCK_DEPTH or not width:
        return 0
    return _cheapest(width, depth, block, written)[0]


@cache
def _cheapest(width: int, depth: int, block: str, written: bool) -> tuple[int, int]:
    """Blocks, and rows of blocks that a multiplexer chooses from."""
    found: list[tuple[float, int, int, int]] = []
    for shape in _SHAPES.get(block, _XILINX):
        for low, bits in enumerate(shape.widths):
            byte = min(_BYTE, bits) if written else 1
            rows = -(-depth // (1 << shape.address_bits - low))
            if shape.packed:
                blocks = -(-rows * byte * -(-width // byte) // bits)
            else:
                blocks = rows * -(-width // bits)
            between = _MULTIPLEXER_COST * (rows - 1) * width
            between += _ENABLE_COST * rows if written and rows > 1 else 0
            found.append((shape.cost * blocks + between, len(found), shape.units * blocks, rows))
    _, _, blocks, rows = min(found)
    return blocks, rows


def multiplexed(width: int, depth: int, block: str, written: bool = True) -> int:
    """Bits that multiplexers behind the blocks of a memory choose: none where it has one row."""
    if depth < BLOCK_DEPTH or not width:
        return 0
    return (_cheapest(width, depth, block, written)[1] - 1) * width


def image_memories(rows: Sequence[int], block: str = "dsp48e2") -> int:
    """Blocks of 18 kbit for a table with these rows: columns that are constant take none.

    Examples
    --------
    >>> rows = [(1 << 198) - 1, 0] * 704
    >>> image_memories(rows), image_memories([2, 3] * 704)
    (17, 1)
    """
    if len(rows) < BLOCK_DEPTH:
        return 0
    changing = reduce(or_, (row ^ rows[0] for row in rows)).bit_count()
    return block_memories(changing, len(rows), block, written=False)


def ultra_memories(width: int, depth: int) -> int:
    """UltraRAM blocks of 4096 x 72 bits for ``depth`` words of ``width`` bits; written.

    Examples
    --------
    >>> ultra_memories(60, 4096), ultra_memories(120, 16384)
    (1, 7)
    """
    words, bits = _ULTRA
    rows = -(-depth // words)
    return min(-(-rows * byte * -(-width // byte) // bits) for byte in (8, 9))

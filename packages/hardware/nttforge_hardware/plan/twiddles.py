# SPDX-License-Identifier: Apache-2.0
"""The contents of the twiddle memories and the tables that address them.

A row number within a stage is some bits of a coefficient's index, and a twiddle is a power of a
root whose exponent is linear in these bits. So with twiddles on the fly the low bits of the row
number choose a factor of their own (*fine*), the same for all butterflies and all values of the
other bits, and the table keeps the rows with zeros there (*coarse*).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from nttforge.spec.transform import bit_reverse

from .cores import CoreDesign
from .memories import block_memories
from .parameters import HardwareParameters
from .schedule import Schedule, StageSlot


@dataclass(frozen=True)
class TwiddleRow:
    """How one pass of one direction addresses its memory (nttf_super_pipeline)."""

    base: int
    index_bit: int
    from_lane: int
    backwards: bool
    fixed: int = 0
    fine_base: int = 0


@dataclass
class TwiddlePlan:
    """One super pipeline's memory: rows of dp / 2 twiddles, stage after stage.

    ``fine``: direction, wanted and coarse twiddle of each factor; ``fine_bits`` = 0: none.
    """

    rows: dict[tuple[str, int], TwiddleRow]
    entries: list[list[tuple[str, int] | None]]
    fine_bits: int = 0
    fine: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return len(self.entries)


def _row(p: HardwareParameters, direction: str, stage: StageSlot, base: int) -> TwiddleRow:
    """Forward groups are told apart by used bits, inverse ones by unused bits in the lanes."""
    banks, used, forward = p.log_dp - 1, stage.used_lanes, direction == "forward"
    lanes = range(banks - used, banks) if forward else range(banks - used)
    fixed = 0
    if _is_narrow(p, stage):
        # Stages of 1, 2, 4 ... dp / 4 twiddles fit one row together: each leaves some bits of the
        # bank number free, which are 0, 01, 011 ... for the widest and the next ones.
        bits = p.log_n - 1 - stage.index_bit
        ones = (1 << (banks - bits - 1)) - 1
        fixed = ones if forward else ones << (bits + 1)
    return TwiddleRow(base, stage.index_bit, sum(1 << j for j in lanes), forward, fixed)


def _is_narrow(p: HardwareParameters, stage: StageSlot) -> bool:
    return p.n >> (stage.index_bit + 1) < p.dp // 2


def _bank(p: HardwareParameters, row: TwiddleRow, butterfly: int, slot: int) -> int:
    bits = p.log_dp - 1
    choice = ((slot << bits) >> row.index_bit) % (1 << bits)
    choice = bit_reverse(choice, bits) if row.backwards else choice
    choice |= row.fixed
    return (butterfly & row.from_lane) | (choice & ~row.from_lane)


@dataclass(frozen=True)
class Split:
    """Rows of a super pipeline's memories when the low ``bits`` of a row number are factors.

    ``bases`` and ``fine_bases`` by direction and stage; ``keys``: the exponent of every factor.
    """

    bits: int
    depth: int
    bases: dict[tuple[str, int], int]
    fine_bases: dict[tuple[str, int], int]
    keys: tuple[tuple[str, int], ...]

    @property
    def fine_depth(self) -> int:
        return len(self.keys) if self.bits else 0


def _group(p: HardwareParameters, stage: StageSlot, lane: int, slot: int) -> int:
    """Index into the product tree of the twiddle for this lane and slot."""
    return (p.n + stage.layout.index(lane, slot)) >> (stage.index_bit + 1)


def _exponent(p: HardwareParameters, group: int, coarse: int) -> int:
    """Exponent of the root in W[group] / W[coarse] of one stage, up to a factor of the ring."""
    bits = group.bit_length() - 1
    m = 1 << bits
    return (bit_reverse(group - m, bits) - bit_reverse(coarse - m, bits)) * (p.n >> bits)


def _split(p: HardwareParameters, schedules: dict[str, Schedule], place: int, bits: int) -> Split:
    """The rows of one super pipeline; equal tables of factors, or beginnings of one, are shared."""
    bases: dict[tuple[str, int], int] = {}
    wanted: dict[tuple[str, int], tuple[tuple[str, int], ...]] = {}
    depth = 0
    for direction, schedule in schedules.items():
        shared = None
        for stage in schedule.stages:
            if stage.super_pipeline != place:
                continue
            which = (direction, stage.stage)
            rows = max(1, p.words >> stage.index_bit)
            first = _group(p, stage, 0, 0)
            wanted[which] = tuple(
                (direction, _exponent(p, _group(p, stage, 0, low << stage.index_bit), first))
                for low in range(min(1 << bits, rows))
            )
            if _is_narrow(p, stage) and shared is not None:
                bases[which] = shared
                continue
            if _is_narrow(p, stage):
                shared = depth
            bases[which] = depth
            depth += max(1, rows >> bits)
    keys: list[tuple[str, int]] = []
    starts: dict[tuple[tuple[str, int], ...], int] = {}
    for table in sorted(set(wanted.values()), key=lambda x: (-len(x), x)):
        found = [at for other, at in starts.items() if other[: len(table)] == table]
        starts[table] = found[0] if found else len(keys)
        keys += [] if found else table
    fine = {which: starts[table] for which, table in wanted.items()}
    return Split(bits, depth, bases, fine, tuple(keys))


def plan_splits(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[Split]:
    """How each super pipeline's twiddles are kept; only the layouts of ``schedules`` matter.

    On the fly: with the fewest block memories, then the fewest bits, and only where block memories
    are saved.
    """
    chosen = []
    for place in range(p.pp):
        whole = _split(p, schedules, place, 0)
        best = whole
        if p.twiddles == "on_the_fly":
            ways = [
                _split(p, schedules, place, b) for b in range(1, (p.words - 1).bit_length() + 1)
            ]
            best = min([whole, *ways], key=lambda x: _memory_cost(p, x))
            if _memory_cost(p, best)[0] == _memory_cost(p, whole)[0]:
                best = whole
        chosen.append(best)
    return chosen


def _memory_cost(p: HardwareParameters, split: Split) -> tuple[int, int]:
    """RAMB18 and bits of one super pipeline's twiddles, of one limb."""
    width, block = p.dp // 2 * p.bits, p.pipeline.block
    tables = ((width, split.depth), (p.bits, split.fine_depth))
    blocks = sum(block_memories(*table, block, written=False) for table in tables)
    return blocks, width * split.depth + p.bits * split.fine_depth


def plan_twiddles(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[TwiddlePlan]:
    """For each super pipeline the rows, each entry (direction, index into the product tree).

    Every (slot, butterfly) of every stage is placed by the rule of the hardware; an entry that two
    of them need differently would be an error here.
    """
    plans = []
    for place, split in enumerate(plan_splits(p, schedules)):
        plan = TwiddlePlan({}, [[None] * (p.dp // 2) for _ in range(split.depth)], split.bits)
        fine: list[tuple[str, int, int] | None] = [None] * split.fine_depth
        for direction, schedule in schedules.items():
            for stage in schedule.stages:
                if stage.super_pipeline != place:
                    continue
                which = (direction, stage.stage)
                row = _row(p, direction, stage, split.bases[which])
                row = replace(row, fine_base=split.fine_bases[which] if split.bits else 0)
                plan.rows[direction, stage.pass_] = row
                _fill(p, direction, stage, row, plan, fine, split)
        plan.fine = [entry for entry in fine if entry is not None]
        assert len(plan.fine) == split.fine_depth
        plans.append(plan)
    return plans


def twiddle_depths(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[int]:
    """Rows of each super pipeline's memory, without filling them."""
    return [split.depth for split in plan_splits(p, schedules)]


def twiddle_memory(p: HardwareParameters, schedules: dict[str, Schedule]) -> tuple[int, int]:
    """RAMB18 and bits of the twiddles of one limb."""
    costs = [_memory_cost(p, split) for split in plan_splits(p, schedules)]
    return sum(blocks for blocks, _ in costs), sum(bits for _, bits in costs)


def _fill(
    p: HardwareParameters,
    direction: str,
    stage: StageSlot,
    row: TwiddleRow,
    plan: TwiddlePlan,
    fine: list[tuple[str, int, int] | None],
    split: Split,
) -> None:
    low_mask = (1 << split.bits) - 1
    for slot in range(p.words):
        number = slot >> stage.index_bit
        low = number & low_mask
        entries = plan.entries[row.base + (number >> split.bits)]
        for butterfly in range(p.dp // 2):
            group = _group(p, stage, 2 * butterfly, slot)
            coarse = _group(p, stage, 2 * butterfly, slot - (low << stage.index_bit))
            wanted = (direction, coarse)
            bank = _bank(p, row, butterfly, slot)
            assert entries[bank] in (None, wanted), "two butterflies need one entry"
            entries[bank] = wanted
            if split.bits:
                key = (direction, _exponent(p, group, coarse))
                assert split.keys[row.fine_base + low] == key, "two butterflies need one factor"
                fine[row.fine_base + low] = (direction, group, coarse)


def image(plan: TwiddlePlan, stored: dict[str, list[int]], bits: int) -> str:
    """The text for $readmemh: one row a line, bank 0 in the lowest bits; unused entries are 0."""
    digits = -(-len(plan.entries[0]) * bits // 4)
    lines = []
    for entries in plan.entries:
        word = 0
        for bank, entry in enumerate(entries):
            word |= (stored[entry[0]][entry[1]] if entry else 0) << (bank * bits)
        lines.append(f"{word:0{digits}x}\n")
    return "".join(lines)


def fine_image(plan: TwiddlePlan, stored: dict[str, list[int]], core: CoreDesign, bits: int) -> str:
    """The text of the factors, one a line."""
    values = (core.ratio(stored[d][group], stored[d][coarse]) for d, group, coarse in plan.fine)
    return "".join(f"{value:0{-(-bits // 4)}x}\n" for value in values)

"""The contents of the twiddle memories and the tables that address them."""

from __future__ import annotations

from dataclasses import dataclass

from ..spec.fast import twiddles as product_tree
from ..spec.transform import bit_reverse
from .cores import CoreDesign
from .parameters import HardwareParameters
from .schedule import Schedule, StageSlot


@dataclass(frozen=True)
class TwiddleRow:
    """How one pass of one direction addresses its memory (nttf_super_pipeline)."""

    base: int
    index_bit: int
    from_lane: int
    backwards: bool


@dataclass
class TwiddlePlan:
    """One super pipeline's memory: rows of dp / 2 twiddles, stage after stage."""

    rows: dict[tuple[str, int], TwiddleRow]
    entries: list[list[tuple[str, int] | None]]

    @property
    def depth(self) -> int:
        return len(self.entries)


def _row(p: HardwareParameters, direction: str, stage: StageSlot, base: int) -> TwiddleRow:
    """Forward groups are told apart by used bits, inverse ones by unused bits in the lanes."""
    banks, used = p.log_dp - 1, stage.used_lanes
    lanes = range(banks - used, banks) if direction == "forward" else range(banks - used)
    return TwiddleRow(base, stage.index_bit, sum(1 << j for j in lanes), direction == "forward")


def _bank(p: HardwareParameters, row: TwiddleRow, butterfly: int, slot: int) -> int:
    bits = p.log_dp - 1
    choice = ((slot << bits) >> row.index_bit) % (1 << bits)
    choice = bit_reverse(choice, bits) if row.backwards else choice
    return (butterfly & row.from_lane) | (choice & ~row.from_lane)


def plan_twiddles(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[TwiddlePlan]:
    """For each super pipeline the rows, each entry (direction, index into the product tree).

    Every (slot, butterfly) of every stage is placed by the rule of the hardware; an entry that two
    of them need differently would be an error here.
    """
    plans = [TwiddlePlan({}, []) for _ in range(p.pp)]
    for direction, schedule in schedules.items():
        for stage in schedule.stages:
            plan = plans[stage.super_pipeline]
            row = _row(p, direction, stage, plan.depth)
            plan.rows[direction, stage.pass_] = row
            used = _rows_of(p, stage)
            plan.entries += [[None] * (p.dp // 2) for _ in range(used)]
            _fill(p, direction, stage, row, plan)
    return plans


def _rows_of(p: HardwareParameters, stage: StageSlot) -> int:
    return max(1, p.words >> stage.index_bit)


def twiddle_depths(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[int]:
    """Rows of each super pipeline's memory, without filling them."""
    depths = [0] * p.pp
    for schedule in schedules.values():
        for stage in schedule.stages:
            depths[stage.super_pipeline] += _rows_of(p, stage)
    return depths


def _fill(
    p: HardwareParameters, direction: str, stage: StageSlot, row: TwiddleRow, plan: TwiddlePlan
) -> None:
    groups = p.n >> (stage.index_bit + 1)
    for slot in range(p.words):
        entries = plan.entries[row.base + (slot >> stage.index_bit)]
        for butterfly in range(p.dp // 2):
            index = stage.layout.index(2 * butterfly, slot)
            wanted = (direction, groups + (index >> (stage.index_bit + 1)))
            bank = _bank(p, row, butterfly, slot)
            assert entries[bank] in (None, wanted), "two butterflies need one entry"
            entries[bank] = wanted


def stored_twiddles(p: HardwareParameters, core: CoreDesign) -> dict[str, list[int]]:
    """The product tree as stored: with the core's factor, inverse ones also with 1/2."""
    q = core.q
    forward = product_tree(p.n, q, p.ring)
    factor, half = core.twiddle_factor, (q + 1) // 2
    return {
        "forward": [w * factor % q for w in forward],
        "inverse": [pow(w, -1, q) * factor * half % q for w in forward],
    }


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

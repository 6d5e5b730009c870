"""The contents of the twiddle memories and the tables that address them."""

from __future__ import annotations

from dataclasses import dataclass

from ..spec.transform import bit_reverse
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


def _bases(
    p: HardwareParameters, schedules: dict[str, Schedule]
) -> tuple[dict[tuple[str, int], int], list[int]]:
    """First row of every stage, and the rows of every super pipeline."""
    bases: dict[tuple[str, int], int] = {}
    depths = [0] * p.pp
    for direction, schedule in schedules.items():
        shared: dict[int, int] = {}
        for stage in schedule.stages:
            place = stage.super_pipeline
            if _is_narrow(p, stage) and place in shared:
                bases[direction, stage.stage] = shared[place]
                continue
            if _is_narrow(p, stage):
                shared[place] = depths[place]
            bases[direction, stage.stage] = depths[place]
            depths[place] += max(1, p.words >> stage.index_bit)
    return bases, depths


def plan_twiddles(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[TwiddlePlan]:
    """For each super pipeline the rows, each entry (direction, index into the product tree).

    Every (slot, butterfly) of every stage is placed by the rule of the hardware; an entry that two
    of them need differently would be an error here.
    """
    bases, depths = _bases(p, schedules)
    plans = [TwiddlePlan({}, [[None] * (p.dp // 2) for _ in range(d)]) for d in depths]
    for direction, schedule in schedules.items():
        for stage in schedule.stages:
            plan = plans[stage.super_pipeline]
            row = _row(p, direction, stage, bases[direction, stage.stage])
            plan.rows[direction, stage.pass_] = row
            _fill(p, direction, stage, row, plan)
    return plans


def twiddle_depths(p: HardwareParameters, schedules: dict[str, Schedule]) -> list[int]:
    """Rows of each super pipeline's memory, without filling them."""
    return _bases(p, schedules)[1]


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

# SPDX-License-Identifier: Apache-2.0
"""When and where every stage happens, and where every coefficient is: exact, without simulation.

The bits of a coefficient's index are spread over *lane* bits (which of the dp words of a cycle) and
*slot* bits (which cycle of a frame). A stage works on the index bit in lane bit 0; afterwards the
lane bits turn right by one, so that the used bit goes to the back of the queue. An exchange swaps
used lane bits with slot bits that are needed next. It happens at the start of a pass, where waiting
costs nothing as long as the pass takes n / dp cycles anyway, or when no unused lane bit is left.

               lane bits (1, 0)   slot bits (2, 1, 0)     n = 32, dp = 4, forward, unrolled;
    stage 0          3 4               2 1 0              index bits by number, lane bit 0 works
    stage 1          4 3               2 1 0
    stage 2          1 2               4 3 0              exchange of 4, 3 with 2, 1
    stage 3          2 1               4 3 0
    stage 4          1 0               4 3 2              exchange of 2 with 0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .parameters import HardwareParameters

SPN_CYCLES = 2  # memory and switch register, without those of pipeline.memory_regs


@dataclass(frozen=True)
class Layout:
    """Which index bit each lane bit and each slot bit holds."""

    lane: tuple[int, ...]
    slot: tuple[int, ...]

    def index(self, lane: int, slot: int) -> int:
        """Index of the coefficient in ``lane`` at ``slot``."""
        return sum((lane >> i & 1) << b for i, b in enumerate(self.lane)) + sum(
            (slot >> i & 1) << b for i, b in enumerate(self.slot)
        )

    def exchanged(self, slot_bits: tuple[int | None, ...]) -> Layout:
        """After lane bits -1, -2, ... (from the highest) and ``slot_bits`` change places."""
        lane, slot = list(self.lane), list(self.slot)
        for e, bit in enumerate(slot_bits):
            if bit is not None:
                lane[-1 - e], slot[bit] = slot[bit], lane[-1 - e]
        return Layout(tuple(lane), tuple(slot))

    def turned(self) -> Layout:
        """After the lane bits turn right by one."""
        return Layout((*self.lane[1:], self.lane[0]), self.slot)


@dataclass(frozen=True)
class StageSlot:
    """One stage of one direction on its super pipeline.

    ``exchange``: the slot bits that change places with lane bits -1, -2, ... before the stage
    (None: that lane bit stays); ``arrive`` and ``start``: cycles of the first word at the
    permutation and at the core's side of it, ``delay`` apart (stage 0 enters at the core's side);
    ``used_lanes``: lane bits whose index bit earlier stages have used.
    """

    stage: int
    super_pipeline: int
    pass_: int
    index_bit: int
    exchange: tuple[int | None, ...]
    used_lanes: int
    arrive: int
    start: int
    layout: Layout

    @property
    def delay(self) -> int:
        return self.start - self.arrive


@dataclass(frozen=True)
class Schedule:
    """All stages of one direction; cycles count from the first word in."""

    stages: tuple[StageSlot, ...]
    enter: Layout
    leave: Layout
    first_out: int
    latency: int
    interval: int


def port_layout(p: HardwareParameters, direction: str, port: str) -> Layout:
    """Coefficients come in blocks (lane l holds l n/dp ... ), values interleaved (l, l + dp, ...).

    The lanes inside the design are those of the port, reversed bitwise for a forward transform.
    """
    k, m = p.log_dp, p.log_n
    coefficients = (direction == "forward") == (port == "in")
    block = Layout(tuple(range(m - k, m)), tuple(range(m - k)))
    interleaved = Layout(tuple(range(k)), tuple(range(k, m)))
    return block if coefficients else interleaved


def _reversed_lanes(layout: Layout) -> Layout:
    return Layout(layout.lane[::-1], layout.slot)


def make_schedule(
    p: HardwareParameters, direction: str, core_latency: int, waits: Sequence[int] = ()
) -> Schedule:
    """Earliest start of every stage, and the delays that realise it.

    ``waits``: cycles that words wait for their twiddles, by super pipeline; none by default.
    A stage starts when the words it needs have come through the core before and its permutation,
    and when its super pipeline has started the last word of the pass before.
    """
    m, k, words = p.log_n, p.log_dp, p.words
    forward = direction == "forward"
    layout = port_layout(p, direction, "in")
    enter = layout = _reversed_lanes(layout) if forward else layout
    fixed = [SPN_CYCLES + p.pipeline.memory_regs + core_latency + w for w in waits or [0] * p.pp]
    stages: list[StageSlot] = []
    starts: list[int] = []
    moved = 0  # slot bits exchanged so far
    for stage in range(m):
        place, pass_ = (stage + p.entry) % p.pp, (stage + p.entry) // p.pp
        used = stage - moved
        exchange: tuple[int | None, ...] = ()
        if stage and (place == 0 or used == k):
            count = min(used, m - k - moved)
            order = range(m - k - 1, -1, -1) if forward else range(m - k)
            # The used lane bit longest in the queue works first, so it gets the bit needed first.
            needed = [*order[moved : moved + count], *[None] * (used - count)]
            exchange = tuple(reversed(needed))
            moved, used = moved + count, used - count
            layout = layout.exchanged(exchange)
        index_bit = m - 1 - stage if forward else stage
        assert layout.lane[0] == index_bit
        arrive = starts[-1] + fixed[(place or p.pp) - 1] if stage else 0
        start = arrive + least_delay(exchange)
        if stage >= p.pp:
            start = max(start, starts[stage - p.pp] + words)
        starts.append(start)
        stages.append(
            StageSlot(stage, place, pass_, index_bit, exchange, used, arrive, start, layout)
        )
        layout = layout.turned()
    leave = _reversed_lanes(layout) if forward else layout
    assert leave == port_layout(p, direction, "out")
    interval = max(_occupied(p, stages, i) for i in range(p.pp))
    first_out = starts[-1] + fixed[-1]
    return Schedule(tuple(stages), enter, leave, first_out, first_out + words, interval)


def least_delay(exchange: Iterable[int | None]) -> int:
    """Cycles that a frame has to wait at least for slot bits to change places with lane bits."""
    moves = [2**bit for bit in exchange if bit is not None]
    return sum(moves) + 1 if moves else 0


def _occupied(p: HardwareParameters, stages: list[StageSlot], super_pipeline: int) -> int:
    """Cycles after which a super pipeline can take the next transform in the same way."""
    mine = [s for s in stages if s.super_pipeline == super_pipeline]
    cores = mine[-1].start - mine[0].start + p.words
    through = [s for s in mine if s.stage]  # the first stage does not pass the permutation
    if not through:
        return cores
    last = through[-1]
    return max(cores, last.arrive - through[0].arrive + max(p.words, last.delay))


def interval_between(p: HardwareParameters, first: Schedule, second: Schedule) -> int:
    """Cycles after which a transform of the schedule ``second`` may follow one of ``first``.

    The first words of every super pipeline's stages come when the last ones of the transform
    before have begun, and the permutation's memories have room.
    """
    least = 0
    for place in range(p.pp):
        before = [s for s in first.stages if s.super_pipeline == place]
        after = [s for s in second.stages if s.super_pipeline == place]
        least = max(least, before[-1].start + p.words - after[0].start)
        waited = [s for s in before if s.stage]
        waits = [s for s in after if s.stage]
        if waited and waits:
            last = waited[-1]
            least = max(least, last.arrive + max(p.words, last.delay) - waits[0].arrive)
    return least

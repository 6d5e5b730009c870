# SPDX-License-Identifier: Apache-2.0
"""When operations of a key-switching pipeline begin and end, and what their memory does to them.

The pipeline's own cycles are fixed (``KeySwitchDesign.schedule``). A key that is not there stops
all of it. Words of keys meet a source with a rate, a buffer with room for so many and four words
in the control, so each event's cycle is a maximum over earlier events and a number of cycles
(nttf_frame_buffer and nttf_control_keyswitch say which).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from nttforge.errors import ParameterError

from .engine_timing import FIFO_WORDS
from .keyswitch import KeySwitchDesign

#: Largest denominator of a rate in words a cycle, so that a testbench counts it exactly.
MAX_DENOMINATOR = 1 << 12
#: From a word's arrival in the control to the cycle that uses it; from a result to the port.
_KEY_CYCLES, _OUT_CYCLES = 2, 4


@dataclass(frozen=True)
class KeyMemory:
    """A memory that serves a pipeline with keys, polynomials and room for results.

    A channel gives bursts of ``burst`` beats of ``width`` bits, a beat a clock, and has
    ``outstanding`` bursts asked for at a time, each of which begins ``latency`` clocks after it was
    asked for at the earliest. So a channel moves in the share min(1, outstanding burst / (latency +
    burst)) of all clocks. Inputs and results take their part of the bytes; keys get the rest.

    Parameters
    ----------
    channels : int
        That work side by side, 1 ... 64.
    width : int
        Bits of a beat, 8 ... 4096, a multiple of 8.
    burst : int
        Beats, 1 ... 256.
    mhz : int
        Clock of the memory's ports, 1 ... 2000.
    latency : int
        Clocks from a request to its first beat, 0 ... 10000.
    outstanding : int
        Requests at a time and channel, 1 ... 256.

    Raises
    ------
    ParameterError
        Naming the field, its value and what is allowed.

    Examples
    --------
    >>> KeyMemory(channels=2, width=512, mhz=300).bytes_per_second
    Fraction(38400000000, 1)
    >>> KeyMemory(channels=65)
    Traceback (most recent call last):
    ...
    nttforge.errors.ParameterError: memory: channels = 65 must be an integer in 1 ... 64
    """

    channels: int = 1
    width: int = 512
    burst: int = 16
    mhz: int = 300
    latency: int = 100
    outstanding: int = 16

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ParameterError(
                    f"memory: {name} = {value!r} must be an integer in {low} ... {high}"
                )
        if self.width % 8:
            raise ParameterError(f"memory: width = {self.width} must be a multiple of 8 bits")

    @classmethod
    def parse(cls, text: str) -> KeyMemory:
        """From ``channels=2,width=512``; what is not named keeps its default.

        Examples
        --------
        >>> KeyMemory.parse("channels=4,mhz=450").channels
        4
        """
        names, found = [field.name for field in fields(cls)], dict[str, int]()
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or name not in names or name in found:
                raise ParameterError(
                    f"memory: {part.strip()!r} must be NAME=COUNT, each name once, of "
                    f"{', '.join(names)}"
                )
            try:
                found[name] = int(value)
            except ValueError:
                raise ParameterError(f"memory: {name} = {value!r} must be an integer") from None
        return cls(**found)

    @property
    def share(self) -> Fraction:
        """Clocks in which a channel moves a beat."""
        return min(Fraction(1), Fraction(self.outstanding * self.burst, self.latency + self.burst))

    @property
    def bytes_per_second(self) -> Fraction:
        """Bytes that all channels move in a second."""
        return self.channels * Fraction(self.width, 8) * self.mhz * 1_000_000 * self.share

    def describe(self) -> dict[str, int]:
        """The fields."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


_RANGES: Mapping[str, tuple[int, int]] = {
    "channels": (1, 64),
    "width": (8, 4096),
    "burst": (1, 256),
    "mhz": (1, 2000),
    "latency": (0, 10_000),
    "outstanding": (1, 256),
}


@dataclass(frozen=True)
class KeyRate:
    """Words of keys that come in a cycle, ``words / cycles`` <= 1, after ``latency`` cycles."""

    words: int
    cycles: int
    latency: int


def key_rate(design: KeySwitchDesign, memory: KeyMemory, mhz: Fraction | float) -> KeyRate:
    """What a memory gives a pipeline with a clock of ``mhz``, rounded down to a testbench's ratio.

    Raises
    ------
    ParameterError
        If that is less than a word in MAX_DENOMINATOR cycles.
    """
    moved = design.bytes_moved()
    clock = Fraction(mhz) * 1_000_000
    operations = memory.bytes_per_second / clock / sum(moved.values())  # in a cycle
    p = design.parameters
    wanted = min(Fraction(1), operations * p.digits * p.words)
    words = math.floor(wanted * MAX_DENOMINATOR)
    if words < 1:
        raise ParameterError(
            f"memory: gives less than a word of {design.key_bits} bits in {MAX_DENOMINATOR} "
            "cycles: use more channels or bits"
        )
    ratio = Fraction(words, MAX_DENOMINATOR)
    latency = math.ceil(memory.latency * clock / (memory.mhz * 1_000_000))
    return KeyRate(ratio.numerator, ratio.denominator, latency)


@dataclass(frozen=True)
class OperationTimes:
    """Cycles of an operation's first word at port s and its last one at port m, and its stall.

    Counted from the first word of the first operation. ``stalled``: by digit, cycles in which the
    pipeline stood still for one of its keys.
    """

    first_in: int
    last_out: int
    stalled: tuple[int, ...]

    @property
    def latency(self) -> int:
        """Both counted."""
        return self.last_out - self.first_in + 1


class _Keys:
    """Words of keys from their source to the engines, in order."""

    def __init__(self, rate: KeyRate | None, depth: int) -> None:
        self._rate, self._depth = rate, depth
        self._phase = 0
        self._taken: list[int] = []  # at the port, into the buffer
        self._fetched: list[int] = []  # out of its memory
        self._passed: list[int] = []  # into the control
        self._used: list[int] = []  # by the engines

    def arrives(self) -> int:
        """The cycle in which the next word comes to the control."""
        k = len(self._taken)
        taken = self._offered()
        if k >= self._depth:
            taken = max(taken, self._fetched[k - self._depth] + 1)
        fetched = max(taken, self._fetched[-1] if k else -1)
        if k >= FIFO_WORDS:
            fetched = max(fetched, self._passed[k - FIFO_WORDS])
        passed = fetched + 1 + 2
        if k:
            passed = max(passed, self._passed[-1] + 1)
        if k >= FIFO_WORDS:
            passed = max(passed, self._used[k - FIFO_WORDS] + 1)
        self._taken.append(taken)
        self._fetched.append(fetched + 1)
        self._passed.append(passed)
        return passed

    def _offered(self) -> int:
        before = self._taken[-1] if self._taken else None
        if self._rate is None:
            return 0 if before is None else before + 1
        rate = self._rate
        count = max(1, -(-(rate.cycles - self._phase) // rate.words))
        self._phase += count * rate.words - rate.cycles
        return (rate.latency if before is None else before) + count

    def use(self, cycle: int) -> None:
        self._used.append(cycle)


def operation_times(
    design: KeySwitchDesign, operations: int, rate: KeyRate | None = None
) -> list[OperationTimes]:
    """Cycles of operations back to back; without a rate a key is always there.

    The sender of polynomials always has the next word and the receiver always takes one.
    """
    p, schedule = design.parameters, design.schedule
    words, digits = p.words, p.digits
    keys = _Keys(rate, p.key_words)
    taken: list[int] = []
    fetched: list[int] = []
    popped: list[int] = []
    late, results = 0, list[OperationTimes]()
    for number in range(operations):
        # An operation begins when its polynomial is in the buffer.
        begin = words + number * schedule.interval
        for w in range(words):
            k = len(taken)
            room = fetched[k - words] if k >= words else -1
            taken.append(max(taken[-1] if k else -1, room) + 1)
            before = popped[k - FIFO_WORDS] if k >= FIFO_WORDS else -1
            fetched.append(max(taken[k], fetched[-1] if k else -1, before) + 1)
            popped.append(begin + late + w)
        assert begin + late >= taken[-1] + 1
        stalled = []
        for digit in range(1, digits + 1):
            first = begin + schedule.leave[digit] + 1
            before_digit = late
            for slot in range(words):
                used = max(first + slot + late, keys.arrives() + _KEY_CYCLES)
                late = used - first - slot
                keys.use(used)
            stalled.append(late - before_digit)
        last = begin + schedule.leave[-1] + words + design.down_latency + late
        results.append(OperationTimes(taken[-words], last + _OUT_CYCLES, tuple(stalled)))
    return results


@dataclass(frozen=True)
class SwitchPrediction:
    """Cycles of operations with and without the stalls of a memory of keys.

    ``latency`` is that of one alone, ``interval`` from operation to operation, back to back;
    ``stalled`` are cycles of each digit in the steady state, ``first_stalled`` in the first one.
    """

    latency: int
    interval: int
    latency_stalled: int
    interval_stalled: int
    first_stalled: Sequence[int]
    stalled: Sequence[int]


def predict_switch(design: KeySwitchDesign, rate: KeyRate | None = None) -> SwitchPrediction:
    """Both; the steady state is that of the last of so many operations as empty any buffer.

    Examples
    --------
    >>> from .keyswitch import KeySwitchParameters, plan_keyswitch
    >>> design = plan_keyswitch(KeySwitchParameters.of_size(4096, 4, 1, 52, dp=8, pp=1))
    >>> memory = KeyMemory(channels=4, width=512, mhz=300)
    >>> found = predict_switch(design, key_rate(design, memory, 250))
    >>> found.interval, found.interval_stalled
    (43041, 44893)
    """
    p, plain = design.parameters, operation_times(design, 1)[0]
    times = operation_times(design, 4 + 4 * -(-p.key_words // (p.digits * p.words)), rate)
    ends = [t.last_out for t in times]
    return SwitchPrediction(
        plain.latency,
        design.interval_cycles,
        times[0].latency,
        ends[-1] - ends[-2],
        times[0].stalled,
        times[-1].stalled,
    )


def least_buffer(design: KeySwitchDesign, rate: KeyRate) -> int | None:
    """Words of keys that a buffer must hold so that the steady state does not stall.

    None: the memory is too slow on the average, whatever the buffer.
    """
    p = design.parameters
    need = p.digits * p.words
    if need * rate.cycles > design.interval_cycles * rate.words:
        return None
    size = 4
    while size <= 2 * need:
        larger = replace(design, parameters=replace(p, key_words=size))
        if not any(predict_switch(larger, rate).stalled):
            return size
        size *= 2
    return None

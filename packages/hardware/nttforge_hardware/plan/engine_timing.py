# SPDX-License-Identifier: Apache-2.0
"""When every word of a batch of frames is taken and given by engines, exactly.

Words meet first-in first-out buffers with room for so many, pipelines of so many cycles and a port
for one word a cycle. So each event's cycle is a maximum over earlier events and a number of cycles
(nttf_frame_buffer, nttf_control_registered or nttf_control_free, and nttf_dispatch say which). The
sender always has the next word and the receiver always takes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nttforge.errors import ParameterError

from .engine import EngineDesign

FIFO_WORDS = 4  # of nttf_fifo
NEAR_CYCLES = 2  # so many before a frame may begin the control takes its first word


@dataclass(frozen=True)
class Frame:
    """A frame for an engine, its set, and a direction; ``alone``: sent when none is inside."""

    engine: int = 0
    number: int = 0
    direction: str = "forward"
    alone: bool = False


@dataclass(frozen=True)
class FrameTimes:
    """Cycles of a frame's first word at the port of the design and of its last word out."""

    first_in: int
    last_out: int

    @property
    def latency(self) -> int:
        """Both counted."""
        return self.last_out - self.first_in + 1


class _Engine:
    """Events of the words of one engine, in order."""

    def __init__(self) -> None:
        self.taken: list[int] = []  # at the port, into the buffer
        self.fetched: list[int] = []  # out of its memory
        self.passed: list[int] = []  # into the control
        self.entered: list[int] = []  # into the super pipelines
        self.given: list[int] = []  # into the buffer behind
        self.read: list[int] = []  # out of its memory
        self.out: list[int] = []  # at the port


_NEVER = -(10**9)  # an event that binds nothing


def _back(events: Sequence[int], distance: int) -> int:
    """The event so many places before the next one."""
    return events[-distance] if distance <= len(events) else _NEVER


def batch_times(design: EngineDesign, frames: Sequence[Frame]) -> list[FrameTimes]:
    """Cycles of every frame, counted from the first word of the first one.

    Raises
    ------
    ParameterError
        If a frame names what the design has not, or results leave so slowly that an engine would
        have to stop in the middle of a frame, which these events do not tell.
    """
    p, words = design.parameters, design.shape.parameters.words
    wait = 2 + design.buffer_regs  # of a word between a buffer's memory and its port
    engines = [_Engine() for _ in range(p.engines)]
    taken, given = -1, _NEVER  # the last word at each port
    results: list[FrameTimes] = []
    for frame in frames:
        if frame.direction not in design.shape.schedules or not 0 <= frame.engine < p.engines:
            raise ParameterError(f"{frame} is for another design")
        engine = engines[frame.engine]
        inside = 1 if frame.alone else design.frames_inside
        if len(results) >= inside:
            taken = max(taken, results[-inside].last_out)
        front, behind = (frames * words for frames in design.buffered_frames)
        taken = _take(engine, words, front, taken)
        if p.start == "room":
            start = _begin(engine, words, behind, wait, design.interval_cycles)
        else:  # a result goes through the control on its way into the buffer
            start = 1 + _enter(engine, words, p.start == "frame", wait, design.interval_cycles)
        out = start + design.shape.schedules[frame.direction].first_out
        given = _give(engine, words, behind, wait, out, given)
        results.append(FrameTimes(engine.taken[-words], given))
    return results


def _take(engine: _Engine, words: int, depth: int, taken: int) -> int:
    """A frame's words at the port: each waits for room in the buffer's memory, of ``depth``."""
    for _ in range(words):
        taken = (
            max(taken, _back(engine.fetched, depth - len(engine.taken) + len(engine.fetched))) + 1
        )
        engine.taken.append(taken)
    return taken


def _enter(engine: _Engine, words: int, whole: bool, wait: int, interval: int) -> int:
    """The words on their way into the super pipelines; gives the cycle of the first one there."""
    taken = engine.taken[-words:]
    before = _back(engine.entered, words)
    # The buffer in front holds two frames of two words; else the one before must have begun.
    near = max(before + 1, before + interval - NEAR_CYCLES) if interval > 2 else _NEVER
    passed = max(near, taken[-1] + 1) if whole else near
    entered = before + interval
    for w in range(words):
        fetched = max(taken[w], _back(engine.fetched, 1), _back(engine.passed, FIFO_WORDS)) + 1
        engine.fetched.append(fetched)
        passed = max(passed, fetched + wait, _back(engine.entered, FIFO_WORDS - (w == 1)) + 1)
        engine.passed.append(passed)
        passed += 1
        if w == 1:  # a frame begins when two of its words are there
            entered = max(entered, engine.passed[-1] + 1)
            engine.entered += [entered, entered + 1]
        elif w > 1:
            engine.entered.append(max(engine.entered[-1], engine.passed[-1]) + 1)
    return engine.entered[-words]


def _begin(engine: _Engine, words: int, behind: int, wait: int, interval: int) -> int:
    """The same for words that enter cycle by cycle once there is room for ``behind`` results."""
    passed = max(
        engine.taken[-1] + 1,
        _back(engine.passed, words) + interval,
        _back(engine.out, behind - words + 1) + 1,
    )
    for taken in engine.taken[-words:]:
        fetched = max(taken, _back(engine.fetched, 1), _back(engine.passed, FIFO_WORDS)) + 1
        engine.fetched.append(fetched)
        passed = max(passed, fetched + wait)
        engine.passed.append(passed)
        engine.entered.append(passed + 1)
        passed += 1
    return engine.entered[-words]


def _give(engine: _Engine, words: int, depth: int, wait: int, out: int, given: int) -> int:
    """Results on their way out of the super pipelines; gives the last word's cycle at the port."""
    for w in range(words):
        if _back(engine.read, depth) >= out + w:
            raise ParameterError("results leave too slowly for these frames: send fewer in a row")
        engine.given.append(out + w)
        read = max(engine.given[-1], _back(engine.read, 1), _back(engine.out, FIFO_WORDS)) + 1
        engine.read.append(read)
        given = max(read + wait, given + 1)
        engine.out.append(given)
    return given


def round_robin(design: EngineDesign, limbs: int, direction: str, times: int = 1) -> list[Frame]:
    """Frames of all limbs in turn, ``times`` times: limb l in engine l mod engines.

    Raises
    ------
    ParameterError
        If the engines have too few sets.
    """
    p = design.parameters
    if not 1 <= limbs <= p.engines * p.sets:
        raise ParameterError(
            f"limbs = {limbs} must be in 1 ... {p.engines * p.sets}: engines times sets"
        )
    return [Frame(*design.place(limb), direction) for limb in range(limbs)] * times


@dataclass(frozen=True)
class BatchPrediction:
    """A batch of frames: cycles from the first word in to the last one out, and the cores' share.

    ``busy``: butterflies done, of those that the cores could have done in these cycles.
    """

    cycles: int
    interval: int
    busy: float


def predict_batch(design: EngineDesign, limbs: int, direction: str = "forward") -> BatchPrediction:
    """All limbs of a ring once, and how far apart such batches are when they follow one another.

    Examples
    --------
    >>> from .engine import EngineParameters, plan_engines
    >>> p = EngineParameters(n=4096, bits=30, dp=4, pp=2, direction="forward")
    >>> predict_batch(plan_engines(p), 1)
    BatchPrediction(cycles=6181, interval=6144, busy=1.0)
    """
    p = design.parameters
    times = batch_times(design, round_robin(design, limbs, direction, 2))
    ends = [frame.last_out for frame in times[limbs - 1 :: limbs]]
    interval = ends[-1] - ends[-2]
    work = limbs * p.n // 2 * design.shape.parameters.log_n
    return BatchPrediction(
        ends[0] - times[0].first_in + 1,
        interval,
        work / (interval * p.engines * p.pp * p.dp // 2),
    )

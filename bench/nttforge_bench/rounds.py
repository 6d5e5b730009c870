# SPDX-License-Identifier: Apache-2.0
"""Programs in turns, round after round, with everything measured so far kept after each of them.

What ends a run early (an interrupt, ``kill``, a machine that goes away) costs at most the program
that was running: the caller's file holds all that came before, and of our own programs, which
write their rows as they come, the rows of the one that was cut off too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.console.output import duration
from nttforge.errors import FormatError, NttforgeError

from . import documents, programs


def can_pin() -> bool:
    """Whether a process can be kept on a CPU here."""
    return sys.platform == "linux"


@contextlib.contextmanager
def pinned(cpu: int | None) -> Iterator[None]:
    """Programs started inside run on one CPU; None, and systems that cannot: on all of them."""
    if sys.platform != "linux" or cpu is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass(frozen=True)
class Step:
    """One program of a round.

    Attributes
    ----------
    name : str
        Of the step and its raw documents.
    program : Path
    words : list of str
        Its options.
    ours : bool
        A failure of ours is an error; a peer's is left out.
    core : int or None
        Core to run on; None: any that this process may use.
    """

    name: str
    program: Path
    words: list[str]
    ours: bool
    core: int | None = None


@dataclass
class Progress:
    """What a run has measured so far.

    Attributes
    ----------
    documents : list of dict
        One for each program that ended, and for the one that was cut off; ``step`` is the name of
        its step.
    done, wanted : int
        Steps that ended (peers that failed among them), and how many make a complete run.
    interrupted : bool
    """

    documents: list[dict[str, Any]] = field(default_factory=list)
    done: int = 0
    wanted: int = 0
    interrupted: bool = False

    def mark(self, merged: dict[str, Any]) -> dict[str, Any]:
        """The same merged document, saying whether the run is complete."""
        merged["complete"] = self.done >= self.wanted
        merged["steps"] = {"done": self.done, "wanted": self.wanted}
        return merged


def measure(
    steps: Sequence[Step],
    raw: Path,
    keep: Callable[[Progress], None],
    rounds: int,
    budget_s: float | None = None,
) -> Progress:
    """Runs every step in turn, ``rounds`` times: :func:`measure_rounds` of equal rounds."""
    wanted = len(steps) * (rounds if budget_s is None else 1)
    return measure_rounds(repeat(steps, rounds), raw, keep, wanted, budget_s)


def measure_rounds(
    rounds: Iterable[Sequence[Step]],
    raw: Path,
    keep: Callable[[Progress], None],
    wanted: int,
    budget_s: float | None = None,
) -> Progress:
    """Runs the steps of each round.

    Parameters
    ----------
    rounds : iterable of sequences of Step
        Asked for the next round when the one before has ended, so that a round may depend on what
        was measured.
    raw : Path
        Folder for the programs' own documents, ``NAME.ROUND.json``.
    keep : callable
        Called after every step that gave figures, to write them down.
    wanted : int
        Steps that make a complete run.
    budget_s : float, optional
        Seconds after which no step begins, nor one that took longer before than what is left.

    Returns
    -------
    Progress
        ``interrupted`` if SIGINT or SIGTERM ended it; the running program ends too.

    Raises
    ------
    UnsupportedError, FormatError
        If a program of ours fails; what was measured before it has been kept.
    """
    progress = Progress(wanted=wanted)
    took: dict[str, float] = {}
    begin = time.monotonic()
    document, running = Path(), ""
    try:
        # SIGTERM means what Ctrl-C does, and both arrive in background jobs, which ignore SIGINT.
        with _processes.handling((signal.SIGINT, signal.SIGTERM), _raise):
            for number, steps in enumerate(rounds, 1):
                for step in steps:
                    left = None if budget_s is None else budget_s - (time.monotonic() - begin)
                    if left is not None and left <= took.get(step.name, 0.0):
                        print(f"\n# the budget ends in round {number}", flush=True)
                        return progress
                    print(f"\n# round {number}: {step.name}", flush=True)
                    started = time.monotonic()
                    document, running = raw / f"{step.name}.{number}.json", step.name
                    _run(step, document, progress)
                    progress.done += 1
                    if progress.documents:
                        keep(progress)
                    took[step.name] = time.monotonic() - started
                    print(f"# {step.name} took {duration(took[step.name])}", flush=True)
    except KeyboardInterrupt:
        progress.interrupted = True
        with contextlib.suppress(FormatError, OSError):
            cut_off = documents.load(document)
            if not cut_off.get("complete", True):
                progress.documents.append({**cut_off, "step": running})
    return progress


def _run(step: Step, document: Path, progress: Progress) -> None:
    with pinned(step.core):
        try:
            written = programs.run(step.program, step.words, document)
            progress.documents.append({**written, "step": step.name})
        except NttforgeError as error:
            if step.ours:
                raise
            print(f"left out: {error}", flush=True)


def _raise(*_: object) -> None:
    raise KeyboardInterrupt

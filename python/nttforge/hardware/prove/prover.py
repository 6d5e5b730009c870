# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs, and with their faults put in, to see them fail."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..._parallel import run_parallel
from ...errors import ParameterError
from ..emit.files import write_design
from ..emit.modules import general_modules, module_folder
from .folder import prove_folder
from .smt import find_counterexample, read_model
from .theorem import Fault, Theorem
from .theorems import theorems


@dataclass(frozen=True)
class Verdict:
    """What came of a theorem; ``counterexample`` is empty where it holds.

    ``faults`` says for each seeded fault whether its proof failed, as it must.
    """

    name: str
    statement: str
    proved: bool
    counterexample: str
    faults: dict[str, bool]
    seconds: float

    @property
    def passed(self) -> bool:
        return self.proved and all(self.faults.values())


def select(words: Iterable[str] = (), quick: bool = False) -> list[Theorem]:
    """The theorems whose names hold one of ``words`` (all without any), the quick ones on request.

    Raises
    ------
    ParameterError
        If there is none.
    """
    words = list(words)
    found = [
        t
        for t in theorems()
        if (not words or any(w in t.name for w in words)) and (t.quick or not quick)
    ]
    if not found:
        raise ParameterError(
            f"no theorem has {' or '.join(map(repr, words))} in its name: see --list"
        )
    return found


def prove(
    chosen: Iterable[Theorem], faults: bool = True, jobs: int = 1, title: str = ""
) -> list[Verdict]:
    """Proves every theorem; with ``faults`` also refutes it with each of its faults put in.

    Parameters
    ----------
    chosen : iterable of Theorem
    faults : bool
    jobs : int
        Processes; proofs and refutations run independently.
    title : str
        Of the progress on standard error, none if empty.

    Raises
    ------
    UnsupportedError
        If Yosys (pyosys) or Bitwuzla is missing.
    """
    theorems = list(chosen)
    attempts = [(t, f) for t in theorems for f in (None, *(t.faults if faults else ()))]
    # Long proofs come first, so that none is left alone at the end.
    attempts.sort(key=lambda item: (item[0].quick, item[1] is not None))
    said: dict[tuple[str, str], tuple[str, float]] = {}
    for item, result in run_parallel(_timed_attempt, attempts, jobs, title, _attempt_name):
        said[_key(*item)] = result
    verdicts = []
    for t in theorems:
        counterexample, seconds = said[_key(t, None)]
        refuted = {f.name: said[_key(t, f)] for f in t.faults} if faults else {}
        found = {name: bool(trace) for name, (trace, _) in refuted.items()}
        seconds += sum(spent for _, spent in refuted.values())
        verdicts.append(
            Verdict(
                t.name, t.statement, not counterexample, counterexample, found, round(seconds, 1)
            )
        )
    return verdicts


def _key(theorem: Theorem, fault: Fault | None) -> tuple[str, str]:
    return theorem.name, fault.name if fault else ""


def _attempt_name(item: tuple[Theorem, Fault | None]) -> str:
    theorem, fault = item
    return f"{theorem.name}: {fault.name}" if fault else theorem.name


def _timed_attempt(item: tuple[Theorem, Fault | None]) -> tuple[str, float]:
    start = time.perf_counter()
    return _attempt(*item), time.perf_counter() - start


def _attempt(theorem: Theorem, fault: Fault | None = None) -> str:
    """The counterexample, or nothing."""
    if not theorem.top:
        return _attempt_folder(_with_fault(theorem.sources, fault) if fault else theorem.sources)
    sources = {p.name: p.read_text() for p in general_modules()}
    wrapper = module_folder("formal") / f"{theorem.top}.sv"
    if wrapper.is_file():
        sources[wrapper.name] = wrapper.read_text()
    sources |= theorem.sources
    if fault is not None:
        theorem = replace(theorem, parameters={**theorem.parameters, **fault.parameters})
        sources = _with_fault(sources, fault)
    model = read_model(
        theorem.top,
        sources,
        theorem.parameters,
        theorem.cut,
        theorem.links.values(),
        theorem.registers,
    )
    return str(find_counterexample(model, theorem.cycles, theorem.links) or "")


def _attempt_folder(files: dict[str, str]) -> str:
    """What is wrong in a design with these files."""
    with tempfile.TemporaryDirectory() as folder:
        write_design(files, Path(folder))
        findings = prove_folder(Path(folder))
    return "\n".join(f"{f.name}: {problem}" for f in findings for problem in f.problems)


def _with_fault(sources: dict[str, str], fault: Fault) -> dict[str, str]:
    if not fault.file:
        return sources
    text = sources[fault.file]
    if fault.old not in text:
        raise ParameterError(f"fault {fault.name!r}: {fault.file} has no {fault.old!r} to change")
    return sources | {fault.file: text.replace(fault.old, fault.new)}

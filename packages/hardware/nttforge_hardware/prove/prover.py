# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs, and with their faults put in, to see them fail."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from nttforge.errors import ParameterError

from .._parallel import run_parallel
from ..emit.files import write_design
from ..emit.modules import general_modules, module_folder, reached
from .folder import prove_folder
from .smt import find_counterexample, read_model
from .theorem import Fault, Theorem
from .theorems import theorems


@dataclass(frozen=True)
class Verdict:
    """What came of a theorem; ``counterexample`` is empty where it holds.

    ``faults`` says for each seeded fault whether its proof failed, as it must; ``read`` is the
    digest of the Verilog that was proved.
    """

    name: str
    statement: str
    proved: bool
    counterexample: str
    faults: dict[str, bool]
    seconds: float
    read: str

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
        holds = not counterexample
        time_s, read = round(seconds, 1), theorem_digest(t)
        verdicts.append(Verdict(t.name, t.statement, holds, counterexample, found, time_s, read))
    return verdicts


def theorem_digest(theorem: Theorem) -> str:
    """Digest of a theorem, its faults and what is read for it: no comments, no modules beside."""
    texts = _sources(theorem)
    read = reached([theorem.top], texts) if theorem.top else sorted(texts)
    code = {name: _code(name, texts[name]) for name in read if name.endswith((".sv", ".hex", ".h"))}
    rest = asdict(replace(theorem, sources={}, quick=False))
    return hashlib.sha256(json.dumps([sorted(code.items()), rest]).encode()).hexdigest()[:16]


def _code(name: str, text: str) -> str:
    return text if name.endswith(".hex") else re.sub(r"\s*//.*", "", text)


@cache
def _hand_written(top: str) -> dict[str, str]:
    """The modules of hardware/rtl, and the one of hardware/formal that states a theorem."""
    wrapper = module_folder("formal") / f"{top}.sv"
    paths = [*general_modules(), *([wrapper] if wrapper.is_file() else [])]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def _sources(theorem: Theorem) -> dict[str, str]:
    """What there is to read for a theorem; its own sources take the place of others."""
    return _hand_written(theorem.top) | theorem.sources if theorem.top else theorem.sources


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
    sources = _sources(theorem)
    if not theorem.top:
        return _attempt_folder(_with_fault(sources, fault) if fault else sources)
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

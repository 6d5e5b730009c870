# SPDX-License-Identifier: Apache-2.0
"""Runs named commands side by side, with logs, progress, and a record from which to go on later."""

from __future__ import annotations

import fnmatch
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TAIL = 25  # lines of a failed command's log that are shown


@dataclass(frozen=True)
class Step:
    """A command. It waits for the steps named in ``after`` and is left out if one of them failed.

    ``cores``: how many of the runner's it takes. With ``forbidden`` in its output it has failed.
    """

    name: str
    command: Sequence[object]
    after: tuple[str, ...] = ()
    cores: int = 1
    forbidden: str = ""
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    state: str  # ok, FAILED, skipped
    seconds: float = 0
    remark: str = ""

    @property
    def text(self) -> str:
        parts = [self.state, *([f"{self.seconds:.1f} s"] if self.seconds else []), self.remark]
        return ", ".join(part for part in parts if part)


class Runner:
    """Runs steps on so many cores. ``folder`` holds a log for each and ``record.json``."""

    def __init__(self, folder: Path, cwd: Path, cores: int, limit: float) -> None:
        self.folder, self.cwd, self.cores, self.limit = folder, cwd, cores, limit
        self.outcomes: dict[str, Outcome] = {}
        self.start = time.perf_counter()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopping = False
        folder.mkdir(parents=True, exist_ok=True)

    def skip(self, name: str, why: str) -> None:
        self.outcomes[name] = Outcome("skipped", remark=why)

    def run(self, steps: Sequence[Step], environment: dict[str, str], total: int) -> None:
        """Every step; those that are first in the list start first. ``total`` is for progress."""
        waiting = list(steps)
        free = self.cores
        active: dict[Future[Outcome], Step] = {}
        try:
            with ThreadPoolExecutor(max_workers=self.cores) as pool:
                try:
                    while waiting or active:
                        for step in list(waiting):
                            ready = self._ready(step, [*waiting, *active.values()])
                            if ready is None:
                                waiting.remove(step)
                            elif ready and min(step.cores, self.cores) <= free:
                                waiting.remove(step)
                                free -= min(step.cores, self.cores)
                                active[pool.submit(self._one, step, environment)] = step
                        if not active:
                            continue
                        done, _ = wait(active, return_when=FIRST_COMPLETED)
                        for future in done:
                            step = active.pop(future)
                            free += min(step.cores, self.cores)
                            self._finish(step, future.result(), total)
                except BaseException:
                    self._stop()
                    raise
        finally:
            for step in waiting:
                self.outcomes.setdefault(step.name, Outcome("skipped", remark="not begun"))

    def _ready(self, step: Step, open_steps: list[Step]) -> bool | None:
        """None: it never will be."""
        for name in step.after:
            outcome = self.outcomes.get(name)
            if outcome is not None and outcome.state != "ok":
                self.skip(step.name, f"needs '{name}'")
                return None
            if any(other.name == name for other in open_steps):
                return False
        return True

    def _one(self, step: Step, environment: dict[str, str]) -> Outcome:
        start = time.perf_counter()
        with self.log_of(step.name).open("wb") as log:
            try:
                process = subprocess.Popen(
                    [str(word) for word in step.command],
                    cwd=self.cwd,
                    env=environment | step.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # so that all of it can be ended
                )
            except OSError as error:
                return Outcome("FAILED", remark=f"{step.command[0]}: {error.strerror}")
            with self._lock:
                self._running.add(process)
            try:
                code = process.wait(self.limit)
                remark = "" if code == 0 else f"exit status {code}"
            except subprocess.TimeoutExpired:
                _end(process)
                code, remark = 1, f"ended after its limit of {self.limit:.0f} s"
            finally:
                with self._lock:
                    self._running.discard(process)
        if step.forbidden and step.forbidden in self.log_of(step.name).read_text(errors="replace"):
            code, remark = 1, f"'{step.forbidden}' in its output"
        if self._stopping:
            return Outcome("skipped", time.perf_counter() - start, "interrupted")
        return Outcome("FAILED" if code else "ok", time.perf_counter() - start, remark)

    def _finish(self, step: Step, outcome: Outcome, total: int) -> None:
        self.outcomes[step.name] = outcome
        now = time.perf_counter() - self.start
        ended = sum(o.state != "skipped" for o in self.outcomes.values())
        count = f"{ended:{len(str(total))}}/{total}"
        print(f"[{now:5.0f} s] {count} {step.name}: {outcome.text}", flush=True)
        if outcome.state == "FAILED" and self.log_of(step.name).exists():
            lines = self.log_of(step.name).read_text(errors="replace").splitlines()
            print("\n".join(f"    {line}" for line in lines[-TAIL:]), flush=True)

    def _stop(self) -> None:
        self._stopping = True
        with self._lock:
            running = list(self._running)
        for process in running:
            _end(process)

    def log_of(self, name: str) -> Path:
        return self.folder / ("".join(c if c.isalnum() else "_" for c in name) + ".log")

    def report(self, names: Sequence[str]) -> int:
        """Prints what happened to each step; 0 if none failed."""
        width = max((len(name) for name in names), default=0)
        print()
        for name in names:
            if name in self.outcomes:
                print(f"{name.ljust(width)}  {self.outcomes[name].text}")
        failed = [n for n, o in self.outcomes.items() if o.state == "FAILED"]
        ok = sum(o.state == "ok" for o in self.outcomes.values())
        skipped = len(self.outcomes) - ok - len(failed)
        seconds = time.perf_counter() - self.start
        print(f"\n{ok} ok, {len(failed)} failed, {skipped} skipped; {seconds:.0f} s")
        if failed:
            print(f"logs: {self.folder}")
        return int(bool(failed))

    def remember(self, fingerprints: Mapping[str, str]) -> None:
        """Keep which of these steps were ok, by the digest of what each of them runs."""
        kept = self._record()
        kept |= {
            name: mark
            for name, mark in fingerprints.items()
            if name in self.outcomes and self.outcomes[name].state == "ok"
        }
        text = json.dumps({"ok": dict(sorted(kept.items()))}, indent=1)
        (self.folder / "record.json").write_text(text, encoding="utf-8")

    def remembered(self, fingerprints: Mapping[str, str]) -> set[str]:
        """Steps that were ok before with the same digest."""
        kept = self._record()
        return {name for name, mark in fingerprints.items() if kept.get(name) == mark}

    def _record(self) -> dict[str, str]:
        try:
            record: dict[str, Any] = json.loads((self.folder / "record.json").read_text("utf-8"))
            return dict(record["ok"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(5)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def chosen(steps: Sequence[Step], only: Sequence[str], skip: Sequence[str]) -> list[Step]:
    """Steps whose names contain (or match, with * and ?) one of ``only`` and none of ``skip``,
    and those that they need."""

    def matches(name: str, patterns: Sequence[str]) -> bool:
        return any(p in name or fnmatch.fnmatch(name, p) for p in patterns)

    names = {
        step.name
        for step in steps
        if (not only or matches(step.name, only)) and not matches(step.name, skip)
    }
    needed = {name for step in steps if step.name in names for name in step.after}
    while needed - names:
        names |= needed
        needed = {name for step in steps if step.name in names for name in step.after}
    return [step for step in steps if step.name in names]

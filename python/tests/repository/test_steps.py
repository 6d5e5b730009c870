# SPDX-License-Identifier: Apache-2.0
"""tools/steps.py, which runs the steps of ``make gpu-test``."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).resolve().parents[3] / "tools"
SPEC = importlib.util.spec_from_file_location("steps", TOOLS / "steps.py")
assert SPEC is not None and SPEC.loader is not None
steps = importlib.util.module_from_spec(SPEC)
sys.modules["steps"] = steps  # dataclasses look their module up
SPEC.loader.exec_module(steps)


def shell(name: str, text: str, **keywords: Any) -> Any:
    return steps.Step(name, ["sh", "-c", text], **keywords)


def run(folder: Path, *given: Any, cores: int = 2, limit: float = 20) -> Any:
    runner = steps.Runner(folder / "logs", folder, cores, limit)
    runner.run(given, dict(os.environ), len(given))
    return runner


def states(runner: Any) -> dict[str, str]:
    return {name: outcome.state for name, outcome in runner.outcomes.items()}


def test_steps_wait_for_others_and_are_left_out_after_failures(tmp_path: Path) -> None:
    runner = run(
        tmp_path,
        shell("last", "cat made", after=("first",)),
        shell("first", "sleep 0.1; echo x > made"),
        shell("bad", "echo why; exit 3"),
        shell("never", "true", after=("bad",)),
    )
    assert states(runner) == {"first": "ok", "last": "ok", "bad": "FAILED", "never": "skipped"}
    assert runner.outcomes["bad"].remark == "exit status 3"
    assert runner.outcomes["never"].remark == "needs 'bad'"
    assert runner.log_of("bad").read_text() == "why\n"
    assert runner.report(["bad"]) == 1


def test_what_fails_a_step(tmp_path: Path) -> None:
    runner = run(
        tmp_path,
        shell("long", "sleep 60 & sleep 60", cores=9),
        shell("word", "echo a leaked word", forbidden="leaked"),
        steps.Step("no program", [tmp_path / "nothing"]),
        limit=0.5,
    )
    assert set(states(runner).values()) == {"FAILED"}
    assert runner.outcomes["long"].remark.startswith("ended after its limit")
    assert runner.outcomes["word"].remark == "'leaked' in its output"
    assert "No such file" in runner.outcomes["no program"].remark


def test_steps_run_side_by_side_within_the_cores(tmp_path: Path) -> None:
    text = "mkdir one || exit 1; sleep 0.2; rmdir one"
    assert states(
        run(tmp_path, *(shell(str(i), text, cores=2) for i in range(3)))
    ) == dict.fromkeys("012", "ok")
    meet = (
        "touch {0}; for i in 1 2 3 4 5 6 7 8 9; do test -e {1} && exit 0; sleep 0.5; done; exit 1"
    )
    both = (shell("a", meet.format("a", "b")), shell("b", meet.format("b", "a")))
    assert states(run(tmp_path, *both)) == {"a": "ok", "b": "ok"}


def test_a_record_names_what_was_ok(tmp_path: Path) -> None:
    given = (shell("good", "true"), shell("bad", "false"))
    runner = run(tmp_path, *given)
    marks = {"good": "mark", "bad": "mark"}
    assert runner.remembered(marks) == set()
    runner.remember(marks)
    assert runner.remembered(marks) == {"good"}
    assert runner.remembered({"good": "other"}) == set()
    other = run(tmp_path, shell("later", "true"))
    other.remember({"later": "mark"})
    assert other.remembered(marks | {"later": "mark"}) == {"good", "later"}
    (tmp_path / "logs/record.json").write_text("[]")
    assert other.remembered(marks) == set()


def test_an_interrupt_ends_what_runs(tmp_path: Path) -> None:
    code = (
        f"import signal, sys; sys.path.insert(0, {str(TOOLS)!r})\n"
        "from steps import *\n"
        # Shells start background jobs with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"runner = Runner(Path({str(tmp_path)!r}), Path({str(tmp_path)!r}), 2, 60)\n"
        "sleep = [Step(n, ['sh', '-c', 'echo $$ > pid' + n + '; sleep 60']) for n in '12']\n"
        "try:\n    runner.run([*sleep, Step('3', ['true'])], dict(os.environ), 3)\n"
        "except KeyboardInterrupt:\n    print({n: o.text for n, o in runner.outcomes.items()})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [tmp_path / "pid1", tmp_path / "pid2"]
    deadline = time.monotonic() + 20
    while not all(p.exists() and p.read_text() for p in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert "'3': 'skipped, not begun'" in out
    for path in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)


def test_choosing() -> None:
    given = [shell(name, "true") for name in ("racecheck, 30 bits", "memcheck, 30 bits", "C++")]
    given += [shell("build", "true"), shell("run", "true", after=("build",))]
    given += [shell("again", "true", after=("run",))]

    def names(only: list[str], skip: list[str]) -> list[str]:
        return [step.name for step in steps.chosen(given, only, skip)]

    assert names([], []) == [s.name for s in given]
    assert names(["race"], []) == ["racecheck, 30 bits"]
    assert names(["again"], []) == ["build", "run", "again"]
    assert names(["*30*"], ["memcheck"]) == ["racecheck, 30 bits"]

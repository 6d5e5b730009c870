# SPDX-License-Identifier: Apache-2.0
"""The command line without its usual streams, memory or optional packages; commands alone."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import nttforge
from nttforge.cli import main
from nttforge.console import output as printing

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("ntt --q 17 1 2 3 4 >&-", 2),
        ("bfv params --n 1024 >&-", 2),
        ("ntt --q 17 - <&-", 2),
        ("plan --n 64 --bits 20 --measure --budget 0.1 2>&-", 0),
    ],
)
def test_closed_descriptors(words: str, code: int) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m nttforge {words}"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert run.returncode == code and "Traceback" not in run.stderr


def test_no_memory_is_one_line(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(nttforge.NttPlan, "forward", fail)
    assert main(["ntt", "--q", "17", "1", "2"]) == 2
    assert capsys.readouterr().err == "nttforge: error: not enough memory: std::bad_alloc\n"


def test_interrupt_is_clean(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "nttforge", "demo", "--out", str(tmp_path / "out" / "demo")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run started in the background inherits an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "make keys" in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in errors and "interrupted" in errors
    left = list((tmp_path / "out").rglob("*")) if (tmp_path / "out").exists() else []
    assert left == []


def test_a_reader_that_goes_away() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "nttforge", "primes", "--bits", "40", "--count", "2000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141 and errors == b""


def test_sizes_and_durations() -> None:
    assert [printing.size(v) for v in (0, 999, 2048, 5 * 2**20, 3 * 2**30)] == [
        "0 B",
        "999 B",
        "2.0 KiB",
        "5.0 MiB",
        "3.0 GiB",
    ]
    assert printing.duration(1e-6) == "1 us" and printing.duration(61) == "61.00 s"
    assert printing.table(["a", "b"], [["x", 1], ["yy", 22]]) == "a    b\n--  --\nx    1\nyy  22"


def test_missing_demo_packages(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in [m for m in sys.modules if m.startswith("nttforge_demo.p")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(sys.modules.get("nttforge_demo", nttforge), "page", raising=False)
    assert main(["demo", "--out", str(tmp_path / "x")]) == 2
    printed = capsys.readouterr()
    assert (
        "pip install nttforge-demo (in a clone: pip install ./packages/he ./packages/demo)"
        in printed.err
    )
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "some"),
    [
        ([], ["demo", "rtl", "bench"]),
        (["rtl"], ["primes", "explore", "generate", "simulate", "prove", "report"]),
        (["he"], ["parameters", "keygen", "encrypt", "eval", "decrypt", "inspect"]),
        (["bench"], ["cpu", "gpu"]),
    ],
)
def test_a_command_alone_lists_its_commands(
    command: list[str], some: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    said = capsys.readouterr()
    *lines, last = said.err.splitlines()
    named = " ".join(["nttforge", *command])
    assert last == f"nttforge: error: {named} needs one of these commands; see {named} --help"
    assert all(re.fullmatch(r"  [a-z]+ +\S.*", line) for line in lines) and said.out == ""
    assert set(some) <= {line.split()[0] for line in lines}

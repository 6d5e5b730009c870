# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends long operations of the compiled core while they run; all is as before then."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import nttforge
from nttforge import bfv


class Stop(Exception):
    pass


@contextmanager
def signals_that_stop_at_the_third() -> Iterator[None]:
    """A handler runs once before and once after a call that does not look for signals, so that
    only a call that does can be ended by the third."""
    seen = 0

    def handler(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == 3:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stop

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _plan(n: int, bits: int, **options: Any) -> Callable[[], object]:
    prime = nttforge.ntt_primes(n, bits)
    return lambda: nttforge.NttPlan(n, prime * 3, **options)


CONTEXT = bfv.Context(bfv.Parameters.preset(4096), threads=1)
LONG_WORK: dict[str, Callable[[], object]] = {
    "primes": lambda: nttforge.ntt_primes(2**14, 62, 2**16),
    "tables": _plan(2**21, 60),
    "tables of a collected algorithm": _plan(2**21, 60, algorithm="stockham"),
    "keys": lambda: CONTEXT.generate_keys(rotations=range(1, 1000)),
}


@pytest.mark.parametrize("name", LONG_WORK)
def test_signals_end_long_work(name: str) -> None:
    with signals_that_stop_at_the_third(), pytest.raises(Stop):
        LONG_WORK[name]()
    assert CONTEXT.generate_keys(rotations=[1]).rotations is not None  # all is as before


def test_ctrl_c_ends_a_command() -> None:
    command = [sys.executable, "-u", "-m", "nttforge", "primes", "--bits", "62", "--count", "65536"]
    wait_for_start = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    )
    program = (
        f"{wait_for_start}print('ready', flush=True)\n"
        f"from nttforge.cli import main; sys.exit(main({command[4:]!r}))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=120)
    assert process.returncode in (130, -signal.SIGINT), errors  # or while Python still began
    assert out == ""

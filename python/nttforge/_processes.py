# SPDX-License-Identifier: Apache-2.0
"""Programs that are started: whoever ends this process also ends them, and what they began."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from ._system import interrupt_main_thread, own_group, signal_group

_PATIENCE = 1.0  # seconds in which an ended program may clean up
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_running: set[subprocess.Popen[Any]] = set()  # leaders of process groups, not yet waited for
_starting = 0  # programs between fork and their entry in _running
_counting = threading.RLock()  # the handler may interrupt its holder
_postponed: list[int] = []  # signals that came meanwhile
_in_worker = False


@contextlib.contextmanager
def started(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A program in a process group of its own, which ends with the block at the latest.

    ``options`` are those of :class:`subprocess.Popen`.
    """
    global _starting
    with ending_on_signals():
        with _counting:
            _starting += 1
        try:
            process = subprocess.Popen(command, **own_group(), **options)
            _running.add(process)
        finally:
            with _counting:
                _starting -= 1
                due = _postponed.pop() if _postponed and not _starting else None
            if due is not None:
                interrupt_main_thread(due)
        try:
            yield process
        finally:
            if process.poll() is None:
                _end([process])
            _running.discard(process)


def run(
    command: Sequence[str | Path], *, input: str | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """``subprocess.run(command, capture_output=True, text=True)``, by :func:`started`."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    pipes["stdin"] = subprocess.DEVNULL if input is None else subprocess.PIPE
    with started(command, **pipes, **options) as process:
        out, errors = process.communicate(input)
    return subprocess.CompletedProcess(process.args, process.returncode, out, errors)


@contextlib.contextmanager
def ending_on_signals() -> Iterator[None]:
    """Signals that end this process first end the programs it started, then raise.

    SIGTERM and SIGHUP raise SystemExit with code 128 + number, so that temporary folders go too;
    SIGINT raises KeyboardInterrupt. Handlers that somebody else installed, and ignored signals,
    are left as they are.
    """
    usual = (signal.SIG_DFL, signal.default_int_handler)
    with handling([n for n in _ENDING if signal.getsignal(n) in usual], _on_signal):
        yield


@contextlib.contextmanager
def handling(
    numbers: Iterable[int], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Signals go to ``handler`` within the block. Outside the main thread Python cannot do that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def begin_worker() -> None:
    """What a forked worker calls first: SIGTERM ends it at once, with the programs it started."""
    global _in_worker
    _in_worker = True
    _running.clear()  # those of the parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent, interrupted too, ends its workers
    for number in _ENDING[1:]:
        signal.signal(number, _on_signal)


def _on_signal(number: int, _: FrameType | None) -> None:
    with _counting:
        if _starting:
            _postponed.append(number)
            return
    _end(list(_running))
    if _in_worker:
        os._exit(128 + number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _end(processes: Sequence[subprocess.Popen[Any]]) -> None:
    for process in processes:
        signal_group(process, kill=False)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        signal_group(process, kill=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)

# SPDX-License-Identifier: Apache-2.0
"""What operating systems do differently; no other module of the package asks which one runs.

The C++ library has the same in ``nttforge/base/system/``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

#: Whether worker processes are copies of their parent. Elsewhere a fork is missing, or unsafe once
#: a system library has started threads, and workers import the package anew.
FORKS = sys.platform == "linux"


def worker_context() -> Any:
    """What :mod:`multiprocessing` begins worker processes by."""
    return multiprocessing.get_context("fork") if sys.platform == "linux" else fresh_context()


def fresh_context() -> Any:
    """The same for processes that have nothing of their parent's memory, on every system."""
    return multiprocessing.get_context("spawn")


def usable_cpus() -> tuple[int, ...]:
    """Numbers of the CPUs that this process may use."""
    if sys.platform == "linux":
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def peak_memory_bytes() -> int:
    """The most memory that this process has had; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def interrupt_main_thread(number: int) -> None:
    """Raises a signal in the main thread, whose waiting one raised in another would not end."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, number)


def own_group() -> dict[str, Any]:
    """Options of :class:`subprocess.Popen` for a program with a process group of its own."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def signal_group(process: subprocess.Popen[Any], *, kill: bool) -> None:
    """Asks a program of :func:`own_group` and all that it started to end, or kills what is left.

    Windows cannot ask: there the first call ends the program with its children at once.
    """
    if sys.platform == "win32":
        if not kill and process.poll() is None:
            words = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(words, capture_output=True, check=False)
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if kill else signal.SIGTERM)

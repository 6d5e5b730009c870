# SPDX-License-Identifier: Apache-2.0
"""Interrupting the process that tests run in."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """SIGINT reaches this process after so many seconds, also where background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)

# SPDX-License-Identifier: Apache-2.0
"""Progress in records with the rate: a bar on a terminal, lines a few seconds apart elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

_APART = 5.0


class Progress:
    """Counts records on standard error.

    Parameters
    ----------
    title : str
    total : int, optional
    """

    def __init__(self, title: str, total: int | None = None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._begun = self._said = time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=title, unit="rec", leave=False, unit_scale=True)

    def add(self, count: int, kept: bool = False) -> None:
        """So many more are done; ``kept``: they were done before, and tell nothing of the rate."""
        self._done += count
        if self._bar is not None:
            if kept:
                self._bar.initial += count
            self._bar.update(count)
            return
        now = time.monotonic()
        if now - self._said < _APART:
            return
        self._said = now
        rate = self._done / max(1e-9, now - self._begun)
        whole = "" if self._total is None else f"/{self._total}"
        left = "" if self._total is None else f", {(self._total - self._done) / rate:.0f} s left"
        print(
            f"{self._title}: {self._done}{whole}, {rate:.4g}/s{left}", file=sys.stderr, flush=True
        )

    def reached(self, count: int) -> None:
        """So many are done in all."""
        self.add(count - self._done)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()

# SPDX-License-Identifier: Apache-2.0
"""Independent pieces of work: where they are done, and their progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

#: What computes in place of this machine's processes: work and items to items with their results.
elsewhere: ContextVar[Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]] | None] = (
    ContextVar("nttforge-elsewhere", default=None)
)


def told(
    ended: Iterator[tuple[T, R]], count: int, title: str, name: Callable[[T], str]
) -> Iterator[tuple[T, R]]:
    """What ended, passed on with progress on standard error.

    With a ``title``: a bar with rate and remaining time on a terminal, lines a second apart
    elsewhere.
    """
    if title and sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(total=count, desc=title, leave=False, file=sys.stderr) as bar:
            for item, result in ended:
                bar.set_postfix_str(name(item))
                bar.update()
                yield item, result
        return
    start = time.perf_counter()
    said = start + 1  # nothing about what takes two seconds
    for done, (item, result) in enumerate(ended, 1):
        now = time.perf_counter()
        if title and (now - said > 1 or (done == count and now - start > 2)):
            said = now
            spent = time.perf_counter() - start
            left = spent / done * (count - done)
            print(
                f"{title}: {done}/{count}, {done / max(spent, 1e-9):.3g}/s, {left:.0f} s left, "
                f"{name(item)}",
                file=sys.stderr,
                flush=True,
            )
        yield item, result

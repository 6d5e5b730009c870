# SPDX-License-Identifier: Apache-2.0
"""Independent work in several processes, with progress."""

from __future__ import annotations

import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextvars import ContextVar
from typing import Any, TypeVar

from ._processes import begin_worker, ending_on_signals
from ._system import usable_cpus, worker_context
from .errors import ParameterError

T = TypeVar("T")
R = TypeVar("R")

#: What computes in place of this machine's processes: work and items to items with their results.
elsewhere: ContextVar[Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]] | None] = (
    ContextVar("nttforge-elsewhere", default=None)
)


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(usable_cpus())


def check_jobs(jobs: int, name: str = "jobs") -> int:
    """Raises ParameterError unless ``jobs`` processes can be meant."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= 1024:
        raise ParameterError(f"{name} = {jobs!r} must be in 1 ... 1024")
    return jobs


def run_parallel(
    work: Callable[[T], R],
    items: Sequence[T],
    jobs: int = 1,
    title: str = "",
    name: Callable[[T], str] = str,
) -> Iterator[tuple[T, R]]:
    """Every item with its result, in the order in which they end.

    Where :data:`elsewhere` is set that computes, however many ``jobs`` are asked for; else
    processes of this machine.

    Parameters
    ----------
    work : function of a module
        Items and results travel between processes.
    items : sequence
        Begun in this order.
    jobs : int
        Processes; with 1 all is done in this one.
    title : str
        Of the progress on standard error: a bar with rate and remaining time on a terminal, lines
        elsewhere, a second apart; none if empty.

    Raises
    ------
    ParameterError
        If ``jobs`` is not in 1 ... 1024. What ``work`` raises is passed on and ends the rest.
    """
    workers = elsewhere.get()
    if workers is not None and items:
        check_jobs(jobs)
        yield from told(workers(work, items), len(items), title, name)
        return
    if min(check_jobs(jobs), len(items)) <= 1:
        yield from told(((item, work(item)) for item in items), len(items), title, name)
        return
    context = worker_context()
    others = set(multiprocessing.active_children())
    with (
        ending_on_signals(),
        ProcessPoolExecutor(min(jobs, len(items)), context, initializer=begin_worker) as pool,
    ):
        with warnings.catch_warnings():
            # About threads of the parent: what is run here uses none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            waiting: dict[Future[R], T] = {pool.submit(work, item): item for item in items}
        try:
            results = ((waiting[f], f.result()) for f in as_completed(waiting))
            yield from told(results, len(items), title, name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()  # with the programs it started: begin_worker()
            raise


def told(
    ended: Iterator[tuple[T, R]], count: int, title: str, name: Callable[[T], str]
) -> Iterator[tuple[T, R]]:
    """What ended, passed on with progress on standard error: :func:`run_parallel`'s ``title``."""
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

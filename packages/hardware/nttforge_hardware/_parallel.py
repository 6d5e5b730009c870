# SPDX-License-Identifier: Apache-2.0
"""Independent work in several processes, with progress."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import TypeVar

from nttforge._parallel import elsewhere, told
from nttforge._processes import begin_worker, ending_on_signals
from nttforge._system import usable_cpus, worker_context
from nttforge.errors import ParameterError

T = TypeVar("T")
R = TypeVar("R")


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

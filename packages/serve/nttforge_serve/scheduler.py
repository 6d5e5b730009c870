# SPDX-License-Identifier: Apache-2.0
"""Requests in the order in which they are computed.

    session A  ●●●          a worker takes all of A's that wait, up to a batch,
    session B  ●     ──▶    the next one B's, then C's: no session waits for another's queue,
    session C  ●●           and nobody waits for a batch to fill

Batches form by themselves while workers are busy. There are as many places as the server states:
who finds none gets 429 with the seconds after which one will be free.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from .limits import Limits, Refused
from .sessions import Session

__all__ = ["Scheduler"]

#: Answers, or what is wrong, to bodies of one session; runs in a thread.
Compute = Callable[[Session, Sequence[bytes]], Sequence[Any]]
#: Told after each computation: session, requests in it, seconds.
Told = Callable[[Session, int, float], None]


@dataclass
class _Job:
    body: bytes
    answer: asyncio.Future[bytes]
    begun: float = field(default_factory=time.monotonic)


class Scheduler:
    """Computes requests in threads, several of a session at a time."""

    def __init__(self, limits: Limits, compute: Compute, told: Told) -> None:
        self._limits, self._compute, self._told = limits, compute, told
        self._waiting: OrderedDict[str, tuple[Session, deque[_Job]]] = OrderedDict()
        self._wake = asyncio.Condition()
        self._threads = ThreadPoolExecutor(limits.workers, "nttforge-serve")
        self._tasks: list[asyncio.Task[None]] = []
        self._seconds = 0.05  # of a request, lately
        self.places = 0  #: taken by requests that are read, wait or are computed
        self.closing = False

    def start(self) -> None:
        """Begins to compute; called in the loop."""
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._limits.workers)]

    async def stop(self) -> None:
        """Ends when what waits has been computed."""
        self.closing = True
        async with self._wake:
            self._wake.notify_all()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown()

    def take_place(self, session: Session) -> None:
        """Takes a place for a request, before any of its body is read.

        Raises
        ------
        Refused
            429: none is free; 503: the server ends.
        """
        if self.closing:
            raise Refused(503, "ending", "the server ends: try again in a moment", 5)
        if self.places >= self._limits.requests:
            seconds = self.places * self._seconds / self._limits.workers
            raise Refused(
                429,
                "busy",
                f"{self.places} requests are at work, which is the most: try again later",
                min(60, max(1, math.ceil(seconds))),
            )
        self.places += 1
        session.waiting += 1

    def free_place(self, session: Session) -> None:
        """Gives it back."""
        self.places -= 1
        session.waiting -= 1

    async def run(self, session: Session, body: bytes) -> bytes:
        """The answer to a request.

        Raises
        ------
        Refused
            503 if it waits longer than the server allows.
        Exception
            What is wrong with the request.
        """
        job = _Job(body, asyncio.get_running_loop().create_future())
        async with self._wake:
            known = self._waiting.setdefault(session.number, (session, deque()))
            known[1].append(job)
            self._wake.notify()
        try:
            return await asyncio.wait_for(job.answer, self._limits.request_seconds)
        except asyncio.TimeoutError:
            raise Refused(503, "too_slow", "the request waited too long: try again", 5) from None

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            async with self._wake:
                while not self._waiting and not self.closing:
                    await self._wake.wait()
                if not self._waiting:
                    return
                session, jobs = self._next()
            if not jobs:
                continue
            begun = time.monotonic()
            bodies = [job.body for job in jobs]
            try:
                answers = await loop.run_in_executor(self._threads, self._compute, session, bodies)
            except BaseException as error:  # of the whole batch: an answer to each
                answers = [error] * len(jobs)
                if isinstance(error, asyncio.CancelledError):
                    raise
            spent = time.monotonic() - begun
            self._seconds += 0.1 * (spent / len(jobs) - self._seconds)
            self._told(session, len(jobs), spent)
            for job, answer in zip(jobs, answers, strict=True):
                if job.answer.done():
                    continue
                if isinstance(answer, BaseException):
                    job.answer.set_exception(answer)
                else:
                    job.answer.set_result(answer)

    def _next(self) -> tuple[Session, list[_Job]]:
        """A batch of the session that has waited longest; what is left of it goes to the end."""
        number, (session, queue) = self._waiting.popitem(last=False)
        jobs: list[_Job] = []
        while queue and len(jobs) < self._limits.batch:
            job = queue.popleft()
            if not job.answer.done():  # else nobody waits any more
                jobs.append(job)
        if queue:
            self._waiting[number] = (session, queue)
        return session, jobs

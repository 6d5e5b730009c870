# SPDX-License-Identifier: Apache-2.0
"""Who gives out the tasks of a job: a bounded number at a time, tried again or reported.

trouble of a task          what is done
another version            that worker is left out, the task goes to others
no access to keys, input   that worker is left out, the task goes to others
damaged partition          read once more, then reported; all other partitions are computed
full disk, lack of memory  tried again twice, then no task is begun, and it is reported
a mistake in computing     no task is begun any more, and it is reported
a worker that is gone      the task is given to another one, up to 10 times
an answer that is none     the task is given out again twice, then reported
a scheduler that is gone   reported; what was written stays
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nttforge.errors import ClusterError, FormatError, ParameterError

from .answers import checked_numbers, checked_outcome, plain_text
from .memory import MemoryPlan, memory_plan
from .scheduler import begin_dask, ended, workers_of
from .schemes import parameters_of
from .work import VERSION, Job, Task, facts, run_task

#: Tasks given out for each thread of the workers: one that runs and one that waits.
IN_FLIGHT_PER_THREAD = 2
_ATTEMPTS = {"damaged": 2, "disk": 3, "memory": 3, "compute": 1, "lost": 10, "answer": 3}
_ELSEWHERE = ("version", "keys", "input")
_PATIENCE = 180.0  # seconds without any worker
_MOST_NAMED = 5
_SCHEDULER_LOST = (
    "the connection to the scheduler is lost: what was written stays; look whether the scheduler "
    "lives and can be reached, and run the same again"
)
REMEDIES = {
    "version": "install the same release of nttforge on all workers",
    "keys": "mount the folder of keys on the worker, or give an address that it can read",
    "input": "mount the dataset on the worker, or give an address that it can read",
    "damaged": "fetch the partition again, or encrypt it again; the others are done",
    "disk": "free space or mend access there, and run the same again: it goes on where it stopped",
    "memory": "give a smaller --memory, or fewer workers on that machine, and run the same again",
    "compute": "mend the computation or its parameters, and run the same again",
    "lost": "look into the worker's log, for lack of memory first, and run the same again",
    "answer": "look who runs the workers: one of them does not run nttforge",
}


@dataclass
class _State:
    waiting: deque[Task]
    attempts: dict[tuple[str, str], int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)  # workers by address, and why
    failed: list[str] = field(default_factory=list)
    stopped: bool = False

    def again(self, task: Task, kind: str, text: str) -> None:
        """Puts a task that failed back, or reports it."""
        key = (task.name, kind)
        self.attempts[key] = self.attempts.get(key, 0) + 1
        if kind in _ELSEWHERE or self.attempts[key] < _ATTEMPTS[kind]:
            self.waiting.append(task)
            return
        self.failed.append(f"{task.name}: {text}; {REMEDIES[kind]}")
        if kind != "damaged":
            self.stopped = True
            self.waiting.clear()


@dataclass(frozen=True)
class Direct:
    """Tasks given out by this process.

    Parameters
    ----------
    client : distributed.Client or None
        Whose workers compute; None: this process, one task after the other.

    Raises
    ------
    UnsupportedError
        With a client, where this process has, or had, a secret key.
    """

    client: Any

    def __post_init__(self) -> None:
        if self.client is not None:
            begin_dask("a client of Dask")

    def plan(
        self, device: str, parameters: bytes, rotations: int, relinearization: bool, limit: int
    ) -> MemoryPlan:
        """The plan of the worker with the least room, as :func:`.memory.memory_plan`."""
        own = parameters_of(parameters)
        if self.client is None:
            return memory_plan(own, rotations, relinearization, device, limit)
        asked = (device, parameters, rotations, relinearization, limit)
        said = self.client.run(facts, *asked, on_error="ignore")  # of a worker that dies meanwhile
        answers = [a for a in said.values() if isinstance(a, dict)]
        plans = [
            _plan_of(a["plan"]) for a in answers if a.get("version") == VERSION and "plan" in a
        ]
        if not plans:
            errors = [plain_text(a["error"]) for a in answers if "error" in a]
            if errors:
                raise ParameterError(f"device = {device!r} of the workers: {errors[0]}")
            return memory_plan(own, rotations, relinearization, "cpu", limit)
        return min(plans, key=lambda plan: plan.at_once)

    def run_job(
        self,
        job: Job,
        tasks: Sequence[Task],
        said: Callable[[dict[str, Any]], None] = lambda outcome: None,
        in_flight: int = 0,
    ) -> dict[str, dict[str, Any]]:
        """Runs all tasks and returns what each said, by name.

        Parameters
        ----------
        job : Job
        tasks : sequence of Task
        said : callable
            Called with the outcome of each task that has ended.
        in_flight : int
            Most tasks given out at a time; 0: two for each thread of the workers.

        Raises
        ------
        ClusterError
            Names the partitions that are not done, the workers and the remedies. All others are
            done.
        """
        client, state = self.client, _State(deque(tasks))
        done: dict[str, dict[str, Any]] = {}
        outcomes = _here(job, state) if client is None else _spread(client, job, state, in_flight)
        for task, outcome in outcomes:
            if "trouble" in outcome:
                _judge(state, task, outcome, client)
                continue
            done[task.name] = outcome
            said(outcome)
        if state.failed:
            named = "; ".join(state.failed[:_MOST_NAMED])
            more = len(state.failed) - _MOST_NAMED
            rest = f"; and {more} more" if more > 0 else ""
            raise ClusterError(f"{len(done)} of {len(tasks)} partitions are done. {named}{rest}")
        return done


def _plan_of(said: object) -> MemoryPlan:
    """The plan that a worker stated, or that somebody stated for it."""
    try:
        return MemoryPlan(**checked_numbers(said, ("keys", "ciphertext", "at_once")))
    except FormatError as error:
        raise ClusterError(f"a worker's plan of its memory is none: {error}") from None


def _judge(state: _State, task: Task, outcome: dict[str, Any], client: Any) -> None:
    kind, worker = outcome["trouble"], outcome["worker"]
    text = f"{outcome['text']} (worker {worker})"
    if kind in _ELSEWHERE:
        state.left_out[worker.split(" ")[0]] = f"{text}; {REMEDIES[kind]}"
        if client is None:
            state.stopped = True
            state.failed.append(f"{task.name}: {text}; {REMEDIES[kind]}")
            state.waiting.clear()
            return
    state.again(task, kind, text)


def _here(job: Job, state: _State) -> Iterator[tuple[Task, dict[str, Any]]]:
    while state.waiting:
        task = state.waiting.popleft()
        yield task, run_task(job, task)


def _spread(
    client: Any, job: Job, state: _State, in_flight: int
) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Outcomes of tasks on the workers, as they end."""
    running: dict[Any, Task] = {}
    idle_since = time.monotonic()
    count = 0
    try:
        while state.waiting or running:
            usable = _usable(client, state)
            threads = sum(int(w["nthreads"]) for w in usable.values())
            most = in_flight or IN_FLIGHT_PER_THREAD * threads
            while usable and state.waiting and len(running) < most:
                task = state.waiting.popleft()
                count += 1
                where = {"workers": list(usable)} if state.left_out else {}
                future = client.submit(
                    run_task,
                    job,
                    task,
                    key=f"{task.name}-{job.digest[:12]}-{count}",
                    pure=False,
                    **where,
                )
                running[future] = task
            if usable:
                idle_since = time.monotonic()
            elif not running or time.monotonic() - idle_since > _PATIENCE:
                _require_workers(client, state, idle_since)
            if not running:
                time.sleep(0.1)
                continue
            for future in ended(client, list(running)):
                task = running.pop(future)
                yield task, _outcome(client, future, task)
                future.release()
    finally:
        if running and client.status == "running":
            client.cancel(list(running), force=True)


def _usable(client: Any, state: _State) -> dict[str, Any]:
    if client.status == "running":
        try:
            return {a: w for a, w in workers_of(client).items() if a not in state.left_out}
        except (OSError, RuntimeError, TimeoutError):
            pass
    raise ClusterError(_SCHEDULER_LOST)


def _require_workers(client: Any, state: _State, since: float) -> None:
    """Raises if no worker can be used: at once where all were left out, else after a while."""
    present = workers_of(client)
    if present and state.left_out:
        named = "; ".join(list(state.left_out.values())[:_MOST_NAMED])
        waiting = state.waiting[0].name if state.waiting else "a partition"
        raise ClusterError(f"no worker can compute {waiting}: {named}")
    if time.monotonic() - since > _PATIENCE:
        raise ClusterError(
            f"the scheduler has had no worker for {_PATIENCE:g} s: start some, with dask worker "
            "ADDRESS --nthreads 1, and run the same again"
        )


def _outcome(client: Any, future: Any, task: Task) -> dict[str, Any]:
    """What a task returned, or that its worker or the connection is gone."""
    if future.status == "finished":
        try:
            return checked_outcome(future.result(timeout=60), task.name)
        except FormatError as error:
            return {"trouble": "answer", "worker": "?", "text": str(error)}
        except Exception as error:  # the worker is gone that held the result
            return _trouble("lost", error)
    if future.status == "error":
        failure = future.exception(timeout=60)
        if type(failure).__name__ in ("ModuleNotFoundError", "ImportError", "AttributeError"):
            return _trouble("compute", failure, "a worker cannot load the task: ")
        return _trouble("lost", failure)
    if client.status != "running":
        raise ClusterError(_SCHEDULER_LOST)
    return {"trouble": "lost", "worker": "?", "text": f"the task was {future.status}"}


def _trouble(kind: str, error: object, before: str = "") -> dict[str, Any]:
    text = plain_text(f"{before}{type(error).__name__}: {error}")
    return {"trouble": kind, "worker": "?", "text": text}

# SPDX-License-Identifier: Apache-2.0
"""Workers from the side of a process that may hold a secret key: it never speaks to Dask.

:func:`local_workers` and :func:`connected` start a coordinator, a process without secrets that does
(``coordinator.py``). Requests go there and lines of JSON come back, each of bounded length and with
every field checked; partitions are exchanged as files. Nothing that workers say is unpickled here.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import IO, Any

from nttforge import errors
from nttforge._processes import started
from nttforge.errors import ClusterError, FormatError, NttforgeError, ParameterError

from .answers import checked_numbers, checked_outcome, plain_text
from .coordinator import line_of
from .memory import MemoryPlan
from .scheduler import Certificates, check_address
from .work import Job, Task

MOST_WORKERS = 1024
_MOST_LINE = 2**16
_ENDING = 30.0  # seconds in which workers may end
_PROGRAM = (
    "import sys; del sys.path[0]; import json; "
    "sys.path[:] = json.loads(open(0, 'rb', buffering=0, closefd=False).readline()); "
    "from nttforge_cluster.coordinator import main; sys.exit(main())"
)


class Workers:
    """Workers of a scheduler, to which a process of its own speaks.

    Made by :func:`local_workers` and :func:`connected`; given as ``client=`` to
    :meth:`Computation.persist` and :meth:`Computation.reduce`.

    Attributes
    ----------
    address : str
        Of the scheduler.
    count : int
        Workers there were at the beginning.
    dashboard : str
        Address of the scheduler's pages; "" where there are none.
    """

    def __init__(self, process: subprocess.Popen[bytes], begin: dict[str, Any]) -> None:
        self._process = process
        self._lost = False
        ready = self._said(self._asked(begin), "ready")
        self.count = checked_numbers({"workers": ready.get("workers")}, ("workers",))["workers"]
        self.address, self.dashboard = (
            plain_text(ready.get(field) or "") for field in ("address", "dashboard")
        )

    def plan(
        self, device: str, parameters: bytes, rotations: int, relinearization: bool, limit: int
    ) -> MemoryPlan:
        """The plan of the worker with the least room, as :func:`memory_plan`."""
        asked = {
            "device": device,
            "parameters": parameters,
            "rotations": rotations,
            "relinearization": relinearization,
            "limit": limit,
        }
        said = self._said(self._asked({"plan": asked}), "plan")
        return MemoryPlan(**checked_numbers(said, ("keys", "ciphertext", "at_once")))

    def run_job(
        self,
        job: Job,
        tasks: Sequence[Task],
        said: Callable[[dict[str, Any]], None] = lambda outcome: None,
        in_flight: int = 0,
    ) -> dict[str, dict[str, Any]]:
        """Runs all tasks and returns what each said, by name: as :meth:`.engine.Direct.run_job`."""
        asked = {"job": asdict(job), "tasks": [asdict(t) for t in tasks], "in_flight": in_flight}
        waiting = {task.name for task in tasks}
        done: dict[str, dict[str, Any]] = {}
        for answer in self._asked(asked):
            if "done" in answer:
                break
            name = answer["said"].get("name") if isinstance(answer.get("said"), dict) else None
            if name not in waiting:
                raise self._confused("an answer to no task")
            waiting.remove(name)
            done[name] = checked_outcome(answer["said"], name)
            said(done[name])
        if waiting:
            raise self._confused(f"nothing of {min(waiting)}")
        return done

    def _asked(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The answers to a request; whoever stops in between ends the session."""
        if self._lost:
            raise ClusterError("these workers were ended by an error before: start others")
        self._lost = True
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(line_of(message))
            stdin.flush()
        except OSError:
            raise self._ended() from None
        while True:
            line = stdout.readline(_MOST_LINE + 1)
            if not line:
                raise self._ended()
            answer = self._parsed(line)
            if "said" not in answer:
                self._lost = False
            if "error" in answer:
                raise _error(answer)
            yield answer

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line) if line.endswith(b"\n") else None
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or not answer:
            raise self._confused("a line that is none")
        return answer

    def _said(self, answers: Iterator[dict[str, Any]], field: str) -> dict[str, Any]:
        found = next(answers).get(field)
        if not isinstance(found, dict):
            raise self._confused(f"no {field}")
        return found

    def _confused(self, what: str) -> FormatError:
        return FormatError(
            f"the coordinator of the workers said {what}: run the same again, with workers of this "
            "release that you trust"
        )

    def _ended(self) -> ClusterError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        return ClusterError(
            f"the coordinator of the workers has ended with code {self._process.poll()}: what was "
            "written stays; look at its messages, for lack of memory first, and run the same again"
        )

    def __repr__(self) -> str:
        return f"<Workers of {self.address}>"


def _error(answer: dict[str, Any]) -> NttforgeError:
    """An error of the coordinator as one of ours."""
    name = answer["error"] if answer["error"] in errors.__all__ else "ClusterError"
    found: NttforgeError = getattr(errors, name)(plain_text(answer.get("text")))
    return found


@contextlib.contextmanager
def local_workers(
    count: int,
    cards: bool = False,
    certificates: Certificates | None = None,
    dashboard: bool = False,
) -> Iterator[Workers]:
    """Worker processes on this machine, of one thread each, which end with the block.

    They are reached on 127.0.0.1 and by TLS only, with a certificate made for them.

    Parameters
    ----------
    count : int
        Processes, 1 ... 1024.
    cards : bool
        Each worker sees one GPU, the next in turn, as its ``cuda``.
    certificates : Certificates, optional
        Those of :func:`connected` instead.
    dashboard : bool
        The scheduler's web pages, on 127.0.0.1, which everybody on this machine can read.

    Raises
    ------
    ClusterError
        They cannot be started.
    UnsupportedError
        A package is missing.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise ParameterError(f"--local {count} must be in 1 ... {MOST_WORKERS}: worker processes")
    with _coordinator(certificates, local=count, cards=cards, dashboard=dashboard) as workers:
        yield workers


@contextlib.contextmanager
def connected(
    address: str, certificates: Certificates | None = None, seconds: float = 10
) -> Iterator[Workers]:
    """The workers of the scheduler at ``address``.

    Parameters
    ----------
    address : str
        tcp://HOST:PORT or tls://HOST:PORT, as ``dask scheduler`` prints it.
    certificates : Certificates, optional
        For TLS.
    seconds : float
        How long an answer is waited for.

    Raises
    ------
    ClusterError
        Nothing answers there in time, or it refuses the certificates.
    """
    check_address(address, certificates)
    with _coordinator(certificates, scheduler=address, seconds=seconds) as workers:
        yield workers


@contextlib.contextmanager
def _coordinator(certificates: Certificates | None, **asked: Any) -> Iterator[Workers]:
    begin = {"scheduler": None, "dashboard": False, "certificates": None, **asked}
    if certificates is not None:
        files = (certificates.ca, certificates.cert, certificates.key)
        begin["certificates"] = [str(path.absolute()) for path in files]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with tempfile.TemporaryDirectory(prefix="nttforge-cluster-") as scratch:
        # Whatever ends the coordinator, its temporary files go with this folder.
        environment = {**os.environ, "TMPDIR": scratch}
        with (
            started([sys.executable, "-c", _PROGRAM], env=environment, **pipes) as process,
            _closed_pipes(process) as stdin,
        ):
            stdin.write(json.dumps(sys.path).encode() + b"\n")
            yield Workers(process, begin)
            stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_ENDING)


@contextlib.contextmanager
def _closed_pipes(process: subprocess.Popen[bytes]) -> Iterator[IO[bytes]]:
    """Where the program reads from; what it has not read, when it is gone, is no error."""
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdin
    finally:
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.stdin.close()

# SPDX-License-Identifier: Apache-2.0
"""What a server takes at most, and refusals: a status, a code for programs, a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .circuits import Prepared

__all__ = ["Limits", "Refused"]

#: The interpreter with its packages; memory that the library keeps for the next operation.
_PROGRAM_BYTES, _KEPT_BYTES = 160 * 2**20, 512 * 2**20
#: What gathers of an upload before it is written.
_UPLOAD_BYTES = 2 * 2**20


class Refused(Exception):
    """A request that is not served.

    Parameters
    ----------
    status : int
        The status of HTTP.
    code : str
        A word for programs.
    message : str
    retry_after : int, optional
        Seconds after which the same request may be served.
    """

    def __init__(
        self, status: int, code: str, message: str, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.retry_after = retry_after


@dataclass(frozen=True)
class Limits:
    """Bounds on sessions, requests, memory and time; each is an option of ``nttforge serve``."""

    workers: int = 1  #: computations at a time
    batch: int = 64  #: requests of one session that are computed together
    requests: int = 256  #: requests that are read, wait, are computed or answered
    uploads: int = 16  #: clients that send keys at a time
    sessions: int = 1024
    sessions_per_address: int = 256
    keys_memory: int = 2**30  #: bytes of evaluation keys in memory; others wait on the disk
    keys_disk: int = 2**34  #: bytes of evaluation keys on the disk
    session_seconds: float = 3600  #: a session ends so long after it was last used
    upload_seconds: float = 120  #: and so long after it was opened, if it has no keys by then
    request_seconds: float = 60  #: a request waits so long at most
    idle_seconds: float = 20  #: a connection may say nothing for so long
    least_rate: int = 16 * 2**10  #: bytes a second that bodies come with at least

    def body_seconds(self, size: int) -> float:
        """How long a body of so many bytes may take."""
        return self.idle_seconds + size / self.least_rate

    def memory_bytes(self, circuits: Iterable[Prepared]) -> int:
        """What the server's process takes at most.

        Keys in memory, and one set more for each worker and for the check of an upload; bodies and
        answers of all requests; uploads; for each worker a batch with all intermediate results.
        """
        prepared = list(circuits)
        keys = max(one.keys_memory for one in prepared)
        body = max(one.contract.request_bytes for one in prepared)
        working = max(one.working_bytes for one in prepared)
        return (
            _PROGRAM_BYTES
            + _KEPT_BYTES
            + self.keys_memory
            + (self.workers + 1) * keys
            + 2 * self.requests * body
            + self.uploads * _UPLOAD_BYTES
            + self.workers * self.batch * working
        )

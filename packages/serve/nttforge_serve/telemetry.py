# SPDX-License-Identifier: Apache-2.0
"""What an operator sees: figures for Prometheus, and a line of JSON for each event.

Neither has anything of what was sent: no bytes, no tokens, no texts of errors that repeat a field.
Names of circuits are the server's own; a session is its public number.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import IO, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

__all__ = ["Telemetry"]

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
_BATCHES = (1, 2, 4, 8, 16, 32, 64)


class Telemetry:
    """Figures and the log of one server."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream, self._lock = stream if stream is not None else sys.stderr, threading.Lock()
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self._registry, "namespace": "nttforge_serve"}
        self.answers = Counter("answers", "Answers by status", ["what", "circuit", "status"], **own)
        self.bytes = Counter("bytes", "Bytes of bodies", ["direction"], **own)
        self.seconds = Histogram(
            "request_seconds", "From the first byte of a request to its answer", ["circuit"],
            buckets=_SECONDS, **own,
        )  # fmt: skip
        self.computing = Histogram(
            "computing_seconds", "Computations of batches", ["circuit"], buckets=_SECONDS, **own
        )
        self.batch = Histogram(
            "batch_requests", "Requests computed together", ["circuit"], buckets=_BATCHES, **own
        )
        self.sessions = Gauge("sessions", "Sessions", **own)
        self.places = Gauge("requests", "Requests that are read, wait or are computed", **own)
        self.keys_memory = Gauge("keys_memory_bytes", "Evaluation keys in memory", **own)
        self.bound = Gauge("memory_bound_bytes", "What the process takes at most", **own)

    def page(self) -> bytes:
        """The figures in Prometheus' text format."""
        return bytes(generate_latest(self._registry))

    def log(self, event: str, **fields: Any) -> None:
        """Writes a line; numbers and names of the server's own only."""
        line = json.dumps({"time": round(time.time(), 3), "event": event, **fields})
        try:
            with self._lock:
                print(line, file=self._stream, flush=True)
        except (OSError, ValueError):  # a log that nobody can write ends no request
            pass

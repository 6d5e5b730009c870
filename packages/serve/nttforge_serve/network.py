# SPDX-License-Identifier: Apache-2.0
"""uvicorn around the application: deadlines that it lacks, TLS, an end that loses no answer."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from nttforge.errors import ParameterError

__all__ = ["listen", "serve"]

_MOST_HEADER = 16 * 2**10
#: Connections beside those that places are for: some wait for headers, some ask for pages.
_MORE_CONNECTIONS = 2048
_CLOSING_SECONDS = 2.0


class Impatient(H11Protocol):
    """A connection that ends where the other side neither asks for anything nor reads."""

    idle_seconds, least_rate = 20.0, 16 * 2**10
    _header: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_header()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._header, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        asked = self.cycle is not None and not self.cycle.response_complete
        if asked and self._header is not None:
            self._header.cancel()
            self._header = None

    def on_response_complete(self) -> None:
        self._await_header()
        super().on_response_complete()

    def shutdown(self) -> None:
        """The server ends: whoever has its answer has to close soon, by TLS as well."""
        super().shutdown()
        if self.transport.is_closing():
            self.loop.call_later(_CLOSING_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reader(None)

    def _await_reader(self, before: int | None) -> None:
        """Whoever reads an answer has to read as fast as bodies have to come."""
        left = self.transport.get_write_buffer_size()
        if before is not None and before - left < self.least_rate * self.idle_seconds:
            self.transport.abort()
            return
        self._stalled = self.loop.call_later(self.idle_seconds, self._await_reader, left)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _await_header(self) -> None:
        """The next request has to begin, and its header to end, within the time."""
        if self._header is not None:
            self._header.cancel()
        self._header = self.loop.call_later(self.idle_seconds, self.transport.abort)


class _Server(uvicorn.Server):
    """A server that SIGINT and SIGTERM end in good order, with exit code 0."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(1024)
        return sock
    except OSError as error:
        sock.close()
        raise ParameterError(
            f"--host {host} --port {port}: cannot listen there ({error.strerror}); "
            "take another port"
        ) from None


def serve(
    application: Any,
    sock: socket.socket,
    *,
    idle_seconds: float,
    grace_seconds: float,
    tls: dict[str, Any],
) -> None:
    """Serves until a signal comes; then answers what it has begun, within the grace."""
    protocol = type("Protocol", (Impatient,), {"idle_seconds": idle_seconds})
    config = uvicorn.Config(
        application,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=_MOST_HEADER,
        limit_concurrency=_MORE_CONNECTIONS,
        timeout_keep_alive=max(1, int(idle_seconds)),
        timeout_graceful_shutdown=max(1, int(grace_seconds)),
        **tls,
    )
    _Server(config).run(sockets=[sock])

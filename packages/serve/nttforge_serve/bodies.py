# SPDX-License-Identifier: Apache-2.0
"""Bodies of requests, read within limits of size and time, and answers that are waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, MutableMapping
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from .limits import Limits, Refused
from .sessions import disk_failure

__all__ = [
    "Answer",
    "body",
    "chunks",
    "refused",
    "require_size",
    "time_limit",
    "too_large",
    "write",
]

#: Bytes of a body that are read although it is refused, so that the answer arrives.
_DISCARDED = 2**20
_DISCARDING_SECONDS = 2
_NOTHING: MutableMapping[str, Any] = {}


async def body(request: Request, limits: Limits, most: int) -> bytes:
    """A body of at most so many bytes that comes fast enough."""
    found = bytearray()
    with time_limit(limits.body_seconds(most)):
        async for chunk in chunks(request, limits):
            found += chunk
            if len(found) > most:
                raise too_large("the body", most)
    return bytes(found)


async def chunks(request: Request, limits: Limits) -> AsyncIterator[bytes]:
    """Parts of a body, each within the time that a connection may be silent."""
    more, message = True, _NOTHING
    while more:
        with time_limit(limits.idle_seconds):
            message = await request.receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        more = request.state.more = bool(message.get("more_body", False))
        yield message.get("body", b"")


class Answer(Response):
    """An answer that holds the place of its request until the other side has read it."""

    def __init__(self, body: bytes, sent: Callable[[], None]) -> None:
        headers = {"cache-control": "no-store"}
        super().__init__(body, media_type="application/octet-stream", headers=headers)
        self._sent = sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            await send({"type": "http.response.body", "body": self.body, "more_body": True})
            # The server waits here for what it has not written yet.
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._sent()


class time_limit:
    """Ends what takes longer than some seconds, as a refusal."""

    def __init__(self, seconds: float) -> None:
        self._scope = anyio.move_on_after(seconds)

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        ended = self._scope.__exit__(kind, error, trace)
        if self._scope.cancelled_caught:
            raise Refused(408, "slow", "the body came too slowly: send it again, faster")
        return bool(ended)


async def write(file: Any, buffered: bytearray) -> None:
    """Writes what has gathered, beside the loop."""
    try:
        await anyio.to_thread.run_sync(file.write, bytes(buffered))
    except OSError as error:
        raise disk_failure(error) from error
    buffered.clear()


def require_size(request: Request, most: int, what: str) -> None:
    """The size that a request announces, if it does: refused before anything is read."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
        raise too_large(what, most)


def too_large(what: str, most: int) -> Refused:
    return Refused(413, "too_large", f"{what} would have more than {most} bytes, which is the most")


async def refused(request: Request, refusal: Refused) -> Response:
    """A refusal as an answer; of a body that was not read the connection ends behind it."""
    error = {"status": refusal.status, "code": refusal.code, "message": refusal.message}
    headers = {"cache-control": "no-store"}
    if refusal.retry_after is not None:
        headers["retry-after"] = str(refusal.retry_after)
    if not await _discarded(request):
        headers["connection"] = "close"
    return JSONResponse({"error": error}, status_code=refusal.status, headers=headers)


async def _discarded(request: Request) -> bool:
    """Reads what is left of a small body; whether the connection can go on."""
    announced = "transfer-encoding" in request.headers or request.headers.get("content-length")
    if announced in (None, "0") or not getattr(request.state, "more", True):
        return True
    size = 0
    with anyio.move_on_after(_DISCARDING_SECONDS):
        try:
            while size < _DISCARDED:
                message = await request.receive()
                if message["type"] != "http.request":
                    return False
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return True
        except (ClientDisconnect, RuntimeError):
            return False
    return False

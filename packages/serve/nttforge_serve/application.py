# SPDX-License-Identifier: Apache-2.0
"""The HTTP interface, as an ASGI application; ``openapi.py`` describes each route.

    GET    /v1/circuits                      what is served: inputs, parameters, needed keys
    POST   /v1/sessions        {"circuit"}   a number, a token
    PUT    /v1/sessions/NUMBER/keys          evaluation keys, once
    POST   /v1/sessions/NUMBER/evaluate      ciphertexts in, encrypted arrays out
    DELETE /v1/sessions/NUMBER

Every refusal has the form {"error": {"status", "code", "message"}}.
"""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from nttforge.errors import NttforgeError

from . import openapi
from .circuits import Prepared
from .limits import Limits, Refused
from .scheduler import Scheduler
from .sessions import Session, Sessions
from .telemetry import Telemetry

__all__ = ["Service"]

_MOST_JSON = 4096
_WRITTEN_AT_ONCE = 2**20
_DISCARDED = (
    2**20
)  # bytes of a body that are read although it is refused, so that the answer arrives
_DISCARDING_SECONDS = 2
_SWEEP_SECONDS = 5.0
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
Handler = Callable[[Request], Awaitable[Response]]


class Service:
    """Circuits, sessions and requests behind one ASGI application.

    Parameters
    ----------
    circuits : sequence of Prepared
    folder : Path
        Where evaluation keys lie.
    limits : Limits
    telemetry : Telemetry, optional
    page : Path, optional
        A folder of static files for ``/``.
    """

    def __init__(
        self,
        circuits: Sequence[Prepared],
        folder: Path,
        limits: Limits,
        telemetry: Telemetry | None = None,
        page: Path | None = None,
    ) -> None:
        self.circuits: Mapping[str, Prepared] = {one.contract.name: one for one in circuits}
        self.limits = limits
        self.telemetry = Telemetry() if telemetry is None else telemetry
        self.sessions = Sessions(folder, self.circuits, limits)
        self.scheduler = Scheduler(limits, self._compute, self._computed)
        self.telemetry.bound.set(limits.memory_bytes(circuits))
        self._checks = anyio.CapacityLimiter(1)
        self._uploads = 0
        self._described = {name: one.contract.to_dict() for name, one in self.circuits.items()}
        routes = [
            Route(path, self._guarded(what, getattr(self, f"_{what}")), methods=[method])
            for method, path, what in openapi.ROUTES
        ]
        if page is not None:
            routes.append(Mount("/", _Page(directory=page, html=True)))  # type: ignore[arg-type]
        self.application = Starlette(
            routes=routes,
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _not_found},
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.scheduler.start()
        async with anyio.create_task_group() as group:
            group.start_soon(self._sweep)
            try:
                yield
            finally:
                group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await self.scheduler.stop()

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(_SWEEP_SECONDS)
            ended = await anyio.to_thread.run_sync(self.sessions.expire)
            if ended:
                self.telemetry.log("expired", sessions=ended)

    def _guarded(self, what: str, handler: Handler) -> Handler:
        """A handler whose errors are answers, and that is counted and logged."""

        async def answered(request: Request) -> Response:
            begun, refusal = time.monotonic(), None
            try:
                response = await handler(request)
            except Refused as error:
                refusal = error
            except ClientDisconnect:
                refusal = Refused(400, "half", "the body ended before it was whole")
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                self.telemetry.log(
                    "fault",
                    what=what,
                    kind=type(error).__name__,
                    at=f"{Path(last.filename).name}:{last.lineno}",
                )
                refusal = Refused(500, "fault", "the server failed; its operator sees where")
            if refusal is not None:
                response = await _refused(request, refusal)
            self._observe(what, request, response.status_code, time.monotonic() - begun, refusal)
            return response

        return answered

    def _observe(
        self, what: str, request: Request, status: int, seconds: float, refusal: Refused | None
    ) -> None:
        session: Session | None = getattr(request.state, "session", None)
        circuit = session.prepared.contract.name if session is not None else ""
        t = self.telemetry
        t.answers.labels(what, circuit, str(status)).inc()
        t.sessions.set(len(self.sessions))
        t.places.set(self.scheduler.places)
        t.keys_memory.set(self.sessions.keys_memory)
        if what == "evaluate" and status == 200:
            t.seconds.labels(circuit).observe(seconds)
        if what in ("metrics", "health", "page", "document", "circuits", "circuit"):
            return
        fields: dict[str, Any] = {"what": what, "status": status, "seconds": round(seconds, 4)}
        if session is not None:
            fields |= {"session": session.number, "circuit": circuit}
        if refusal is not None:
            fields["code"] = refusal.code
        t.log("answer", **fields)

    # What is computed, in threads

    def _compute(self, session: Session, bodies: Sequence[bytes]) -> Sequence[Any]:
        return session.prepared.compute(bodies, self.sessions.keys(session))

    def _computed(self, session: Session, requests: int, seconds: float) -> None:
        name = session.prepared.contract.name
        self.telemetry.batch.labels(name).observe(requests)
        self.telemetry.computing.labels(name).observe(seconds)

    # Routes

    async def _circuits(self, request: Request) -> Response:
        return JSONResponse({"circuits": list(self._described.values())})

    async def _circuit(self, request: Request) -> Response:
        found = self._described.get(request.path_params["name"])
        if found is None:
            raise Refused(404, "unknown_circuit", f"circuits are {', '.join(self._described)}")
        return JSONResponse(found)

    async def _open(self, request: Request) -> Response:
        if self.scheduler.closing:
            raise Refused(503, "ending", "the server ends: try again in a moment", 5)
        body = await self._body(request, _MOST_JSON)
        try:
            document = json.loads(body)
            name = document["circuit"]
            if not isinstance(name, str):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            text = 'the body is none of the form {"circuit": "a name"}'
            raise Refused(400, "malformed", text) from None
        address = request.client.host if request.client is not None else ""
        session, token = await anyio.to_thread.run_sync(self.sessions.open, name, address)
        request.state.session = session
        document = {
            "session": session.number,
            "token": token,
            "state": session.state,
            "keys_bytes": session.prepared.contract.keys_bytes,
            "upload_seconds": self.limits.upload_seconds,
            "session_seconds": self.limits.session_seconds,
        }
        return JSONResponse(document, status_code=201, headers={"cache-control": "no-store"})

    async def _keys(self, request: Request) -> Response:
        session = self._session(request)
        exact = session.prepared.contract.keys_bytes
        _require_size(request, exact, "keys")
        if self._uploads >= self.limits.uploads:
            text = f"{self._uploads} clients send keys, which is the most: try again later"
            raise Refused(429, "busy", text, 2)
        file = self.sessions.begin_upload(session)
        whole = False
        self._uploads += 1
        try:
            buffered, size = bytearray(), 0
            with _time_limit(self.limits.body_seconds(exact)):
                async for chunk in self._chunks(request):
                    size += len(chunk)
                    if size > exact:
                        raise _too_large("keys", exact)
                    buffered += chunk
                    if len(buffered) >= _WRITTEN_AT_ONCE:
                        await _write(file, buffered)
                await _write(file, buffered)
            if size != exact:
                raise Refused(
                    422, "wrong_keys", f"keys have {size} bytes, and those of the circuit {exact}"
                )
            self.telemetry.bytes.labels("in").inc(size)
            await anyio.to_thread.run_sync(
                self.sessions.finish_upload, session, file, limiter=self._checks
            )
            whole = True
        finally:
            self._uploads -= 1
            if not whole:
                self.sessions.abandon_upload(session, file)
        return Response(status_code=204)

    async def _evaluate(self, request: Request) -> Response:
        session = self._session(request)
        if session.state != "ready":
            raise Refused(409, "no_keys", f"the session is {session.state}: send its keys first")
        most = session.prepared.contract.request_bytes
        _require_size(request, most, "the body")
        self.scheduler.take_place(session)
        try:
            body = await self._body(request, most)
            try:
                answer = await self.scheduler.run(session, body)
            except NttforgeError as error:
                raise Refused(422, "wrong_request", str(error)) from error
            except MemoryError as error:
                raise Refused(503, "memory", "not enough memory just now", 5) from error
        except BaseException:
            self.scheduler.free_place(session)
            raise
        self.telemetry.bytes.labels("in").inc(len(body))
        self.telemetry.bytes.labels("out").inc(len(answer))
        return _Answer(answer, lambda: self.scheduler.free_place(session))

    async def _end(self, request: Request) -> Response:
        session = self._session(request)
        await anyio.to_thread.run_sync(self.sessions.end, session)
        return Response(status_code=204)

    async def _metrics(self, request: Request) -> Response:
        return Response(self.telemetry.page(), media_type="text/plain; version=0.0.4")

    async def _health(self, request: Request) -> Response:
        state = "ending" if self.scheduler.closing else "serving"
        return JSONResponse({"state": state}, status_code=503 if self.scheduler.closing else 200)

    async def _document(self, request: Request) -> Response:
        return JSONResponse(openapi.document())

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(openapi.page())

    # Parts of requests

    def _session(self, request: Request) -> Session:
        """The session of a request's path, if its token is in the request."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Refused(401, "no_token", "need the header Authorization: Bearer TOKEN")
        session = self.sessions.find(request.path_params["session"], token.strip())
        request.state.session = session
        return session

    async def _body(self, request: Request, most: int) -> bytes:
        """A body of at most so many bytes that comes fast enough."""
        body = bytearray()
        with _time_limit(self.limits.body_seconds(most)):
            async for chunk in self._chunks(request):
                body += chunk
                if len(body) > most:
                    raise _too_large("the body", most)
        return bytes(body)

    async def _chunks(self, request: Request) -> AsyncIterator[bytes]:
        """Parts of a body, each within the time that a connection may be silent."""
        more = True
        while more:
            with _time_limit(self.limits.idle_seconds):
                message = await request.receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            more = request.state.more = bool(message.get("more_body", False))
            yield message.get("body", b"")


class _Page(StaticFiles):
    """Static files that may load, run and ask nothing but what comes from this server."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["content-security-policy"] = _POLICY
        response.headers["x-content-type-options"] = "nosniff"
        response.headers["referrer-policy"] = "no-referrer"
        response.headers["cache-control"] = "no-cache"
        if path.endswith(".wasm"):
            response.headers["content-type"] = "application/wasm"
        return response


class _Answer(Response):
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


class _time_limit:
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


async def _write(file: Any, buffered: bytearray) -> None:
    """Writes what has gathered, beside the loop."""
    from .sessions import _disk

    try:
        await anyio.to_thread.run_sync(file.write, bytes(buffered))
    except OSError as error:
        raise _disk(error) from error
    buffered.clear()


def _require_size(request: Request, most: int, what: str) -> None:
    """The size that a request announces, if it does: refused before anything is read."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
        raise _too_large(what, most)


def _too_large(what: str, most: int) -> Refused:
    return Refused(413, "too_large", f"{what} would have more than {most} bytes, which is the most")


async def _refused(request: Request, refusal: Refused) -> Response:
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


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    code = {404: "no_such_page", 405: "no_such_method"}.get(status, "refused")
    text = "see /openapi.json, or /docs for people"
    return await _refused(request, Refused(status, code, text))

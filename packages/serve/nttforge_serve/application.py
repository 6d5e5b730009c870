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
from starlette.types import Scope

from nttforge.errors import NttforgeError

from . import openapi
from .bodies import Answer, body, chunks, refused, require_size, time_limit, too_large, write
from .circuits import Prepared
from .limits import Limits, Refused
from .scheduler import Scheduler
from .sessions import Session, Sessions
from .telemetry import Telemetry

__all__ = ["Service"]

_MOST_JSON = 4096
_WRITTEN_AT_ONCE = 2**20
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
            except Exception as error:
                refusal = self._refusal(what, error)
                response = await refused(request, refusal)
            self._observe(what, request, response.status_code, time.monotonic() - begun, refusal)
            return response

        return answered

    def _refusal(self, what: str, error: Exception) -> Refused:
        """What is told of an error; of a fault of the server's own the log has the place."""
        if isinstance(error, Refused):
            return error
        if isinstance(error, ClientDisconnect):
            return Refused(400, "half", "the body ended before it was whole")
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        self.telemetry.log("fault", what=what, kind=type(error).__name__, at=place)
        return Refused(500, "fault", "the server failed; its operator sees where")

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
        content = await body(request, self.limits, _MOST_JSON)
        try:
            document = json.loads(content)
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
        require_size(request, exact, "keys")
        if self._uploads >= self.limits.uploads:
            text = f"{self._uploads} clients send keys, which is the most: try again later"
            raise Refused(429, "busy", text, 2)
        file = self.sessions.begin_upload(session)
        whole = False
        self._uploads += 1
        try:
            buffered, size = bytearray(), 0
            with time_limit(self.limits.body_seconds(exact)):
                async for chunk in chunks(request, self.limits):
                    size += len(chunk)
                    if size > exact:
                        raise too_large("keys", exact)
                    buffered += chunk
                    if len(buffered) >= _WRITTEN_AT_ONCE:
                        await write(file, buffered)
                await write(file, buffered)
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
        require_size(request, most, "the body")
        self.scheduler.take_place(session)
        try:
            content = await body(request, self.limits, most)
            try:
                answer = await self.scheduler.run(session, content)
            except NttforgeError as error:
                raise Refused(422, "wrong_request", str(error)) from error
            except MemoryError as error:
                raise Refused(503, "memory", "not enough memory just now", 5) from error
        except BaseException:
            self.scheduler.free_place(session)
            raise
        self.telemetry.bytes.labels("in").inc(len(content))
        self.telemetry.bytes.labels("out").inc(len(answer))
        return Answer(answer, lambda: self.scheduler.free_place(session))

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


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    code = {404: "no_such_page", 405: "no_such_method"}.get(status, "refused")
    text = "see /openapi.json, or /docs for people"
    return await refused(request, Refused(status, code, text))

# SPDX-License-Identifier: Apache-2.0
"""Requests to the application itself, without a network."""

from __future__ import annotations

from typing import Any

from nttforge_serve.application import Service
from nttforge_serve.openapi import document


class Asking:
    """Requests to the application itself."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.seen: dict[tuple[str, int], int] = {}
        self._documented = document()["paths"]

    async def __call__(
        self, method: str, path: str, body: bytes, token: str = "", pattern: str = ""
    ) -> tuple[int, bytes]:
        headers = [(b"content-length", str(len(body)).encode())]
        headers += [(b"authorization", f"Bearer {token}".encode("latin-1", "replace"))] * bool(
            token
        )
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(),
            "headers": headers,
            "query_string": b"", "client": ("test", 1), "http_version": "1.1", "scheme": "http",
            "server": ("test", 1), "root_path": "", "asgi": {"version": "3.0"}, "state": {},
        }  # fmt: skip
        parts = [body[i : i + 2**16] for i in range(0, len(body), 2**16)] or [b""]
        answer: list[Any] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                return {"type": "http.disconnect"}
            part = parts.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(parts)}

        async def send(message: dict[str, Any]) -> None:
            answer.append(message)

        await self.service.application(scope, receive, send)
        status = answer[0]["status"]
        if pattern:
            self.seen[pattern, status] = self.seen.get((pattern, status), 0) + 1
            known = self._documented[pattern][method.lower()]["responses"]
            assert str(status) in known and status != 500, (method, path, status, answer)
        return status, b"".join(part.get("body", b"") for part in answer[1:])

# SPDX-License-Identifier: Apache-2.0
"""The description of the HTTP interface, as OpenAPI for programs and as a page for people."""

from __future__ import annotations

import html
import json
from typing import Any

from nttforge import _html

__all__ = ["ROUTES", "document", "page"]

#: Method, path, and the name of the handler in ``application.py``.
ROUTES = (
    ("GET", "/v1/circuits", "circuits"),
    ("GET", "/v1/circuits/{name}", "circuit"),
    ("POST", "/v1/sessions", "open"),
    ("PUT", "/v1/sessions/{session}/keys", "keys"),
    ("POST", "/v1/sessions/{session}/evaluate", "evaluate"),
    ("DELETE", "/v1/sessions/{session}", "end"),
    ("GET", "/metrics", "metrics"),
    ("GET", "/healthz", "health"),
    ("GET", "/openapi.json", "document"),
    ("GET", "/docs", "page"),
)

_REFUSALS = {
    400: "The body is malformed, or ended before it was whole.",
    401: "There is no token.",
    404: "Unknown circuit or session, or the token is not the session's own.",
    408: "The body came too slowly.",
    409: "The session has keys already, or none yet.",
    413: "The body is larger than it can be for this circuit.",
    422: "The circuit takes no such body: damaged, of another kind or of other parameters.",
    429: "No place is free: try again after the seconds of Retry-After.",
    500: "The server failed; nothing of the request is kept.",
    503: "The server ends, or the request waited too long: try again after Retry-After.",
    507: "The server's disk is full; nothing is kept.",
}

_TEXTS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "circuits": ("The circuits that are served", "Each as below.", ()),
    "circuit": (
        "What a client has to know of a circuit",
        "Inputs with shape, range and scale; parameters in the library's format, as base64; which "
        "evaluation keys are needed and how many bytes they have; how large a request may be.",
        (404,),
    ),
    "open": (
        "Opens a session for a circuit",
        "The answer has the session's number and its token, which goes into the header "
        "Authorization: Bearer TOKEN of all that follows. If keys_bytes is 0, no keys are needed.",
        (400, 404, 408, 413, 429, 503, 507),
    ),
    "keys": (
        "Sends the evaluation keys, once",
        "Exactly the keys that the circuit names, in the library's format. They are read, checked "
        "and kept on the server's disk until the session ends. Never send a secret key.",
        (400, 401, 404, 408, 409, 413, 422, 507),
    ),
    "evaluate": (
        "Computes the circuit on a request",
        "The body has a fresh ciphertext for each input, in order, each behind its length in 8 "
        "bytes (little-endian). The answer has an encrypted array for each result in the same way. "
        "Sending the same request again gives the same answer.",
        (400, 401, 404, 408, 409, 413, 422, 429, 503),
    ),
    "end": ("Ends a session", "Its keys are deleted.", (401, 404)),
    "metrics": ("Figures for Prometheus", "Counts, times and sizes; nothing of any session.", ()),
    "health": ("Whether the server takes requests", "503 once it ends.", (503,)),
    "document": ("This description", "OpenAPI 3.1.", ()),
    "page": ("This page", "The same for people.", ()),
}
_BODIES = {
    "open": "application/json",
    "keys": "application/octet-stream",
    "evaluate": "application/octet-stream",
}
_ANSWERS = {
    "open": (201, "application/json"),
    "keys": (204, ""),
    "end": (204, ""),
    "evaluate": (200, "application/octet-stream"),
    "metrics": (200, "text/plain"),
    "page": (200, "text/html"),
}


def document() -> dict[str, Any]:
    """The interface in OpenAPI 3.1."""
    from nttforge import __version__

    paths: dict[str, dict[str, Any]] = {}
    for method, path, what in ROUTES:
        paths.setdefault(path, {})[method.lower()] = _operation(path, what)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "nttforge serve",
            "version": __version__,
            "description": "Computes on encrypted arrays. It holds no secret key.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR},
        },
    }


_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["status", "code", "message"],
            "properties": {
                "status": {"type": "integer"},
                "code": {"type": "string"},
                "message": {"type": "string"},
            },
        }
    },
}


def _operation(path: str, what: str) -> dict[str, Any]:
    title, text, refusals = _TEXTS[what]
    status, kind = _ANSWERS.get(what, (200, "application/json"))
    responses: dict[str, Any] = {str(status): {"description": "Done."}}
    if kind:
        responses[str(status)]["content"] = {kind: {"schema": {}}}
    for code in (*refusals, 500):
        error = {"schema": {"$ref": "#/components/schemas/Error"}}
        responses[str(code)] = {
            "description": _REFUSALS[code],
            "content": {"application/json": error},
        }
    found: dict[str, Any] = {
        "operationId": what,
        "summary": title,
        "description": text,
        "responses": responses,
    }
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    if names:
        found["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
    if "session" in names:
        found["security"] = [{"token": []}]
    if what in _BODIES:
        schema: dict[str, Any] = {"type": "string", "format": "binary"}
        if what == "open":
            schema = {
                "type": "object",
                "required": ["circuit"],
                "properties": {"circuit": {"type": "string"}},
            }
        found["requestBody"] = {"required": True, "content": {_BODIES[what]: {"schema": schema}}}
    return found


def page() -> str:
    """The same for people, without anything from another server."""
    rows = []
    for method, path, what in ROUTES:
        title, text, refusals = _TEXTS[what]
        status, _ = _ANSWERS.get(what, (200, ""))
        codes = ", ".join(map(str, (status, *refusals, 500)))
        call = f"<code>{method} {html.escape(path)}</code>"
        rows.append([call, f"<b>{html.escape(title)}.</b> {html.escape(text)}", codes])
    table = _html.table(["call", "what", "answers"], rows, "Calls", set(), least=700)
    codes_rows = [[str(code), html.escape(text)] for code, text in _REFUSALS.items()]
    meanings = _html.table(["status", "meaning"], codes_rows, "What refusals mean", {0})
    example = html.escape(json.dumps({"error": {"status": 429, "code": "busy", "message": "..."}}))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>nttforge serve</title><style>
  body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1000px; padding: 16px;
         color: {_html.INK}; background: {_html.PAPER}; }}
  table {{ border-collapse: collapse; }} td, th {{ padding: 4px 10px; text-align: left;
         vertical-align: top; border-top: 1px solid #d5dae0; }}
{_html.STYLE}</style></head><body>
<h1>nttforge serve</h1>
<p>Computes on encrypted arrays and holds no secret key. The same for programs:
<a href="/openapi.json">OpenAPI</a>.</p>
<h2>Calls</h2>{table}
<h2>Refusals</h2><p>Every refusal is JSON, <code>{example}</code>; 429 and 503 say in
<code>Retry-After</code> when to try again.</p>{meanings}
</body></html>
"""

# SPDX-License-Identifier: Apache-2.0
"""A server in a process of its own, and requests that no client of ours would send."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CIRCUITS = Path(__file__).with_name("serve_circuits.py")


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def lines(self) -> list[dict[str, Any]]:
        """The log so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextlib.contextmanager
def running(
    folder: Path, *options: str, port: int = 0, before: Callable[[], None] | None = None
) -> Iterator[Running]:
    """Serves the circuits of the tests; ended by SIGTERM, in good order."""
    folder.mkdir(exist_ok=True)
    log = folder / "log"
    command = [sys.executable, "-m", "nttforge", "serve", str(CIRCUITS), "--port", str(port)]
    with (
        log.open("a") as stderr,
        subprocess.Popen(
            [*command, "--workers", "2", *options],
            stdout=subprocess.PIPE, stderr=stderr, text=True, preexec_fn=before,
        ) as process,
    ):  # fmt: skip
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("serving"):
                    yield Running(process, line.split()[1], log)
                    break
            else:
                raise AssertionError(f"the server did not start: {log.read_text()}")
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                assert process.wait(20) == 0
        finally:
            process.kill()
            process.wait()


def asked(
    port: int, method: str, path: str, body: bytes = b"", token: str = "", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request on a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
        sock.sendall(head(method, path, len(body), token, **headers) + body)
        return answered(sock)


def head(method: str, path: str, length: int, token: str = "", **headers: str) -> bytes:
    """The header of a request."""
    lines = [f"{method} {path} HTTP/1.1", "host: x", f"content-length: {length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"authorization: Bearer {token}"] * bool(token)
    return "\r\n".join([*lines, "connection: close", "", ""]).encode()


def answered(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """An answer, read to the end of the connection."""
    data = b""
    while part := sock.recv(65536):
        data += part
    if not data:
        return 0, {}, b""
    top, _, body = data.partition(b"\r\n\r\n")
    first, *rest = top.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in rest)
    return int(first.split()[1]), headers, body


def code(answer: tuple[int, dict[str, str], bytes]) -> tuple[int, str]:
    """Status and word of a refusal."""
    status, _, body = answer
    return status, json.loads(body)["error"]["code"] if body else ""

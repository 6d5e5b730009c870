# SPDX-License-Identifier: Apache-2.0
"""Damaged requests with mended checksums: a million in ``make full``, two thousand otherwise.

They go to the application without a network: whatever comes, the status is one that the description
has, the server computes on, and nothing is left of it.
"""

from __future__ import annotations

import asyncio
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
from marks import full_tests
from nttforge._core import checksum64
from serve_asking import Asking
from serve_circuits import score, shift, two

from nttforge._system import peak_memory_bytes
from nttforge_serve.application import Service
from nttforge_serve.circuits import prepare
from nttforge_serve.limits import Limits
from nttforge_serve.telemetry import Telemetry
from nttforge_serve.wire import joined, parted

X = np.arange(8) - 3
TOKENS = [
    b"{",
    b"}",
    b"[" * 300,
    b'"circuit"',
    b"null",
    b"1e999",
    b"\\u0000",
    b"9" * 400,
    b"\xff\xfe",
]


def mended(data: bytearray) -> bytes:
    """An object whose length and checksum are right again."""
    if len(data) < 48:
        return bytes(data)
    struct.pack_into("<Q", data, 24, len(data) - 40)
    return bytes(data[:-8]) + struct.pack("<Q", checksum64(bytes(data[:-8])))


def damaged(source: random.Random, data: bytes) -> bytes:
    """A few changes, most of them where the fields are."""
    new = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(min(len(new), 120) if source.random() < 0.7 else len(new))
        kind = source.randrange(6)
        if kind == 0:
            new[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            new[at] = source.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
        elif kind == 2:
            end = at + source.choice([1, 2, 4, 8])
            new[at:end] = source.choice([b"\0", b"\xff", b"\x7f"]) * (end - at)
        elif kind == 3 and len(new) > 200:
            del new[at : at + source.choice([1, 8, 64, len(new) // 2])]
        elif kind == 4:
            new[at:at] = source.randbytes(source.choice([1, 8, 64]))
        else:
            other = source.randrange(len(new))
            new[at : at + 8], new[other : other + 8] = new[other : other + 8], new[at : at + 8]
        if not new:
            new = bytearray(b"\0")
    return mended(new) if source.random() < 0.8 else bytes(new)


def test_damaged_requests(tmp_path: Path) -> None:
    count = 1_000_000 if full_tests() else 2000
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    circuits = [prepare(one) for one in (score, shift, two)]
    limits = Limits(workers=1, sessions=64, sessions_per_address=64, upload_seconds=0.5)
    log = (tmp_path / "log").open("w")
    service = Service(circuits, tmp_path / "keys", limits, Telemetry(log))
    with log:
        asyncio.run(_attacked(service, random.Random(seed), count))
    assert "fault" not in (tmp_path / "log").read_text(), f"seed {seed}"


async def _attacked(service: Service, source: random.Random, count: int) -> None:
    ask, contracts = Asking(service), {n: p.contract for n, p in service.circuits.items()}
    keys = {n: c.make_keys(c.make_context(1)) for n, c in contracts.items()}
    evaluate, upload = "/v1/sessions/{session}/evaluate", "/v1/sessions/{session}/keys"

    async def opened(name: str) -> dict[str, Any]:
        status, body = await ask("POST", "/v1/sessions", json.dumps({"circuit": name}).encode())
        assert status == 201, body
        found: dict[str, Any] = json.loads(body)
        return found

    def request(name: str) -> bytes:
        inputs = contracts[name].inputs.values()
        texts = (spec.encrypt(X // 3, keys[name].secret).text.to_bytes() for spec in inputs)
        return joined(texts)

    right = {name: keys[name].evaluation.to_bytes() for name in ("score", "two")}
    async with service.application.router.lifespan_context(service.application):
        sessions = {name: await opened(name) for name in contracts}
        for name, data in right.items():
            path = f"/v1/sessions/{sessions[name]['session']}/keys"
            assert (await ask("PUT", path, data, sessions[name]["token"]))[0] == 204
        requests = {name: request(name) for name in contracts}
        witness = f"/v1/sessions/{sessions['score']['session']}/evaluate"
        wanted = (await ask("POST", witness, requests["score"], sessions["score"]["token"]))[1]
        assert len(wanted) > 1000
        peak = peak_memory_bytes()
        for i in range(count):
            kind = source.random()
            if kind < 0.9:
                name = "shift" if kind < 0.8 else "two"
                parts = [
                    bytes(part) for part in parted(requests[name], len(contracts[name].inputs))
                ]
                at = source.randrange(len(parts))
                parts[at] = damaged(source, parts[at])
                body = joined(parts)
                if source.random() < 0.1:
                    body = damaged(source, body)
                path = f"/v1/sessions/{sessions[name]['session']}/evaluate"
                await ask("POST", path, body, sessions[name]["token"], evaluate)
            elif kind < 0.97:
                text = bytearray(b'{"circuit": "score"}')
                at = source.randrange(len(text))
                text[at : at + source.randrange(4)] = source.choice(TOKENS)
                status, _ = await ask("POST", "/v1/sessions", bytes(text), "", "/v1/sessions")
            elif kind < 0.99:
                number, token = sessions["shift"]["session"], sessions["shift"]["token"]
                wrong = damaged(source, number.encode()).decode("latin-1").replace("/", "x")
                path = f"/v1/sessions/{wrong}/evaluate"
                status, _ = await ask("POST", path, b"", token, evaluate)
                assert status == 404 or wrong == number
            else:
                name = source.choice(list(right))
                status, body = await ask(
                    "POST", "/v1/sessions", json.dumps({"circuit": name}).encode()
                )
                if status == 201:
                    found = json.loads(body)
                    path = f"/v1/sessions/{found['session']}"
                    data = damaged(source, right[name])
                    await ask("PUT", f"{path}/keys", data, found["token"], upload)
                    await ask("DELETE", path, b"", found["token"])
            if i % 1000 == 0:
                again = await ask("POST", witness, requests["score"], sessions["score"]["token"])
                assert again == (200, wanted)
                service.sessions.expire()
        assert service.scheduler.places == 0
        grown = peak_memory_bytes() - peak
        assert grown < 2**28, f"{grown} bytes more"
    seen = ask.seen
    assert seen[evaluate, 422] > count * 0.5, seen
    assert seen[evaluate, 200] > 0 and seen[upload, 422] > 0, seen
    print(seen)

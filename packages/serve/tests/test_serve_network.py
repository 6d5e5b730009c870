# SPDX-License-Identifier: Apache-2.0
"""Connections of clients that do not read: without sockets, whose buffers nobody knows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from nttforge_serve.network import Impatient

IDLE = 0.05


class Transport:
    """What a connection writes to; ``left`` bytes wait to be read by the other side."""

    def __init__(self, left: list[int]) -> None:
        self.left, self.aborted = left, False

    def get_write_buffer_size(self) -> int:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]

    def get_extra_info(self, name: str) -> None:
        return None

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted


async def _nothing(scope: Any, receive: Any, send: Any) -> None: ...


async def _connection(transport: Any) -> Impatient:
    config = uvicorn.Config(_nothing, ws="none", lifespan="off", log_config=None)
    config.load()
    protocol = Impatient(config, ServerState(), {}, asyncio.get_running_loop())
    protocol.idle_seconds, protocol.least_rate = IDLE, 20_000  # 1000 bytes within the time
    protocol.connection_made(transport)
    assert protocol._header is not None
    protocol._header.cancel()
    return protocol


@pytest.mark.parametrize(
    ("left", "aborted"),
    [([9000], True), ([9000, 8001, 7002], True), ([9000, 8000, 7000, 6000, 5000], False)],
    ids=["nothing", "too slowly", "fast enough"],
)
def test_answers_that_are_not_read(left: list[int], aborted: bool) -> None:
    async def attempt() -> None:
        transport = Transport(left)
        protocol = await _connection(transport)
        protocol.pause_writing()
        await asyncio.sleep(3.5 * IDLE)
        assert transport.aborted is aborted
        protocol.resume_writing()
        assert protocol._stalled is None

    asyncio.run(attempt())


def test_what_is_read_in_the_end_is_not_aborted() -> None:
    async def attempt() -> None:
        transport = Transport([9000])
        protocol = await _connection(transport)
        protocol.pause_writing()
        protocol.resume_writing()
        await asyncio.sleep(3 * IDLE)
        assert not transport.aborted

    asyncio.run(attempt())

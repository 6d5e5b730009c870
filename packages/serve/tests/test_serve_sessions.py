# SPDX-License-Identifier: Apache-2.0
"""Sessions without a network: memory, expiry, quotas, restarts; faults of the server's own."""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serve_asking import Asking
from serve_circuits import score, shift, two

from nttforge.errors import ParameterError
from nttforge_serve.application import Service
from nttforge_serve.circuits import Prepared, prepare
from nttforge_serve.limits import Limits, Refused
from nttforge_serve.sessions import Session, Sessions, one_server
from nttforge_serve.telemetry import Telemetry
from nttforge_serve.wire import joined

X = np.arange(8) - 3


@pytest.fixture(scope="module")
def prepared() -> dict[str, Prepared]:
    return {one.name: prepare(one) for one in (score, shift, two)}


@pytest.fixture(scope="module")
def keys(prepared: dict[str, Prepared]) -> bytes:
    contract = prepared["score"].contract
    made: bytes = contract.make_keys(contract.make_context(1)).evaluation.to_bytes()
    return made


def uploaded(sessions: Sessions, keys: bytes) -> tuple[Session, str]:
    session, token = sessions.open("score", "here")
    file = sessions.begin_upload(session)
    file.write(keys)
    sessions.finish_upload(session, file)
    return session, token


def refused(call: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(Refused) as found:
        call()
    return found.value.status, found.value.code


def test_memory_holds_the_keys_that_were_used_last(
    prepared: dict[str, Prepared], keys: bytes, tmp_path: Path
) -> None:
    one = prepared["score"].keys_memory
    sessions = Sessions(tmp_path, prepared, Limits(keys_memory=2 * one + one // 2))
    found = [uploaded(sessions, keys)[0] for _ in range(3)]
    assert sessions.keys_memory == 2 * one
    assert list(sessions._memory) == [found[1].number, found[2].number]
    first = sessions.keys(found[1])
    assert sessions.keys(found[0]) is not None, "read again from the disk"
    assert list(sessions._memory) == [found[1].number, found[0].number]
    assert sessions.keys(found[1]) is first, "it stayed in memory"
    for session in found:
        sessions.end(session)
    assert sessions.keys_memory == 0 and not list(tmp_path.iterdir())


def test_sessions_expire(prepared: dict[str, Prepared], keys: bytes, tmp_path: Path) -> None:
    limits = Limits(session_seconds=100, upload_seconds=10)
    sessions = Sessions(tmp_path, prepared, limits)
    ready, token = uploaded(sessions, keys)
    opened, _ = sessions.open("score", "here")
    assert sessions.expire() == 0
    opened.used = time.time() - 11
    assert sessions.expire() == 1 and len(sessions) == 1
    ready.used = time.time() - 101
    ready.waiting = 1
    assert sessions.expire() == 0, "a request is at work"
    ready.waiting = 0
    assert sessions.find(ready.number, token) is ready, "to ask is to use"
    assert sessions.expire() == 0
    ready.used = time.time() - 101
    assert sessions.expire() == 1 and not list(tmp_path.iterdir())
    assert refused(lambda: sessions.find(ready.number, token)) == (404, "unknown_session")


def test_quotas(prepared: dict[str, Prepared], tmp_path: Path) -> None:
    size = prepared["score"].contract.keys_bytes
    limits = Limits(sessions=3, sessions_per_address=2, keys_disk=2 * size)
    sessions = Sessions(tmp_path, prepared, limits)
    for address in ("a", "a"):
        sessions.open("score", address)
    full = (429, "too_many_sessions")
    assert refused(lambda: sessions.open("shift", "a")) == full, "of this address"
    assert refused(lambda: sessions.open("score", "b")) == full, "of bytes of keys"
    third, _ = sessions.open("shift", "b")
    assert refused(lambda: sessions.open("shift", "c")) == full, "of all"
    sessions.end(third)
    sessions.open("shift", "c")
    assert refused(lambda: sessions.open("none", "c")) == (404, "unknown_circuit")


def test_a_session_that_ends_during_its_upload_leaves_nothing(
    prepared: dict[str, Prepared], keys: bytes, tmp_path: Path
) -> None:
    sessions = Sessions(tmp_path, prepared, Limits())
    session, _ = sessions.open("score", "here")
    file = sessions.begin_upload(session)
    file.write(keys)
    sessions._sessions.pop(session.number)
    assert refused(lambda: sessions.finish_upload(session, file)) == (404, "unknown_session")
    assert not list(tmp_path.iterdir())


def test_restarts_find_what_is_whole_and_nothing_else(
    prepared: dict[str, Prepared], keys: bytes, tmp_path: Path
) -> None:
    before = Sessions(tmp_path, prepared, Limits())
    kept, token = uploaded(before, keys)
    cut, _ = uploaded(before, keys)
    changed, _ = uploaded(before, keys)
    (tmp_path / f"{cut.number}.keys").write_bytes(keys[:-1])
    path = tmp_path / f"{changed.number}.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"fingerprint": "of another circuit"}))
    (tmp_path / f"{'0' * 32}.part").write_bytes(b"half")
    (tmp_path / f"{'1' * 32}.keys").write_bytes(keys)
    (tmp_path / f"{'2' * 32}.json").write_text("[" * 3000)
    (tmp_path / "notes.txt").write_text("of somebody else")
    after = Sessions(tmp_path, prepared, Limits())
    assert len(after) == 1
    again = after.find(kept.number, token)
    assert again.state == "ready" and after.keys(again) is not None
    assert refused(lambda: after.find(kept.number, token + "x")) == (404, "unknown_session")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([f"{kept.number}.json", f"{kept.number}.keys", "notes.txt"])


def test_keys_that_are_damaged_on_the_disk_end_their_session(
    prepared: dict[str, Prepared], keys: bytes, tmp_path: Path
) -> None:
    uploaded(Sessions(tmp_path, prepared, Limits()), keys)
    (path,) = tmp_path.glob("*.keys")
    path.write_bytes(keys[:-1] + b"\0")
    sessions = Sessions(tmp_path, prepared, Limits())
    (session,) = sessions._sessions.values()
    assert refused(lambda: sessions.keys(session)) == (404, "unknown_session")
    assert len(sessions) == 0 and not list(tmp_path.iterdir())


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    with one_server(tmp_path / "keys"), pytest.raises(ParameterError, match="another server"):
        one_server(tmp_path / "keys")
    one_server(tmp_path / "keys").close()


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [(RuntimeError("with a secret 12345"), 500, "fault"), (MemoryError(), 503, "memory")],
    ids=["fault", "memory"],
)
def test_faults_of_the_server(
    error: Exception, status: int, word: str, prepared: dict[str, Prepared], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    log = io.StringIO()
    own = dict(prepared)
    service = Service(list(own.values()), tmp_path, Limits(), Telemetry(log))
    contract = own["shift"].contract
    secret = contract.make_keys(contract.make_context(1)).secret
    request = joined([contract.inputs["x"].encrypt(X, secret).text.to_bytes()])

    def fails(*_: Any) -> Any:
        raise error

    async def attempt() -> None:
        ask = Asking(service)
        async with service.application.router.lifespan_context(service.application):
            body = json.loads((await ask("POST", "/v1/sessions", b'{"circuit": "shift"}'))[1])
            path = f"/v1/sessions/{body['session']}/evaluate"
            with monkeypatch.context() as patch:
                patch.setattr(Prepared, "compute", fails)
                answer = await ask("POST", path, request, body["token"])
            assert answer[0] == status and json.loads(answer[1])["error"]["code"] == word
            assert b"12345" not in answer[1]
            assert service.scheduler.places == 0
            assert (await ask("POST", path, request, body["token"]))[0] == 200

    asyncio.run(attempt())
    assert "12345" not in log.getvalue() and ("fault" in log.getvalue()) is (status == 500)


def test_the_stated_memory_counts_what_is_bounded(prepared: dict[str, Prepared]) -> None:
    circuits = list(prepared.values())
    least = Limits().memory_bytes(circuits)
    for name, more in (
        ("keys_memory", 2**31), ("requests", 1000), ("workers", 9), ("batch", 500), ("uploads", 99),
    ):  # fmt: skip
        assert Limits(**{name: more}).memory_bytes(circuits) > least, name

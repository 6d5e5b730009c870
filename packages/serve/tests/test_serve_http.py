# SPDX-License-Identifier: Apache-2.0
"""A server in a process of its own: right answers, and every fault a clear status."""

from __future__ import annotations

import json
import re
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serve_circuits import score, shift, two
from serve_process import Running, answered, asked, code, head, running

from nttforge import bfv, remote
from nttforge.errors import ParameterError, SizeError
from nttforge_serve.openapi import ROUTES, document
from nttforge_serve.remote import RemoteError, RemoteSession

X = np.arange(8) - 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("serve")
    with running(folder, "--idle-seconds", "2", "--data", str(folder / "keys")) as found:
        yield found


def opened(server: Running, name: str = "score", **options: Any) -> RemoteSession:
    return remote.connect(server.url, **options).circuit(name).open(threads=1)


def new_session(port: int, name: str = "score") -> tuple[str, str]:
    """Number and token of a session without keys."""
    body = json.dumps({"circuit": name}).encode()
    status, _, answer = asked(port, "POST", "/v1/sessions", body)
    assert status == 201
    found = json.loads(answer)
    return found["session"], found["token"]


def test_numbers_go_in_and_come_out(server: Running) -> None:
    with opened(server) as session:
        assert session(X) == score(X)
        assert session(x=list(X)) == score(X)
        with pytest.raises(SizeError, match=r"need \(8,\)"):
            session([1, 2])
        with pytest.raises(ParameterError, match="11"):
            session([11] * 8)
    with opened(server, "two") as session:
        product, difference = session(X, y=X // 3)
        assert (product == X * (X // 3)).all() and (difference == X - X // 3).all()
    with opened(server, "shift") as session:
        assert (session(X) == shift(X)).all()


def test_many_threads_share_a_session(server: Running) -> None:
    with opened(server) as session:
        found: dict[int, Any] = {}

        def ask(i: int) -> None:
            found[i] = [int(session(X + i - k)) for k in range(5)]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {i: [int(score(X + i - k)) for k in range(5)] for i in range(6)}


def test_pages_and_figures(server: Running) -> None:
    described = document()["paths"]
    for method, path, what in ROUTES:
        assert described[path][method.lower()]["operationId"] == what
        status, _, _ = asked(server.port, method, re.sub(r"\{\w+\}", "none", path))
        assert str(status) in described[path][method.lower()]["responses"], (method, path)
    assert code(asked(server.port, "GET", "/nowhere")) == (404, "no_such_page")
    assert code(asked(server.port, "DELETE", "/v1/circuits")) == (405, "no_such_method")
    with opened(server) as session:
        session(X)
    _, _, figures = asked(server.port, "GET", "/metrics")
    name = r'nttforge_serve_answers_total{circuit="score",status="200",what="evaluate"} '
    assert float(figures.decode().split(name)[1].split()[0]) >= 1
    assert b"nttforge_serve_memory_bound_bytes" in figures
    assert json.loads(asked(server.port, "GET", "/healthz")[2]) == {"state": "serving"}


def test_sessions_know_their_own_token_alone(server: Running) -> None:
    """Two sessions that try each other's keys; numbers and tokens that are none."""
    with opened(server) as first, opened(server) as second:
        request = first.encrypt(X)
        path = f"/v1/sessions/{first._number}"
        for token in (second._token, first._token[:-1], "", "x" * 5000, "ü"):
            stolen = asked(server.port, "POST", f"{path}/evaluate", request, token)
            assert code(stolen) in ((404, "unknown_session"), (401, "no_token")), token
            assert asked(server.port, "DELETE", path, token=token)[0] in (401, 404)
            assert asked(server.port, "PUT", f"{path}/keys", b"x", token)[0] in (401, 404)
        for number in ("0" * 32, "..%2f..%2fetc", "%00", first._number.upper() + "x"):
            known = asked(server.port, "DELETE", f"/v1/sessions/{number}", token=first._token)
            assert known[0] == 404
        assert first(X) == score(X)
        # The keys of one session make nothing of the ciphertexts of another.
        with pytest.raises(Exception, match="noise budget"):
            first.decrypt(second.send(request))
        # An ended session is gone; the other one is not.
        assert asked(server.port, "DELETE", path, token=first._token)[0] == 204
        assert code(asked(server.port, "POST", f"{path}/evaluate", request, first._token))[0] == 404
        assert second(X) == score(X)


def test_keys_come_once_and_are_checked(server: Running, tmp_path: Path) -> None:
    port, session = server.port, opened(server)
    right = session.keys.evaluation.to_bytes()
    other = bfv.Context(bfv.Parameters.preset(4096)).generate_keys(rotations=[1, 2, 4])
    middle = len(right) // 2
    flipped = right[:middle] + bytes([right[middle] ^ 1]) + right[middle + 1 :]
    foreign = other.evaluation.to_bytes()
    for data, wanted in (
        (right + b"\0", (413, "too_large")),
        (right[:-1], (422, "wrong_keys")),
        (flipped, (422, "wrong_keys")),
        (foreign[: len(right)] + bytes(max(0, len(right) - len(foreign))), (422, "wrong_keys")),
        (session.keys.secret.to_bytes() + bytes(len(right) - 1064), (422, "secret")),
        (b"", (422, "wrong_keys")),
    ):
        number, token = new_session(port)
        assert code(asked(port, "PUT", f"/v1/sessions/{number}/keys", data, token)) == wanted
        # The same session takes the right ones afterwards, once.
        assert asked(port, "PUT", f"/v1/sessions/{number}/keys", right, token)[0] == 204
        again = asked(port, "PUT", f"/v1/sessions/{number}/keys", right, token)
        assert code(again) == (409, "keys_are_there")
        answer = asked(port, "POST", f"/v1/sessions/{number}/evaluate", session.encrypt(X), token)
        assert session.decrypt(answer[2]) == score(X)
        assert asked(port, "DELETE", f"/v1/sessions/{number}", token=token)[0] == 204
    number, token = new_session(port)
    answer = asked(port, "POST", f"/v1/sessions/{number}/evaluate", session.encrypt(X), token)
    assert code(answer) == (409, "no_keys")
    session.close()
    left = [path.name for path in (server.log.parent / "keys").iterdir()]
    assert left == ["server.lock"], "something of a session is left on the disk"


def test_bodies_that_are_wrong(server: Running) -> None:
    with opened(server) as session:
        path = f"/v1/sessions/{session._number}/evaluate"
        request = session.encrypt(X)
        most = session.contract.request_bytes
        for body, wanted in (
            (b"", (422, "wrong_request")),
            (request[:-1], (422, "wrong_request")),
            (request + b"\0", (422, "wrong_request")),
            (request[:8] + session.keys.secret.to_bytes(), (422, "wrong_request")),
            (bytes(most + 1), (413, "too_large")),
        ):
            assert code(asked(server.port, "POST", path, body, session._token)) == wanted
        for body in (b"", b"[]", b'{"circuit": 7}', b"\xff", b"[" * 4000):
            assert code(asked(server.port, "POST", "/v1/sessions", body)) == (400, "malformed")
        assert code(asked(server.port, "POST", "/v1/sessions", bytes(5000)))[0] == 413
        unknown = asked(server.port, "POST", "/v1/sessions", b'{"circuit": "none"}')
        assert code(unknown) == (404, "unknown_circuit")
        assert session(X) == score(X)


def test_bodies_that_state_no_length(server: Running) -> None:
    """Chunks, more of them than there may be: the connection ends before all are read."""
    with opened(server) as session:
        number, token = new_session(server.port)
        most = session.contract.keys_bytes, session.contract.request_bytes
        keys = f"/v1/sessions/{number}/keys"
        evaluate = f"/v1/sessions/{session._number}/evaluate"
        for method, path, key, size in (
            ("PUT", keys, token, most[0]),
            ("POST", evaluate, session._token, most[1]),
        ):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as sock:
                top = head(method, path, 0, key).replace(
                    b"content-length: 0", b"transfer-encoding: chunked"
                )
                sock.sendall(top)
                sent = 0
                try:
                    while sent < 2**26:
                        sock.sendall(b"10000\r\n" + bytes(2**16) + b"\r\n")
                        sent += 2**16
                except OSError:
                    pass
                assert sent < size + 2**24, "the server reads on"
        assert session(X) == score(X)
        right = session.keys.evaluation.to_bytes()
        assert asked(server.port, "PUT", keys, right, token)[0] == 204
        assert asked(server.port, "DELETE", keys[:-5], token=token)[0] == 204
    lines = [line for line in server.lines() if line.get("code") == "too_large"]
    assert {line["what"] for line in lines} >= {"keys", "evaluate"}


def test_half_and_slow_bodies(server: Running) -> None:
    with opened(server) as session:
        request, number, token = session.encrypt(X), session._number, session._token
        path, port = f"/v1/sessions/{number}/evaluate", server.port
        top = head("POST", path, len(request), token)
        silent = socket.create_connection(("127.0.0.1", port))  # says nothing at all
        begun = socket.create_connection(("127.0.0.1", port))  # ends nowhere in its header
        begun.sendall(b"POST / HTTP/1.1\r\nhost:")
        slow = socket.create_connection(("127.0.0.1", port))
        slow.sendall(top + request[:1000])
        half = socket.create_connection(("127.0.0.1", port))
        half.sendall(top + request[:1000])
        half.close()
        other, other_token = new_session(port)
        upload = socket.create_connection(("127.0.0.1", port))
        keys = session.keys.evaluation.to_bytes()
        upload.sendall(
            head("PUT", f"/v1/sessions/{other}/keys", len(keys), other_token) + keys[:99]
        )
        unframed = socket.create_connection(("127.0.0.1", port))
        unframed.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        for sock in (silent, begun, slow, upload, unframed):
            sock.settimeout(15)
        assert session(X) == score(X), "others wait for slow clients"
        assert code(answered(slow)) == (408, "slow")
        assert code(answered(upload)) == (408, "slow")
        assert answered(silent)[0] == 0 and answered(begun)[0] == 0
        assert answered(unframed)[0] == 400
        for sock in (silent, begun, slow, upload, unframed):
            sock.close()
        # What was half came to nothing, and can come again.
        assert asked(port, "PUT", f"/v1/sessions/{other}/keys", keys, other_token)[0] == 204
        assert asked(port, "DELETE", f"/v1/sessions/{other}", token=other_token)[0] == 204
    _, _, figures = asked(port, "GET", "/metrics")
    assert b"nttforge_serve_requests 0.0" in figures, "a place was lost"


def test_the_log_tells_nothing_of_what_was_sent(server: Running) -> None:
    with opened(server) as session:
        session(X)
        token, number = session._token, session._number
    text = server.log.read_text()
    assert number in text and token not in text
    allowed = {
        "time",
        "event",
        "what",
        "status",
        "seconds",
        "session",
        "circuit",
        "code",
        "sessions",
    }
    lines = server.lines()
    assert all(set(line) <= allowed for line in lines), "a field that nobody looked at"
    assert not any(line["event"] == "fault" for line in lines)


def test_too_many_get_429_and_come_again(tmp_path: Path) -> None:
    options = ("--requests", "1", "--sessions", "2", "--idle-seconds", "5")
    with running(tmp_path, *options) as server:
        session = opened(server)
        request, number, token = session.encrypt(X), session._number, session._token
        path = f"/v1/sessions/{number}/evaluate"
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as holding:
            holding.sendall(head("POST", path, len(request), token) + request[:500])
            time.sleep(0.3)
            busy = asked(server.port, "POST", path, request, token)
            assert code(busy) == (429, "busy") and 1 <= int(busy[1]["retry-after"]) <= 60
            threading.Timer(0.5, lambda: holding.sendall(request[500:])).start()
            assert session(X) == score(X), "the client tries again"
            assert session.decrypt(answered(holding)[2]) == score(X), "its answer is lost"
        new_session(server.port)
        full = asked(server.port, "POST", "/v1/sessions", b'{"circuit": "score"}')
        assert code(full) == (429, "too_many_sessions") and "retry-after" in full[1]
        with pytest.raises(RemoteError, match="3 sessions would be") as error:
            opened(server, patience=0.1)
        assert error.value.status == 429


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """Files may have 100 KB, which keys do not fit; the kernel says so as of a full disk."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    folder = tmp_path / "keys"
    with running(tmp_path, "--data", str(folder), before=small_files) as server:
        number, token = new_session(server.port)
        contract = remote.connect(server.url).circuit("score").contract
        keys = contract.make_keys(contract.make_context(1)).evaluation.to_bytes()
        for _ in range(2):
            answer = asked(server.port, "PUT", f"/v1/sessions/{number}/keys", keys, token)
            assert code(answer) == (507, "disk_full")
        assert not list(folder.glob("*.part"))
        with opened(server, "shift") as session:
            assert (session(X) == shift(X)).all()


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    """Killed in mid-request, started again: the same session, the same answers."""
    folder = tmp_path / "keys"
    with (
        pytest.raises(AssertionError, match="killed"),
        running(tmp_path, "--data", str(folder)) as server,
    ):
        port, session = server.port, opened(server)
        number, wanted = session._number, session.send(session.encrypt(X))
        request = session.encrypt(X)
        upload = socket.create_connection(("127.0.0.1", port))
        other, token = new_session(port)
        upload.sendall(head("PUT", f"/v1/sessions/{other}/keys", 325808, token) + bytes(200_000))
        begun = socket.create_connection(("127.0.0.1", port))
        path = f"/v1/sessions/{number}/evaluate"
        begun.sendall(head("POST", path, len(request), session._token) + request[:9000])
        while not list(folder.glob("*.part")):
            time.sleep(0.01)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        upload.close()
        begun.close()
        raise AssertionError("it was killed")
    assert list(folder.glob("*.part")), "the half upload is there after the fall"
    found: list[Any] = []
    client = threading.Thread(target=lambda: found.append(session.send(request)))
    client.start()  # while nobody listens
    with running(tmp_path, "--data", str(folder), port=port) as server:
        client.join(30)
        assert session._number == number, "the session was opened again"
        assert not list(folder.glob("*.part"))
        assert session.decrypt(found[0]) == session.decrypt(wanted) == score(X)
        session.close()


def test_a_forgotten_session_is_opened_again(server: Running) -> None:
    with opened(server) as session:
        number = session._number
        asked(server.port, "DELETE", f"/v1/sessions/{number}", token=session._token)
        assert session(X) == score(X)
        assert session._number != number


def test_a_stop_answers_what_it_has_begun(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        session = opened(server, "two")
        request = session.encrypt(X, X // 3)
        path = f"/v1/sessions/{session._number}/evaluate"
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as begun:
            begun.sendall(head("POST", path, len(request), session._token) + request[:-100])
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            begun.sendall(request[-100:])
            status, _, answer = answered(begun)
            assert status == 200
            assert (session.decrypt(answer)[0] == two(X, X // 3)[0]).all()
        assert server.process.wait(20) == 0
        with pytest.raises(RemoteError, match="is the server running"):
            opened(server, patience=0)

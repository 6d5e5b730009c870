# SPDX-License-Identifier: Apache-2.0
"""No secret leaves the client: every byte between it and the server is searched for the key."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import pickle
import re
import select
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serve_circuits import score, two
from serve_process import CIRCUITS, running

from nttforge import remote
from nttforge.encrypted.kinds import private_kind
from nttforge.errors import FormatError, ParameterError
from nttforge_serve.remote import RemoteError

X = np.arange(8) - 3
#: How a pickle begins: its protocol, and a frame of fewer than 2^32 bytes.
_PICKLE = re.compile(rb"\x80[\x04\x05]\x95.{4}\x00{4}", re.DOTALL)
_WINDOW = 24  # bytes of the packed key: nothing random has them by chance


@contextlib.contextmanager
def recorded(port: int) -> Iterator[tuple[str, bytearray]]:
    """The address of a relay to the server, and all bytes that it passed on, both ways."""
    seen, listener = bytearray(), socket.create_server(("127.0.0.1", 0))

    def relay(client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    seen.extend(data)
                    (server if ready is client else client).sendall(data)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", seen
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def forms_of(keys: Any) -> dict[str, bytes]:
    """The secret's coefficients as the format packs them, and as integers of 1, 4 and 8 bytes."""
    payload = keys.secret.to_bytes()[32 : 32 + keys.context.n // 4]
    bits = np.unpackbits(np.frombuffer(payload, np.uint8), bitorder="little").reshape(-1, 2)
    values = bits[:, 0].astype(np.int64) + 2 * bits[:, 1]
    values[values == 3] = -1
    forms = {"packed": payload}
    return forms | {f"int{8 * s}": values.astype(f"<i{s}").tobytes() for s in (1, 4, 8)}


def found_in(data: bytes, forms: dict[str, bytes]) -> list[str]:
    """The forms of which a window lies in the data."""
    named = ["the library's format"] if private_kind(data) == "secret key" else []
    for name, form in forms.items():
        width = _WINDOW * (1 if name == "packed" else 4 * int(name[3:]) // 8)
        windows = range(0, len(form) - width, max(width, len(form) // 64))
        if any(form[i : i + width] in data for i in windows if any(form[i : i + width])):
            named.append(name)
    return named


def test_no_byte_of_the_secret_travels(tmp_path: Path) -> None:
    with running(tmp_path, "--data", str(tmp_path / "keys")) as server:
        with recorded(server.port) as (url, seen):
            sessions = [remote.connect(url).circuit(one.name).open() for one in (score, two)]
            assert sessions[0](X) == score(X)
            assert (sessions[1](X, X // 3)[0] == two(X, X // 3)[0]).all()
            with pytest.raises(RemoteError):
                sessions[0].send(b"damaged")
        stored = b"".join(path.read_bytes() for path in (tmp_path / "keys").iterdir())
        everything = bytes(seen) + stored + server.log.read_bytes()
        assert len(seen) > 2 * sessions[0].contract.keys_bytes // 2, "the relay saw nothing"
        for session in sessions:
            forms = forms_of(session.keys)
            assert found_in(everything, forms) == []
            for name, form in forms.items():  # the search finds what it looks for
                assert name in found_in(bytes(seen[:1000]) + form, forms)
            numbers = X.astype("<i8").tobytes()
            assert numbers not in everything and X.astype("<f8").tobytes() not in everything
        assert _PICKLE.search(everything) is None, "a pickle travels"
        assert all(_PICKLE.search(pickle.dumps([X, "numbers"], protocol)) for protocol in (4, 5))
        for session in sessions:
            session.close()
    left = sorted(path.name for path in (tmp_path / "keys").iterdir())
    assert left == ["server.lock"]


def test_a_server_makes_and_reads_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "thief.py"
    path.write_text(
        CIRCUITS.read_text()
        + "\nfrom nttforge import bfv, _secrecy\n"
        + "keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()\n"
    )
    command = [sys.executable, "-m", "nttforge", "serve", str(path), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "a secret key is refused here" in done.stderr or "made or read" in done.stderr


class Lying:
    """Answers every request with the same bytes."""

    def __init__(self, answer: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._answer = answer
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with client:
                    client.recv(65536)
                    client.sendall(self._answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n" + b"[" * 100000,
        b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (17 * 2**20),
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 500 \x1b[31m\r\ncontent-length: 0\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"",
    ],
    ids=["null", "list", "empty", "deep", "endless", "elsewhere", "failed", "nonsense", "silent"],
)
def test_a_lying_server_gets_an_error(answer: bytes) -> None:
    liar = Lying(answer)
    try:
        with pytest.raises((FormatError, RemoteError)):
            remote.connect(liar.url, timeout=5, patience=0).circuit("score")
    finally:
        liar.close()


def test_addresses() -> None:
    for url, said in (
        ("http://example.org", "in the clear"),
        ("ftp://127.0.0.1", "need https"),
        ("127.0.0.1:8100", "need https"),
        ("https://127.0.0.1/path", "need https"),
    ):
        with pytest.raises(ParameterError, match=said):
            remote.connect(url)


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    host = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(private)
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_tls(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    with running(tmp_path, "--tls-cert", cert, "--tls-key", key, "--tls-ca", cert) as server:
        assert server.url.startswith("https://")
        known = remote.connect(server.url, ca=cert, certificate=(cert, key))
        with known.circuit("score").open() as session:
            assert session(X) == score(X)
        with pytest.raises(RemoteError, match="give ca="):
            remote.connect(server.url, patience=0).circuit("score")
        with pytest.raises(RemoteError):  # without a certificate of its own
            remote.connect(server.url, ca=cert, patience=0).circuit("score")
        plain = socket.create_connection(("127.0.0.1", server.port))
        plain.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        plain.settimeout(20)
        with contextlib.suppress(OSError):
            assert not re.match(b"HTTP/1.1 200", plain.recv(100))
        plain.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "would let others read tokens"),
        (("--tls-cert", "x"), "go together"),
        (("--tls-ca", "x"), "needs --tls-cert"),
        (("--tls-cert", "none", "--tls-key", "none"), "is no file"),
        (("--requests", "0"), "need at least 1"),
        (("--keys-memory", "2"), "need bytes, as"),
    ],
)
def test_options_that_are_refused(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import argparse

    from nttforge_serve import command

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    with pytest.raises((ParameterError, SystemExit)) as error:
        parsed = parser.parse_args([str(CIRCUITS), *options])
        command._tls(parsed)
        command._limits(parsed)
    assert said in str(error.value) + capsys.readouterr().err


def test_ssl_is_checked_by_default() -> None:
    server = remote.connect("https://127.0.0.1:1")
    assert server._context is not None
    assert server._context.verify_mode is ssl.CERT_REQUIRED and server._context.check_hostname

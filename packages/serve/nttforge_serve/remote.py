# SPDX-License-Identifier: Apache-2.0
"""The client of ``nttforge serve``: it alone holds the secret key.

It sends evaluation keys and ciphertexts, and reads JSON and encrypted arrays, each checked. Nothing
of it pickles. A server can refuse, be slow or answer wrongly; what it says of parameters is taken
only if they reach the security that this library asks for.
"""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
from collections import deque
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

from numpy.typing import ArrayLike, NDArray

from nttforge.encrypted import EncryptedArray
from nttforge.errors import ArgumentTypeError, FormatError, NttforgeError, ParameterError

from .wire import LENGTH_BYTES, Contract, joined, parted

__all__ = ["RemoteCircuit", "RemoteError", "RemoteSession", "Server", "connect"]

_MOST_JSON = 16 * 2**20
_HEADER_BYTES = 2**20  # of an encrypted array, at most
_AGAIN = (429, 503)
_SENT_AT_ONCE = 2**18


class RemoteError(NttforgeError, RuntimeError):
    """A server refused a request, or cannot be reached.

    Attributes
    ----------
    status : int
        The status of HTTP; 0 where there was no answer.
    code : str
        The server's word for it, such as ``"unknown_session"``.
    """

    def __init__(self, message: str, status: int = 0, code: str = "unreachable") -> None:
        super().__init__(message)
        self.status, self.code = status, code


def connect(
    url: str,
    *,
    ca: str | None = None,
    certificate: tuple[str, str] | None = None,
    timeout: float = 60.0,
    patience: float = 120.0,
) -> Server:
    """A server by its address; nothing is sent yet.

    Parameters
    ----------
    url : str
        ``https://HOST:PORT``, or ``http://`` on this machine.
    ca : str, optional
        File of the authority that signed the server's certificate; the system's unless stated.
    certificate : (str, str), optional
        Files of this client's own certificate and key, where the server asks for one.
    timeout : float
        Seconds that the server may be silent.
    patience : float
        Seconds for which a request is tried again where the server is busy, ends or cannot be
        reached.

    Raises
    ------
    ParameterError
        The address is none of these.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise ParameterError(f"url = {url!r}: need https://HOST:PORT, or http://127.0.0.1:PORT")
    context = None
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=ca)
        if certificate is not None:
            context.load_cert_chain(*certificate)
    elif parts.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise ParameterError(
            f"url = {url!r}: a token would travel in the clear; need https:// to other machines"
        )
    return Server(parts.hostname, parts.port, context, timeout, patience)


class Server:
    """A server of circuits; made by :func:`connect`. Several threads may use it."""

    def __init__(
        self,
        host: str,
        port: int | None,
        context: ssl.SSLContext | None,
        timeout: float,
        patience: float,
    ) -> None:
        self._host, self._port, self._context = host, port, context
        self._timeout, self._patience = timeout, patience
        self._idle: deque[http.client.HTTPConnection] = deque()

    def circuits(self) -> dict[str, RemoteCircuit]:
        """What is served, by name."""
        listed = self._json("GET", "/v1/circuits").get("circuits")
        if not isinstance(listed, list):
            raise FormatError("circuits: the server's answer is no list")
        found = (RemoteCircuit(self, Contract.from_dict(one)) for one in listed)
        return {one.contract.name: one for one in found}

    def circuit(self, name: str) -> RemoteCircuit:
        """One circuit; a RemoteError where the server has none of this name."""
        document = self._json("GET", f"/v1/circuits/{quote(name, safe='')}")
        return RemoteCircuit(self, Contract.from_dict(document))

    def close(self) -> None:
        """Closes connections; the object can be used again."""
        while self._idle:
            self._idle.pop().close()

    __del__ = close

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _json(
        self, method: str, path: str, document: Any = None, token: str = ""
    ) -> dict[str, Any]:
        body = b"" if document is None else json.dumps(document).encode()
        data = self._request(method, path, body, token, _MOST_JSON, "application/json")
        try:
            found = json.loads(data or b"{}")
        except (ValueError, RecursionError):
            raise FormatError(f"{path}: the server's answer is no JSON") from None
        if not isinstance(found, dict):
            raise FormatError(f"{path}: the server's answer is no object of JSON")
        return found

    def _request(
        self, method: str, path: str, body: bytes, token: str, most: int, kind: str
    ) -> bytes:
        """The body of an answer; tried again while the server is busy or cannot be reached."""
        headers = {"content-type": kind, "content-length": str(len(body))}
        if token:
            headers["authorization"] = f"Bearer {token}"
        ends, wait = time.monotonic() + self._patience, 0.1
        while True:
            try:
                status, data, after = self._once(method, path, body, headers, most)
                if status < 300:
                    return data
                failure = _refusal(status, data)
                if status not in _AGAIN:
                    raise failure
                pause = max(after, wait)
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "strerror", None) or type(error).__name__
                failure = RemoteError(f"{self._host}: {reason}: is the server running?")
                if isinstance(error, ssl.SSLCertVerificationError):
                    raise RemoteError(
                        f"{self._host}: {error.verify_message}: give ca=FILE"
                    ) from None
                pause = wait
            pause *= random.uniform(1, 1.25)  # not all clients at the same moment
            if time.monotonic() + pause > ends:
                raise failure
            time.sleep(pause)
            wait = min(5.0, 2 * wait)

    def _once(
        self, method: str, path: str, body: bytes, headers: dict[str, str], most: int
    ) -> tuple[int, bytes, float]:
        """Status, body and the seconds of Retry-After of one try."""
        try:
            connection, fresh = self._idle.pop(), False
        except IndexError:
            connection, fresh = self._connection(), True
        keep = False
        try:
            try:
                connection.putrequest(method, path)
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders()
                view = memoryview(body)
                for at in range(0, len(body), _SENT_AT_ONCE):
                    connection.send(view[at : at + _SENT_AT_ONCE])
            except (BrokenPipeError, ConnectionResetError):
                if fresh and connection.sock is None:
                    raise
                # The server may have refused before it read all; its answer says why.
            answer = connection.getresponse()
            data = answer.read(most + 1)
            if len(data) > most:
                raise FormatError(f"{path}: the server's answer has more than {most} bytes")
            keep = not answer.will_close and answer.isclosed()
            after = answer.getheader("retry-after", "0")
            return answer.status, data, min(60.0, float(after) if after.isdigit() else 0.0)
        except (OSError, http.client.HTTPException):
            if fresh:
                raise
            connection.close()  # it was idle for too long
            return self._once(method, path, body, headers, most)
        finally:
            if keep:
                self._idle.append(connection)
            else:
                connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout, context=self._context
        )


class RemoteCircuit:
    """A circuit of a server, as the server describes it."""

    def __init__(self, server: Server, contract: Contract) -> None:
        self._server, self.contract = server, contract

    @property
    def parameters(self) -> Any:
        """The parameters, checked by this library: secure by its strictest table."""
        return self.contract.parameters

    def open(self, *, threads: int = 0) -> RemoteSession:
        """Makes keys here, and a session to which the evaluation keys among them go.

        Parameters
        ----------
        threads : int
            As for contexts.
        """
        context = self.contract.make_context(threads)
        return RemoteSession(self._server, self.contract, self.contract.make_keys(context))

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}{spec.shape}" for name, spec in self.contract.inputs.items())
        return f"<RemoteCircuit {self.contract.name}({inputs}), {self.contract.parameters!r}>"


class RemoteSession:
    """Keys of this client, and a circuit that computes with them; made by ``RemoteCircuit.open``.

    Called with arrays it encrypts, sends, waits and decrypts. Several threads may call it: requests
    that arrive together are computed together.
    """

    def __init__(self, server: Server, contract: Contract, keys: Any) -> None:
        self._server, self.contract, self.keys = server, contract, keys
        self._lock = threading.Lock()
        self._number = self._token = ""
        self._open()

    def __call__(self, *values: ArrayLike, **named: ArrayLike) -> Any:
        """The circuit's results of plain numbers: one array, or a tuple of them.

        Raises
        ------
        RemoteError
            The server refuses, or cannot be reached.
        SizeError, ParameterError
            Numbers of another shape or outside the circuit's range: nothing is sent.
        NoiseError
            The answer is none that these keys decrypt.
        """
        return self.decrypt(self.send(self.encrypt(*values, **named)))

    def encrypt(self, *values: ArrayLike, **named: ArrayLike) -> bytes:
        """The bytes of a request: a ciphertext for each input, by the secret key."""
        names = list(self.contract.inputs)
        given = dict(zip(names, values, strict=False)) | named
        if len(values) + len(named) != len(names) or set(given) != set(names):
            raise ArgumentTypeError(
                f"{self.contract.name} takes {', '.join(names)}, and got {len(values)} values and "
                f"{sorted(named)}"
            )
        inputs = self.contract.inputs.items()
        arrays = (spec.encrypt(given[name], self.keys.secret) for name, spec in inputs)
        return joined(array.text.to_bytes() for array in arrays)

    def send(self, request: bytes) -> bytes:
        """The server's answer to the bytes of a request.

        Where the server has forgotten the session, a new one with the same keys is opened, once.
        """
        number, token = self._number, self._token
        try:
            return self._evaluate(number, token, request)
        except RemoteError as error:
            if error.code != "unknown_session":
                raise
        with self._lock:
            if self._number == number:
                self._open()
        return self._evaluate(self._number, self._token, request)

    def decrypt(self, answer: bytes) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """The numbers of an answer."""
        found = tuple(array.decrypt(self.keys) for array in self.arrays(answer))
        return found[0] if self.contract.single else found

    def arrays(self, answer: bytes) -> list[EncryptedArray]:
        """The encrypted arrays of an answer, for ``decrypt_shared`` or further computation."""
        parts = parted(answer, self.contract.results)
        context = self.keys.context
        return [EncryptedArray.from_bytes(context, bytes(part), self.keys) for part in parts]

    def close(self) -> None:
        """Ends the session: the server deletes its keys."""
        if self._number:
            try:
                path = f"/v1/sessions/{self._number}"
                self._server._request("DELETE", path, b"", self._token, _MOST_JSON, "text/plain")
            except RemoteError as error:
                if error.code != "unknown_session":
                    raise
            self._number = self._token = ""

    def __enter__(self) -> RemoteSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()

    def _open(self) -> None:
        opened = self._server._json("POST", "/v1/sessions", {"circuit": self.contract.name})
        number, token = opened.get("session"), opened.get("token")
        if not (isinstance(number, str) and number.isalnum() and isinstance(token, str)):
            raise FormatError("the server's answer names no session and token")
        if not token.isascii() or not token.isprintable():
            raise FormatError("the server's token is no text that a header can have")
        if self.contract.has_keys:
            path = f"/v1/sessions/{number}/keys"
            data = self.keys.evaluation.to_bytes()
            kind = "application/octet-stream"
            try:
                self._server._request("PUT", path, data, token, _MOST_JSON, kind)
            except RemoteError as error:
                if error.code != "keys_are_there":  # the answer to the first try was lost
                    raise
        self._number, self._token = number, token

    def _evaluate(self, number: str, token: str, request: bytes) -> bytes:
        path = f"/v1/sessions/{number}/evaluate"
        kind = "application/octet-stream"
        return self._server._request("POST", path, request, token, self._most_answer(), kind)

    def _most_answer(self) -> int:
        """More bytes than any answer can have: results of as many rows as all inputs together."""
        one = int(self.contract.parameters.serialized_sizes()["ciphertext"])
        rows = sum(
            spec.layout(self.contract.parameters.n, self.contract.halves).ciphertexts
            for spec in self.contract.inputs.values()
        )
        return self.contract.results * (LENGTH_BYTES + _HEADER_BYTES + 64 * rows * one)

    def __repr__(self) -> str:
        return f"<RemoteSession of {self.contract.name}, {self.contract.parameters!r}>"


def _refusal(status: int, data: bytes) -> RemoteError:
    """What a server says, shortened and printable."""
    code, message = "refused", ""
    try:
        error = json.loads(data)["error"]
        code, message = str(error["code"])[:40], str(error["message"])[:1000]
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    printable = "".join(c if c.isprintable() else "?" for c in message)
    return RemoteError(f"the server refused with {status}: {printable or code}", status, code)

# SPDX-License-Identifier: Apache-2.0
"""Sessions: who may compute what, with which evaluation keys, for how long.

A session is opened for one circuit. Its number is public and stands in logs; its token is known to
whoever opened it alone, and the server keeps the token's SHA-256. Keys come once, as a file that is
read and checked before the session has it:

    opened ──upload──▶ FOLDER/number.part ──checked──▶ FOLDER/number.keys   ready
       └── number.json (circuit, token's digest)        └── in memory while it is used

A restart finds ready sessions on the disk. Where memory has no room for all keys, those that were
used longest ago leave it, and are read again when they are used.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from nttforge.encrypted.kinds import private_kind
from nttforge.errors import NttforgeError, ParameterError
from nttforge.rlwe import EvaluationKeys

from .circuits import Prepared
from .limits import Limits, Refused

__all__ = ["Session", "Sessions", "disk_failure", "one_server"]

_NUMBER = re.compile(r"[0-9a-f]{32}")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_UNKNOWN = "the session is unknown, has ended, or the token is not its own: open a new one"


@dataclass
class Session:
    """One client's right to one circuit."""

    number: str
    prepared: Prepared
    digest: str  #: of the token
    address: str
    state: str = "opened"  #: then "uploading", then "ready"
    used: float = field(default_factory=time.time)
    waiting: int = 0  #: requests that are not answered yet


class Sessions:
    """All sessions of a server; its methods may be called from several threads.

    Parameters
    ----------
    folder : Path
        Where keys lie; nobody else uses it.
    circuits : mapping of str to Prepared
    limits : Limits
    """

    def __init__(self, folder: Path, circuits: Mapping[str, Prepared], limits: Limits) -> None:
        self._folder, self._circuits, self._limits = folder, circuits, limits
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._memory: OrderedDict[str, EvaluationKeys] = OrderedDict()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._restore()

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def keys_memory(self) -> int:
        """Bytes of keys in memory."""
        with self._lock:
            return sum(self._sessions[number].prepared.keys_memory for number in self._memory)

    def open(self, name: str, address: str) -> tuple[Session, str]:
        """A new session and its token.

        Raises
        ------
        Refused
            404 for an unknown circuit, 429 if there are too many sessions or bytes of keys.
        """
        prepared = self._circuits.get(name)
        if prepared is None:
            known = ", ".join(self._circuits)
            raise Refused(404, "unknown_circuit", f"there is no circuit of this name: {known}")
        token = secrets.token_urlsafe(32)
        session = Session(secrets.token_hex(16), prepared, _digest(token), address)
        if not prepared.contract.has_keys:
            session.state = "ready"
        with self._lock:
            of_address = sum(one.address == address for one in self._sessions.values())
            disk = sum(one.prepared.contract.keys_bytes for one in self._sessions.values())
            for what, found, most in (
                ("sessions", len(self._sessions) + 1, self._limits.sessions),
                ("sessions of this address", of_address + 1, self._limits.sessions_per_address),
                ("bytes of keys", disk + prepared.contract.keys_bytes, self._limits.keys_disk),
            ):
                if found > most:
                    raise Refused(
                        429,
                        "too_many_sessions",
                        f"{found} {what} would be more than {most}: end one, or wait",
                        self._until_expiry(),
                    )
            self._sessions[session.number] = session
        if session.state == "ready":
            self._remember(session)
        return session, token

    def find(self, number: str, token: str) -> Session:
        """The session, for whoever has its token; Refused (404) for everybody else."""
        session = self._sessions.get(number)
        known = session.digest if session is not None else _digest("")
        if not hmac.compare_digest(known, _digest(token)) or session is None:
            raise Refused(404, "unknown_session", _UNKNOWN)
        session.used = time.time()
        return session

    def begin_upload(self, session: Session) -> IO[bytes]:
        """The file that keys are written to; Refused (409) if the session has some already."""
        with self._lock:
            if session.state != "opened":
                raise Refused(
                    409,
                    "keys_are_there",
                    f"the session is {session.state}: keys are sent once; open another session",
                )
            session.state = "uploading"
        try:
            return self._path(session, "part").open("wb")
        except OSError as error:
            self.abandon_upload(session, None)
            raise disk_failure(error) from error

    def abandon_upload(self, session: Session, file: IO[bytes] | None) -> None:
        """Takes a half upload away; the session may send keys again."""
        try:
            if file is not None:
                file.close()
        except OSError:  # what was left to write did not fit either
            pass
        self._path(session, "part").unlink(missing_ok=True)
        with self._lock:
            if session.state == "uploading":
                session.state = "opened"

    def finish_upload(self, session: Session, file: IO[bytes]) -> None:
        """Checks keys that have come whole, and makes the session ready.

        Raises
        ------
        Refused
            422 if they are damaged, of another kind, of other parameters or not those that the
            circuit needs; 507 if the disk is full.
        """
        part = self._path(session, "part")
        try:
            file.flush()
            os.fsync(file.fileno())
            file.close()
            with self._reading, part.open("rb") as written:
                head = written.read(32)
                if private_kind(head):
                    raise Refused(
                        422,
                        "secret",
                        f"these bytes are a {private_kind(head)}: they were not kept. Never send "
                        "one; if it was a secret key, make new keys",
                    )
                written.seek(0)
                keys = session.prepared.read_keys(written)
            self._remember(session)
            part.replace(self._path(session, "keys"))
        except NttforgeError as error:
            raise Refused(422, "wrong_keys", str(error)) from error
        except OSError as error:
            raise disk_failure(error) from error
        with self._lock:
            if self._sessions.get(session.number) is not session:  # it ended meanwhile
                self._forget(session)
                raise Refused(404, "unknown_session", _UNKNOWN)
            session.state, session.used = "ready", time.time()
        self._keep(session, keys)

    def keys(self, session: Session) -> EvaluationKeys | None:
        """The session's keys, from memory or else from the disk; None if its circuit needs none."""
        if not session.prepared.contract.has_keys:
            return None
        with self._lock:
            found = self._memory.get(session.number)
            if found is not None:
                self._memory.move_to_end(session.number)
                return found
        with self._reading:
            self._make_room(session)
            try:
                with self._path(session, "keys").open("rb") as file:
                    keys = session.prepared.read_keys(file)
            except (OSError, NttforgeError) as error:
                self.end(session)
                raise Refused(404, "unknown_session", _UNKNOWN) from error
        self._keep(session, keys)
        return keys

    def end(self, session: Session) -> None:
        """Takes a session and its keys away."""
        with self._lock:
            self._sessions.pop(session.number, None)
            self._memory.pop(session.number, None)
        self._forget(session)

    def expire(self) -> int:
        """Ends sessions that nobody has used for long; how many."""
        now, ended = time.time(), 0
        for session in list(self._sessions.values()):
            ready = session.state == "ready"
            most = self._limits.session_seconds if ready else self._limits.upload_seconds
            if now - session.used > most and not session.waiting and session.state != "uploading":
                self.end(session)
                ended += 1
        return ended

    def _until_expiry(self) -> int:
        ready = [s.used + self._limits.session_seconds for s in self._sessions.values()]
        return int(min(60, max(1, min(ready, default=0) - time.time())))

    def _keep(self, session: Session, keys: EvaluationKeys) -> None:
        self._make_room(session)
        with self._lock:
            if session.number in self._sessions:
                self._memory[session.number] = keys

    def _make_room(self, session: Session) -> None:
        """Lets go of keys that were used longest ago, until a session's keys fit."""
        with self._lock:
            room = self._limits.keys_memory - session.prepared.keys_memory
            held = sum(self._sessions[number].prepared.keys_memory for number in self._memory)
            while self._memory and held > room:
                number, _ = self._memory.popitem(last=False)
                held -= self._sessions[number].prepared.keys_memory

    def _path(self, session: Session, ending: str) -> Path:
        return self._folder / f"{session.number}.{ending}"

    def _remember(self, session: Session) -> None:
        """Writes what a restart needs to know."""
        document = {
            "circuit": session.prepared.contract.name,
            "fingerprint": session.prepared.contract.fingerprint,
            "digest": session.digest,
            "address": session.address,
        }
        path = self._path(session, "json")
        try:
            with path.with_suffix(".new").open("w", encoding="utf-8") as file:
                json.dump(document, file)
                file.flush()
                os.fsync(file.fileno())
            path.with_suffix(".new").replace(path)
        except OSError as error:
            self.end(session)
            raise disk_failure(error) from error

    def _forget(self, session: Session) -> None:
        for ending in ("json", "keys", "part", "new"):
            self._path(session, ending).unlink(missing_ok=True)

    def _restore(self) -> None:
        """Finds the sessions of the last run, and takes away what is left of others."""
        known: set[str] = set()
        for path in self._folder.glob("*.json"):
            session = self._restored(path)
            if session is not None:
                self._sessions[session.number] = session
                known.add(session.number)
        for path in self._folder.iterdir():
            ours = path.suffix in (".json", ".keys", ".part", ".new") and _NUMBER.fullmatch(
                path.stem
            )
            if ours and (path.stem not in known or path.suffix in (".part", ".new")):
                path.unlink()

    def _restored(self, path: Path) -> Session | None:
        try:
            document = json.loads(path.read_text("utf-8"))
            prepared = self._circuits[document["circuit"]]
            session = Session(path.stem, prepared, document["digest"], document["address"], "ready")
            keys = self._path(session, "keys")
            whole = not prepared.contract.has_keys or (
                keys.stat().st_size == prepared.contract.keys_bytes
            )
            same = document["fingerprint"] == prepared.contract.fingerprint
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return session if whole and same and _NUMBER.fullmatch(path.stem) else None


def one_server(folder: Path) -> IO[str]:
    """Makes a folder this process's own, until the file that it returns is closed.

    Raises
    ------
    ParameterError
        Another server has it.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = _locked(folder / "server.lock")
    if file is None:
        raise ParameterError(
            f"--data = {folder} belongs to another server, which runs: give each server a folder "
            "of its own"
        )
    return file


def _locked(path: Path) -> IO[str] | None:
    """A file that this process alone has, until it is closed or the process ends; None if not.

    Windows has no such lock: whoever asks gets the file.
    """
    file = path.open("a", encoding="ascii")
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return None
    return file


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def disk_failure(error: OSError) -> Any:
    """A failure of the disk, told without a path."""
    if error.errno in _FULL:
        text = "the server's disk is full: nothing was kept; try again later"
        return Refused(507, "disk_full", text, 60)
    return Refused(500, "disk", "the server cannot use its disk; its operator sees why", None)

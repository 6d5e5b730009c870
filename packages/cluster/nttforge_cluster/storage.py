# SPDX-License-Identifier: Apache-2.0
"""Folders that client and workers share: a path of this machine, or any that fsspec knows.

A file appears under its name only when it is whole. On this machine's file systems it is written
under a temporary name, flushed to the disk and renamed; elsewhere written and moved.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from nttforge.errors import FormatError, ParameterError

from .scheduler import dask

_LOCAL = ("file", "local")


class Store:
    """A folder by its path or address, such as ``data/encrypted`` or ``s3://bucket/encrypted``.

    Parameters
    ----------
    address : str or Path
    """

    def __init__(self, address: str | Path) -> None:
        text = str(address)
        if not text or "\0" in text:
            raise ParameterError(f"{text!r} is no folder: give a path, or an address of fsspec")
        try:
            system, path = dask("fsspec.core").url_to_fs(text)
        except (ValueError, ImportError) as error:
            raise ParameterError(f"{text}: {error}") from None
        self._system: Any = system
        protocol = system.protocol if isinstance(system.protocol, str) else system.protocol[0]
        self.is_local = protocol in _LOCAL
        self._path = str(Path(path).absolute()) if self.is_local else str(path).rstrip("/")
        self.address = self._path if self.is_local else str(system.unstrip_protocol(self._path))

    def child(self, name: str) -> Store:
        """A folder in this one."""
        return Store(f"{self.address}/{name}")

    def file(self, name: str) -> str:
        """The address of a file, for messages."""
        return f"{self.address}/{name}"

    def exists(self, name: str) -> bool:
        """Whether there is such a file now."""
        self._system.invalidate_cache()
        return bool(self._system.exists(f"{self._path}/{name}"))

    def names(self) -> list[str]:
        """Files in the folder, sorted; none if there is no folder."""
        self._system.invalidate_cache()
        try:
            found = self._system.ls(self._path, detail=True)
        except FileNotFoundError:
            return []
        files = (str(item["name"]) for item in found if item["type"] == "file")
        return sorted(path.rsplit("/", 1)[-1] for path in files)

    def read(self, name: str, most: int = 2**40) -> bytes:
        """A whole file of at most ``most`` bytes."""
        with self.opened(name) as file:
            data: bytes = file.read(min(most, self.size(name)) + 1)
        if len(data) > most:
            raise FormatError(f"{self.file(name)} has more than {most} bytes: it is altered")
        return data

    def can_read(self, name: str) -> bool:
        """Whether this process can read such a file."""
        try:
            with self.opened(name) as file:
                return bool(file.read(1))
        except OSError:
            return False

    def opened(self, name: str) -> Any:
        """A file to read from, which can be sought in."""
        return self._system.open(f"{self._path}/{name}", "rb")

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return int(self._system.size(f"{self._path}/{name}"))

    @contextlib.contextmanager
    def written(self, name: str) -> Iterator[IO[bytes]]:
        """A file that appears under its name when the block has ended without an error."""
        temporary = f"{self._path}/.{name}.{uuid.uuid4().hex}.part"
        try:
            self._system.makedirs(self._path, exist_ok=True)
            with self._system.open(temporary, "wb") as file:
                yield file
                if self.is_local:
                    file.flush()
                    os.fsync(file.fileno())
            if self.is_local:
                Path(temporary).replace(f"{self._path}/{name}")
            else:
                self._system.mv(temporary, f"{self._path}/{name}")
        except BaseException:
            with contextlib.suppress(Exception):
                self._system.rm_file(temporary)
            raise

    def write(self, name: str, data: bytes) -> None:
        """A file in one piece."""
        with self.written(name) as file:
            file.write(data)

    def remove_unfinished(self) -> int:
        """Removes what writers that were killed left; call it while nobody writes here."""
        left = [n for n in self.names() if n.startswith(".") and n.endswith(".part")]
        for name in left:
            with contextlib.suppress(FileNotFoundError):
                self._system.rm_file(f"{self._path}/{name}")
        return len(left)

    def __repr__(self) -> str:
        return f"<Store {self.address}>"

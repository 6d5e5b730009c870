# SPDX-License-Identifier: Apache-2.0
"""The manifest of a dataset, ``dataset.json``: written last, so that where it is, all is there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import FormatError
from .storage import Store

NAME = "dataset.json"
FORMAT, VERSION = "nttforge-dataset", 1
_MOST_BYTES = 2**30
_FIELDS = {"format", "version", "nttforge", "fingerprint", "columns", "records", "job", "parts"}


@dataclass(frozen=True)
class Part:
    """A partition: name, records, bytes of its file, SHA-256 of its footer."""

    name: str
    records: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a dataset holds.

    Parameters
    ----------
    nttforge : str
        Version that wrote it.
    fingerprint : str
        Of the parameters of all ciphertexts, 16 hexadecimal digits.
    columns : tuple of str
    records : int
        Of all partitions.
    job : str
        Digest of the computation that made it; empty for encrypted tables.
    parts : tuple of Part
        In the order of their records.
    """

    nttforge: str
    fingerprint: str
    columns: tuple[str, ...]
    records: int
    job: str
    parts: tuple[Part, ...]

    def to_json(self) -> bytes:
        """The file's text."""
        fields = {"format": FORMAT, "version": VERSION, **asdict(self)}
        fields["parts"] = [[p.name, p.records, p.bytes, p.sha256] for p in self.parts]
        return (json.dumps(fields, indent=0) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of what it says: two datasets with one digest hold the same bytes."""
        return hashlib.sha256(self.to_json()).hexdigest()

    def write(self, store: Store) -> None:
        """Writes the file: the dataset is complete."""
        store.write(NAME, self.to_json())

    @classmethod
    def read(cls, store: Store) -> Manifest:
        """Reads and checks the file.

        Raises
        ------
        FormatError
            There is none, or it is truncated, altered or of another version.
        """
        place = store.file(NAME)
        try:
            data = store.read(NAME, _MOST_BYTES)
        except FileNotFoundError:
            raise FormatError(
                f"{place} does not exist: {store.address} is no dataset, or writing it has not "
                "ended; run what writes it again"
            ) from None
        try:
            fields = json.loads(data)
        except (ValueError, RecursionError):
            raise FormatError(f"{place} is truncated or altered: it is no JSON") from None
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise FormatError(f"{place} is no manifest of a dataset")
        if fields.get("version") != VERSION:
            raise FormatError(
                f"{place} is a manifest of version {fields.get('version')!r}, and this release "
                f"reads version {VERSION}: update nttforge, or have the dataset written again"
            )
        try:
            return cls._checked(fields)
        except (ValueError, KeyError, TypeError):
            raise FormatError(f"{place} is altered: need the fields {sorted(_FIELDS)}") from None

    @classmethod
    def _checked(cls, fields: dict[str, Any]) -> Manifest:
        if fields.keys() != _FIELDS:
            raise ValueError("fields")
        parts = tuple(Part(str(n), int(r), int(b), str(d)) for n, r, b, d in fields["parts"])
        names = {part.name for part in parts}
        if len(names) != len(parts) or any(set("/\\\0") & set(n) or n[:1] == "." for n in names):
            raise ValueError("names of partitions")
        if not parts or sum(p.records for p in parts) != fields["records"]:
            raise ValueError("records")
        int(fields["fingerprint"], 16)
        columns = tuple(str(name) for name in fields["columns"])
        version, fingerprint = str(fields["nttforge"]), str(fields["fingerprint"])
        return cls(version, fingerprint, columns, int(fields["records"]), str(fields["job"]), parts)

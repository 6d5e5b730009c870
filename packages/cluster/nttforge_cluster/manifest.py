# SPDX-License-Identifier: Apache-2.0
"""The manifest of a dataset, ``dataset.json``: written last, so that where it is, all is there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from nttforge.errors import FormatError, SizeError

from .parts import Footer, file_name, listed_footer, part_name
from .storage import Store
from .texts import COUNT, DIGEST, MOST_COLUMNS, PART_NAME, Text, are_columns, pattern

NAME = "dataset.json"
FORMAT, VERSION = "nttforge-dataset", 1
MOST_PARTS = 2**20
_MOST_BYTES = 2**27
_MOST_VERSION = 64
_BEGIN = pattern("{", '"format"', ":", f'"{FORMAT}"', ",", '"version"', ":", COUNT, ",")
_WRITER = pattern('"nttforge"', ":", f'"([0-9A-Za-z.+-]{{1,{_MOST_VERSION}}})"', ",")
_FINGERPRINT = pattern('"fingerprint"', ":", '"([0-9a-f]{16})"', ",")
_COLUMNS = pattern('"columns"', ":", r"\[")
_RECORDS = pattern("]", ",", '"records"', ":", COUNT, ",")
_PARTS = pattern('"job"', ":", f'(?:{DIGEST}|"")', ",", '"parts"', ":", r"\[")
_PART = pattern(r"\[", PART_NAME, ",", COUNT, ",", COUNT, ",", DIGEST, "]")
_END = pattern("]", "}")


@dataclass(frozen=True, slots=True)
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
        In the order of their records; the name of each is :func:`parts.part_name` of its place.
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
        return cls.from_json(data, place)

    @classmethod
    def from_json(cls, data: bytes, place: str) -> Manifest:
        """Reads and checks the text of such a file, in memory of four times its bytes.

        Raises
        ------
        FormatError
            As :meth:`read`.
        """
        text = Text(data)
        try:
            (version,) = text.take(_BEGIN)
        except ValueError:
            raise FormatError(f"{place} is no manifest of a dataset, or it was altered") from None
        if int(version) != VERSION:
            raise FormatError(
                f"{place} is a manifest of version {version}, and this release reads version "
                f"{VERSION}: update nttforge, or have the dataset written again"
            )
        try:
            return cls._checked(text)
        except ValueError as error:
            raise FormatError(
                f"{place} is truncated or altered ({error}): fetch it again from where it came, or "
                "have the dataset written again"
            ) from None

    @classmethod
    def _checked(cls, text: Text) -> Manifest:
        (writer,) = text.take(_WRITER)
        (fingerprint,) = text.take(_FINGERPRINT)
        text.take(_COLUMNS)
        columns = [text.column()]
        while len(columns) < MOST_COLUMNS and text.next_is(b","):
            columns.append(text.column())
        if not are_columns(tuple(columns)):
            raise ValueError("its columns are not names of arguments, each once")
        (records,) = text.take(_RECORDS)
        (job,) = text.take(_PARTS)
        parts = [cls._part(text, 0)]
        while text.next_is(b","):
            parts.append(cls._part(text, len(parts)))
        text.take(_END)
        text.end()
        if sum(part.records for part in parts) != int(records):
            raise ValueError(f"its partitions do not have {records} records in all")
        return cls(writer, fingerprint, tuple(columns), int(records), job, tuple(parts))

    @staticmethod
    def _part(text: Text, number: int) -> Part:
        name, records, size, digest = text.take(_PART)
        if name != part_name(number) or number >= MOST_PARTS:
            raise ValueError(f"partition {number} has the name {name}")
        if int(records) < 1:
            raise ValueError(f"{name} has no records")
        return Part(name, int(records), int(size), digest)

    def footer(self, store: Store, part: Part) -> Footer:
        """The footer of one of the partitions, if it is the file that this manifest describes.

        Raises
        ------
        FormatError
            As :func:`parts.listed_footer`; or records, bytes, columns or computation are others.
        """
        footer = listed_footer(store, part.name, part.sha256)
        for what, found, said in (
            ("records", footer.records, part.records),
            ("bytes", footer.file_bytes, part.bytes),
            ("columns", footer.columns, self.columns),
            ("the computation", footer.job, self.job),
        ):
            if found != said:
                raise FormatError(
                    f"{store.file(file_name(part.name))} has {what} {found!r}, and the manifest "
                    f"says {said!r}: one of them was altered; fetch the folder again"
                )
        return footer


def require_room(parts: int) -> None:
    """Refuses one partition more than a manifest lists.

    Raises
    ------
    SizeError
    """
    if parts >= MOST_PARTS:
        raise SizeError(
            f"a dataset has at most {MOST_PARTS} partitions: give more records a partition, or "
            "encrypt the table in several folders"
        )

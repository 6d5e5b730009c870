# SPDX-License-Identifier: Apache-2.0
"""One partition as a file: batches of encrypted columns, then what there is, with digests.

    "NTTFPRT1" | column of batch 0 | next column | ... | footer, JSON | its length (4) | "NTTFPRT1"

The footer has the SHA-256 of every column of every batch, and the manifest that of the footer: a
batch is checked when it is read, and memory holds one batch at a time.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any

from ..encrypted import EncryptedArray
from ..errors import FormatError
from .storage import Store

MAGIC = b"NTTFPRT1"
_TAIL = 4 + len(MAGIC)
_MOST_FOOTER = 2**24
_REMEDY = "fetch it again from where it came, or make it again"


@dataclass(frozen=True)
class Footer:
    """What a partition holds.

    ``batches`` has, for each batch, its records and for each column its place, bytes and digest.
    ``job`` and ``source`` say what computed it from which partition; empty for encrypted tables.
    """

    name: str
    records: int
    job: str
    source: str
    batches: tuple[tuple[int, dict[str, tuple[int, int, str]]], ...]
    digest: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.batches[0][1]) if self.batches else ()

    def to_json(self) -> bytes:
        """The footer's text."""
        fields = {
            "name": self.name,
            "records": self.records,
            "job": self.job,
            "source": self.source,
            "batches": [[records, columns] for records, columns in self.batches],
        }
        return json.dumps(fields, separators=(",", ":")).encode()


class Writer:
    """Adds batches to an open file; :meth:`close` writes the footer."""

    def __init__(self, file: IO[bytes], name: str, job: str = "", source: str = "") -> None:
        self._file, self._name, self._job, self._source = file, name, job, source
        self._batches: list[tuple[int, dict[str, tuple[int, int, str]]]] = []
        file.write(MAGIC)
        self._place = len(MAGIC)

    def add(self, records: int, columns: Mapping[str, bytes]) -> None:
        """One batch: its number of records, and the bytes of each column."""
        said = {}
        for name, data in columns.items():
            self._file.write(data)
            said[name] = (self._place, len(data), hashlib.sha256(data).hexdigest())
            self._place += len(data)
        self._batches.append((records, said))

    def close(self) -> Footer:
        """Writes the footer and returns it, with its digest."""
        records = sum(count for count, _ in self._batches)
        footer = Footer(self._name, records, self._job, self._source, tuple(self._batches))
        text = footer.to_json()
        self._file.write(text + struct.pack("<I", len(text)) + MAGIC)
        self.bytes = self._place + len(text) + _TAIL
        return replace(footer, digest=hashlib.sha256(text).hexdigest())


def read_footer(store: Store, name: str) -> Footer:
    """The footer of a partition's file, parsed and checked against the file's length.

    Raises
    ------
    FormatError
        The file is truncated, altered or of another kind; the message has its address.
    """
    place = store.file(file_name(name))
    size = store.size(file_name(name))
    with store.opened(file_name(name)) as file:
        if size < len(MAGIC) + _TAIL:
            raise FormatError(f"{place} is truncated at {size} bytes: {_REMEDY}")
        file.seek(size - _TAIL)
        tail = file.read(_TAIL)
        length = struct.unpack("<I", tail[:4])[0]
        if tail[4:] != MAGIC or length > min(_MOST_FOOTER, size - len(MAGIC) - _TAIL):
            raise FormatError(f"{place} is truncated or altered: it has no footer; {_REMEDY}")
        file.seek(size - _TAIL - length)
        text = file.read(length)
    try:
        return _parsed(json.loads(text), hashlib.sha256(text).hexdigest(), size - _TAIL - length)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError(f"{place} is altered: its footer is none; {_REMEDY}") from None


def listed_footer(store: Store, name: str, digest: str) -> Footer:
    """The footer of a partition whose digest a manifest lists.

    Raises
    ------
    FormatError
        As :func:`read_footer`; or it is another partition's.
    """
    footer = read_footer(store, name)
    if footer.digest != digest:
        raise FormatError(
            f"{store.file(file_name(name))} does not have the SHA-256 of the manifest, "
            f"{digest[:16]}...: it was altered or is of another dataset; fetch it again"
        )
    return footer


def _parsed(fields: Any, digest: str, end: int) -> Footer:
    batches = []
    for records, columns in fields["batches"]:
        said = {str(k): (int(p), int(b), str(d)) for k, (p, b, d) in columns.items()}
        if any(p < len(MAGIC) or b < 0 or p + b > end for p, b, _ in said.values()):
            raise ValueError("a column lies outside the file")
        batches.append((int(records), said))
    if not batches or int(fields["records"]) != sum(records for records, _ in batches):
        raise ValueError("records do not add up")
    name, job, source = (str(fields[key]) for key in ("name", "job", "source"))
    return Footer(name, int(fields["records"]), job, source, tuple(batches), digest)


def batches_of(
    store: Store, footer: Footer, columns: tuple[str, ...] | None = None
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Records and bytes of each batch, one at a time, each compared with its digest."""
    place = store.file(file_name(footer.name))
    with store.opened(file_name(footer.name)) as file:
        for number, (records, said) in enumerate(footer.batches):
            found = {}
            for name in columns or tuple(said):
                begin, length, digest = said[name]
                file.seek(begin)
                data = file.read(length)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise FormatError(
                        f"{place} is damaged: column {name} of batch {number} does not have its "
                        f"SHA-256 {digest[:16]}...; {_REMEDY}"
                    )
                found[name] = data
            yield records, found


def verified(store: Store, name: str) -> Footer:
    """The footer of a partition all of whose bytes are what they were; else FormatError."""
    footer = read_footer(store, name)
    for _ in batches_of(store, footer):
        pass
    return footer


def file_name(part: str) -> str:
    """The file of a partition."""
    return f"{part}.enc"


def part_name(number: int) -> str:
    """The name of a partition by its number."""
    return f"part-{number:06}"


def pieces(
    columns: Mapping[str, EncryptedArray], most: int
) -> Iterator[tuple[int, dict[str, EncryptedArray]]]:
    """A batch in pieces of at most ``most`` ciphertexts, with the records of each.

    Columns that hold their records in different numbers of ciphertexts stay together.
    """
    first = next(iter(columns.values()))
    rows, lanes = first.layout.rows, first.layout.lanes
    alike = all(c.layout.rows == rows and c.layout.lanes == lanes for c in columns.values())
    if rows is None or not alike or first.layout.ciphertexts <= most:
        yield rows or 1, dict(columns)
        return
    for begin in range(0, first.layout.ciphertexts, most):
        end = min(begin + most, first.layout.ciphertexts)
        count = min(rows, end * lanes) - begin * lanes
        yield (
            count,
            {
                name: replace(
                    column, text=column.text[begin:end], layout=replace(column.layout, rows=count)
                )
                for name, column in columns.items()
            },
        )

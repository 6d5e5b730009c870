# SPDX-License-Identifier: Apache-2.0
"""One partition as a file: batches of encrypted columns, then what there is, with digests.

    "NTTFPRT1" | column of batch 0 | next column | ... | footer, JSON | its length (4) | "NTTFPRT1"

The footer has the SHA-256 of every column of every batch, and the manifest that of the footer: a
batch is checked when it is read, and memory holds one batch at a time. Columns fill the file: each
begins where the one before ends, so that no byte counts twice and none is left out.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any

from nttforge.encrypted import EncryptedArray
from nttforge.errors import FormatError, SizeError
from nttforge.rlwe import Context

from .storage import Store
from .texts import COUNT, DIGEST, MOST_COLUMNS, PART_NAME, Text, are_columns, pattern

MAGIC = b"NTTFPRT1"
_TAIL = 4 + len(MAGIC)
_MOST_FOOTER = 2**24
_REMEDY = "fetch it again from where it came, or make it again"
_HEAD = pattern("{", '"name"', ":", PART_NAME, ",", '"records"', ":", COUNT, ",")
_JOB = pattern('"job"', ":", f'(?:{DIGEST}|"")', ",")
_BATCHES = pattern('"source"', ":", f'(?:{DIGEST}|"")', ",", '"batches"', ":", r"\[")
_BATCH = pattern(r"\[", COUNT, ",", "{")
_COLUMN = pattern(":", r"\[", COUNT, ",", COUNT, ",", DIGEST, "]")
_BATCH_END, _END = pattern("}", "]"), pattern("]", "}")


@dataclass(frozen=True)
class Footer:
    """What a partition holds.

    ``batches`` has, for each batch, its records and for each column its place, bytes and digest.
    ``file_bytes`` are those of the whole file, ``digest`` is the SHA-256 of the footer.
    ``job`` and ``source`` say what computed it from which partition; empty for encrypted tables.
    """

    name: str
    records: int
    job: str
    source: str
    batches: tuple[tuple[int, dict[str, tuple[int, int, str]]], ...]
    file_bytes: int = 0
    digest: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, which all batches have."""
        return tuple(self.batches[0][1])

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
        if not are_columns(tuple(columns)):
            raise SizeError(
                f"a partition of {len(columns)} columns: need 1 to {MOST_COLUMNS}, with names of "
                "arguments of at most 255 characters"
            )
        said = {}
        for name, data in columns.items():
            self._file.write(data)
            said[name] = (self._place, len(data), hashlib.sha256(data).hexdigest())
            self._place += len(data)
        self._batches.append((records, said))

    def close(self) -> Footer:
        """Writes the footer and returns it, with its digest and the file's bytes."""
        records = sum(count for count, _ in self._batches)
        footer = Footer(self._name, records, self._job, self._source, tuple(self._batches))
        text = footer.to_json()
        if len(text) > _MOST_FOOTER:
            raise SizeError(
                f"{self._name} has {len(self._batches)} batches, and its footer {len(text)} bytes: "
                f"at most {_MOST_FOOTER}; give fewer records a partition"
            )
        self._file.write(text + struct.pack("<I", len(text)) + MAGIC)
        size = self._place + len(text) + _TAIL
        return replace(footer, file_bytes=size, digest=hashlib.sha256(text).hexdigest())


def read_footer(store: Store, name: str) -> Footer:
    """The footer of a partition's file, which is checked against name and length of the file.

    Raises
    ------
    FormatError
        The file is truncated, altered, of another partition or kind; the message has its address.
    """
    place = store.file(file_name(name))
    size = store.size(file_name(name))
    with store.opened(file_name(name)) as file:
        if size < len(MAGIC) + _TAIL:
            raise FormatError(f"{place} is truncated at {size} bytes: {_REMEDY}")
        file.seek(size - _TAIL)
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > min(_MOST_FOOTER, size - len(MAGIC) - _TAIL):
            raise FormatError(f"{place} is truncated or altered: it has no footer; {_REMEDY}")
        file.seek(size - _TAIL - length)
        text = file.read(length)
    try:
        footer = _parsed(text, size - _TAIL - length)
    except ValueError as error:
        raise FormatError(f"{place} is altered: its footer is none ({error}); {_REMEDY}") from None
    if footer.name != name:
        raise FormatError(f"{place} holds {footer.name}, not {name}: {_REMEDY}")
    return replace(footer, file_bytes=size, digest=hashlib.sha256(text).hexdigest())


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


def _parsed(data: bytes, end: int) -> Footer:
    """A footer whose columns fill a file from its magic to ``end``."""
    text = Text(data)
    name, records = text.take(_HEAD)
    (job,), (source,) = text.take(_JOB), text.take(_BATCHES)
    place = len(MAGIC)
    batches: list[tuple[int, dict[str, tuple[int, int, str]]]] = []
    while not batches or text.next_is(b","):
        count, said, place = _batch(text, place)
        if batches and said.keys() != batches[0][1].keys():
            raise ValueError(f"batch {len(batches)} has other columns than batch 0")
        batches.append((count, said))
    text.take(_END)
    text.end()
    if int(records) != sum(count for count, _ in batches):
        raise ValueError(f"its batches do not have {records} records in all")
    if place != end:
        raise ValueError(f"its columns end at byte {place}, and it begins at {end}")
    return Footer(name, int(records), job, source, tuple(batches))


def _batch(text: Text, place: int) -> tuple[int, dict[str, tuple[int, int, str]], int]:
    """Records and columns of a batch whose first byte is at ``place``, and where it ends."""
    (records,) = text.take(_BATCH)
    names: list[str] = []
    said: dict[str, tuple[int, int, str]] = {}
    while not names or (len(names) < MOST_COLUMNS and text.next_is(b",")):
        names.append(text.column())
        begin, length, digest = text.take(_COLUMN)
        if int(begin) != place:
            raise ValueError(f"a column begins at byte {begin}, not at {place}")
        place += int(length)
        said[names[-1]] = (int(begin), int(length), digest)
    text.take(_BATCH_END)
    if int(records) < 1 or not are_columns(tuple(names)):
        raise ValueError("a batch has no records, or columns that are not names, each once")
    return int(records), said, place


def batches_of(store: Store, footer: Footer) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Records and bytes of each batch, one at a time, each compared with its digest."""
    place = store.file(file_name(footer.name))
    with store.opened(file_name(footer.name)) as file:
        for number, (records, said) in enumerate(footer.batches):
            found = {}
            for name, (begin, length, digest) in said.items():
                file.seek(begin)
                data = file.read(length)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise FormatError(
                        f"{place} is damaged: column {name} of batch {number} does not have its "
                        f"SHA-256 {digest[:16]}...; {_REMEDY}"
                    )
                found[name] = data
            yield records, found


def arrays_of(
    store: Store,
    footer: Footer,
    context: Context,
    keys: Any = None,
    *,
    allowed: Callable[[bytes, str], bytes] = lambda data, place: data,
    rows: bool = True,
) -> Iterator[tuple[int, dict[str, EncryptedArray]]]:
    """Records and arrays of each batch, one at a time, as :func:`batches_of`.

    Parameters
    ----------
    allowed : callable
        Takes the bytes of a column and the file's address, and returns them or raises.
    rows : bool
        Whether a column has a row for each record, as in datasets, and not their sum.

    Raises
    ------
    FormatError
        Bytes are damaged, are no array, or have other rows than there are records.
    """
    place = store.file(file_name(footer.name))
    for number, (records, columns) in enumerate(batches_of(store, footer)):
        found = {}
        for name, data in columns.items():
            where = f"{place}: column {name} of batch {number}"
            try:
                found[name] = EncryptedArray.from_bytes(context, allowed(data, place), keys)
            except FormatError as error:
                raise FormatError(f"{where}: {error}; {_REMEDY}") from None
            if rows and found[name].layout.rows != records:
                raise FormatError(
                    f"{where} has shape {found[name].shape} for {records} records; {_REMEDY}"
                )
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

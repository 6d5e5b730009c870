# SPDX-License-Identifier: Apache-2.0
"""Manifests and footers of datasets as texts to be mutated, with the files that they speak of.

Half of the texts get their sums and digests again, so that readers look further than those. What
is read must then be the whole dataset, each byte once; anything else is an AssertionError.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

from nttforge.errors import FormatError
from nttforge_cluster.manifest import Manifest, Part
from nttforge_cluster.parts import MAGIC, Footer, Writer, batches_of, file_name, read_footer

NAMES = ("part-000000", "part-000001", "part-000002")
COLUMNS = {"a": b"first column", "b": b"the second column"}


class _Memory:
    """A folder in memory, as a store has it."""

    address = "memory"

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def file(self, name: str) -> str:
        return f"memory/{name}"

    def size(self, name: str) -> int:
        assert re.fullmatch(r"part-[0-9]{6,7}\.enc", name), f"{name!r} is asked for"
        if name not in self._files:
            raise FormatError(f"{name} does not exist")
        return len(self._files[name])

    def opened(self, name: str) -> io.BytesIO:
        return io.BytesIO(self._files[name])


def _partition(name: str, batches: int) -> tuple[bytes, Footer]:
    file = io.BytesIO()
    writer = Writer(file, name)
    for number in range(batches):
        writer.add(number + 1, COLUMNS)
    footer = writer.close()
    return file.getvalue(), footer


_PARTITIONS = {name: _partition(name, count + 1) for count, name in enumerate(NAMES)}
_FOLDER = _Memory({file_name(name): data for name, (data, _) in _PARTITIONS.items()})


def _mended(text: str, mend: Callable[[Any], None]) -> bytes:
    """The text, in one of two cases as JSON that was made right again, if it is any."""
    data = text.encode("utf-8", "replace")
    if zlib.crc32(data) & 1:
        return data
    try:
        fields = json.loads(text)
        mend(fields)
        return json.dumps(fields, separators=(",", ":")).encode("utf-8", "replace")
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return data


def _mend_manifest(fields: Any) -> None:
    for part in fields["parts"]:
        if part[0] in _PARTITIONS:
            data, footer = _PARTITIONS[part[0]]
            part[1:] = [footer.records, len(data), footer.digest]
    fields["records"] = sum(part[1] for part in fields["parts"])


class ManifestText:
    """A manifest, and the partitions that it lists."""

    def __init__(self, text: str) -> None:
        self._manifest = Manifest.from_json(_mended(text, _mend_manifest), "manifest")
        store: Any = _FOLDER
        read = [
            records
            for part in self._manifest.parts
            for records, _ in batches_of(store, self._manifest.footer(store, part))
        ]
        assert sum(read) == self._manifest.records
        assert len({part.name for part in self._manifest.parts}) == len(self._manifest.parts)

    def to_json(self) -> str:
        return self._manifest.to_json().decode()


def _mend_footer(fields: Any) -> None:
    for _, columns in fields["batches"]:
        for said in columns.values():
            begin, length = said[0], said[1]
            data = _PARTITIONS[NAMES[2]][0][begin : begin + length]
            said[2] = hashlib.sha256(data).hexdigest()
    fields["records"] = sum(records for records, _ in fields["batches"])


class FooterText:
    """A footer behind the columns of a partition, and those columns."""

    def __init__(self, text: str) -> None:
        data, footer = _PARTITIONS[NAMES[2]]
        columns = data[: len(MAGIC) + len(footer.batches) * sum(map(len, COLUMNS.values()))]
        said = _mended(text, _mend_footer)
        whole = columns + said + len(said).to_bytes(4, "little") + MAGIC
        store: Any = _Memory({file_name(NAMES[2]): whole})
        self._footer = read_footer(store, NAMES[2])
        read = list(batches_of(store, self._footer))
        found = b"".join(column for _, batch in read for column in batch.values())
        assert MAGIC + found == columns
        assert sum(records for records, _ in read) == self._footer.records

    def to_json(self) -> str:
        return self._footer.to_json().decode()


def manifest() -> str:
    """A right one, of three partitions."""
    parts = tuple(
        Part(name, footer.records, len(data), footer.digest)
        for name, (data, footer) in _PARTITIONS.items()
    )
    records = sum(part.records for part in parts)
    made = Manifest("0.9.0", "0123456789abcdef", tuple(COLUMNS), records, "", parts)
    return made.to_json().decode()


def footer() -> str:
    """A right one, of three batches."""
    return _PARTITIONS[NAMES[2]][1].to_json().decode()

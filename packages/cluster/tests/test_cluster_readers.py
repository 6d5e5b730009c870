# SPDX-License-Identifier: Apache-2.0
"""Files of datasets that others wrote: what is read of them is checked before it is used."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import bfv
from nttforge.errors import ClusterError, ContextError, FormatError, SizeError
from nttforge_cluster import EncryptedDataset, Store
from nttforge_cluster.manifest import NAME, Manifest, Part
from nttforge_cluster.parts import MAGIC, Writer, batches_of, file_name, part_name, read_footer

FUZZ = Path(__file__).parents[3] / "fuzz" / "python_loaders.py"
PART = "part-000000"
KEYS = bfv.Context(
    bfv.Parameters.custom(64, 257, nttforge.ntt_primes(64, 50, 2), security="insecure_by_request")
).generate_keys()
TABLE = {"a": np.arange(300) % 7, "b": np.arange(300) % 5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset of two partitions, the first of two batches."""
    bounds = {"a": (0, 6), "b": (0, 4)}
    EncryptedDataset.encrypt(TABLE, tmp_path / "in", KEYS.secret, records=260, bounds=bounds)
    return tmp_path / "in"


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> EncryptedDataset:
    """The dataset, though its parameters are too small to be read from others."""
    usual = bfv.Parameters.from_bytes
    accept = {"allow_insecure": True}
    monkeypatch.setattr(bfv.Parameters, "from_bytes", lambda data, **o: usual(data, **o | accept))
    return EncryptedDataset.open(folder)


def rewritten(folder: Path, change: Callable[[dict[str, Any]], Any], name: str = PART) -> None:
    """A partition with another footer, whose length is right, as is its digest in the manifest."""
    path = folder / file_name(name)
    whole = path.read_bytes()
    length = int.from_bytes(whole[-12:-8], "little")
    fields = json.loads(whole[-12 - length : -12])
    change(fields)
    text = json.dumps(fields, separators=(",", ":")).encode()
    path.write_bytes(whole[: -12 - length] + text + len(text).to_bytes(4, "little") + MAGIC)
    manifest = json.loads((folder / NAME).read_text())
    for part in manifest["parts"]:
        if part[0] == name:
            part[2:] = [path.stat().st_size, hashlib.sha256(text).hexdigest()]
    (folder / NAME).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.pop("parts"), "is truncated or altered"),
        (lambda f: f.update(version=9), "is a manifest of version 9, and this release reads"),
        (lambda f: f.update(format="x"), "is no manifest of a dataset"),
        (lambda f: f.update(records=1), "its partitions do not have 1 records in all"),
        (lambda f: f.update(fingerprint="0" * 16), "has the fingerprint"),
        (lambda f: f.update(columns=["a", "a"]), "are not names of arguments, each once"),
        (lambda f: f.update(columns=["a", "if b"]), "is truncated or altered"),
        (lambda f: f.update(columns=[]), "is truncated or altered"),
        (lambda f: f.update(more=1), "is truncated or altered"),
        (lambda f: f["parts"][0].__setitem__(0, "../x"), "is truncated or altered"),
        (lambda f: f["parts"][0].__setitem__(0, "part-000001"), "partition 0 has the name part-"),
        (lambda f: f["parts"].append(f["parts"][1]), "partition 2 has the name part-000001"),
        (lambda f: f["parts"][0].__setitem__(1, -260), "is truncated or altered"),
        (lambda f: f["parts"][0].__setitem__(1, 0), "part-000000 has no records"),
        (lambda f: f["parts"][0].__setitem__(1, 1e3), "is truncated or altered"),
        (lambda f: f["parts"][0].__setitem__(2, -1), "is truncated or altered"),
        (lambda f: f["parts"].clear(), "is truncated or altered"),
    ],
)
def test_manifests(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Any, message: str
) -> None:
    fields = json.loads((folder / NAME).read_text())
    change(fields)
    (folder / NAME).write_text(json.dumps(fields))
    with pytest.raises((FormatError, ContextError), match=re.escape(message)):
        opened(folder, monkeypatch)


def moved(f: dict[str, Any]) -> None:
    f["parts"][0][1] += 5
    f["parts"][1][1] -= 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (moved, "has records 260, and the manifest says 265"),
        (lambda f: f["parts"][0].__setitem__(2, 5), "and the manifest says 5: one of them was"),
        (lambda f: f.update(columns=["a", "c"]), "and the manifest says ('a', 'c')"),
        (lambda f: f.update(columns=["b", "a"]), "and the manifest says ('b', 'a')"),
        (lambda f: f.update(job="0" * 64), "has the computation '', and the manifest says"),
    ],
)
def test_manifests_beside_their_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Any, message: str
) -> None:
    fields = json.loads((folder / NAME).read_text())
    change(fields)
    (folder / NAME).write_text(json.dumps(fields))
    dataset = opened(folder, monkeypatch)
    with pytest.raises(FormatError, match=re.escape(message)):
        dataset.decrypt(KEYS)


def twice(f: dict[str, Any]) -> None:
    f["batches"].append(f["batches"][0])
    f["records"] += f["batches"][0][0]


def without_the_last(f: dict[str, Any]) -> None:
    f["records"] -= f["batches"].pop()[0]


def without_b(f: dict[str, Any]) -> None:
    del f["batches"][1][1]["b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.update(name="../elsewhere"), "its footer is none"),
        (lambda f: f.update(name="part-000001"), "holds part-000001, not part-000000"),
        (twice, "a column begins at byte 8, not at"),
        (without_b, "its footer is none"),
        (lambda f: f.update(records=261), "its batches do not have 261 records in all"),
        (lambda f: f["batches"][0].__setitem__(0, -4), "its footer is none"),
        (lambda f: f["batches"][0].__setitem__(0, 0), "a batch has no records"),
        (without_the_last, "its columns end at byte"),
        (lambda f: f.update(batches=[]), "its footer is none"),
        (lambda f: f.update(job="x"), "its footer is none"),
    ],
)
def test_footers_with_right_digests(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Any, message: str
) -> None:
    rewritten(folder, change)
    dataset = opened(folder, monkeypatch)
    with pytest.raises(FormatError, match=re.escape(message)):
        dataset.decrypt(KEYS)
    with pytest.raises(ClusterError, match=re.escape(message)):
        dataset.map(lambda a, b: a + b).persist(folder.parent / "out")


def test_columns_that_are_no_arrays_of_the_records(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "part-000001.enc"

    def moved(f: dict[str, Any]) -> None:
        f["batches"][0][0] += 1
        f["records"] += 1

    whole = path.read_bytes()
    rewritten(folder, moved, "part-000001")
    fields = json.loads((folder / NAME).read_text())
    fields["parts"][1][1] += 1
    fields["records"] += 1
    (folder / NAME).write_text(json.dumps(fields))
    dataset = opened(folder, monkeypatch)
    message = r"part-000001.enc: column a of batch 0 has shape \(40, 1\) for 41 records"
    with pytest.raises(FormatError, match=message):
        dataset.decrypt(KEYS)
    with pytest.raises(ClusterError, match=f"1 of 2 partitions are done. part-000001: .*{message}"):
        dataset.map(lambda a, b: a + b).persist(folder.parent / "out")
    path.write_bytes(whole)


def test_every_damage_of_a_partition_is_found(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.written(file_name(PART)) as file:
        writer = Writer(file, PART)
        writer.add(2, {"a": b"x" * 50, "b": b"y" * 60})
        footer = writer.close()
    path = tmp_path / file_name(PART)
    whole = path.read_bytes()
    assert read_footer(store, PART) == footer
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            found = read_footer(store, PART)
            if found.digest == footer.digest:
                list(batches_of(store, found))
                assert place < 8  # the magic at the front, which nothing depends on
        except FormatError:
            pass
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            read_footer(store, PART)


def test_a_writer_makes_nothing_that_a_reader_refuses(tmp_path: Path) -> None:
    with Store(tmp_path).written("x") as file:
        writer = Writer(file, PART)
        for columns in ({}, {"a b": b""}, {"a" * 256: b""}, {f"c{i}": b"" for i in range(4097)}):
            with pytest.raises(SizeError, match="need 1 to 4096, with names of arguments"):
                writer.add(1, columns)


def test_a_manifest_takes_memory_in_proportion() -> None:
    """A wrong manifest of 24 MiB took 598 MB; its first wrong byte ends the reading now."""
    count = 20000
    parts = tuple(Part(part_name(i), 9, 10**9 + i, f"{i:064x}") for i in range(count))
    whole = Manifest("1", "0" * 16, ("a",), 9 * count, "", parts)
    data = whole.to_json()
    begin = data[: data.index(b"[", data.index(b"parts")) + 1]
    for text, accepted in (
        (data, True),
        (begin + b"[]," * 2**23, False),
        (begin + b'"a",' * 2**22, False),
        (data[: data.index(b'"a"')] + b'"a",' * 2**22, False),
    ):
        tracemalloc.start()
        try:
            assert Manifest.from_json(text, "x") == whole and accepted
        except FormatError:
            assert not accepted
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 4 * len(text)


def test_mutations(tmp_path: Path) -> None:
    """As ``make fuzz``, a few: half of the inputs with mended sums and digests."""
    words = ["--target", "dataset", "--inputs", "400", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(FUZZ), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 loaders in Python, 800 inputs" in done.stdout

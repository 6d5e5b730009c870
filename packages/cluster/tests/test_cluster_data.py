# SPDX-License-Identifier: Apache-2.0
"""Encrypted datasets in this process: partitions, steps, sums, resuming; what is refused."""

from __future__ import annotations

import array
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_tables import BOUNDS, Home, make_home, plain, require_equal, slow

import nttforge
from nttforge import bfv
from nttforge.encrypted import EncryptedArray
from nttforge.errors import (
    ArgumentTypeError,
    ClusterError,
    ContextError,
    FormatError,
    ParameterError,
    SizeError,
)
from nttforge_cluster import EncryptedDataset, memory_plan
from nttforge_cluster.manifest import NAME
from nttforge_cluster.parts import read_footer
from nttforge_cluster.tables import TableWriter, read_in_parts
from nttforge_cluster.work import CACHE, Cache


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("home"), parts=3)


def test_a_table_comes_back_and_the_manifest_says_what_is_there(home: Home) -> None:
    dataset = EncryptedDataset.open(home.dataset.store.address)
    assert dataset.columns == ("a", "b")
    assert dataset.records == len(dataset) == len(home.table["a"])
    assert [part.records for part in dataset.manifest.parts] == [8192, 8192, 8092]
    fields = json.loads((home.folder / "in" / NAME).read_text())
    assert fields["nttforge"] == nttforge.__version__
    assert fields["fingerprint"] == f"{home.keys.context.fingerprint:016x}"
    for name, values in dataset.decrypt(home.keys.secret).items():
        assert (values == home.table[name]).all()


def test_steps_one_after_the_other(home: Home, tmp_path: Path) -> None:
    found = home.dataset.map(slow(0)).linear_map([[2]], "c").persist(tmp_path / "out")
    assert (found.decrypt(home.keys)["c"] == 2 * plain(home)).all()
    again = found.map(lambda c: c + 1)
    assert (
        again.persist(tmp_path / "more").decrypt(home.keys)["result"] == 2 * plain(home) + 1
    ).all()


def test_shared_arrays_and_products(home: Home, tmp_path: Path) -> None:
    weight = EncryptedArray.encrypt([5], home.keys, bounds=(0, 5))
    steps = home.dataset.map(lambda a, b, w, k: {"p": a * w + k * b}, {"w": weight}, {"k": [7]})
    found = steps.persist(tmp_path / "out", keys=home.server)
    assert (found.decrypt(home.keys)["p"] == 5 * home.table["a"] + 7 * home.table["b"]).all()


def test_a_matrix_of_rows(home: Home, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = {f"x{i}": rng.integers(-2, 3, 300) for i in range(4)}
    keys = home.keys.context.generate_keys(rotations=[1024 * i for i in (1, 2, 3, -1, -2)])
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "parameters.bin").write_bytes(keys.context.parameters.to_bytes())
    (folder / "evaluation.key").write_bytes(keys.evaluation.to_bytes())
    dataset = EncryptedDataset.encrypt(
        table, tmp_path / "in", keys.public, matrix="x", bounds={"x": (-2, 2)}, records=128
    )
    matrix = np.array([[1, 0, -1, 2], [0, 3, 1, 0]])
    found = dataset.linear_map(matrix).persist(tmp_path / "out", keys=folder)
    expected = np.stack(list(table.values()), axis=1) @ matrix.T
    assert (found.decrypt(keys)["x"] == expected).all()


def test_sums_by_a_tree(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nttforge_cluster.computation._FAN_IN", 2)
    sums = home.dataset.map(slow(0)).reduce(tmp_path / "sums", keys=home.server)
    assert int(sums["c"].decrypt(home.keys)[0]) == plain(home).sum()
    assert (tmp_path / "sums/level-2/part-000000.enc").is_file()
    kept: list[bool] = []
    home.dataset.map(slow(0)).reduce(
        tmp_path / "sums", keys=home.server, said=lambda o: kept.append(o["kept"])
    )
    assert kept == [True] * 6


def test_a_sum_that_may_pass_t_is_refused_with_the_partition(home: Home, tmp_path: Path) -> None:
    steps = home.dataset.map(lambda a, b: a * 2000)
    with pytest.raises(ClusterError, match=r"part-00000\d: .* may pass the signed range .* t = "):
        steps.reduce(tmp_path / "sums", keys=home.server)


def test_any_storage_of_fsspec(home: Home, tmp_path: Path) -> None:
    dataset = EncryptedDataset.encrypt(
        home.table, "memory://test/in", home.keys.secret, bounds=BOUNDS
    )
    result = dataset.map(slow(0)).persist("memory://test/out")
    require_equal(home, result)
    assert result.store.address == "memory:///test/out"
    assert not any(name.startswith(".") for name in result.store.names())


def test_what_is_done_is_kept_and_only_that(home: Home, tmp_path: Path) -> None:
    said: list[Any] = []
    steps, out = home.dataset.map(slow(0)), tmp_path / "out"
    steps.persist(out)
    (out / NAME).unlink()
    (out / "part-000001.enc").unlink()
    (out / "part-000002.enc").write_bytes((out / "part-000002.enc").read_bytes()[:-5])
    (out / ".part-000001.enc.0.part").touch()
    require_equal(home, steps.persist(out, said=lambda o: said.append((o["name"], o["kept"]))))
    assert said == [("part-000000", True), ("part-000001", False), ("part-000002", False)]
    assert sorted(path.name for path in out.iterdir() if path.name.startswith(".")) == []
    with pytest.raises(ParameterError, match="is the result of another computation"):
        home.dataset.map(lambda a, b: a).persist(out)


def test_batches_are_cut_to_the_memory(home: Home, tmp_path: Path) -> None:
    parameters = home.keys.context.parameters
    plan = memory_plan(parameters, 12, True, "cpu", limit=1)
    assert plan.at_once == 1
    assert plan.total == plan.keys + 2 * plan.batch
    assert memory_plan(parameters, 12, True, "cpu", limit=2**40).at_once > 1
    small = EncryptedDataset.encrypt(
        home.table, tmp_path / "in", home.keys.secret, bounds=BOUNDS, records=18000
    )
    result = small.map(slow(0)).persist(tmp_path / "out", memory=1)
    batches = read_footer(result.store, "part-000000").batches
    assert [records for records, _ in batches] == [8192, 8192, 1616]
    require_equal(home, result)


def test_a_cache_is_bounded_and_forgets_what_was_used_first() -> None:
    cache, made = Cache(), []

    def get(key: str, size: int) -> None:
        cache.get(key, size, 10, lambda: made.append(key))

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key, 4)
        assert cache.bytes <= 10
    assert made == ["a", "b", "c", "b"]


def test_keys_are_read_once(home: Home, tmp_path: Path) -> None:
    steps = home.dataset.map(lambda a, b: a * b)
    loads: list[int] = []
    steps.persist(tmp_path / "1", keys=home.server, said=lambda o: loads.append(o["loads"]))
    before = CACHE.loads
    steps.persist(tmp_path / "2", keys=home.server)
    assert loads[0] == loads[-1]
    assert CACHE.loads == before


def test_tables_in_parquet(home: Home, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    with path.open("wb") as file:
        writer = TableWriter(file, str(path))
        writer.add({"a": np.arange(5), "b": np.arange(5) / 2})
        writer.add({"a": np.arange(4), "b": np.arange(4) / 2})
        writer.close()
    parts = list(read_in_parts(path, 4))
    assert [len(part["a"]) for part in parts] == [4, 4, 1]
    assert np.concatenate([p["a"] for p in parts]).tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3]
    assert parts[1]["b"].tolist() == [2.0, 0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "table.csv, line 1: need names of columns, each once"),
        ("a,a\n1,2\n", "table.csv, line 1: need names of columns, each once"),
        ("a,b\n", "table.csv has no rows: need one at least"),
        ("a,b\n1,2\n3\n", "table.csv, line 3: 1 cells, and 2 names of columns"),
        ("a,b\n1,2\n3,x\n", "table.csv, line 3, column b: 'x' is no number"),
        ("a,b\n1,nan\n", "table.csv, line 2, column b: 'nan' is no number"),
        (
            "a,b c\n1,2\n",
            "column 'b c' is no name for an argument: letters, digits and _; rename it",
        ),
        (
            "a\n20000000\n",
            "encrypt: integers in [0, 33554431] may pass the signed range",
        ),
    ],
)
def test_bad_tables(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(text)
    with pytest.raises((FormatError, ParameterError)) as caught:
        EncryptedDataset.encrypt("table.csv", "out", home.keys.secret)
    assert str(caught.value).startswith(message)
    assert not Path("out", NAME).exists()


def test_bad_input(home: Home, tmp_path: Path) -> None:
    dataset, table = home.dataset, home.table
    steps = dataset.map(slow(0))

    def refused(kind: type[Exception], message: str, call: Any) -> None:
        with pytest.raises(kind) as caught:
            call()
        assert message in str(caught.value)

    refused(
        ParameterError,
        "in/dataset.json exists: name another folder",
        lambda: EncryptedDataset.encrypt(table, home.folder / "in", home.keys),
    )
    refused(
        ParameterError,
        "table.txt ends in '.txt': need .csv or .parquet",
        lambda: EncryptedDataset.encrypt("table.txt", tmp_path / "x", home.keys),
    )
    refused(
        SizeError,
        "the table's columns have different lengths",
        lambda: EncryptedDataset.encrypt({"a": [1], "b": [1, 2]}, tmp_path / "x", home.keys),
    )
    refused(
        ParameterError,
        "the table has no column 'z'; it has a, b",
        lambda: EncryptedDataset.encrypt(table, tmp_path / "x", home.keys, columns=["z"]),
    )
    refused(
        ParameterError,
        "bounds of 'z': there are a, b",
        lambda: EncryptedDataset.encrypt(table, tmp_path / "x", home.keys, bounds={"z": (0, 1)}),
    )
    refused(
        ParameterError,
        "records = 0 is not in [1, 2147483648]; records of a partition",
        lambda: EncryptedDataset.encrypt(table, tmp_path / "x", home.keys, records=0),
    )
    refused(
        FormatError,
        "is no dataset, or writing it has not ended",
        lambda: EncryptedDataset.open(tmp_path / "none"),
    )
    refused(
        ParameterError,
        "holds the dataset itself: name another folder",
        lambda: steps.persist(home.folder / "in"),
    )
    refused(ParameterError, "column = 'z': there are a, b", lambda: dataset.linear_map([[1]], "z"))
    refused(
        ParameterError,
        "column = None: name one of the columns a, b",
        lambda: dataset.linear_map([[1]]),
    )
    refused(ArgumentTypeError, "function is a int: need one to call", lambda: dataset.map(3))
    refused(
        ArgumentTypeError,
        "shared 'k' is no encrypted array: give it by public= if whoever computes may see it",
        lambda: dataset.map(slow(0), {"k": [1]}),
    )
    refused(
        ArgumentTypeError,
        "public 'k': need an array of numbers",
        lambda: dataset.map(slow(0), public={"k": "text"}),
    )
    refused(
        SizeError,
        "bytes with what it holds, and each task carries it: at most 262144",
        lambda: dataset.map((lambda data: lambda a, b: a + len(data))(bytes(300000))),
    )
    refused(
        ClusterError,
        "0 of 3 partitions are done. part-000000: the function of map returned "
        "a int: need an EncryptedArray",
        lambda: dataset.map(lambda a, b: 3).persist(tmp_path / "o"),
    )
    refused(
        ClusterError,
        "column result has shape (1,) for 8192 records: a map gives one row",
        lambda: dataset.map(lambda a, b: a.sum(axis=0)).persist(tmp_path / "o", keys=home.server),
    )
    refused(
        ClusterError,
        "mend the computation or its parameters, and run the same again",
        lambda: dataset.map(lambda a, b: a * b).persist(tmp_path / "o"),
    )
    other = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
    refused(
        ContextError,
        "shared 'w' has parameters of the fingerprint",
        lambda: dataset.map(slow(0), {"w": EncryptedArray.encrypt([1], other)}),
    )
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/parameters.bin").write_bytes(other.context.parameters.to_bytes())
    refused(
        ContextError,
        "encrypt it with the dataset's keys",
        lambda: steps.persist(tmp_path / "o", keys=tmp_path / "keys"),
    )
    refused(ContextError, "", lambda: dataset.decrypt(other))


def test_only_what_workers_may_see_is_sent(home: Home, tmp_path: Path) -> None:
    """Everything of this package that is not on the list is refused, with its type."""
    keys, context = home.keys, home.keys.context
    plaintext = bfv.BatchEncoder(context).encode([1])
    sealed = struct.pack("<HBBBBHQ", 0xA15E, 16, 4, 1, 2, 0, 500) + bytes(484)

    def holding(holder: Any) -> Any:
        return home.dataset.map((lambda held: lambda a, b: a if held is None else b)(holder))

    for holder, what in (
        (keys.secret, "holds a SecretKey of nttforge.rlwe.keys"),
        (keys, "holds a Keys of nttforge.integer_encoding.key_set"),
        (bfv.Decryptor(keys.secret), "holds a Decryptor of"),
        (bfv.Encryptor(keys.secret), "holds an Encryptor of"),
        (bfv.KeyGenerator(keys.secret), "holds a KeyGenerator of"),
        (keys.secret.to_bytes, "holds a SecretKey of"),
        ({"deep": [(plaintext,)]}, "holds a Plaintext of nttforge.integer_encoding.plaintexts"),
        (plaintext.prepare(), "holds a PreparedPlaintext of nttforge.integer_encoding.plaintexts"),
        (bfv.LinearMap([[1]], context), "holds a LinearMap of"),
        (np.arange(3), r"holds a plain array \(numpy.ndarray\), and it would be sent"),
        (array.array("d", [1]), r"holds a plain array \(array.array\)"),
        (keys.secret.to_bytes(), "holds the bytes of a secret key"),
        (b"x" + plaintext.to_bytes(), "holds the bytes of a plaintext"),
        (b"x" + sealed, "holds the bytes of an object of Microsoft SEAL"),
    ):
        with pytest.raises(ParameterError, match=what):
            holding(holder)
    small = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    text, array_ = small.encrypt([1]), EncryptedArray.encrypt([1], small.public)
    for holder in (text, text.to_bytes(), array_, small.public, context, np, np.int64(3), str):
        holding(holder)
    for file in ("evaluation.key", "parameters.bin"):
        (tmp_path / file).write_bytes((home.server / file).read_bytes())
    for name, data in (
        ("a secret key", keys.secret.to_bytes()),
        ("a plaintext", plaintext.to_bytes()),
        ("an object of Microsoft SEAL", sealed),
    ):
        (tmp_path / "another.name").write_bytes(data)
        with pytest.raises(ParameterError, match=f"another.name is {name}: nothing is computed"):
            home.dataset.map(slow(0)).persist(tmp_path / "out", keys=tmp_path)

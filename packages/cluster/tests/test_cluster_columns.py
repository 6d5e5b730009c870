# SPDX-License-Identifier: Apache-2.0
"""Columns of the demo's model by their names, and scores that may be shared, by the commands."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError
from nttforge_cluster.tables import names_of, read_in_parts

pytest.importorskip("sklearn")
RECORDS = 40
Rows = list[list[str]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, and records in the order of the model."""
    folder = tmp_path_factory.mktemp("columns")
    assert main(["cluster", "keys", "--out", str(folder / "keys")]) == 0
    words = ["--records", str(RECORDS), "--out", str(folder / "patients.csv")]
    assert main(["cluster", "sample", *words]) == 0
    return folder


@pytest.fixture(autouse=True)
def there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


def reversed_rows(rows: Rows) -> Rows:
    return [row[::-1] for row in rows]


def with_id(rows: Rows) -> Rows:
    return [["id", *rows[0], "ward"]] + [[str(9000 + i), *r, "A"] for i, r in enumerate(rows[1:])]


def written(change: Callable[[Rows], Rows], name: str) -> str:
    with Path("patients.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(change(rows))
    return name


ENCRYPT = ["cluster", "encrypt", "--keys", "keys/client"]
DECRYPT = ["cluster", "decrypt", "--keys", "keys/client"]
SCORE = ["cluster", "score", "--keys", "keys/server"]


def test_any_order_scores_right_and_may_be_shared(capsys: pytest.CaptureFixture[str]) -> None:
    """Compared with the table in the other order, by reversed columns with an id between."""
    table = written(lambda rows: with_id(reversed_rows(rows)), "reversed.csv")
    ignored = ["--ignore-columns", "id", "ward"]
    assert main([*ENCRYPT, table, "--out", "encrypted", *ignored]) == 0
    assert main([*SCORE, "encrypted", "--out", "scores"]) == 0
    equal = f"{RECORDS} of {RECORDS} scores and refinements equal the plaintext computation"
    for more in (["--compare", "patients.csv"], ["--compare", table, *ignored, "--private"]):
        capsys.readouterr()
        assert main([*DECRYPT, "scores", "--out", "scores.csv", *more]) == 0
        assert equal in capsys.readouterr().out
    assert main([*DECRYPT, "encrypted", "--out", "x.csv"]) == 2
    assert "has the columns x: decrypt takes what nttforge cluster score wrote" in (
        capsys.readouterr().err
    )
    text = Path("keys/client/model.json").read_text()
    fields = json.loads(text)
    try:
        Path("keys/client/model.json").write_text(json.dumps(fields | {"proved_bits": 79.9}))
        assert main([*DECRYPT, "scores", "--out", "y.csv"]) == 2
        assert "79.9 bits and an answer to be shared needs 80.0" in capsys.readouterr().err
        assert not Path("y.csv").exists()
    finally:
        Path("keys/client/model.json").write_text(text)


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        (with_id, [], "has columns that are no features of the model, 'id', 'ward': rename them"),
        (with_id, ["id"], "has columns that are no features of the model, 'ward': rename them"),
        (with_id, ["id", "ward", "bed"], "--ignore-columns: 'bed' is not in table.csv"),
        (lambda rows: rows, ["mean_area"], "--ignore-columns: 'mean_area' is a feature of the mod"),
        (
            lambda rows: [[f"x{i}" for i in range(30)], *rows[1:]],
            [],
            "table.csv lacks 'mean_radius', 'mean_texture', 'mean_perimeter', 'mean_area', "
            "'mean_smoothness' and 25 more of the model's 30 features; it has columns that",
        ),
        (lambda rows: [row[1:] for row in rows], [], "table.csv lacks 'mean_radius' of the model"),
    ],
)
def test_other_columns_are_refused(
    change: Any, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = written(change, "table.csv")
    ignored = ["--ignore-columns", *words] if words else []
    assert main([*ENCRYPT, table, "--out", "refused", *ignored]) == 2
    assert message in capsys.readouterr().err
    assert not Path("refused").exists()


def test_models_without_names_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = json.loads(Path("keys/client/model.json").read_text())
    for change in ({"version": 2}, {"names": ["a"] * 30}, {"names": ["a"]}, {"proved_bits": "x"}):
        for name in ("secret.key", "parameters.bin"):
            (tmp_path / name).write_bytes(Path("keys/client", name).read_bytes())
        (tmp_path / "model.json").write_text(json.dumps(fields | change))
        words = ["patients.csv", "--out", "refused", "--keys", str(tmp_path)]
        assert main(["cluster", "encrypt", *words]) == 2
        assert "is no model of version 1: need what" in capsys.readouterr().err


def test_names_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id, b,a\nx,1,2\n")
    assert names_of(path) == ["id", "b", "a"]
    (part,) = read_in_parts(path, 9, ["a", "b"])
    assert {name: column.tolist() for name, column in part.items()} == {"a": [2], "b": [1]}
    path.write_text("a, a\n1,2\n")
    with pytest.raises(FormatError, match="need names of columns, each once"):
        names_of(path)
    with pytest.raises(ParameterError, match=r"ends in '.txt': need .csv or .parquet"):
        names_of(tmp_path / "table.txt")


def test_names_of_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    columns = {"id": ["x", "y"], "b": np.arange(2), "a": np.arange(2) / 2}
    parquet.write_table(pyarrow.table(columns), path)
    assert names_of(path) == ["id", "b", "a"]
    (part,) = read_in_parts(path, 9, ["a", "b"])
    assert {name: column.tolist() for name, column in part.items()} == {"a": [0, 0.5], "b": [0, 1]}
    twice = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["a", "a"])
    parquet.write_table(twice, path)
    with pytest.raises(FormatError, match="need columns, each name once"):
        list(read_in_parts(path, 9))

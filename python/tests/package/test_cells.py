# SPDX-License-Identifier: Apache-2.0
"""The rule for numbers in CSV: the same cells, whoever reads the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nttforge._cells import column_of
from nttforge.errors import FormatError
from nttforge_cluster.tables import read_in_parts
from nttforge_he.tables import read_table

_NUMBERS = {"12": 12, "-3": -3, " 7 ": 7, "+1": 1, str(-(2**63)): -(2**63), "2.5": 2.5, "1e3": 1e3}
_OTHERS = ("", "x", "1_000", "\u0661", "nan", "inf", "1e400", str(2**63), "0" * 401, "0x10")


def _by_both(cell: str, folder: Path) -> list[float]:
    pytest.importorskip("fsspec")
    pytest.importorskip("dask")
    path = folder / "table.csv"
    path.write_text(f"name,other\n1,1\n{cell},1\n", encoding="utf-8")
    (part,) = read_in_parts(path, 10)
    table = read_table(path)
    assert part["name"].dtype == table["name"].dtype
    assert part["name"].tolist() == table["name"].tolist()
    return [float(value) for value in part["name"]]


@pytest.mark.parametrize("cell", _NUMBERS)
def test_numbers(cell: str, tmp_path: Path) -> None:
    assert _by_both(cell, tmp_path) == [1, float(_NUMBERS[cell])]


@pytest.mark.parametrize("cell", _OTHERS)
def test_what_is_no_number(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"name,other\n1,1\n{cell},1\n", encoding="utf-8")
    pytest.importorskip("fsspec")
    pytest.importorskip("dask")
    for read in (read_table, lambda p: list(read_in_parts(p, 10))):
        with pytest.raises(FormatError, match=r"line 3, column name: .* is no number"):
            read(path)


def test_columns() -> None:
    assert column_of(["1", "2"]).dtype == np.int64
    assert column_of(["1", "2.0"]).tolist() == [1.0, 2.0]

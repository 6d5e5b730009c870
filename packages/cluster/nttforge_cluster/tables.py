# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers, read in partitions from CSV, Parquet or arrays, and written likewise."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge._cells import CellError, column_of
from nttforge._extras import install_command
from nttforge.errors import FormatError, ParameterError, SizeError, UnsupportedError, shortened

from .scheduler import dask

Columns = dict[str, NDArray[Any]]
ENDINGS = (".csv", ".parquet")


def read_in_parts(
    source: str | Path | Mapping[str, Any], records: int, columns: Sequence[str] | None = None
) -> Iterator[Columns]:
    """Columns of ``records`` rows at a time, the last time fewer; no more is in memory.

    Parameters
    ----------
    source : str, Path or dict of arrays
        A file ending in .csv or .parquet, here or anywhere fsspec knows, or arrays by names.
    records : int
    columns : sequence of str, optional
        These only, in this order; what other columns hold is not looked at.

    Raises
    ------
    FormatError
        The file does not hold numbers in equally long columns; the message says where.
    ParameterError
        The ending is none of these, or there is no such column.
    """
    if isinstance(source, Mapping):
        parts = _of_arrays(source, records, columns)
    else:
        parts = _file_reader(source)(str(source), records, columns)
    empty = True
    for part in parts:
        empty = False
        yield part
    if empty:
        raise FormatError(f"{_place(source)} has no rows: need one at least")


def names_of(source: str | Path) -> list[str]:
    """Names of the columns of a file, in its order.

    Raises
    ------
    FormatError, ParameterError
        As :func:`read_in_parts`.
    """
    path = str(source)
    if _file_reader(source) is _of_parquet:
        with dask("fsspec").open(path, "rb") as raw:
            return _parquet_names(path, _parquet_file(path, raw))
    with _opened_csv(path) as file, _as_csv(path):
        return _csv_names(path, csv.reader(file, strict=True))


def _file_reader(source: str | Path) -> Callable[..., Iterator[Columns]]:
    ending = Path(str(source)).suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError(f"{source} ends in {ending!r}: need .csv or .parquet")
    return _of_csv if ending == ".csv" else _of_parquet


def _place(source: Any) -> str:
    return "the table" if isinstance(source, Mapping) else str(source)


def _chosen(place: str, names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """The columns that are asked for, each of which there is; all without ``columns``."""
    for name in columns or ():
        if name not in names:
            raise ParameterError(f"{place} has no column {name!r}; it has {', '.join(names)}")
    return list(names if columns is None else columns)


def _of_arrays(
    source: Mapping[str, Any], records: int, columns: Sequence[str] | None
) -> Iterator[Columns]:
    chosen = _chosen("the table", list(source), columns)
    table = {name: np.asarray(source[name]) for name in chosen}
    if not table or any(c.ndim != 1 or c.dtype.kind not in "iuf" for c in table.values()):
        raise SizeError("the table needs columns of numbers, each of one axis")
    if len({len(column) for column in table.values()}) > 1:
        raise SizeError("the table's columns have different lengths")
    length = len(next(iter(table.values())))
    for begin in range(0, length, records):
        yield {name: column[begin : begin + records] for name, column in table.items()}


def _opened_csv(path: str) -> Any:
    return dask("fsspec").open(path, "rt", encoding="utf-8-sig", newline="")


@contextlib.contextmanager
def _as_csv(path: str) -> Iterator[None]:
    try:
        yield
    except (csv.Error, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is no CSV in UTF-8: {error}") from None


def _csv_names(path: str, rows: Iterator[list[str]]) -> list[str]:
    names = [name.strip() for name in next(rows, [])]
    if not names or len(set(names)) != len(names) or not all(names):
        raise FormatError(f"{path}, line 1: need names of columns, each once")
    return names


def _of_csv(path: str, records: int, columns: Sequence[str] | None) -> Iterator[Columns]:
    with _opened_csv(path) as file, _as_csv(path):
        rows = csv.reader(file, strict=True)
        names = _csv_names(path, rows)
        chosen = _chosen(path, names, columns)
        line = 2
        while part := list(itertools.islice(rows, records)):
            yield _numbers(path, names, chosen, part, line)
            line += len(part)


def _numbers(
    path: str, names: list[str], chosen: list[str], rows: list[list[str]], line: int
) -> Columns:
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise FormatError(
                f"{path}, line {line + i}: {len(row)} cells, and {len(names)} names of columns"
            )
    cells_of = dict(zip(names, zip(*rows, strict=True), strict=True))
    found = {}
    for name in chosen:
        try:
            found[name] = column_of(cells_of[name])
        except CellError as error:
            raise FormatError(
                f"{path}, line {line + error.row}, column {name}: "
                f"{shortened(cells_of[name][error.row], 40)!r} is no number"
            ) from None
    return found


def _parquet_file(path: str, raw: Any) -> Any:
    parquet = _parquet(path)
    try:
        return parquet.ParquetFile(raw)
    except Exception as error:
        raise FormatError(f"{path} is no Parquet file: {error}") from None


def _parquet_names(path: str, file: Any) -> list[str]:
    names = list(file.schema_arrow.names)
    if not names or len(set(names)) != len(names):
        raise FormatError(f"{path}: need columns, each name once")
    return names


def _of_parquet(path: str, records: int, columns: Sequence[str] | None) -> Iterator[Columns]:
    with dask("fsspec").open(path, "rb") as raw:
        file = _parquet_file(path, raw)
        chosen = _chosen(path, _parquet_names(path, file), columns)
        waiting: list[Columns] = []
        count = 0
        for batch in file.iter_batches(batch_size=records, columns=chosen):
            part = {}
            for name in chosen:
                column = batch.column(name)
                array = column.to_numpy(zero_copy_only=False)
                if column.null_count:
                    raise FormatError(f"{path}, column {name}: values are missing")
                if array.dtype.kind not in "iuf":
                    raise FormatError(f"{path}, column {name} has type {column.type}: need numbers")
                part[name] = array
            waiting.append(part)
            count += batch.num_rows
            if count >= records:  # batches end at row groups: join what is short
                joined = {n: np.concatenate([w[n] for w in waiting]) for n in chosen}
                yield {n: c[:records] for n, c in joined.items()}
                waiting = [{n: c[records:] for n, c in joined.items()}]
                count -= records
        if count:
            yield {n: np.concatenate([w[n] for w in waiting]) for n in waiting[0]}


def _parquet(path: str) -> Any:
    try:
        import pyarrow.parquet

        return pyarrow.parquet
    except ImportError:
        raise UnsupportedError(
            f"{path}: Parquet needs one more package: {install_command('arrow')}"
        ) from None


class TableWriter:
    """Adds rows to a CSV or Parquet file that is open for bytes."""

    def __init__(self, file: Any, path: str) -> None:
        ending = Path(path).suffix.lower()
        if ending not in ENDINGS:
            raise ParameterError(f"{path} ends in {ending!r}: need .csv or .parquet")
        self._file, self._path, self._is_csv = file, path, ending == ".csv"
        self._parquet: Any = None
        self._begun = False

    def add(self, columns: Columns) -> None:
        """Rows of equally long columns."""
        if not self._is_csv:
            import pyarrow

            table = pyarrow.table(columns)
            if self._parquet is None:
                self._parquet = _parquet(self._path).ParquetWriter(self._file, table.schema)
            self._parquet.write_table(table)
            return
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self._begun:
            writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        self._begun = True
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        """Ends the table; the file stays open."""
        if self._parquet is not None:
            self._parquet.close()

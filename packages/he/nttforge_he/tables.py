# SPDX-License-Identifier: Apache-2.0
"""Numbers in files: CSV, NPY and Arrow, chosen by the file's ending."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge._cells import CellError, column_of, number_of
from nttforge._extras import install_command
from nttforge.console.output import whole_file
from nttforge.errors import FormatError, ParameterError, UnsupportedError, shortened

from .files import name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENDINGS = (".csv", ".npy", ".arrow")


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError(
            f"{path} ends in {ending!r}: need .csv, .npy or .arrow, which say how numbers are kept"
        )
    return ending


def read_table(path: Path) -> dict[str, NDArray[Any]]:
    """The columns of a table by name, or the array of an NPY file by the name of the file.

    Raises
    ------
    FormatError
        The file does not hold numbers in equally long columns; the message says where.
    """
    import numpy as np

    ending = _ending(path)
    if ending == ".npy":
        try:
            array = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise FormatError(f"{path} is no NPY file of numbers: {error}") from None
        if array.dtype.kind not in "iubf" or array.ndim not in (1, 2):
            raise FormatError(
                f"{path} has dtype {array.dtype} and shape {array.shape}: need numbers, one or two "
                "axes"
            )
        return {name_of(path): array}
    return _read_csv(path) if ending == ".csv" else _read_arrow(path)


def _read_csv(path: Path) -> dict[str, NDArray[Any]]:
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is no CSV in UTF-8: {error}") from None
    return columns_of(text, str(path))


def columns_of(text: str, path: str) -> dict[str, NDArray[Any]]:
    """The columns of a CSV file's text."""
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise FormatError(f"{path} is no CSV: {error}") from None
    numbered = [(i, row) for i, row in enumerate(rows, start=1) if row]
    if not numbered:
        raise FormatError(f"{path} is empty: need rows of numbers")
    first = numbered[0][1]
    names = [f"c{i}" for i in range(len(first))]
    if any(number_of(cell) is None for cell in first):
        names, numbered = [cell.strip() for cell in first], numbered[1:]
        if len(set(names)) != len(names) or not all(names):
            raise FormatError(f"{path}, line 1: two columns have one name, or one has none")
    if not numbered:
        raise FormatError(f"{path} has names of columns and no rows")
    for line, row in numbered:
        if len(row) != len(names):
            raise FormatError(
                f"{path}, line {line}: {len(row)} cells, and {len(names)} in the first line"
            )
    found = {}
    for name, cells in zip(names, zip(*(row for _, row in numbered), strict=True), strict=True):
        try:
            found[name] = column_of(cells)
        except CellError as error:
            line, cell = numbered[error.row][0], cells[error.row]
            raise FormatError(
                f"{path}, line {line}, column {name}: {shortened(cell, 40)!r} is no number"
            ) from None
    return found


def _arrow(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.feather
    except ImportError:
        raise UnsupportedError(
            f"{path}: Arrow files need one more package: {install_command('arrow')}"
        ) from None
    return pyarrow


def _read_arrow(path: Path) -> dict[str, NDArray[Any]]:
    pyarrow = _arrow(path)
    try:
        with pyarrow.OSFile(str(path)) as file:
            table = pyarrow.ipc.open_file(file).read_all()
    except pyarrow.ArrowException as error:
        raise FormatError(f"{path} is no Arrow file: {error}") from None
    found = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            raise FormatError(f"{path}, column {name}: {column.null_count} values are missing")
        array = column.to_numpy()
        if array.dtype.kind not in "iubf":
            raise FormatError(f"{path}, column {name} has type {column.type}: need numbers")
        found[name] = array
    if not found:
        raise FormatError(f"{path} has no columns")
    return found


def write_table(path: Path | None, columns: dict[str, NDArray[Any]]) -> None:
    """Columns to a file, or as CSV to standard output; NPY holds one array."""
    import numpy as np

    if path is None:
        _write_csv(sys.stdout, columns)
        return
    ending = _ending(path)
    if ending == ".csv":
        with whole_file(path) as file:
            _write_csv(file, columns)
        return
    if ending == ".npy":
        if len(columns) != 1:
            raise ParameterError(
                f"{path}: an NPY file holds one array, and there are {len(columns)}: write .csv or "
                ".arrow, or one file each"
            )
        with whole_file(path, "wb") as file:
            np.save(file, next(iter(columns.values())), allow_pickle=False)
        return
    pyarrow = _arrow(path)
    flat = _flat(columns)
    if len({column.size for column in flat.values()}) > 1:
        raise ParameterError(f"{path}: columns have different lengths: write one file each")
    table = pyarrow.table(flat)
    with whole_file(path, "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _flat(columns: dict[str, NDArray[Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays of two axes as one column for each of the second."""
    found: dict[str, Any] = {}
    for name, array in columns.items():
        if array.ndim == 2:
            found |= {f"{name}_{i}": column for i, column in enumerate(array.T)}
        else:
            found[name] = array.reshape(-1)
    return found


def _write_csv(file: Any, columns: dict[str, NDArray[Any]]) -> None:
    flat = _flat(columns)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(flat)
    for i in range(max(column.size for column in flat.values())):
        writer.writerow([column[i].item() if i < column.size else "" for column in flat.values()])

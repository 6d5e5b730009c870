# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables in partitions: made by their owner, computed on by anybody, opened again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nttforge import _arguments as arguments
from nttforge.encrypted import EncryptedArray
from nttforge.encrypted.kinds import PARAMETERS
from nttforge.errors import ParameterError
from nttforge.integer_encoding.fixed_point import scale_argument

from .computation import Computation
from .manifest import NAME, Manifest, Part, require_room
from .parts import Writer, arrays_of, file_name, part_name
from .schemes import lanes, require_dataset
from .storage import Store
from .stored import StoredDataset
from .tables import read_in_parts
from .work import VERSION

if TYPE_CHECKING:
    from nttforge.rlwe import Context, Keys, PublicKey, SecretKey

#: About a second of a product with relinearization and a sum, on one core.
DEFAULT_CIPHERTEXTS = 32
#: Ciphertexts of a batch: what a worker holds at a time.
BATCH_CIPHERTEXTS = 4
_SMALL_PARTS = 8  # of a table that is not larger than a partition


class EncryptedDataset(StoredDataset):
    """An encrypted table in partitions, in a folder or anywhere that fsspec knows.

    Made by :meth:`encrypt` or :meth:`Computation.persist`, found again by :meth:`open`. Nothing in
    the folder is secret: parameters, ciphertexts, and a manifest with counts and digests.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from nttforge import bfv
    >>> from nttforge_cluster import EncryptedDataset
    >>> context = bfv.Context(bfv.Parameters.preset(4096))
    >>> keys = context.generate_keys()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = {"a": np.arange(10), "b": np.arange(10) % 3}
    ...     ranges = {"a": (0, 9), "b": (0, 2)}
    ...     dataset = EncryptedDataset.encrypt(table, folder + "/in", keys.public, bounds=ranges)
    ...     doubled = dataset.map(lambda a, b: {"c": a * 2 - b}).persist(folder + "/out")
    ...     doubled.decrypt(keys.secret)["c"][:4]
    array([0, 1, 2, 6])
    """

    @classmethod
    def encrypt(
        cls,
        source: str | Path | Mapping[str, ArrayLike],
        address: str | Path,
        key: Keys | PublicKey | SecretKey,
        *,
        columns: Sequence[str] | None = None,
        matrix: str | None = None,
        scale: int | float = 1,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        block: int | None = None,
        records: int | None = None,
        prepare: Callable[[dict[str, NDArray[Any]]], dict[str, NDArray[Any]]] | None = None,
        said: Callable[[int], None] = lambda records: None,
    ) -> EncryptedDataset:
        """Encrypts a table, a partition at a time, on the machine of its owner.

        Parameters
        ----------
        source : str, Path or dict of arrays
            A .csv file with names in its first line, a .parquet file, or columns by names.
        address : str or Path
            A folder without a dataset.
        key : Keys, PublicKey or SecretKey
            Of BFV or CKKS. By the secret key a dataset has half the bytes. The key is not written.
        columns : sequence of str, optional
            These only (default: all).
        matrix : str, optional
            All columns as one array of this name and two axes, rows by columns; without it, each
            column is an array of shape (rows, 1).
        scale : number
            As for :meth:`EncryptedArray.encrypt`.
        bounds : dict of pairs, optional
            The range that is told of a column. Nothing is told without it, and what is computed
            then has no room for sums and products.
        block : int, optional
            Positions of a row, a power of two (default: the least).
        records : int, optional
            Records of a partition; by default those of 32 ciphertexts, and of a table that has no
            more an eighth of it, in whole ciphertexts.
        prepare : callable, optional
            Takes the columns of a partition and returns those that are encrypted.
        said : callable, optional
            Called with the number of records that were written so far.

        Raises
        ------
        ParameterError
            There is a dataset already; a value is out of its bounds or too large for t.
        FormatError
            The source does not hold numbers; the message says where.
        """
        context = require_dataset(key.context)
        store = Store(address)
        if store.exists(NAME):
            raise ParameterError(f"{store.file(NAME)} exists: name another folder")
        bounds = dict(bounds or {})
        if records is not None:
            records = arguments.integer("records", records, 1, 2**31, "records of a partition")
        store.write(PARAMETERS, context.parameters.to_bytes())
        parts: list[Part] = []
        names: tuple[str, ...] = ()
        total = 0
        held = _lanes_of(context, source, columns, matrix, block, prepare)
        tables = read_in_parts(source, records or DEFAULT_CIPHERTEXTS * held, columns)
        if records is None:
            tables = _for_several_workers(tables, held)
        for number, table in enumerate(tables):
            require_room(number)
            table = table if prepare is None else prepare(table)
            if matrix is not None:
                arrays = {matrix: np.stack(list(table.values()), axis=1)}
            else:
                arrays = {n: np.asarray(c).reshape(len(c), -1) for n, c in table.items()}
            if parts and tuple(arrays) != names:
                raise ParameterError(
                    f"prepare gave the columns {', '.join(arrays)}, and before {', '.join(names)}: "
                    "all partitions have the same"
                )
            names = tuple(arrays)
            part = _write_part(store, part_name(number), arrays, key, scale, bounds, block)
            parts.append(part)
            total += part.records
            said(total)
        manifest = Manifest(VERSION, f"{context.fingerprint:016x}", names, total, "", tuple(parts))
        manifest.write(store)
        return cls(store, manifest, context.parameters)

    def map(
        self,
        function: Callable[..., EncryptedArray | dict[str, EncryptedArray]],
        shared: Mapping[str, EncryptedArray] | None = None,
        public: Mapping[str, ArrayLike] | None = None,
    ) -> Computation[EncryptedDataset]:
        """A function of the columns of a batch of records, computed when it is asked for.

        Parameters
        ----------
        function : callable
            Takes every column by its name, an :class:`EncryptedArray` of shape (records, length),
            and what is shared or public; returns an array, which becomes the column ``result``, or
            several by their names, one row for each record. Sent to workers with what it holds, at
            most 256 KiB: numbers, texts, functions, modules, ciphertexts, evaluation keys and
            parameters.
        shared : dict, optional
            Encrypted arrays that every call gets by their names: written beside the result and read
            once by each worker.
        public : dict, optional
            The same of plain numbers, which workers and whoever reads the storage see.

        Raises
        ------
        ParameterError
            The function holds what workers do not get, such as a secret key, a plaintext or a plain
            array; the message has its type.
        """
        return Computation[EncryptedDataset](self, ()).map(function, shared, public)

    def linear_map(
        self, matrix: ArrayLike, column: str | None = None
    ) -> Computation[EncryptedDataset]:
        """A plain matrix times every record's vector: ``column @ matrix.T``.

        Parameters
        ----------
        matrix : array of integers, of CKKS of real numbers, shape (outputs, length)
            Workers see it.
        column : str, optional
            Needed where there are several.
        """
        return Computation[EncryptedDataset](self, ()).linear_map(matrix, column)

    def reduce(self, address: str | Path, **options: Any) -> dict[str, EncryptedArray]:
        """The sum of all records of each column: :meth:`Computation.reduce`."""
        return Computation(self, ()).reduce(address, **options)

    def parts(self, context: Context) -> Iterator[tuple[int, dict[str, EncryptedArray]]]:
        """Records and columns of each batch, in order, every byte compared with its digest."""
        for part in self.manifest.parts:
            yield from arrays_of(self.store, self.manifest.footer(self.store, part), context)

    def decrypt_in_parts(
        self, key: Keys | SecretKey, *, shared: bool = False, proved_bits: float | None = None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """The numbers of each batch in order; a column of one number a record has one axis.

        Parameters
        ----------
        key : Keys or SecretKey
        shared : bool
            True: for numbers that others see, as :meth:`EncryptedArray.decrypt_shared`. False: for
            the owner of the key alone.
        proved_bits : float, optional
            With ``shared``: the proved budget that the computation leaves, of a run of your own.

        Raises
        ------
        FormatError
            A partition is damaged; the message has its name.
        NoiseError
            As :meth:`EncryptedArray.decrypt` or :meth:`EncryptedArray.decrypt_shared`.
        """
        context = require_dataset(key.context)
        if proved_bits is not None and not shared:
            raise ParameterError("proved_bits goes with shared=True: only shared answers need it")
        for _, columns in self.parts(context):
            found = {}
            for name, array in columns.items():
                values = (
                    array.decrypt_shared(key, proved_bits=proved_bits)
                    if shared
                    else array.decrypt(key)
                )
                found[name] = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
            yield found

    def decrypt(
        self, key: Keys | SecretKey, *, shared: bool = False, proved_bits: float | None = None
    ) -> dict[str, NDArray[Any]]:
        """All numbers by columns, as :meth:`decrypt_in_parts` gives them in parts."""
        parts = list(self.decrypt_in_parts(key, shared=shared, proved_bits=proved_bits))
        return {name: np.concatenate([part[name] for part in parts]) for name in self.columns}

    def __repr__(self) -> str:
        return (
            f"<EncryptedDataset {self.store.address}: {self.records} records in "
            f"{len(self.manifest.parts)} partitions, columns {', '.join(self.columns)}>"
        )


def _lanes_of(
    context: Context,
    source: Any,
    columns: Sequence[str] | None,
    matrix: str | None,
    block: int | None,
    prepare: Callable[[dict[str, NDArray[Any]]], dict[str, NDArray[Any]]] | None,
) -> int:
    """Records of one ciphertext."""
    if block is None and matrix is None:
        return lanes(context, 1)
    first = next(read_in_parts(source, 1, columns))
    width = len(first if prepare is None else prepare(first)) if matrix is not None else 1
    positions = max(block or 1, 1 << (width - 1).bit_length())
    return lanes(context, positions)


def _for_several_workers(
    tables: Iterator[dict[str, NDArray[Any]]], lanes: int
) -> Iterator[dict[str, NDArray[Any]]]:
    """The parts of a table; a single one is cut, since one partition is work for one worker only.

    Cut parts have whole ciphertexts, of ``lanes`` records each.
    """
    parts = list(itertools.islice(tables, 2))
    if len(parts) == 1:
        rows = len(next(iter(parts[0].values())))
        step = lanes * max(1, math.ceil(math.ceil(rows / lanes) / _SMALL_PARTS))
        cuts = range(0, rows, step)
        parts = [{n: c[i : i + step] for n, c in parts[0].items()} for i in cuts]
    yield from itertools.chain(parts, tables)


def _write_part(
    store: Store,
    name: str,
    arrays: dict[str, NDArray[Any]],
    key: Any,
    scale: int | float,
    bounds: dict[str, tuple[float, float]],
    block: int | None,
) -> Part:
    for column in arrays:
        if not column.isidentifier():
            raise ParameterError(
                f"column {column!r} is no name for an argument: letters, digits and _; rename it"
            )
    for column in bounds:
        if column not in arrays:
            raise ParameterError(f"bounds of {column!r}: there are {', '.join(arrays)}")
    width = max(array.shape[1] for array in arrays.values())
    positions = block or 1 << (width - 1).bit_length()
    scale = scale_argument(scale)
    rows = len(next(iter(arrays.values())))
    step = BATCH_CIPHERTEXTS * lanes(key.context, positions)
    with store.written(file_name(name)) as file:
        writer = Writer(file, name)
        for begin in range(0, rows, step):
            encrypted = {
                column: EncryptedArray.encrypt(
                    values[begin : begin + step],
                    key,
                    scale=scale,
                    bounds=bounds.get(column),
                    block=positions,
                ).to_bytes()
                for column, values in arrays.items()
            }
            writer.add(min(step, rows - begin), encrypted)
        footer = writer.close()
    return Part(name, footer.records, footer.file_bytes, footer.digest)

# SPDX-License-Identifier: Apache-2.0
"""The partitions that a task reads, and whether what cannot be read is damaged or out of reach."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from nttforge.encrypted import EncryptedArray
from nttforge.errors import FormatError
from nttforge.rlwe import Context

from .guard import public_bytes
from .manifest import NAME
from .parts import Footer, arrays_of, file_name, listed_footer
from .storage import Store
from .trouble import Trouble, stage


def arrays_of_sources(
    store: Store,
    sources: Sequence[tuple[str, str]],
    records: int,
    columns: tuple[str, ...],
    context: Context,
    keys: Any,
) -> Iterator[dict[str, EncryptedArray]]:
    """The columns of every batch of some partitions.

    Parameters
    ----------
    store : Store
    sources : sequence of (str, str)
        Names of the partitions, and the SHA-256 of their footers.
    records : int
        Of all these partitions.
    columns : tuple of str
        Those of the dataset; empty for sums on the way, which have one row and no manifest.
    context : Context
    keys : EvaluationKeys, optional

    Raises
    ------
    Trouble
        Of the kind "damaged" or "input".
    """
    is_dataset = bool(columns)
    with stage("input"), _seen(store, is_dataset):
        footers = [listed_footer(store, name, digest) for name, digest in sources]
        _require_alike(store, footers, columns or footers[0].columns, records)
    for footer in footers:
        batches = arrays_of(store, footer, context, keys, allowed=public_bytes, rows=is_dataset)
        while True:
            with stage("input"), _seen(store, is_dataset):
                batch = next(batches, None)
            if batch is None:
                break
            yield batch[1]


@contextlib.contextmanager
def _seen(store: Store, is_dataset: bool) -> Iterator[None]:
    """Errors of the system about one file, in a folder of which others can be read, are damage.

    A worker that reads the manifest, or sees files where sums have none, is not without access.
    """
    try:
        yield
    except OSError as error:
        with contextlib.suppress(OSError):
            if store.can_read(NAME) if is_dataset else store.names():
                raise Trouble("damaged", error) from None
        raise


def _require_alike(
    store: Store, footers: list[Footer], columns: tuple[str, ...], records: int
) -> None:
    """Refuses partitions that do not have these columns, and these records in all."""
    for footer in footers:
        if footer.columns != columns:
            raise FormatError(
                f"{store.file(file_name(footer.name))} has the columns "
                f"{', '.join(footer.columns)}, and the dataset {', '.join(columns)}"
            )
    if (found := sum(footer.records for footer in footers)) != records:
        named = ", ".join(store.file(file_name(footer.name)) for footer in footers)
        raise FormatError(f"{named}: {found} records, and the manifest says {records}")

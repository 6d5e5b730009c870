# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables as they lie in a folder, found again and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nttforge import bfv, ckks
from nttforge.encrypted.kinds import PARAMETERS
from nttforge.errors import ContextError

from .manifest import Manifest
from .schemes import context_of, parameters_of
from .storage import Store

__all__ = ["StoredDataset"]

Self = TypeVar("Self", bound="StoredDataset")


@dataclass(frozen=True)
class StoredDataset:
    """What a computation has to know of a dataset."""

    store: Store
    manifest: Manifest
    parameters: bfv.Parameters | ckks.Parameters

    @classmethod
    def open(cls: type[Self], address: str | Path) -> Self:
        """The dataset in a folder.

        Raises
        ------
        FormatError
            There is none, its writing has not ended, or the manifest is altered.
        ContextError
            The folder's parameters are not those of the manifest.
        """
        store = Store(address)
        manifest = Manifest.read(store)
        parameters = parameters_of(store.read(PARAMETERS, 2**20))
        found = f"{context_of(parameters, threads=1).fingerprint:016x}"
        if found != manifest.fingerprint:
            raise ContextError(
                f"{store.file(PARAMETERS)} has the fingerprint {found}, and the dataset "
                f"{manifest.fingerprint}: fetch the folder again"
            )
        return cls(store, manifest, parameters)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.manifest.columns

    @property
    def records(self) -> int:
        """Rows of all partitions."""
        return self.manifest.records

    def __len__(self) -> int:
        return self.records

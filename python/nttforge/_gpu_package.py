# SPDX-License-Identifier: Apache-2.0
"""The package nttforge-cuda: the compiled module once more, with GPU kernels.

`pip install nttforge[cuda]` brings it. Its folder holds a module ``_core`` and goes to the front of
the path on which the submodules of nttforge are looked for, so that its module is taken in place of
the one without kernels. It must be of the same version, since nttforge's Python code calls it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

NAME = "nttforge-cuda"


def search_path(own: Iterable[str]) -> list[str]:
    """The path for the submodules of nttforge.

    Parameters
    ----------
    own : iterable of str
        Folders of nttforge itself.

    Returns
    -------
    list of str
        Those, behind the folder of nttforge-cuda where that is installed in the same version.
    """
    folder = _folder()
    return [*own] if folder is None or _mismatch(folder) else [str(folder), *own]


def mismatch() -> str | None:
    """Why an installed nttforge-cuda is not used, or None."""
    folder = _folder()
    return None if folder is None else _mismatch(folder)


def _mismatch(folder: Path) -> str | None:
    theirs, own = _version(folder), _version(Path(__file__).parent)
    if theirs is None or own is None:
        name = NAME if theirs is None else "nttforge"
        return f"{NAME} is not used: {name} is not installed as a package"
    if theirs != own:
        both = "and both must be of the same version"
        return f"{NAME} {theirs} is not used: nttforge is {own}, {both}"
    return None


def _folder() -> Path | None:
    found = importlib.util.find_spec("nttforge_cuda")
    return None if found is None or found.origin is None else Path(found.origin).parent


def _version(folder: Path) -> str | None:
    """The version of a package by the name that pip gives to what it writes beside its folder.

    Asking ``importlib.metadata`` would take 30 ms of each import.
    """
    for entry in folder.parent.glob(f"{folder.name}-*.dist-info"):
        return entry.name[len(folder.name) + 1 : -len(".dist-info")]
    return None

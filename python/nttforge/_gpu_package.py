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
    return [*own] if folder is None or mismatch() else [folder, *own]


def mismatch() -> str | None:
    """Why an installed nttforge-cuda is not used, or None."""
    if _folder() is None:
        return None
    from importlib import metadata

    try:
        versions = [metadata.version(name) for name in (NAME, "nttforge")]
    except metadata.PackageNotFoundError as error:
        return f"{NAME} is not used: {error.name} is not installed as a package"
    if versions[0] != versions[1]:
        return (
            f"{NAME} {versions[0]} is not used: nttforge is {versions[1]}, and both must be of the "
            "same version"
        )
    return None


def _folder() -> str | None:
    found = importlib.util.find_spec("nttforge_cuda")
    return None if found is None or found.origin is None else str(Path(found.origin).parent)

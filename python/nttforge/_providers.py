# SPDX-License-Identifier: Apache-2.0
"""What other distributions add to nttforge: devices, commands, modules, what doctor looks for.

A distribution registers them as entry points: in the group ``nttforge.devices`` what
:class:`nttforge.ntt._devices.Device` describes, in ``nttforge.commands`` a module with
``add_arguments(parser)`` and ``run(options)``, in ``nttforge.modules`` an attribute of nttforge, in
``nttforge.extras``, under its own name, a table like ``nttforge._extras.EXTRAS``. They are imported
when they are asked for.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .errors import UnsupportedError

DEVICES, COMMANDS, EXTRAS = "nttforge.devices", "nttforge.commands", "nttforge.extras"
MODULES = "nttforge.modules"

#: What is not there without another distribution of this project, and which one has it.
DISTRIBUTIONS = {
    DEVICES: {"rtl": "nttforge-hardware"},
    COMMANDS: {
        "demo": "nttforge-demo",
        "he": "nttforge-he",
        "cluster": "nttforge-demo",
        "serve": "nttforge-serve",
        "rtl": "nttforge-hardware",
        "bench": "nttforge-bench",
        "paper": "nttforge-papers",
    },
    MODULES: {
        "heir": "nttforge-compilers",
        "ml": "nttforge-compilers",
        "models": "nttforge-compilers",
        "orion": "nttforge-compilers",
        "seal": "nttforge-seal",
        "remote": "nttforge-serve",
    },
}
_NAMED = {DEVICES: "device = {!r}", COMMANDS: "the command 'nttforge {}'", MODULES: "nttforge.{}"}
#: The folders to install for a distribution in a clone.
_FOLDERS = {
    "nttforge-cluster": "./packages/cluster",
    "nttforge-compilers": "./packages/compilers",
    "nttforge-demo": "./packages/he ./packages/demo",
    "nttforge-he": "./packages/he",
    "nttforge-hardware": "./packages/oracle ./packages/hardware",
    "nttforge-oracle": "./packages/oracle",
    "nttforge-seal": "./packages/seal",
    "nttforge-serve": "./packages/serve",
    "nttforge-bench": "./bench",
    "nttforge-papers": "./bench ./papers",
}
_PUBLISHED = tuple(name for name, folders in _FOLDERS.items() if "packages" in folders)


def remedy(distribution: str) -> str:
    """What to do where a distribution of this project is missing.

    >>> remedy("nttforge-hardware")
    'pip install nttforge-hardware (in a clone: pip install ./packages/oracle ./packages/hardware)'
    >>> remedy("nttforge-bench")
    'in a clone of the repository: pip install ./bench, or make build'
    """
    folders = _FOLDERS[distribution]
    if distribution in _PUBLISHED:
        return f"pip install {distribution} (in a clone: pip install {folders})"
    return f"in a clone of the repository: pip install {folders}, or make build"


def provided(group: str, name: str) -> Any:
    """What a distribution has registered under a name.

    Parameters
    ----------
    group : str
        ``DEVICES``, ``COMMANDS`` or ``MODULES``.
    name : str

    Returns
    -------
    object or None
        None where nothing of this name is known.

    Raises
    ------
    UnsupportedError
        If a distribution of this project has it, which is not installed or cannot be imported.
    """
    from importlib import metadata  # a tenth of a second: plans on the CPU do without

    distribution = DISTRIBUTIONS[group].get(name)
    what = _NAMED[group].format(name)
    for found in metadata.entry_points(group=group, name=name):
        try:
            return found.load()
        except ImportError as error:
            if distribution is None:
                raise
            again = f"{what} cannot be loaded ({error}); install it again: {remedy(distribution)}"
            raise UnsupportedError(again) from error
    if distribution is None:
        return None
    raise UnsupportedError(f"{what} needs the package {distribution}: {remedy(distribution)}")


class Modules:
    """Finds ``nttforge.NAME`` for import statements, where a distribution registers that module."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Says that this class loads the modules of ``DISTRIBUTIONS``; it knows no others."""
        package, _, module = name.rpartition(".")
        known = package == __package__ and module in DISTRIBUTIONS[MODULES]
        return ModuleSpec(name, Modules) if known else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leaves the making of an empty module to the import statement."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Puts the distribution's module in the place of the empty one."""
        sys.modules[module.__name__] = provided(MODULES, module.__name__.rpartition(".")[2])

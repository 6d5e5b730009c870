# SPDX-License-Identifier: Apache-2.0
"""What other distributions add to nttforge: devices, commands, modules, what doctor looks for.

A distribution registers them as entry points: in the group ``nttforge.devices`` what
:class:`nttforge.ntt._devices.Device` describes, in ``nttforge.commands`` a module with
``add_arguments(parser)`` and ``run(options)``, in ``nttforge.modules`` an attribute of nttforge, in
``nttforge.extras``, under its own name, a table like ``nttforge._extras.EXTRAS``. They are imported
when they are asked for.
"""

from __future__ import annotations

from typing import Any

from .errors import UnsupportedError

DEVICES, COMMANDS, EXTRAS = "nttforge.devices", "nttforge.commands", "nttforge.extras"
MODULES = "nttforge.modules"

#: What is not there without another distribution of this project, and which one has it.
DISTRIBUTIONS = {
    DEVICES: {"rtl": "nttforge-hardware"},
    COMMANDS: {
        "demo": "nttforge-demo",
        "cluster": "nttforge-demo",
        "rtl": "nttforge-hardware",
        "bench": "nttforge-bench",
        "paper": "nttforge-papers",
    },
    MODULES: dict.fromkeys(("heir", "ml", "models"), "nttforge-compilers"),
}
_NAMED = {DEVICES: "device = {!r}", COMMANDS: "the command 'nttforge {}'", MODULES: "nttforge.{}"}
#: The folders to install for a distribution in a clone.
_FOLDERS = {
    "nttforge-cluster": "./packages/cluster",
    "nttforge-compilers": "./packages/compilers",
    "nttforge-demo": "./packages/demo",
    "nttforge-hardware": "./packages/oracle ./packages/hardware",
    "nttforge-oracle": "./packages/oracle",
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

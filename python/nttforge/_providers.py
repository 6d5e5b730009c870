# SPDX-License-Identifier: Apache-2.0
"""What other distributions add to nttforge: devices of plans, commands, and what doctor looks for.

A distribution registers them as entry points: in the group ``nttforge.devices`` what
:class:`nttforge.ntt._devices.Device` describes, in ``nttforge.commands`` a module with
``add_arguments(parser)`` and ``run(options)``, in ``nttforge.extras``, under its own name, a table
like ``nttforge._extras.EXTRAS``. They are imported when they are asked for.
"""

from __future__ import annotations

from typing import Any

from .errors import UnsupportedError

DEVICES, COMMANDS, EXTRAS = "nttforge.devices", "nttforge.commands", "nttforge.extras"

#: What is not there without another distribution of this project, and which one has it.
DISTRIBUTIONS = {
    DEVICES: {"rtl": "nttforge-hardware"},
    COMMANDS: {"rtl": "nttforge-hardware"},
}
_NAMED = {DEVICES: "device = {!r}", COMMANDS: "the command 'nttforge {}'"}
#: The folder of a distribution in a clone.
_FOLDERS = {"nttforge-hardware": "packages/hardware"}


def remedy(distribution: str) -> str:
    """What to do where a distribution of this project is missing.

    >>> remedy("nttforge-hardware")
    'pip install nttforge-hardware (in a clone: pip install ./packages/hardware)'
    """
    folder = _FOLDERS[distribution]
    return f"pip install {distribution} (in a clone: pip install ./{folder})"


def provided(group: str, name: str) -> Any:
    """What a distribution has registered under a name.

    Parameters
    ----------
    group : str
        ``DEVICES`` or ``COMMANDS``.
    name : str

    Returns
    -------
    object or None
        None where nothing of this name is known.

    Raises
    ------
    UnsupportedError
        If a distribution of this project has it, which is not installed.
    """
    from importlib import metadata  # a tenth of a second: plans on the CPU do without

    for found in metadata.entry_points(group=group, name=name):
        return found.load()
    distribution = DISTRIBUTIONS[group].get(name)
    if distribution is None:
        return None
    what = _NAMED[group].format(name)
    raise UnsupportedError(f"{what} needs the package {distribution}: {remedy(distribution)}")

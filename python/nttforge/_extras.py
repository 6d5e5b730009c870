# SPDX-License-Identifier: Apache-2.0
"""Packages that parts of nttforge need beside NumPy, and how to get them.

The commands name those packages themselves: they work for every installation, whether it comes
from a clone, from a wheel or from an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What each extra of the package brings, as pyproject.toml says it.
EXTRAS: dict[str, tuple[str, ...]] = {
    "cuda": ("nttforge-cuda==0.1.0; sys_platform == 'linux' and platform_machine == 'x86_64'",),
    "plot": ("matplotlib>=3.6,<4",),
    "hardware": ("nttforge-hardware[tools]==0.1.0",),
    "arrow": ("pyarrow>=14,<27",),
    "cluster": ("nttforge-cluster==0.1.0",),
    "compilers": ("nttforge-compilers[heir]==0.1.0",),
    "completion": ("shtab>=1.7.2,<2",),
    "demo": ("nttforge-demo==0.1.0",),
    "he": ("nttforge-he==0.1.0",),
    "seal": ("nttforge-seal==0.1.0",),
    "serve": ("nttforge-serve[server]==0.1.0",),
}


def install_command(needs: str | Iterable[str]) -> str:
    """The command that installs what an extra brings, given by its name or as what it brings.

    >>> install_command("plot")
    "pip install 'matplotlib>=3.6,<4'"
    """
    found = EXTRAS[needs] if isinstance(needs, str) else needs
    plain = [need.split(";")[0] for need in found]  # markers are for pip's files
    texts = [f"'{need}'" if set(need) & set("<>,[") else need for need in plain]
    return " ".join(["pip install", *texts])


def package_names(needs: Iterable[str]) -> tuple[str, ...]:
    """The packages that an extra brings, without their versions and extras.

    >>> package_names(("dask[array]==2026.1", "numpy>=1.23,<3"))
    ('dask', 'numpy')
    """
    return tuple(re.split(r"[\[=<>]", need)[0] for need in needs)

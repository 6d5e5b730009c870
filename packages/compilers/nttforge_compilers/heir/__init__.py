# SPDX-License-Identifier: Apache-2.0
"""Programs that HEIR compiles, on BGV, BFV and CKKS: ``nttforge.heir``.

:func:`load` reads what ``heir-opt`` wrote, :class:`Backend` goes into ``heir.compile``, and
:func:`parameter_file` makes HEIR use a set of nttforge. The guide is docs/compilers.md.
"""

from __future__ import annotations

from ..program import Program
from .backend import Backend, Client, EncryptedArgument
from .program import load, parameter_file

__all__ = ["Backend", "Client", "EncryptedArgument", "Program", "load", "parameter_file"]

# SPDX-License-Identifier: Apache-2.0
"""What compilers of encrypted computation write, run by nttforge.

One executor of small graphs behind four doors: :mod:`nttforge_compilers.heir` (``nttforge.heir``)
for programs of HEIR, :mod:`nttforge_compilers.models` (``nttforge.models``) for ``.orion`` files of
neural networks, :mod:`nttforge_compilers.orion` (``nttforge.orion``) for Orion 1.x, and
:mod:`nttforge_compilers.ml` (``nttforge.ml``) for fitted models.
"""

from __future__ import annotations

from .graph import Graph, Operation
from .placing import bootstrapped
from .program import Argument, Program, Result

__version__ = "0.1.0"
__all__ = ["Argument", "Graph", "Operation", "Program", "Result", "__version__", "bootstrapped"]

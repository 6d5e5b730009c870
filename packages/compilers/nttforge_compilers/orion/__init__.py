# SPDX-License-Identifier: Apache-2.0
"""Orion 1.x on nttforge: ``nttforge.orion``.

Orion compiles networks of PyTorch and evaluates them through a backend, an object with 79 methods.
:func:`use` puts :class:`Backend` in the place of its own; models and scripts stay as they are. The
guide is docs/compilers.md.
"""

from __future__ import annotations

from .backend import Backend, use

__all__ = ["Backend", "use"]

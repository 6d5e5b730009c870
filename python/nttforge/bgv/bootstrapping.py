# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of BGV."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import integer_encoding
from .context import Context
from .parameters import Parameters

__all__ = ["Bootstrapper"]


class Bootstrapper(integer_encoding.Bootstrapper):
    __doc__ = integer_encoding.Bootstrapper.__doc__
    __slots__ = ()
    _context_class: ClassVar[Any] = Context
    _parameters_class: ClassVar[Any] = Parameters

# SPDX-License-Identifier: Apache-2.0
"""A parameter set for integers bound to a device."""

from __future__ import annotations

from typing import cast

from .. import rlwe
from .parameters import Parameters


class Context(rlwe.Context):
    """What plaintexts, ciphertexts and keys for integers modulo t belong to."""

    __slots__ = ()

    @property
    def parameters(self) -> Parameters:
        """The parameter set."""
        return cast("Parameters", self._parameters)

    @property
    def t(self) -> int:
        """Plaintext modulus."""
        return self.parameters.t

    def _plaintexts(self) -> str:
        return f"t = {self.t}, "

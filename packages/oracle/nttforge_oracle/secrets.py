# SPDX-License-Identifier: Apache-2.0
"""How the coefficients of secrets are distributed, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .sampling import Stream, binary, sparse, ternary

if TYPE_CHECKING:
    from nttforge.typing import SecretDistribution


@dataclass(frozen=True)
class Secret:
    """A distribution of secrets: its kind, and the weight of a sparse one.

    Examples
    --------
    >>> sum(map(abs, Secret("sparse", 3).sample(Stream(bytes(32)), 16)))
    3
    """

    kind: SecretDistribution = "ternary"
    weight: int = 0

    def sample(self, stream: Stream, n: int) -> list[int]:
        """n coefficients from a stream."""
        if self.kind == "sparse":
            return sparse(stream, self.weight, n)
        return binary(stream, n) if self.kind == "binary" else ternary(stream, n)

    def moments(self, n: int) -> tuple[float, float]:
        """Expected value and square of a coefficient.

        Examples
        --------
        >>> Secret("binary").moments(64), Secret("sparse", 16).moments(64)
        ((0.5, 0.5), (0.0, 0.25))
        """
        if self.kind == "sparse":
            return 0.0, self.weight / n
        return (0.5, 0.5) if self.kind == "binary" else (0.0, 2 / 3)

    @property
    def mask(self) -> Secret:
        """The distribution of the masks u of encryption by the public key: never sparse.

        Examples
        --------
        >>> Secret("sparse", 3).mask
        Secret(kind='ternary', weight=0)
        """
        return Secret("ternary") if self.kind == "sparse" else self


TERNARY, BINARY = Secret("ternary"), Secret("binary")

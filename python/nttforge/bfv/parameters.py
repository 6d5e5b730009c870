# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of BFV."""

from __future__ import annotations

from .. import _arguments as arguments
from .. import _core, rlwe

__all__ = ["Parameters"]


class Parameters(rlwe.Parameters):
    """An immutable, validated set; made by :meth:`preset`, :meth:`custom` or :meth:`badawi2018`.

    Examples
    --------
    >>> p = Parameters.preset(8192)
    >>> p.n, p.t, p.has_batching
    (8192, 65537, True)
    >>> p == Parameters.from_bytes(p.to_bytes())
    True
    """

    __slots__ = ()
    _core_class = _core.bfv.Parameters
    _builders = "Parameters.preset(n), Parameters.custom(...), Parameters.badawi2018(n)"

    @classmethod
    def badawi2018(cls, n: int, t: int = 2) -> Parameters:
        """A set of [Bad18b] Table 4: n = 2^11 ... 2^14; below 128-bit security today."""
        n = arguments.integer("n", n, 1, 2**17, "the paper has n = 2^11, 2^12, 2^13, 2^14")
        t = arguments.integer("t", t, 0, 2**60 - 1)
        return cls._wrap(cls._core_class.badawi2018(n, t))

# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of BGV."""

from __future__ import annotations

from .. import _core, integer_encoding


class Parameters(integer_encoding.Parameters):
    """An immutable, validated set; made by :meth:`preset` or :meth:`custom`.

    ``q`` is the chain, the lowest prime first: a ciphertext of level l is modulo the first l of
    them. :meth:`preset` takes the chain with the greatest promised depth for n and t.

    Examples
    --------
    >>> p = Parameters.preset(8192)
    >>> p.n, p.t, len(p.q), p.promised_depth
    (8192, 65537, 5, 4)
    >>> p == Parameters.from_bytes(p.to_bytes())
    True
    """

    __slots__ = ()
    _core_class = _core.bgv.Parameters

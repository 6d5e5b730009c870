# SPDX-License-Identifier: Apache-2.0
"""Between plaintexts modulo t and a chain where they sit at the bottom, as steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt, prod

from .step import RnsStep
from .steps import conversion


def lift_centred(q: Sequence[int], t: int, factor: int) -> RnsStep:
    """The source m modulo t -> factor m modulo t, centred, modulo each of ``q``.

    Examples
    --------
    >>> lift_centred((7, 11), 5, 3).value([1])  # 3 is -2
    [5, 9]
    """
    return RnsStep((t,), tuple(q), modulus=t, weights=(factor % t,), excess=tuple(1 % m for m in q))


def reduce_centred(q: Sequence[int], t: int, gamma: int, factor: int) -> RnsStep:
    """x modulo Q -> factor times the centred x modulo t, gamma coprime to Q and t.

    S = [gamma x]_Q + u Q is what fast conversion gives, gamma x = S + Q d for the centred x; the
    correction is d, which is small: d = floor(gamma x / Q) - u. So it is exact for -Q (1/2 - (2k -
    1) / (2 gamma)) <= x < Q / 2, and passes its limit where x has less than half a bit to Q / 2, up
    to k / gamma of Q.

    Examples
    --------
    >>> reduce_centred((7, 11), 5, 2**13 - 1, 1).value([6, 10])  # -1
    [4]
    """
    big_q = prod(q)
    back = factor * pow(gamma, -1, t)
    return replace(
        conversion(q, (t,), gamma),
        factors=(tuple(back * (big_q // m) % t for m in q),),
        modulus=gamma,
        weights=tuple(-pow(m, -1, gamma) % gamma for m in q),
        limit=isqrt(gamma**2 // 8) - 1,
        excess=(back * big_q % t,),
    )

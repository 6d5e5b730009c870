# SPDX-License-Identifier: Apache-2.0
"""Sign, step, comparison, and what is made of them: maximum, minimum, absolute value, ReLU.

With s(x) near the sign of x and u(x) = (s(x) + 1) / 2 near the step:

    |x| = x s(x)      ReLU(x) = x u(x)      max(x, y) = y + (x - y) u(x - y)

Near 0, where s is wrong, these products are small: |x| < eps has an error of about eps / 4, so
that the whole of [-bound, bound] is their domain. For few bits one polynomial near |x| is less
deep: that of degree n has an error of 0.28 / n [VC85].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from ... import _arguments as arguments
from ...errors import ParameterError
from .approximation import approximate
from .composites import Method, sign_composite
from .function import Function, cheapest
from .polynomial import Pieces

_MOST_SIZE = 256  # bound 2^bits of a polynomial for |x| that "least depth" takes: its noise grows


class _Composite:
    """The sign or the step on [-bound, bound]: stages, one after the other."""

    def __init__(
        self, eps: float, bits: float, bound: float, method: Method, as_step: bool, near0: bool
    ) -> None:
        """``near0``: for arguments in the gap as well, where errors of arguments grow most."""
        self.eps = arguments.number("eps", eps, 2.0**-24, 0.5, "of the bound")
        self.bound = arguments.number(
            "bound", bound, 2.0**-40, 2.0**40, "for the size of arguments"
        )
        arguments.choice("method", method, ("minimax", "fg"))
        bits = arguments.number("bits", bits, 1, 30, "bits")
        first, *others = sign_composite(self.eps, bits - as_step, method)
        pieces = tuple((bound * low, bound * high) for low, high in first.domain)
        first = replace(first, interval=(-bound, bound), domain=pieces)
        self.stages = [first, *others]
        if near0:
            self.stages = [replace(stage, domain=()) for stage in self.stages]
        if as_step:
            self.stages[-1] = self.stages[-1].scaled(0.5, 0.5)

    def __call__(self, x: Any) -> Any:
        for stage in self.stages:
            x = stage(x)
        return x

    def function(
        self, name: str, formula: str, domain: tuple[Pieces, ...], error: float,
        circuit: Callable[..., Any],
    ) -> Function:  # fmt: skip
        parts = f"degrees {', '.join(str(stage.degree) for stage in self.stages)}"
        return Function(name, formula, domain, error, "absolute", circuit, parts)

    def error(self) -> float:
        """Largest error for x >= eps bound; those of -x are the same."""
        grid = (np.geomspace(self.eps, 1, 1 << 15), np.linspace(self.eps, 1, 1 << 15))
        return float(np.max(np.abs(self(self.bound * np.concatenate(grid)) - 1)))

    def product_error(self) -> float:
        """Largest error of x s(x) or x u(x) on [0, bound]; of -x, -x s(-x) it is the same."""
        near = np.linspace(0, 1, 1 << 14)
        parts = (near * self.eps, self.eps + near * (1 - self.eps), np.geomspace(self.eps, 1, 4096))
        grid = self.bound * np.concatenate(parts)
        return float(np.max(grid * np.abs(self(grid) - 1)))


def _apart(eps: float, bound: float) -> Pieces:
    return (-bound, -eps * bound), (eps * bound, bound)


def sign(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """The sign of x, -1 or 1, for eps * bound <= abs(x) <= bound; nearer to 0 it is between.

    Parameters
    ----------
    eps : float
        The gap as part of the bound, 2^-24 ... 1/2; each halving costs about a level.
    bits : float
        The error is at most 2^-bits, 1 ... 30.
    bound : float
        Of the size of x. One that is not 1 or 1/k costs a level.
    method : {"minimax", "fg"}
        Compositions of best polynomials [LLNK22], of least depth and then fewest products, or of
        the fixed ones of [CKK20].

    Examples
    --------
    >>> print(sign(eps=2**-6, bits=10).describe())
    sign, sign(x) on [-1, -0.015625] and [0.015625, 1]: absolute error 0.00086, depth 9,
    20 products (degrees 15, 31)
    """
    near = _Composite(eps, bits, bound, method, as_step=False, near0=False)
    return near.function("sign", "sign(x)", (_apart(eps, bound),), near.error(), near)


def step(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """1 for x > 0, 0 for x < 0, on the domain of :func:`sign`; at 0 it is 1/2."""
    near = _Composite(eps, bits, bound, method, as_step=True, near0=False)
    return near.function("step", "x > 0", (_apart(eps, bound),), near.error(), near)


def compare(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """1 where x > y, 0 where x < y, of two arguments in [0, bound] that differ by eps * bound."""
    near = _Composite(eps, bits, bound, method, as_step=True, near0=False)
    formula = f"x > y where |x - y| >= {eps * bound:g},"
    domain = (((0.0, bound),),) * 2
    return near.function("compare", formula, domain, near.error(), lambda x, y: near(x - y))


ProductMethod = Literal["least depth", "polynomial", "minimax", "fg"]


def _composite_product(
    bits: float, bound: float, method: Method, as_step: bool
) -> tuple[_Composite, float]:
    """The composite with the widest gap whose product with x has an error of at most 2^-bits."""
    share = 2.0**-bits / bound * (2 if as_step else 1)  # of the sign's error times |x| / bound
    if not 2.0**-24 <= share <= 0.5:
        raise ParameterError(
            f"bits = {bits:g} with bound = {bound:g}: need 2^-bits / bound in [2^-24, 1/4]; scale "
            "the arguments, or take other bits"
        )
    eps = min(4 * share, 0.5)
    while True:
        near = _Composite(eps, as_step - float(np.log2(share)), bound, method, as_step, near0=True)
        error = near.product_error()
        if error <= 2.0**-bits or eps < share / 4:
            return near, error
        eps *= 0.95


def _of_size(
    name: str, formula: str, bits: float, bound: float, method: ProductMethod, arity: int,
    of_sign: Callable[..., Any], of_size: Callable[..., Any],
) -> Function:  # fmt: skip
    """The circuit of least depth of two: with the sign or step, or with |x|, of two |x| / 2.

    ``of_sign`` and ``of_size`` get the stand-in for these, and the arguments.
    """
    bits = arguments.number("bits", bits, 1, 30, "bits")
    bound = arguments.number("bound", bound, 2.0**-40, 2.0**40, "of arguments")
    arguments.choice("method", method, ("least depth", "polynomial", "minimax", "fg"))
    factor = 1.0 if name == "absolute" else 0.5
    domain = (((-bound if arity == 1 else 0.0, bound),),) * arity
    wanted = 2.0**-bits
    found: list[Function] = []
    if method == "polynomial" or (method == "least depth" and bound <= _MOST_SIZE * wanted):
        p = approximate(lambda x: factor * np.abs(x), (-bound, bound), error=wanted, name=name)
        circuit, parts = partial(of_size, p), f"degree {p.degree}"
        found.append(Function(name, formula, domain, p.error, "absolute", circuit, parts))
    if method != "polynomial":
        way: Method = "fg" if method == "fg" else "minimax"
        near, error = _composite_product(bits, bound, way, factor == 0.5)
        found.append(near.function(name, formula, domain, error, partial(of_sign, near)))
    return cheapest(wanted, found, f"bits = {bits:g} with bound = {bound:g} by {method}")


def absolute(bits: float = 8, bound: float = 1, method: ProductMethod = "least depth") -> Function:
    """The absolute value on [-bound, bound].

    Parameters
    ----------
    bits : float
        The error is at most 2^-bits, 1 ... 30.
    bound : float
        Of the size of x. One that is not 1 or 1/k costs a level.
    method : {"least depth", "polynomial", "minimax", "fg"}
        The best even polynomial, of degree 0.28 bound 2^bits or so, or x times a :func:`sign`.
        "least depth" takes the polynomial up to a degree of about 70.

    Examples
    --------
    >>> absolute(bits=7).parts, absolute(bits=12).parts
    ('degree 36', 'degrees 15, 27, 27')
    """
    return _of_size(
        "absolute", "|x|", bits, bound, method, 1, lambda near, x: x * near(x), lambda p, x: p(x)
    )


def relu(bits: float = 8, bound: float = 1, method: ProductMethod = "least depth") -> Function:
    """max(x, 0) on [-bound, bound], as :func:`absolute`: (x + abs(x)) / 2, or x times a step."""
    return _of_size(
        "relu", "max(x, 0)", bits, bound, method, 1,
        lambda near, x: x * near(x), lambda p, x: x * 0.5 + p(x),
    )  # fmt: skip


def maximum(bits: float = 8, bound: float = 1, method: ProductMethod = "least depth") -> Function:
    """The larger of two arguments in [0, bound], as :func:`absolute`.

    Any interval of the length ``bound`` will do, because only x - y matters.
    """
    return _of_size(
        "maximum", "max(x, y)", bits, bound, method, 2,
        lambda near, x, y: y + (x - y) * near(x - y), lambda p, x, y: (x + y) * 0.5 + p(x - y),
    )  # fmt: skip


def minimum(bits: float = 8, bound: float = 1, method: ProductMethod = "least depth") -> Function:
    """The smaller of two arguments, as :func:`maximum`."""
    return _of_size(
        "minimum", "min(x, y)", bits, bound, method, 2,
        lambda near, x, y: x - (x - y) * near(x - y), lambda p, x, y: (x + y) * 0.5 - p(x - y),
    )  # fmt: skip

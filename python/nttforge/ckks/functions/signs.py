# SPDX-License-Identifier: Apache-2.0
"""Sign, step, comparison, and what is made of them: maximum, minimum, absolute value, ReLU.

With s(x) near the sign of x and u(x) = (s(x) + 1) / 2 near the step:

    |x| = x s(x)      ReLU(x) = x u(x)      max(x, y) = y + (x - y) u(x - y)

Near 0, where s is wrong, these products are small: |x| < eps has an error of eps / 4 at most, so
that the whole of [-bound, bound] is their domain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _arguments as arguments
from ...errors import ParameterError
from .composites import Method, sign_composite
from .function import Function
from .polynomial import Pieces, Polynomial

__all__ = ["absolute", "compare", "maximum", "minimum", "relu", "sign", "step"]

_LARGEST = 2.0**40
_STEPS = 60  # of narrower gaps until a product keeps its error


def _bits(value: float) -> float:
    return arguments.number("bits", value, 1, 30, "bits")


def _bound(value: float) -> float:
    return arguments.number("bound", value, 1 / _LARGEST, _LARGEST, "for the size of arguments")


def _stages(
    eps: float, bits: float, bound: float, method: Method, as_step: bool
) -> list[Polynomial]:
    """The composite for [-bound, bound]; of a step the last stage is halved, and 1/2 is added."""
    first, *others = sign_composite(eps, bits, method)
    stages = [Polynomial(first.coefficients, (-bound, bound), name=first.name), *others]
    if as_step:
        stages[-1] = stages[-1].scaled(0.5, 0.5)
    return stages


def _composed(stages: list[Polynomial]) -> Callable[[Any], Any]:
    def circuit(x: Any) -> Any:
        for stage in stages:
            x = stage(x)
        return x

    return circuit


def _degrees(stages: list[Polynomial]) -> str:
    return f"degrees {', '.join(str(stage.degree) for stage in stages)}"


def _signs(
    eps: float, bits: float, bound: float, method: Method, as_step: bool
) -> tuple[list[Polynomial], Pieces, float]:
    """Stages, domain and measured error."""
    eps, bound = arguments.number("eps", eps, 2.0**-24, 0.5, "of the bound"), _bound(bound)
    arguments.choice("method", method, ("minimax", "fg"))
    stages = _stages(eps, _bits(bits) - as_step, bound, method, as_step)
    grid = bound * np.concatenate([np.geomspace(eps, 1, 1 << 15), np.linspace(eps, 1, 1 << 15)])
    error = float(np.max(np.abs(_composed(stages)(grid) - 1)))
    return stages, ((-bound, -eps * bound), (eps * bound, bound)), error


def sign(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """The sign of x, -1 or 1, for eps * bound <= |x| <= bound; nearer to 0 it is between.

    Parameters
    ----------
    eps : float
        The gap as part of the bound, 2^-24 ... 1/2. Halving it costs about half a level and more.
    bits : float
        The error is at most 2^-bits, 1 ... 30.
    bound : float
        Of \\|x\\|. One that is not 1 or 1/k may cost a level.
    method : {"minimax", "fg"}
        Compositions of best polynomials [LLNK22], of least depth and then fewest products, or of
        the fixed ones of [CKK20].

    Examples
    --------
    >>> print(sign(eps=2**-6, bits=10).describe())
    sign, sign(x) on [-1, -0.015625] and [0.015625, 1]: absolute error 0.00086, depth 9,
    20 products (degrees 15, 31)
    """
    stages, domain, error = _signs(eps, bits, bound, method, False)
    return Function(
        "sign", "sign(x)", (domain,), error, "absolute", _composed(stages), _degrees(stages)
    )


def step(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """1 for x > 0, 0 for x < 0, on the domain of :func:`sign`; at 0 it is 1/2."""
    stages, domain, error = _signs(eps, bits, bound, method, True)
    return Function(
        "step", "x > 0", (domain,), error, "absolute", _composed(stages), _degrees(stages)
    )


def compare(
    eps: float = 2.0**-6, bits: float = 10, bound: float = 1, method: Method = "minimax"
) -> Function:
    """1 where x > y, 0 where x < y, of two arguments in [0, bound] that differ by eps * bound."""
    stages, _, error = _signs(eps, bits, bound, method, True)
    circuit, domain = _composed(stages), ((0.0, bound),)
    formula = f"x > y where |x - y| >= {eps * bound:g},"
    return Function(
        "compare", formula, (domain, domain), error, "absolute",
        lambda x, y: circuit(x - y), _degrees(stages),
    )  # fmt: skip


def _product(
    bits: float, bound: float, method: Method, as_step: bool
) -> tuple[list[Polynomial], float]:
    """Stages with |x stage(x) - exact| <= 2^-bits on [-bound, bound], with the widest eps."""
    bits, bound = _bits(bits), _bound(bound)
    arguments.choice("method", method, ("minimax", "fg"))
    share = 2.0**-bits / bound * (2 if as_step else 1)  # of the sign's error times |x| / bound
    if not 2.0**-24 <= share <= 0.5:
        raise ParameterError(
            f"bits = {bits:g} with bound = {bound:g}: need 2^-bits / bound in [2^-24, 1/2]; scale "
            "the arguments, or take other bits"
        )
    near = np.linspace(0, 1, 1 << 14)
    eps = min(4 * share, 0.5)
    for _ in range(_STEPS):
        parts = (near * eps, eps + near * (1 - eps), np.geomspace(eps, 1, 4096))
        grid = bound * np.concatenate(parts)
        stages = _stages(eps, -np.log2(share), bound, method, as_step)
        error = float(np.max(grid * np.abs(_composed(stages)(grid) - 1)))
        if error <= 2.0**-bits:
            return stages, error
        eps *= 0.95
    raise ParameterError(f"bits = {bits:g} is not reached with method = {method!r}: take 'minimax'")


def _of_products(
    name: str, formula: str, bits: float, bound: float, method: Method, as_step: bool,
    arity: int, circuit: Callable[..., Any],
) -> Function:  # fmt: skip
    stages, error = _product(bits, bound, method, as_step)
    near = _composed(stages)
    low = -bound if arity == 1 else 0.0
    return Function(
        name, formula, (((low, bound),),) * arity, error, "absolute",
        lambda *xs: circuit(near, *xs), _degrees(stages),
    )  # fmt: skip


def absolute(bits: float = 8, bound: float = 1, method: Method = "minimax") -> Function:
    """\\|x\\| on [-bound, bound], with an error of at most 2^-bits."""
    return _of_products(
        "absolute", "|x|", bits, bound, method, False, 1, lambda near, x: x * near(x)
    )


def relu(bits: float = 8, bound: float = 1, method: Method = "minimax") -> Function:
    """max(x, 0) on [-bound, bound], with an error of at most 2^-bits."""
    return _of_products(
        "relu", "max(x, 0)", bits, bound, method, True, 1, lambda near, x: x * near(x)
    )


def maximum(bits: float = 8, bound: float = 1, method: Method = "minimax") -> Function:
    """The larger of two arguments in [0, bound], with an error of at most 2^-bits.

    Any interval of the length ``bound`` will do, because only x - y matters.
    """
    return _of_products(
        "maximum", "max(x, y)", bits, bound, method, True, 2,
        lambda near, x, y: y + (x - y) * near(x - y),
    )  # fmt: skip


def minimum(bits: float = 8, bound: float = 1, method: Method = "minimax") -> Function:
    """The smaller of two arguments, as :func:`maximum`."""
    return _of_products(
        "minimum", "min(x, y)", bits, bound, method, True, 2,
        lambda near, x, y: x - (x - y) * near(x - y),
    )  # fmt: skip

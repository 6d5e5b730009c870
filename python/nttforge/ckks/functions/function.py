# SPDX-License-Identifier: Apache-2.0
"""A function of ciphertexts as a circuit: where it holds, how near it is, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...circuits import Basis, Evaluation, interval_map
from ...errors import ArgumentTypeError, ParameterError
from .polynomial import ErrorKind, Pieces, require_levels

Interval = tuple[float, float]

_NOISE = 2.0**-30  # of every operation in a dry run; how much larger it gets does not depend on it
_POINTS = 1000  # of a dry run, everywhere in an interval, near each of its ends, and near 0


def _points(pieces: Pieces, random: np.random.Generator) -> NDArray[Any]:
    """Points of the domain of an argument, in random order."""
    found = []
    near = np.geomspace(2.0**-24, 1, _POINTS)
    for low, high in pieces:
        found += [random.uniform(low, high, _POINTS), low + (high - low) * near]
        found += [high - (high - low) * near, np.clip(np.multiply.outer((-1, 1), near), low, high)]
    return np.asarray(random.permutation(np.concatenate(found, axis=None)))


class _DryRun:
    """Stands for ciphertexts in a dry run: counts levels and products, and adds noise to values."""

    def __init__(self, values: NDArray[Any], depth: int, run: dict[str, Any]) -> None:
        noise = _NOISE * run["random"].uniform(-1, 1, values.shape)
        self.values, self.depth, self._run = values + noise, depth, run

    def _new(self, values: NDArray[Any], other: Any, more: int = 0) -> _DryRun:
        return _DryRun(values, max(self.depth, getattr(other, "depth", 0)) + more, self._run)

    def __add__(self, other: Any) -> _DryRun:
        return self._new(self.values + getattr(other, "values", other), other)

    def __sub__(self, other: Any) -> _DryRun:
        return self._new(self.values - getattr(other, "values", other), other)

    def __neg__(self) -> _DryRun:
        return self._new(-self.values, None)

    def __mul__(self, other: Any) -> _DryRun:
        self._run["products"] += isinstance(other, _DryRun)
        values = self.values * getattr(other, "values", other)
        return self._new(values, other, not isinstance(other, int))

    def polynomial(
        self, coefficients: tuple[float, ...], keys: None, *, basis: Basis, interval: Interval,
        domain: Pieces,
    ) -> Any:  # fmt: skip
        factor, offset = interval_map(interval)
        x = self if factor == 1 else self * factor
        text, constant = Evaluation(
            x + offset if offset else x, coefficients, basis=basis, constant_levels=1,
            product=lambda a, b: a * b,
        ).result()  # fmt: skip
        return text + constant


class _Keyed:
    """A ciphertext with the keys for its products, each of which is relinearized."""

    __array_ufunc__ = None  # so that an array on the left leaves the operation to this class

    def __init__(self, text: Any, keys: Any) -> None:
        self.text, self._keys = text, keys

    def _with(self, other: Any) -> Any:
        return other.text if isinstance(other, _Keyed) else other

    def __add__(self, other: Any) -> _Keyed:
        return _Keyed(self.text + self._with(other), self._keys)

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Keyed:
        return _Keyed(self.text - self._with(other), self._keys)

    def __rsub__(self, other: Any) -> _Keyed:
        return _Keyed(-self.text + self._with(other), self._keys)

    def __neg__(self) -> _Keyed:
        return _Keyed(-self.text, self._keys)

    def __mul__(self, other: Any) -> _Keyed:
        product = self.text * self._with(other)
        if isinstance(other, _Keyed):
            product = product.relinearize(self._keys)
        return _Keyed(product, self._keys)

    __rmul__ = __mul__

    def polynomial(self, coefficients: tuple[float, ...], keys: None, **where: Any) -> _Keyed:
        return _Keyed(self.text.polynomial(coefficients, self._keys, **where), self._keys)


@dataclass(frozen=True)
class Function:
    """Applied to ciphertexts, or to NumPy arrays, which shows what the circuit computes.

    Attributes
    ----------
    name, formula : str
        What it is called, and what it is near to.
    domain : tuple of tuples of (float, float)
        The intervals of each argument. Outside results are wrong by any amount, without a message.
    error : float
        Bound on the error of the circuit in exact arithmetic, on the domain: measured on a dense
        grid. ``growth`` times the noise of ciphertexts comes on top; the result's
        :attr:`Ciphertext.error <nttforge.ckks.Ciphertext.error>` has both in it.
    error_kind : {"absolute", "relative"}
        "relative": divided by the value.
    circuit : callable
        From values with ``+``, ``-``, ``*`` and ``polynomial`` to the result, or a tuple of them.
    parts : str
        Degrees and steps of the circuit.

    Examples
    --------
    >>> from nttforge.ckks import functions
    >>> logistic = functions.sigmoid((-8, 8), bits=10)
    >>> print(logistic.describe())
    sigmoid, 1 / (1 + exp(-x)) on [-8, 8]: absolute error 0.00088, depth 5, 8 products (degree 15)
    >>> round(float(logistic(0.5)), 3)
    0.622
    """

    name: str
    formula: str
    domain: tuple[Pieces, ...]
    error: float
    error_kind: ErrorKind
    circuit: Callable[..., Any]
    parts: str

    @cached_property
    def _cost(self) -> tuple[int, int, float, float]:
        """Depth, products, growth and the largest value, by a run of the circuit with noise."""
        run: dict[str, Any] = {"random": np.random.default_rng(1), "products": 0}
        points = [_points(pieces, run["random"]) for pieces in self.domain]
        noisy = self.circuit(*(_DryRun(x, 0, run) for x in points))
        exact = self.circuit(*points)
        if not isinstance(noisy, tuple):
            noisy, exact = (noisy,), (exact,)
        pairs = list(zip(noisy, exact, strict=True))
        growth = max(float(np.max(np.abs(x.values - y))) for x, y in pairs) / _NOISE
        size = max(float(np.max(np.abs(y))) for y in exact)
        return max(x.depth for x in noisy), run["products"], growth, size

    @property
    def depth(self) -> int:
        """Levels that the arguments need: the circuit's, in a dry run."""
        return self._cost[0]

    @property
    def products(self) -> int:
        """Products of two ciphertexts."""
        return self._cost[1]

    @property
    def growth(self) -> float:
        """How much larger than that of one operation the noise of the result is.

        Measured at thousands of points of the domain, where the arguments and every operation have
        noise that is uniform in an interval; more is possible, and three times as much unlikely.
        """
        return self._cost[2]

    def __call__(self, *arguments: Any, keys: Any = None) -> Any:
        """The function of ciphertexts, or of arrays.

        Parameters
        ----------
        *arguments : Ciphertext or array_like
            As many as ``domain`` has; of two, one may be numbers in the clear.
        keys : RelinearizationKey, EvaluationKeys or Keys, optional
            For products of ciphertexts.

        Raises
        ------
        ParameterError
            A ciphertext has fewer levels than ``depth``.
        """
        if len(arguments) != len(self.domain):
            raise ArgumentTypeError(
                f"{self.name} has {len(arguments)} arguments: need {len(self.domain)}"
            )
        require_levels(self.name, self.depth, *arguments)
        encrypted = [hasattr(x, "polynomial") for x in arguments]
        if not any(encrypted):
            return self.circuit(*arguments)
        pairs = zip(arguments, encrypted, strict=True)
        found = self.circuit(*(_Keyed(x, keys) if there else x for x, there in pairs))
        off = self.error * (self._cost[3] if self.error_kind == "relative" else 1)
        if isinstance(found, tuple):
            return tuple(y.text.off_by(off) for y in found)
        return found.text.off_by(off)

    def describe(self) -> str:
        """Name, domain, error and cost in a line."""
        where = ", ".join(
            " and ".join(f"[{low:g}, {high:g}]" for low, high in pieces)
            for pieces in dict.fromkeys(self.domain)
        )
        return (
            f"{self.name}, {self.formula} on {where}: {self.error_kind} error {self.error:.2g}, "
            f"depth {self.depth}, {self.products} products ({self.parts})"
        )


def counted(count: int, what: str) -> str:
    """A number of things, in words for :attr:`Function.parts`."""
    return f"{count} {what}{'s' * (count != 1)}"


def cheapest(wanted: float, candidates: Iterable[Function | None], asked: str) -> Function:
    """The function of least depth, and then of fewest products, of those that keep an error."""
    found = [one for one in candidates if one is not None and one.error <= wanted]
    if not found:
        raise ParameterError(
            f"{asked}: nothing reaches this; take a smaller domain, fewer bits, or leave the "
            "choice of steps and method open"
        )
    return min(found, key=lambda function: (function.depth, function.products))

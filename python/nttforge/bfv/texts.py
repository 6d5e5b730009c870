# SPDX-License-Identifier: Apache-2.0
"""Plaintexts and ciphertexts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._bytes import ContextObject, require, require_is_context

if TYPE_CHECKING:
    from .context import Context
    from .evaluator import Evaluator
    from .keys import RelinearizationKey, RotationKeys

__all__ = ["Ciphertext", "Plaintext", "PreparedPlaintext"]


class Plaintext(ContextObject):
    """A polynomial modulo t; made by an encoder or a decryptor."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    _core_class = _core.bfv.Plaintext

    @property
    def coefficients(self) -> NDArray[np.uint64]:
        """The n coefficients in [0, t), a copy."""
        out = new_array((self._context.n,), np.dtype(np.uint64))
        self._core.coefficients(out)
        return out

    def prepare(self) -> PreparedPlaintext:
        """The same, transformed once for many multiplications."""
        prepared = PreparedPlaintext._wrap(self._context, _core.bfv.PreparedPlaintext(self._core))
        object.__setattr__(prepared, "_plaintext", self)
        return prepared

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plaintext):
            return NotImplemented
        return self._context.fingerprint == other._context.fingerprint and bool(
            (self.coefficients == other.coefficients).all()
        )


class PreparedPlaintext(ContextObject):
    """A plaintext transformed once, for many multiplications; made by :meth:`Plaintext.prepare`."""

    __slots__ = ("_plaintext",)
    _plaintext: Plaintext

    @property
    def plaintext(self) -> Plaintext:
        """What it was made from."""
        return self._plaintext

    def to_bytes(self) -> bytes:
        """The bytes of the plaintext it was made from; read them with ``Plaintext.from_bytes``."""
        return self._plaintext.to_bytes()

    @classmethod
    def from_bytes(cls, context: Context, data: Any) -> PreparedPlaintext:
        """Reads a plaintext and prepares it."""
        return Plaintext.from_bytes(context, data).prepare()


class Ciphertext(ContextObject):
    """Encrypted slots or coefficients, with operators.

    ``+``, ``-`` and ``*`` take a ciphertext, a :class:`Plaintext`, an integer (the same constant in
    every slot) or an array of integers (slots; needs batching); ``*`` also takes a
    :class:`PreparedPlaintext`. A product of ciphertexts has three parts until it is relinearized.
    Operands never change. Every method that needs a key takes it as an argument.

    Examples
    --------
    >>> from nttforge import bfv
    >>> context = bfv.Context(bfv.Parameters.preset(8192))
    >>> keys = context.generate_keys(rotations=[1])
    >>> a = keys.encrypt([1, 2, 3, -4])
    >>> b = (a * a).relinearize(keys.relinearization) * 10 - a
    >>> keys.decrypt(b)[:4]
    array([  9,  38,  87, 164])
    >>> keys.decrypt(a.rotate_rows(1, keys.rotations))[:3]
    array([ 2,  3, -4])
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy arrays on the left leave the operation to this class
    _core_class = _core.bfv.Ciphertext

    @classmethod
    def from_residues(
        cls, context: Context, residues: Any, noise: tuple[float, float] | None = None
    ) -> Ciphertext:
        """From residues of shape (parts, k, n), uint64, each below its prime.

        ``noise`` is what :attr:`noise_log2` then says; by default as much as there can be, since
        nothing is known.
        """
        require_is_context(context)
        x = arguments.words("residues", residues, np.dtype(np.uint64))
        shape = (len(context.parameters.q), context.n)
        if x.ndim != 3 or x.shape[1:] != shape:
            raise SizeError(f"residues has shape {x.shape}: need (2 or 3, {shape[0]}, {shape[1]})")
        bound = float(context.parameters.q_bits)
        bounds = (bound, bound) if noise is None else _noise(noise)
        return cls._wrap(context, _core.bfv.Ciphertext(context._core, x.shape[0], x, *bounds))

    @property
    def residues(self) -> NDArray[np.uint64]:
        """The polynomials modulo each prime, shape (parts, k, n), a copy."""
        shape = (self.parts, len(self._context.parameters.q), self._context.n)
        out = new_array(shape, np.dtype(np.uint64))
        self._core.residues(out)
        return out

    @property
    def parts(self) -> int:
        """2, or 3 after a product."""
        return int(self._core.size)

    @property
    def seeded(self) -> bool:
        """Whether ``to_bytes`` writes a seed in place of half of it (fresh, by the secret key)."""
        return bool(self._core.seeded)

    @property
    def noise_log2(self) -> tuple[float, float]:
        """log2 of bounds on the noise that follow from the operations so far, without the key.

        On its largest coefficient, and on its largest value at the complex roots of X^n + 1.
        """
        coefficient, canonical = self._core.noise
        return float(coefficient), float(canonical)

    @property
    def predicted_noise_budget_bits(self) -> float:
        """Bits left by that bound; at or below zero the result is not to be trusted."""
        return float(self._core.predicted_noise_budget_bits)

    def _evaluator(self) -> Evaluator:
        from .evaluator import Evaluator

        return Evaluator(self._context)

    def square(self) -> Ciphertext:
        """``self * self``, faster."""
        return self._evaluator().square(self)

    def relinearize(self, key: RelinearizationKey | None) -> Ciphertext:
        """Three parts to two."""
        return self._evaluator().relinearize(self, key)

    def rotate_rows(self, step: int, keys: RotationKeys | None) -> Ciphertext:
        """New slot i of each row = old slot i + step: ``numpy.roll(row, -step)``."""
        return self._evaluator().rotate_rows(self, step, keys)

    def swap_columns(self, keys: RotationKeys | None) -> Ciphertext:
        """Exchanges the two rows."""
        return self._evaluator().swap_columns(self, keys)

    def inner_sum(self, span: int, keys: RotationKeys | None) -> Ciphertext:
        """Slot i becomes the sum of slots i ... i + span - 1 of its row."""
        return self._evaluator().inner_sum(self, span, keys)

    def __add__(self, other: Any) -> Ciphertext:
        return self._evaluator().add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ciphertext:
        return self._evaluator().sub(self, other)

    def __rsub__(self, other: Any) -> Ciphertext:
        return self._evaluator().add(self._evaluator().negate(self), other)

    def __neg__(self) -> Ciphertext:
        return self._evaluator().negate(self)

    def __mul__(self, other: Any) -> Ciphertext:
        return self._evaluator().multiply(self, other)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        """Same residues: equality of encryptions, not of what they encrypt."""
        if not isinstance(other, Ciphertext):
            return NotImplemented
        return self._context.fingerprint == other._context.fingerprint and bool(
            self._core.equals(other._core)
        )

    def __repr__(self) -> str:
        return f"<Ciphertext, {self.parts} parts, of {self._context!r}>"


def _noise(value: Any) -> tuple[float, float]:
    """Two finite numbers."""
    try:
        coefficient, canonical = (float(v) for v in value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"noise = {value!r}: need two numbers, as noise_log2 gives"
        ) from None
    if not (math.isfinite(coefficient) and math.isfinite(canonical)):
        raise ParameterError(f"noise = {value!r} is not finite; leave it out to know nothing")
    return coefficient, canonical


def require_ciphertext(field: str, value: object) -> Ciphertext:
    """``value`` if it is a ciphertext."""
    result: Ciphertext = require(value, Ciphertext, field)
    return result

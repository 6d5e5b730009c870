# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ._require import ENCODINGS, MAX_BATCH, require, steady
from .batches import BatchObject
from .comparisons import Incomparable
from .context import Context
from .summaries import Summarised

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding, IntegerRows, Integers, NoiseBound
    from .evaluation_keys import KeyHolder
    from .evaluator import Evaluator
    from .linear_map import LinearMap
    from .plaintexts import Plaintext, PreparedPlaintext

    #: What is added, or multiplied by: integers stand for slots.
    Operand: TypeAlias = "Ciphertext | Plaintext | int | np.integer[Any] | Integers"

__all__ = ["Ciphertext"]


class Ciphertext(Incomparable, Summarised, BatchObject):
    """Encrypted slots or coefficients, or a batch of such, with operators.

    ``+``, ``-`` and ``*`` take a ciphertext, a :class:`Plaintext`, an integer (the same constant in
    every slot) or an array of integers (slots), both in [-floor(t/2), floor((t-1)/2)]; ``*`` also
    takes a :class:`PreparedPlaintext`. Operands have the same :attr:`encoding`, and results inherit
    it, and the context of the left operand. A product of ciphertexts has three parts until it is
    relinearized. Operands never change. Every method that needs a key takes it as an argument.

    A batch holds ciphertexts of the same shape, made by encoding an array (batch, n) or by
    :func:`stack`; every operation acts on all of them in one call. Operands are batches of one
    size, or one of them is single and serves every element of the other (SizeError otherwise).

    Coefficients multiply as polynomials modulo X^n + 1, take integers as factors only, and no
    arrays; they cannot be rotated.

    ``==``, ``<``, ``in`` and ``bool`` are refused: what is encrypted cannot be compared in the
    clear. :meth:`same_words` compares encryptions.

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
    _instead_of_comparing = (
        "decrypt it, or compute encrypted zeros and ones with nttforge.encrypted.equal(x, y) and "
        "less(x, y), whose operands nttforge.encrypted.IntegerBits(bits) encrypts; a.same_words(b) "
        "tells whether two ciphertexts are the same encryption"
    )
    __array_ufunc__ = None  # numpy arrays on the left leave the operation to this class
    _core_class = _core.rlwe.Ciphertext

    @classmethod
    def from_residues(
        cls,
        context: Context,
        residues: NDArray[np.uint64] | IntegerRows,
        noise: tuple[float, float, float] | None = None,
        *,
        encoding: Encoding,
        factor: int = 1,
    ) -> Ciphertext:
        """From residues (parts, level, n) or (batch, parts, level, n), each below its prime.

        ``encoding`` says what was encrypted; ``noise`` is what :attr:`noise_log2` then says, by
        default nothing; ``factor`` is the :attr:`factor`.
        """
        require(context, Context, "context")
        primes, n = context.parameters.q, context.n
        levels = range(context._core.lowest_level, len(primes) + 1)

        def moduli_of(shape: tuple[int, ...]) -> NDArray[np.uint64]:
            batch = shape[0] if len(shape) == 4 else 1
            right = len(shape) in (3, 4) and 1 <= batch <= MAX_BATCH
            if not right or shape[-2] not in levels or shape[-1] != n:
                one = len(primes) if len(levels) == 1 else f"{levels[0]} ... {len(primes)}"
                need = f"(2 or 3, {one}, {n}), or several of that"
                raise SizeError(f"residues has shape {shape}: need {need}")
            return np.array(primes[: shape[-2]], dtype=np.uint64)[:, None]

        x = arguments.words("residues", residues, np.dtype(np.uint64), moduli_of)
        batch = len(x) if x.ndim == 4 else 1
        arguments.choice("encoding", encoding, ENCODINGS)
        factor = arguments.integer("factor", factor, 1, context.t - 1)
        bounds = None if noise is None else _noise(noise)
        parts, level = x.shape[-3:-1]
        core = _core.rlwe.Ciphertext(
            context._core, parts, level, x, encoding, bounds, factor, batch
        )
        return cls._wrap(context, core)

    @classmethod
    def from_bytes(
        cls, context: Context, data: BytesLike, *, most_bytes: int | None = None
    ) -> Ciphertext:
        """Reads what :meth:`to_bytes` wrote, as :meth:`ContextObject.from_bytes`.

        A FormatError also if the ciphertext would take more than ``most_bytes`` of memory: by
        default 16 times its bytes, which all that :meth:`shrink` makes stays below, or what one
        ciphertext of three parts takes.
        """
        require(context, Context, "context")
        if most_bytes is not None:
            most_bytes = arguments.integer("most_bytes", most_bytes, 0, 2**62)
        with steady(data) as given:
            return cls._wrap(context, cls._core_class.from_bytes(context._core, given, most_bytes))

    def to_bytes(self, *, noise: bool = True) -> bytes:
        """In the versioned, little-endian format of the library, with the context's fingerprint.

        Parameters
        ----------
        noise : bool
            Store the bound on the noise, rounded up to steps of 16 bits unless fresh: it depends on
            plaintext factors, and what that tells is said in docs/bounds/noise.md. False, for what
            is decrypted next: only that the predicted budget is above 0; NoiseError where it is
            not, or not known.
        """
        return bytes(self._core.to_bytes(bool(noise)))

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle stays with whom it belongs to, and keeps the bounds as they are.
        known = self._core.noise
        exact = None if known is None else (known, self._core.proved_noise)
        return _from_pickle, (self._context, self.to_bytes(), exact)

    @property
    def encoding(self) -> Encoding:
        """What was encrypted: "slots" or "coefficients"."""
        return cast("Encoding", self._core.encoding)

    @property
    def residues(self) -> NDArray[np.uint64]:
        """The coefficients modulo each prime, shape (parts, level, n), a copy, whatever the form.

        Of a batch (batch, parts, level, n).
        """
        shape = (*self._batch_shape, self.parts, self.level, self._context.n)
        out = new_array(shape, np.dtype(np.uint64))
        self._core.residues(out)
        return out

    @property
    def parts(self) -> int:
        """2, or 3 after a product."""
        return int(self._core.size)

    @property
    def level(self) -> int:
        """Primes of the modulus, the first ones of ``parameters.q``; all of a fresh ciphertext."""
        return int(self._core.level)

    @property
    def form(self) -> Literal["coefficients", "values"]:
        """How its polynomials are kept, also in bytes: in "values" they are transformed.

        Ciphertexts of BGV are in values, but for what :meth:`shrink` rounds, and of BFV in
        coefficients. Operations take both; :attr:`residues` are always of the coefficients.
        """
        return cast('Literal["coefficients", "values"]', self._core.form)

    @property
    def stored_bits(self) -> tuple[int, ...]:
        """Bits of a coefficient of each part in bytes, after :meth:`shrink`; else empty."""
        return tuple(self._core.stored_bits)

    @property
    def factor(self) -> int:
        """What the message is multiplied with modulo t (BGV's correction factor); 1 in BFV."""
        return int(self._core.factor)

    @property
    def seeded(self) -> bool:
        """Whether ``to_bytes`` writes a seed in place of half of it (fresh, by the secret key)."""
        return bool(self._core.seeded)

    @property
    def noise_log2(self) -> tuple[float, float, float] | None:
        """log2 of bounds on the noise that follow from the operations so far, without the key.

        On its largest coefficient, and on its size at the complex roots of X^n + 1: in BGV the
        largest value, in BFV the root mean square, with the power of the secret in it, which is no
        logarithm (0 in BGV). None if nothing is known: the bytes or residues of an operand came
        without. The bound is heuristic; :attr:`proved_noise_budget_bits` is not.
        """
        noise = self._core.noise
        return None if noise is None else (float(noise[0]), float(noise[1]), float(noise[2]))

    @property
    def predicted_noise_budget_bits(self) -> float | None:
        """Bits left by that bound; at or below zero the result is not to be trusted.

        None if nothing is known (see :attr:`noise_log2`): only decryption can tell, and not all
        (docs/bounds/decrypt.md).
        """
        bits = self._core.predicted_noise_budget_bits
        return None if bits is None else float(bits)

    @property
    def proved_noise_budget_bits(self) -> float | None:
        """Bits left by the proved bound: above zero decryption is right but for 2^-128.

        It holds for any circuit, also one that was chosen with the ciphertexts at hand
        (docs/bounds/noise.md). None if nothing is proved: what came in bytes or residues may have
        been made by anybody, also where it says that it is fresh.
        """
        bits = self._core.proved_noise_budget_bits
        return None if bits is None else float(bits)

    def _evaluator(self) -> Evaluator:
        return self._context._evaluator()

    def square(self) -> Ciphertext:
        """``self * self``, faster."""
        return self._evaluator().square(self)

    def relinearize(self, key: KeyHolder | None) -> Ciphertext:
        """Three parts to two."""
        return self._evaluator().relinearize(self, key)

    def mod_switch(self, level: int | None = None) -> Ciphertext:
        """One level down, or down to ``level``, as :meth:`Evaluator.mod_switch`."""
        return self._evaluator().mod_switch(self, level)

    def shrink(self, min_budget: float = 10, *, bound: NoiseBound = "heuristic") -> Ciphertext:
        """The same message in as few bytes as its noise allows, as :meth:`Evaluator.shrink`."""
        return self._evaluator().shrink(self, min_budget, bound=bound)

    def rotate_rows(
        self, step: int, keys: KeyHolder | None, *, compose: bool = False
    ) -> Ciphertext:
        """New slot i of each row = old slot i + step, as :meth:`Evaluator.rotate_rows`."""
        return self._evaluator().rotate_rows(self, step, keys, compose=compose)

    def rotate_many(self, steps: Iterable[int], keys: KeyHolder | None) -> list[Ciphertext]:
        """``[self.rotate_rows(step, keys) for step in steps]``, with one decomposition for all."""
        return self._evaluator().rotate_many(self, steps, keys)

    def matmul(
        self,
        matrix: LinearMap | Integers,
        keys: KeyHolder | None,
        *,
        block: int | None = None,
        repeated: bool = False,
    ) -> Ciphertext:
        """A matrix times the vectors in the slots, as :meth:`Evaluator.matmul`."""
        return self._evaluator().matmul(self, matrix, keys, block=block, repeated=repeated)

    def dot(
        self, other: Operand | PreparedPlaintext, span: int, keys: KeyHolder | None
    ) -> Ciphertext:
        """Inner products of vectors of ``span`` slots, as :meth:`Evaluator.dot`."""
        return self._evaluator().dot(self, other, span, keys)

    def sum_axis(self, shape: Sequence[int], axis: int, keys: KeyHolder | None) -> Ciphertext:
        """Sums over an axis of matrices in slots, as :meth:`Evaluator.sum_axis`."""
        return self._evaluator().sum_axis(self, shape, axis, keys)

    def swap_columns(self, keys: KeyHolder | None) -> Ciphertext:
        """Exchanges the two rows."""
        return self._evaluator().swap_columns(self, keys)

    def inner_sum(self, span: int, keys: KeyHolder | None) -> Ciphertext:
        """Slot i becomes the sum of slots i ... i + span - 1 of its row."""
        return self._evaluator().inner_sum(self, span, keys)

    def __add__(self, other: Operand) -> Ciphertext:
        return self._evaluator().add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Ciphertext:
        return self._evaluator().sub(self, other)

    def __rsub__(self, other: Operand) -> Ciphertext:
        return self._evaluator().add(self._evaluator().negate(self), other)

    def __neg__(self) -> Ciphertext:
        return self._evaluator().negate(self)

    def __mul__(self, other: Operand | PreparedPlaintext) -> Ciphertext:
        return self._evaluator().multiply(self, other)

    __rmul__ = __mul__

    def same_words(self, other: Ciphertext) -> bool:
        """Whether both have the same parameters, encoding and residues, word for word.

        This is equality of encryptions, not of what they encrypt: two encryptions of one message
        differ.
        """
        require(other, Ciphertext, "other")
        return self._context.fingerprint == other._context.fingerprint and bool(
            self._core.equals(other._core)
        )

    def _facts(self) -> dict[str, Any]:
        bits = self.predicted_noise_budget_bits
        return {
            "encoding": self.encoding,
            "batch": self.batch,
            "parts": self.parts,
            "level": f"{self.level} of {len(self._context.parameters.q)}",
            "predicted budget": "unknown" if bits is None else f"{bits:.1f} bits",
            "of": self._context,
        }


def _from_pickle(context: Context, data: bytes, noise: tuple[Any, Any] | None) -> Ciphertext:
    result = Ciphertext.from_bytes(context, data)
    if noise is not None:
        result._core.restore_noise(*noise)
    return result


def _noise(value: Any) -> tuple[float, float, float]:
    """Three finite numbers."""
    try:
        coefficient, canonical, degree = (float(v) for v in value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"noise = {value!r}: need three numbers, as noise_log2 gives"
        ) from None
    if not all(math.isfinite(x) for x in (coefficient, canonical, degree)):
        raise ParameterError(f"noise = {value!r} is not finite; leave it out to know nothing")
    if not 0 <= degree <= 1000:
        raise ParameterError(
            f"noise[2] = {degree!r} is out of range [0, 1000], the power of the secret"
        )
    return coefficient, canonical, degree


def require_ciphertext(field: str, value: object) -> Ciphertext:
    """``value`` if it is a ciphertext."""
    result: Ciphertext = require(value, Ciphertext, field)
    return result

# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe._require import ENCODINGS, MAX_BATCH, require
from ..rlwe.objects import require_context
from .bootstrapping import BootstrapKeys
from .context import Context
from .encoders import BatchEncoder
from .linear_map import LinearMap
from .parameters import signed_range
from .plaintexts import Plaintext, PreparedPlaintext

if TYPE_CHECKING:
    from ..typing import Encoding, IntegerRows, Integers, NoiseBound

    #: What is added, or multiplied by: integers stand for slots.
    Operand: TypeAlias = "Ciphertext | Plaintext | int | np.integer[Any] | Integers"

Self = TypeVar("Self", bound="Ciphertext")


class Ciphertext(rlwe.Ciphertext):
    """Encrypted slots or coefficients, or a batch of such, with operators.

    ``+``, ``-`` and ``*`` take a ciphertext, a :class:`Plaintext`, an integer (the same constant in
    every slot) or an array of integers (slots), both in [-floor(t/2), floor((t-1)/2)]; ``*`` also
    takes a :class:`PreparedPlaintext`. Operands have the same :attr:`encoding`, and results inherit
    it, and the context of the left operand. A product of ciphertexts has three parts until it is
    relinearized: BEHZ [Bad18b, section 5.3] in BFV, the tensor product at the level with the most
    predicted budget in BGV [BGV12]. Operands never change. Every method that needs a key takes it
    as an argument.

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
    >>> b = (a * a).relinearize(keys) * 10 - a
    >>> keys.decrypt(b)[:4]
    array([  9,  38,  87, 164])
    >>> keys.decrypt(a.rotate_rows(1, keys))[:3]
    array([ 2,  3, -4])
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what the layer below leaves open

        def __add__(self: Self, other: Operand) -> Self: ...
        def __radd__(self: Self, other: Operand) -> Self: ...
        def __sub__(self: Self, other: Operand) -> Self: ...
        def __rsub__(self: Self, other: Operand) -> Self: ...
        def __mul__(self: Self, other: Operand | PreparedPlaintext) -> Self: ...
        def __rmul__(self: Self, other: Operand | PreparedPlaintext) -> Self: ...

    @property
    def context(self) -> Context:
        """The context of the ciphertext."""
        return cast("Context", self._context)

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

    @property
    def stored_bits(self) -> tuple[int, ...]:
        """Bits of a coefficient of each part in bytes, after :meth:`shrink`; else empty."""
        return tuple(self._core.stored_bits)

    @property
    def factor(self) -> int:
        """What the message is multiplied with modulo t (BGV's correction factor); 1 in BFV."""
        return int(self._core.factor)

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

    def shrink(self: Self, min_budget_bits: float = 10, *, bound: NoiseBound = "heuristic") -> Self:
        """The same message in as few bytes as its noise allows: an answer to be sent.

        First as many primes of the modulus go as leave the budget, then coefficients are rounded to
        so few bits that just ``min_budget_bits`` are left (:attr:`stored_bits`), those of part 0 to
        fewer. What comes out is a ciphertext like any other, which ``to_bytes`` writes in those
        bits. Relinearize three parts first: two are smaller.

        Parameters
        ----------
        min_budget_bits : float
            Bits of budget that stay, 0 ... 1000.
        bound : {"heuristic", "proved"}
            Which bound's budget. Bytes hold the heuristic one, in steps of 16 bits.

        Raises
        ------
        NoiseError
            Less is left already, or nothing is known of the noise.

        Notes
        -----
        Rounding is no flooding: whoever holds the secret key sees as much of the noise as before.
        :meth:`Decryptor.decrypt_shared` needs room for flooding: 64 + log2 n + 2 bits of budget.

        Examples
        --------
        >>> from nttforge import bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
        >>> answer = (keys.encrypt([1, 2, 3]) * keys.encrypt([4, 5, 6])).relinearize(keys)
        >>> small = answer.shrink()
        >>> len(answer.to_bytes()), len(small.to_bytes()), small.level, small.stored_bits
        (350272, 66632, 1, (30, 35))
        >>> keys.decrypt(small)[:3]
        array([ 4, 10, 18])
        """
        arguments.choice("bound", bound, ("proved", "heuristic"))
        least = arguments.number("min_budget_bits", min_budget_bits, 0, 1000, "bits of budget")
        compute = self._context._evaluator.shrink
        return self._wrap(self._context, compute(self._core, least, bound == "proved"))

    def bootstrap(
        self: Self, keys: BootstrapKeys, *, budget: float | None = None, level: int | None = None
    ) -> Self:
        """The same integers with budget again: :meth:`BootstrapKeys.bootstrap`."""
        found: Self = require(keys, BootstrapKeys, "keys").bootstrap(
            self, budget=budget, level=level
        )
        return found

    def swap_columns(self: Self, keys: rlwe.KeyHolder | None) -> Self:
        """Exchanges the two rows. Raises MissingKeyError."""
        return self._with(self._context._evaluator.swap_columns, self._rotation_keys(keys))

    def matmul(
        self: Self,
        matrix: LinearMap | Integers,
        keys: rlwe.KeyHolder | None,
        *,
        block: int | None = None,
        repeated: bool = False,
    ) -> Self:
        """A matrix times the vector of each block of slots, of each ciphertext of a batch.

        Parameters
        ----------
        matrix : LinearMap, or array of integers, shape (rows, columns)
            What :class:`LinearMap` says; an array is prepared for this product alone.
        keys : RotationKeys, EvaluationKeys or Keys
            With keys for :attr:`LinearMap.rotations`.
        block, repeated
            As for :class:`LinearMap`, of an array.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        ParameterError, ContextError
            The ciphertext has three parts or coefficients, or belongs to other parameters.
        """
        if not isinstance(matrix, LinearMap):
            matrix = LinearMap(matrix, self.context, block=block, repeated=repeated)
        require_context(self._context, ("matrix", matrix))
        if not matrix.rotations:
            return self._unmoved("matmul", keys) * matrix._factors()
        found = self._rotation_keys(keys)
        compute = self._context._evaluator.apply
        return self._wrap(self._context, compute(matrix._core, self._core, found._core))

    def _plain_operand(self, operation: str, other: Any) -> Plaintext | PreparedPlaintext:
        if isinstance(other, Plaintext):
            return other
        if isinstance(other, PreparedPlaintext):
            return other if operation == "multiply" else other.plaintext
        if isinstance(other, (int, np.integer)) and not isinstance(other, bool):
            return self._constant(operation, int(other))
        if isinstance(other, (np.ndarray, list, tuple)):
            if self.encoding != "slots":
                raise ParameterError(
                    "b is an array, which stands for slots, and a is encoded as "
                    f"{self.encoding}: encode b with CoefficientEncoder(context).encode(values)"
                )
            return BatchEncoder(self.context).encode(other)
        raise ArgumentTypeError(
            f"b is a {type(other).__name__}: need a Ciphertext, a Plaintext, an integer or an "
            "array of integers"
        )

    def _constant(self, operation: str, value: int) -> Plaintext:
        if self.encoding != "slots" and operation != "multiply":
            raise ParameterError(
                f"b = {arguments.number_text(value)} is an integer, which stands for a constant in "
                f"every slot, and a is encoded as {self.encoding}: it would change one "
                "coefficient; if that is meant, encode it with "
                "CoefficientEncoder(context).encode([value])"
            )
        t = self.context.t
        low, high = signed_range(t)
        value = arguments.integer("b", value, low, high, f"signed, for t = {t}")
        core = _core.rlwe.Plaintext.constant(self._context._core, value, self.encoding)
        return Plaintext._wrap(self._context, core)

    def _facts(self) -> dict[str, Any]:
        bits = self.predicted_noise_budget_bits
        said = "unknown" if bits is None else f"{bits:.1f} bits"
        facts = super()._facts()
        context = facts.pop("of")
        return {**facts, "predicted budget": said, "of": context}


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

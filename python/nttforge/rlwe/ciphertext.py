# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts, and what every scheme computes on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import MissingKeyError, ParameterError, SizeError
from ._require import require, steady
from .batches import BatchObject
from .comparisons import Incomparable
from .context import Context
from .evaluation_keys import KeyHolder, relinearization_key, rotation_keys
from .keys import KeySwitchKey
from .objects import ContextObject, require_context
from .rotations import sum_steps
from .summaries import Summarised

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding

Self = TypeVar("Self", bound="Ciphertext")


class Ciphertext(Incomparable, Summarised, BatchObject):
    """An encryption, or a batch of such, with operators; each scheme has its own.

    Operands have the same :attr:`encoding`, and results inherit it, and the context of the left
    operand. Contexts that differ in threads or target only may be mixed. Operands never change,
    results are deterministic, and every operation releases the GIL and may run in several threads.
    All raise ContextError when operands belong to other parameters, and ParameterError when they
    are encoded differently or an operand of three parts must be relinearized first.
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
    def from_bytes(
        cls: type[Self], context: Context, data: BytesLike, *, most_bytes: int | None = None
    ) -> Self:
        """Reads what :meth:`to_bytes` wrote, as :meth:`ContextObject.from_bytes`.

        A FormatError also if the ciphertext would take more than ``most_bytes`` of memory: by
        default 16 times its bytes, or what one ciphertext of three parts takes.
        """
        require(context, Context, "context")
        if most_bytes is not None:
            most_bytes = arguments.integer("most_bytes", most_bytes, 0, 2**62)
        with steady(data) as given:
            return cls._wrap(context, cls._core_class.from_bytes(context._core, given, most_bytes))

    @property
    def encoding(self) -> Encoding:
        """What was encrypted: "slots" or "coefficients"."""
        return cast("Encoding", self._core.encoding)

    @property
    def residues(self) -> NDArray[np.uint64]:
        """The coefficients modulo each prime, shape (parts, primes, n), a copy, whatever the form.

        The primes are those of the level. Of a batch (batch, parts, primes, n).
        """
        first, last = self._context.parameters.levels[self.level - 1]
        shape = (*self._batch_shape, self.parts, last - first, self._context.n)
        out = new_array(shape, np.dtype(np.uint64))
        self._core.residues(out)
        return out

    @property
    def parts(self) -> int:
        """2, or 3 after a product."""
        return int(self._core.size)

    @property
    def level(self) -> int:
        """The level, which says the primes of the modulus: ``parameters.levels[level - 1]``."""
        return int(self._core.level)

    @property
    def form(self) -> Literal["coefficients", "values"]:
        """How its polynomials are kept, also in bytes: in "values" they are transformed.

        Ciphertexts of BGV and CKKS are in values, but for what ``shrink`` rounds, and of BFV in
        coefficients. Operations take both; :attr:`residues` are always of the coefficients.
        """
        return cast('Literal["coefficients", "values"]', self._core.form)

    @property
    def seeded(self) -> bool:
        """Whether ``to_bytes`` writes a seed in place of half of it (fresh, by the secret key)."""
        return bool(self._core.seeded)

    def __add__(self: Self, other: Any) -> Self:
        evaluator = self._context._evaluator
        if isinstance(other, Ciphertext):
            return self._with(evaluator.add, other)
        return self._with(evaluator.add_plain, self._plain_operand("add", other))

    __radd__ = __add__

    def __sub__(self: Self, other: Any) -> Self:
        evaluator = self._context._evaluator
        if isinstance(other, Ciphertext):
            return self._with(evaluator.sub, other)
        return self._with(evaluator.sub_plain, self._plain_operand("sub", other))

    def __rsub__(self: Self, other: Any) -> Self:
        result: Self = -self + other
        return result

    def __neg__(self: Self) -> Self:
        return self._with(self._context._evaluator.negate)

    def __mul__(self: Self, other: Any) -> Self:
        evaluator = self._context._evaluator
        if isinstance(other, Ciphertext):
            return self._with(evaluator.multiply, other)
        return self._with(evaluator.multiply_plain, self._plain_operand("multiply", other))

    __rmul__ = __mul__

    def _with(self: Self, compute: Callable[..., Any], *others: ContextObject) -> Self:
        """What the compiled module computes of this and of other objects like it."""
        context = self._context
        cores = []
        for other in others:
            if other._context is not context:
                require_context(context, ("b", other))
            cores.append(other._core)
        return self._wrap(context, compute(self._core, *cores))

    def _plain_operand(self, operation: str, other: Any) -> ContextObject:
        """What the scheme's "add", "sub" or "multiply" takes for an operand in the clear."""
        return require_ciphertext("b", other)

    def square(self: Self) -> Self:
        """``self * self``, faster; three parts."""
        return self._with(self._context._evaluator.square)

    def relinearize(self: Self, key: KeyHolder | None) -> Self:
        """Three parts to two; two parts stay as they are, and need no key."""
        if self.parts == 2:
            self._require_like("key", key)
            return self
        return self._with(self._context._evaluator.relinearize, self._relinearization_key(key))

    def multiply_relinearize(self: Self, other: Ciphertext, key: KeyHolder | None) -> Self:
        """``(self * other).relinearize(key)``."""
        found = self._relinearization_key(key)
        other = require_ciphertext("b", other)
        return self._with(self._context._evaluator.multiply_relinearize, other, found)

    def square_relinearize(self: Self, key: KeyHolder | None) -> Self:
        """``self.square().relinearize(key)``."""
        found = self._relinearization_key(key)
        return self._with(self._context._evaluator.square_relinearize, found)

    def switch_secret(self: Self, key: KeySwitchKey) -> Self:
        """The same message under the secret that the key leads to; two parts.

        Raises
        ------
        ParameterError
            The ciphertext has three parts, or is above the level of the key.
        """
        require(key, KeySwitchKey, "key")
        self._require_like("key", key)
        return self._with(self._context._evaluator.switch_secret, key)

    def mod_switch(self: Self, level: int | None = None) -> Self:
        """The same message at a lower level, smaller and faster to compute with.

        Noise is divided with the modulus, but for what rounding adds: where noise is large already,
        the budget stays what it was. BGV's products and the operands of CKKS go down by themselves.

        Parameters
        ----------
        level : int, optional
            ``context.lowest_level`` ... its own; by default one below its own.

        Raises
        ------
        ParameterError
            The level is out of range.
        """
        evaluator = self._context._evaluator
        if level is None:
            return self._with(evaluator.mod_switch)
        lowest = self._context.lowest_level
        level = arguments.integer("level", level, lowest, self.level, "levels only go down")
        return self._wrap(self._context, evaluator.mod_switch_to(self._core, level))

    def rotate_rows(
        self: Self, step: int, keys: KeyHolder | None, *, compose: bool = False
    ) -> Self:
        """New slot i of each row = old slot i + step: ``numpy.roll(row, -step)``.

        A rotation by 0 needs no key.

        Parameters
        ----------
        step : int
        keys : RotationKeys, EvaluationKeys or Keys
        compose : bool
            True: without a key for the step, the fewest rotations there are keys for that add up
            to it (:meth:`RotationKeys.composed`), each with its time and noise. Keys for 1, 2, 4,
            ... n/4 reach every step by at most log2(n/2) of them.

        Raises
        ------
        MissingKeyError
            There is no key for the step; the message names it and those that exist.
        """
        step = self._folded(arguments.integer("step", step, -(2**62), 2**62))
        if step == 0:
            return self._unmoved("rotate_rows", keys)
        evaluator, found = self._context._evaluator, self._rotation_keys(keys)
        rotate = evaluator.rotate_composed if compose else evaluator.rotate_rows
        return self._wrap(self._context, rotate(self._core, step, found._core))

    def rotate_many(self: Self, steps: Iterable[int], keys: KeyHolder | None) -> list[Self]:
        """``[self.rotate_rows(step, keys) for step in steps]``, faster from two steps on.

        The digits are computed once for all rotations (hoisting [HS18]). Each result decrypts to
        what :meth:`rotate_rows` gives and has the same bound on its noise, but other residues.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        """
        given = arguments.integers("steps", steps, -(2**62), 2**62)
        values = [self._folded(step) for step in given]
        if not any(values):
            return [self._unmoved("rotate_many", keys) for _ in values]
        found = self._rotation_keys(keys)
        cores = self._context._evaluator.rotate_many(self._core, values, found._core)
        return [self._wrap(self._context, core) for core in cores]

    def apply_galois(self: Self, element: int, keys: KeyHolder | None) -> Self:
        """The automorphism X -> X^element of the message's polynomial, of either encoding.

        Parameters
        ----------
        element : int
            Odd, in [1, 2n).
        keys : RotationKeys, EvaluationKeys or Keys
            From :meth:`KeyGenerator.galois_keys`.
        """
        element = arguments.integer("element", element, 1, 2 * self._context.n - 1, "odd")
        found = self._rotation_keys(keys)
        compute = self._context._evaluator.apply_galois
        return self._wrap(self._context, compute(self._core, element, found._core))

    def multiply_monomial(self: Self, power: int) -> Self:
        """The product with X^power modulo X^n + 1, encoded as coefficients: no key, no noise.

        Coefficient i moves to i + power; what passes n comes back with the other sign.

        Parameters
        ----------
        power : int
            In (-2n, 2n).

        Examples
        --------
        >>> from nttforge import bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
        >>> x = keys.encrypt([1, 2, 3], encoding="coefficients")
        >>> keys.decrypt(x.multiply_monomial(-1))[[0, 1, -1]]
        array([ 2,  3, -1])
        """
        limit = 2 * self._context.n - 1
        power = arguments.integer("power", power, -limit, limit)
        core = self._context._evaluator.multiply_monomial(self._core, power)
        return self._wrap(self._context, core)

    def expand(self: Self, count: int, keys: KeyHolder | None) -> Self:
        """A batch of constants: element j is coefficient j times 2^ceil(log2 count) [ACLS18].

        So one ciphertext carries a query of many: private retrieval selects by the elements. The
        sender divides by the power of two modulo t. Coefficients from that power of two on stay
        behind the constants.

        Parameters
        ----------
        count : int
            1 ... n.
        keys : RotationKeys, EvaluationKeys or Keys
            From :meth:`KeyGenerator.expansion_keys`.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        SizeError
            A batch is expanded element by element.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(4096))
        >>> generator = bfv.KeyGenerator(context)
        >>> x = bfv.Encryptor(generator.secret_key()).encrypt(
        ...     bfv.CoefficientEncoder(context).encode([5, 6, 7])
        ... )
        >>> found = bfv.Decryptor(generator.secret_key()).decrypt(
        ...     x.expand(3, generator.expansion_keys(3))
        ... )
        >>> bfv.CoefficientEncoder(context).decode(found)[:, 0]
        array([20, 24, 28])
        """
        count = arguments.integer("count", count, 1, self._context.n)
        found = self._rotation_keys(keys)
        compute = self._context._evaluator.expand
        return self._wrap(self._context, compute(self._core, count, found._core))

    def inner_sum(self: Self, span: int, keys: KeyHolder | None) -> Self:
        """Slot i becomes the sum of slots i ... i + span - 1 of its row, cyclically.

        Parameters
        ----------
        span : int
            A power of two up to n/2, or n for the total over both rows.
        keys : RotationKeys, EvaluationKeys or Keys
            For the steps 1, 2, 4, ... span/2; for a span of 1 none.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        """
        span = arguments.integer("span", span, 1, self._most_span, "a power of two up to that")
        if span == 1:
            return self._unmoved("inner_sum", keys)
        found = self._rotation_keys(keys)
        compute = self._context._evaluator.inner_sum
        return self._wrap(self._context, compute(self._core, span, found._core))

    def dot(self: Self, other: Any, span: int, keys: KeyHolder | None) -> Self:
        """Inner products of vectors in slots: :meth:`inner_sum` of ``self * other``, relinearized.

        Parameters
        ----------
        other : Ciphertext or plain operand
        span : int
            Length of the vectors, as for :meth:`inner_sum`: slot i of the result is the inner
            product of slots i ... i + span - 1.
        keys : EvaluationKeys or Keys
            The relinearization key for a ciphertext, and those of :meth:`inner_sum`.
        """
        product: Self = self * other
        if product.parts == 3:
            product = product.relinearize(keys)
        return product.inner_sum(span, keys)

    def sum_axis(self: Self, shape: Sequence[int], axis: int, keys: KeyHolder | None) -> Self:
        """Sums over an axis of matrices that lie in slots row by row, one behind the other.

        Parameters
        ----------
        shape : (int, int)
            Rows and columns, powers of two, at most n/2 slots together.
        axis : {0, 1}
            0: slot j of a matrix, j < columns, becomes the sum of its column j. 1: slot i times
            columns becomes the sum of row i. The other slots have no meaning.
        keys : RotationKeys, EvaluationKeys or Keys
            With keys for ``sum_steps(shape, axis)``.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        """
        steps = sum_steps(shape, axis)
        if shape[0] * shape[1] > self._row:
            raise SizeError(
                f"shape = {tuple(shape)} has {shape[0] * shape[1]} entries: need at most "
                f"{self._row}, the slots of a row"
            )
        if not steps:
            return self._unmoved("sum_axis", keys)
        found = self._rotation_keys(keys)
        missing = [step for step in steps if not found._core.has_step(step)]
        if missing:
            raise MissingKeyError(
                f"sum_axis of shape {tuple(shape)} lacks keys for the steps: "
                f"{', '.join(map(str, missing))}; make them with generate_keys(rotations="
                "sum_steps(shape, axis))"
            )
        total = self
        for step in steps:
            total = total + total.rotate_rows(step, found)
        return total

    def same_words(self, other: Ciphertext) -> bool:
        """Whether both have the same parameters, encoding and residues, word for word.

        This is equality of encryptions, not of what they encrypt: two encryptions of one message
        differ.
        """
        require(other, Ciphertext, "other")
        return self._context.fingerprint == other._context.fingerprint and bool(
            self._core.equals(other._core)
        )

    @property
    def _row(self) -> int:
        """Slots that rotations move in a circle."""
        return self._context.n // 2

    @property
    def _most_span(self) -> int:
        """Most slots of an inner sum."""
        return self._context.n

    def _folded(self, step: int) -> int:
        """The step of a rotation whose key is used."""
        return step

    def _relinearization_key(self, key: KeyHolder | None) -> ContextObject:
        found = relinearization_key(key)
        require_context(self._context, ("key", found))
        return found

    def _rotation_keys(self, keys: KeyHolder | None) -> ContextObject:
        found = rotation_keys(keys)
        require_context(self._context, ("keys", found))
        return found

    def _unmoved(self: Self, operation: str, keys: object) -> Self:
        """What a rotation leaves as it is: no key is needed, all else is checked."""
        self._require_like("key", keys)
        if self.encoding != "slots":
            raise ParameterError(f"a is encoded as {self.encoding}, and {operation} acts on slots")
        if self.parts != 2:
            raise ParameterError(
                f"a has {self.parts} parts, a rotation needs 2: relinearize it first"
            )
        return self

    def _require_like(self, field: str, keys: object) -> None:
        """Keys that an operation was given and does not need are of the same parameters."""
        if isinstance(keys, ContextObject):
            require_context(self._context, (field, keys))

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle stays with whom it belongs to, and keeps the bounds as they are.
        known = self._core.noise
        exact = None if known is None else (known, self._core.proved_noise)
        return _from_pickle, (type(self), self._context, self.to_bytes(), exact)

    def _facts(self) -> dict[str, Any]:
        return {
            "encoding": self.encoding,
            "batch": self.batch,
            "parts": self.parts,
            "level": f"{self.level} of {self._context.parameters.top_level}",
            "of": self._context,
        }


def _from_pickle(
    cls: type[Self], context: Context, data: bytes, noise: tuple[Any, Any] | None
) -> Self:
    result = cls.from_bytes(context, data)
    if noise is not None:
        result._core.restore_noise(*noise)
    return result


def require_ciphertext(field: str, value: object) -> Ciphertext:
    """``value`` if it is a ciphertext."""
    result: Ciphertext = require(value, Ciphertext, field)
    return result


def add_many(terms: Iterable[Self]) -> Self:
    """Sum of at least one ciphertext, in one pass; of the first one's context.

    Raises
    ------
    SizeError
        There are none.
    ArgumentTypeError, ContextError, ParameterError
        They are no ciphertexts, or do not go together; the message says which.
    """
    items = list(terms)
    if not items:
        raise SizeError("terms is empty: a sum has at least one ciphertext")
    for i, item in enumerate(items):
        require_ciphertext(f"terms[{i}]", item)
    context = items[0]._context
    require_context(context, *((f"terms[{i}]", item) for i, item in enumerate(items)))
    return items[0]._wrap(context, context._evaluator.sum([item._core for item in items]))

# SPDX-License-Identifier: Apache-2.0
"""Computing on ciphertexts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments as arguments
from .. import _core
from ..errors import (
    ArgumentTypeError,
    MissingKeyError,
    ParameterError,
    SizeError,
)
from ._require import require, signed_range
from .answers import Answers
from .context import Context
from .encoders import BatchEncoder
from .evaluation_keys import relinearization_key, rotation_keys
from .keys import KeySwitchKey
from .linear_map import LinearMap, sum_steps
from .objects import ContextObject, require_context
from .plaintexts import Plaintext, PreparedPlaintext
from .texts import Ciphertext, require_ciphertext

if TYPE_CHECKING:
    from ..typing import Integers
    from .evaluation_keys import KeyHolder
    from .texts import Operand

__all__ = ["Evaluator"]


class Evaluator(Answers):
    """Operations on ciphertexts of one context; the operators of :class:`Ciphertext` call these.

    Parameters
    ----------
    context : Context

    Notes
    -----
    Results are deterministic. Operands never change. Every call releases the GIL and may run in
    several threads. All raise ContextError when operands belong to other parameters (contexts that
    differ in threads or target only may be mixed; results belong to this one), and ParameterError
    when operands are encoded differently or a three-part operand must be relinearized first.

    A plain integer stands for that constant in every slot, an array for slots; both are read as
    signed, in [-floor(t/2), floor((t-1)/2)]. To a ciphertext of coefficients an integer can be
    multiplied (every coefficient is), not added: the constant polynomial would change one
    coefficient. Other operands come from an encoder.
    """

    __slots__ = ("_context", "_core")

    def __init__(self, context: Context) -> None:
        self._context: Context = require(context, Context, "context")
        self._core = context._scheme.core.Evaluator(context._core)

    @property
    def context(self) -> Context:
        """The context of the operands."""
        return self._context

    def add(self, a: Ciphertext, b: Operand) -> Ciphertext:
        """``a + b``; b a ciphertext, a plaintext, an integer or an array of slots."""
        a, other = self._operands("add", a, b)
        if isinstance(other, Ciphertext):
            return self._wrap(self._core.add(a._core, other._core))
        return self._wrap(self._core.add_plain(a._core, other._core))

    def sub(self, a: Ciphertext, b: Operand) -> Ciphertext:
        """``a - b``; b as for :meth:`add`."""
        a, other = self._operands("sub", a, b)
        if isinstance(other, Ciphertext):
            return self._wrap(self._core.sub(a._core, other._core))
        return self._wrap(self._core.sub_plain(a._core, other._core))

    def negate(self, a: Ciphertext) -> Ciphertext:
        """``-a``."""
        self._check(a=a)
        return self._wrap(self._core.negate(a._core))

    def sum(self, terms: Iterable[Ciphertext]) -> Ciphertext:
        """Sum of at least one ciphertext."""
        return self._wrap(self._core.sum(self._list("terms", terms, Ciphertext)))

    def multiply(self, a: Ciphertext, b: Operand | PreparedPlaintext) -> Ciphertext:
        """``a * b``; b as for :meth:`add`, or a prepared plaintext.

        The product of two ciphertexts (two parts each) has three parts: BEHZ [Bad18b, section 5.3]
        in BFV, the tensor product at the level with the most predicted budget in BGV [BGV12].
        Of coefficients it is the product of polynomials modulo X^n + 1.
        """
        a, other = self._operands("multiply", a, b)
        if isinstance(other, Ciphertext):
            return self._wrap(self._core.multiply(a._core, other._core))
        return self._wrap(self._core.multiply_plain(a._core, other._core))

    def square(self, a: Ciphertext) -> Ciphertext:
        """``a * a``, faster; three parts."""
        self._check(a=a)
        return self._wrap(self._core.square(a._core))

    def relinearize(self, a: Ciphertext, key: KeyHolder | None) -> Ciphertext:
        """Three parts to two; two parts stay as they are, and need no key."""
        if isinstance(a, Ciphertext) and a.parts == 2:
            self._check(a=a)
            self._check_unused(key)
            return a
        found = relinearization_key(key)
        self._check(a=a, key=found)
        return self._wrap(self._core.relinearize(a._core, found._core))

    def switch_secret(self, a: Ciphertext, key: KeySwitchKey) -> Ciphertext:
        """The same message under the secret that the key leads to; two parts.

        Raises
        ------
        ParameterError
            The ciphertext has three parts, or is above the level of the key.
        """
        require(key, KeySwitchKey, "key")
        self._check(a=a, key=key)
        return self._wrap(self._core.switch_secret(a._core, key._core))

    def multiply_relinearize(
        self, a: Ciphertext, b: Ciphertext, key: KeyHolder | None
    ) -> Ciphertext:
        """``relinearize(multiply(a, b), key)``."""
        found = relinearization_key(key)
        self._check(a=a, b=require_ciphertext("b", b), key=found)
        return self._wrap(self._core.multiply_relinearize(a._core, b._core, found._core))

    def square_relinearize(self, a: Ciphertext, key: KeyHolder | None) -> Ciphertext:
        """``relinearize(square(a), key)``."""
        found = relinearization_key(key)
        self._check(a=a, key=found)
        return self._wrap(self._core.square_relinearize(a._core, found._core))

    def rotate_rows(
        self, a: Ciphertext, step: int, keys: KeyHolder | None, *, compose: bool = False
    ) -> Ciphertext:
        """New slot i of each row = old slot i + step: ``numpy.roll(row, -step)``.

        A rotation by 0 needs no key.

        Parameters
        ----------
        a : Ciphertext
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
        step = arguments.integer("step", step, -(2**62), 2**62)
        if step == 0:
            return self._unmoved(a, "rotate_rows", keys)
        found = rotation_keys(keys)
        self._check(a=a, keys=found)
        rotate = self._core.rotate_composed if compose else self._core.rotate_rows
        return self._wrap(rotate(a._core, step, found._core))

    def rotate_many(
        self, a: Ciphertext, steps: Iterable[int], keys: KeyHolder | None
    ) -> list[Ciphertext]:
        """``[rotate_rows(a, step, keys) for step in steps]``, faster from two steps on.

        The digits of ``a`` are computed once for all rotations (hoisting [HS18]). Each result
        decrypts to what :meth:`rotate_rows` gives and has the same bound on its noise, but other
        residues.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        """
        values = arguments.integers("steps", steps, -(2**62), 2**62)
        if not any(values):
            return [self._unmoved(a, "rotate_many", keys) for _ in values]
        found = rotation_keys(keys)
        self._check(a=a, keys=found)
        return [self._wrap(core) for core in self._core.rotate_many(a._core, values, found._core)]

    def apply(self, linear_map: LinearMap, a: Ciphertext, keys: KeyHolder | None) -> Ciphertext:
        """What :meth:`LinearMap.apply` says."""
        require(linear_map, LinearMap, "linear_map")
        if not linear_map.rotations:
            self._unmoved(a, "apply", keys)
            self._check(a=a, linear_map=linear_map)
            return self.multiply(a, linear_map._factors())
        found = rotation_keys(keys)
        self._check(a=a, keys=found, linear_map=linear_map)
        return self._wrap(self._core.apply(linear_map._core, a._core, found._core))

    def matmul(
        self,
        a: Ciphertext,
        matrix: LinearMap | Integers,
        keys: KeyHolder | None,
        *,
        block: int | None = None,
        repeated: bool = False,
    ) -> Ciphertext:
        """A matrix times the vectors in the slots: what :class:`LinearMap` says.

        A matrix of integers is prepared for this product alone; make a :class:`LinearMap` of it to
        use it again.
        """
        if not isinstance(matrix, LinearMap):
            matrix = LinearMap(matrix, self._context, block=block, repeated=repeated)
        return self.apply(matrix, a, keys)

    def dot(
        self, a: Ciphertext, b: Operand | PreparedPlaintext, span: int, keys: KeyHolder | None
    ) -> Ciphertext:
        """Inner products of vectors in slots: :meth:`inner_sum` of ``a * b``, relinearized.

        Parameters
        ----------
        a : Ciphertext
        b : Ciphertext, Plaintext, PreparedPlaintext or array of slots
        span : int
            Length of the vectors, as for :meth:`inner_sum`: slot i of the result is the inner
            product of slots i ... i + span - 1.
        keys : EvaluationKeys or Keys
            The relinearization key if b is a ciphertext, and those of :meth:`inner_sum`.
        """
        product = self.multiply(a, b)
        if product.parts == 3:
            product = self.relinearize(product, keys)
        return self.inner_sum(product, span, keys)

    def sum_axis(
        self, a: Ciphertext, shape: Sequence[int], axis: int, keys: KeyHolder | None
    ) -> Ciphertext:
        """Sums over an axis of matrices that lie in slots row by row, one behind the other.

        Parameters
        ----------
        a : Ciphertext
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
        if 2 * shape[0] * shape[1] > self._context.n:
            raise SizeError(
                f"shape = {tuple(shape)} has {shape[0] * shape[1]} entries: need at most n/2 = "
                f"{self._context.n // 2}"
            )
        if not steps:
            return self._unmoved(a, "sum_axis", keys)
        found = rotation_keys(keys)
        self._check(a=a, keys=found)
        missing = [step for step in steps if not found._core.has_step(step)]
        if missing:
            raise MissingKeyError(
                f"sum_axis of shape {tuple(shape)} lacks keys for the steps: "
                f"{', '.join(map(str, missing))}; make them with generate_keys(rotations="
                "sum_steps(shape, axis))"
            )
        for step in steps:
            a = self.add(a, self.rotate_rows(a, step, found))
        return a

    def swap_columns(self, a: Ciphertext, keys: KeyHolder | None) -> Ciphertext:
        """Exchanges the two rows. Raises MissingKeyError."""
        found = rotation_keys(keys)
        self._check(a=a, keys=found)
        return self._wrap(self._core.swap_columns(a._core, found._core))

    def inner_sum(self, a: Ciphertext, span: int, keys: KeyHolder | None) -> Ciphertext:
        """Slot i becomes the sum of slots i ... i + span - 1 of its row, cyclically.

        Parameters
        ----------
        a : Ciphertext
        span : int
            A power of two up to n/2, or n for the total over both rows.
        keys : RotationKeys, EvaluationKeys or Keys
            For the steps 1, 2, 4, ... span/2; for a span of 1 none.

        Raises
        ------
        MissingKeyError
            Names all keys that are missing, before anything is computed.
        """
        span = arguments.integer("span", span, 1, self._context.n, "a power of two up to n")
        if span == 1:
            return self._unmoved(a, "inner_sum", keys)
        found = rotation_keys(keys)
        self._check(a=a, keys=found)
        return self._wrap(self._core.inner_sum(a._core, span, found._core))

    def dot_product(
        self,
        a: Sequence[Ciphertext],
        b: Sequence[Ciphertext] | Sequence[PreparedPlaintext],
    ) -> Ciphertext:
        """``sum(x * y for x, y in zip(a, b))`` with one scaling for the whole sum."""
        left, factors = self._list("a", a, Ciphertext), list(b)
        if factors and isinstance(factors[0], PreparedPlaintext):
            right = self._list("b", factors, PreparedPlaintext)
            return self._wrap(self._core.dot_product_plain(left, right))
        if factors and isinstance(factors[0], Plaintext):
            raise ArgumentTypeError("b[0] is a Plaintext: pass b[0].prepare(), and so for each")
        return self._wrap(self._core.dot_product(left, self._list("b", factors, Ciphertext)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Evaluator, (self._context,)

    def _unmoved(self, a: Ciphertext, operation: str, keys: object) -> Ciphertext:
        """A ciphertext that a rotation leaves as it is: no key is needed, all else is checked."""
        self._check(a=a)
        self._check_unused(keys)
        if a.encoding != "slots":
            raise ParameterError(f"a is encoded as {a.encoding}, and {operation} acts on slots")
        if a.parts != 2:
            raise ParameterError(f"a has {a.parts} parts, a rotation needs 2: relinearize it first")
        return a

    def _check_unused(self, keys: object) -> None:
        """Keys that an operation was given and does not need are of the same parameters."""
        if isinstance(keys, ContextObject):
            require_context(self._context, ("key", keys))

    def _wrap(self, core: Any) -> Ciphertext:
        return Ciphertext._wrap(self._context, core)

    def _check(self, **operands: Any) -> None:
        require_ciphertext("a", operands["a"])
        require_context(self._context, *operands.items())

    def _list(self, field: str, values: Iterable[Any], cls: type) -> list[Any]:
        items = [require(v, cls, f"{field}[{i}]") for i, v in enumerate(values)]
        require_context(self._context, *((f"{field}[{i}]", v) for i, v in enumerate(items)))
        return [v._core for v in items]

    def _operands(self, operation: str, a: Ciphertext, b: Any) -> tuple[Ciphertext, Any]:
        require_ciphertext("a", a)
        b = self._operand(operation, a.encoding, b)
        require_context(self._context, ("a", a), ("b", b))
        return a, b

    def _operand(
        self, operation: str, encoding: str, b: Any
    ) -> Ciphertext | Plaintext | PreparedPlaintext:
        if isinstance(b, (Ciphertext, Plaintext)):
            return b
        if isinstance(b, PreparedPlaintext):
            return b if operation == "multiply" else b.plaintext
        if isinstance(b, (int, np.integer)) and not isinstance(b, bool):
            return self._constant(operation, encoding, int(b))
        if isinstance(b, (np.ndarray, list, tuple)):
            if encoding != "slots":
                raise ParameterError(
                    f"b is an array, which stands for slots, and a is encoded as {encoding}: "
                    "encode b with CoefficientEncoder(context).encode(values)"
                )
            return BatchEncoder(self._context).encode(b)
        raise ArgumentTypeError(
            f"b is a {type(b).__name__}: need a Ciphertext, a Plaintext, an integer or an array of "
            "integers"
        )

    def _constant(self, operation: str, encoding: str, value: int) -> Plaintext:
        if encoding != "slots" and operation != "multiply":
            raise ParameterError(
                f"b = {arguments.number_text(value)} is an integer, which stands for a constant in "
                f"every slot, and a is encoded as {encoding}: it would change one coefficient; if "
                "that is meant, encode it with CoefficientEncoder(context).encode([value])"
            )
        t = self._context.t
        low, high = signed_range(t)
        value = arguments.integer("b", value, low, high, f"signed, for t = {t}")
        core = _core.rlwe.Plaintext.constant(self._context._core, value, encoding)
        return Plaintext._wrap(self._context, core)

# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of real and complex numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ArgumentTypeError, MissingKeyError, ParameterError, SizeError
from ..rlwe.objects import require_context
from ..rlwe.rotations import folded
from .linear_map import LinearMap
from .numbers import is_number
from .plaintext import Plaintext
from .polynomials import evaluate

if TYPE_CHECKING:
    from ..circuits import Basis

    #: What is added, or multiplied by: numbers stand for every slot, arrays for slots.
    Operand: TypeAlias = "Ciphertext | Plaintext | complex | np.number[Any] | ArrayLike"

Self = TypeVar("Self", bound="Ciphertext")


class _Bootstraps(Protocol):
    """What :class:`BootstrapKeys` does."""

    def bootstrap(self, x: Self, *, level: int | None = None, iterations: int = 1) -> Self: ...


class Ciphertext(rlwe.Ciphertext):
    """Encrypted real or complex numbers, or a batch of such messages, with operators.

    ``+``, ``-`` and ``*`` take a ciphertext, a number (the same in every slot), an array of numbers
    (slots) or a :class:`Plaintext`. Operands may have any levels: the one above is brought down. A
    product takes a level, but for one with an integer (``x * 2``; ``x * 2.0`` is one with a
    number), and :attr:`levels_left` says how many are left.

    A product of ciphertexts has three parts until it is relinearized, which rescales it: it then
    has the scale of the level below, as everything else there. Sums of such products need one
    relinearization. Every method that needs a key takes it as an argument.

    A batch holds messages of the same shape, made by encrypting an array (batch, m) or by
    :func:`stack`; every operation acts on all of them in one call. Operands are batches of one
    size, or one of them is single and serves every element of the other (SizeError otherwise).

    Coefficients multiply as polynomials modulo X^n + 1; they cannot be rotated.

    ``==``, ``<``, ``in`` and ``bool`` are refused: what is encrypted cannot be compared in the
    clear. :meth:`same_words` compares encryptions.

    Examples
    --------
    >>> from nttforge import ckks
    >>> context = ckks.Context(ckks.Parameters.preset(2**14))
    >>> keys = context.generate_keys(rotations=[1])
    >>> a = keys.encrypt([0.5, 0.25, -1])
    >>> b = (a * a).relinearize(keys) * 0.5 - a
    >>> keys.decrypt(b)[:3].round(3), b.levels_left, b.error < 1e-6
    (array([-0.375, -0.219,  1.5  ]), 5, True)
    >>> keys.decrypt(a.rotate_rows(1, keys))[:2].round(3)
    array([ 0.25, -1.  ])
    """

    __slots__ = ()
    _instead_of_comparing = (
        "decrypt it, or compute its sign (nttforge.ckks.functions.compare(bits)); "
        "a.same_words(b) tells whether two ciphertexts are the same encryption"
    )

    @property
    def levels_left(self) -> int:
        """Products that fit one after the other, but for those with integers.

        One fewer above the level of a bootstrap's results, to which a product takes two levels.
        """
        return self.level - 1

    @property
    def scale(self) -> float:
        """What the numbers are multiplied with, rounded to a double; see :attr:`scale_parts`."""
        return float(self._core.scale[0])

    @property
    def scale_parts(self) -> tuple[float, float]:
        """The scale exactly: the sum of two doubles, the second below half a unit of the first."""
        high, low = self._core.scale
        return float(high), float(low)

    @property
    def slots(self) -> int:
        """Numbers of the message, which the n/2 slots of the ring repeat."""
        return int(self._core.slots)

    @property
    def real(self) -> bool:
        """Whether all numbers are real: then decryption gives float64."""
        return bool(self._core.real)

    @property
    def bound(self) -> float:
        """What the absolute value of every number is known to stay within.

        It follows from the bounds that were stated at encryption and from the operations. Of
        coefficients it bounds the polynomial at the complex roots of X^n + 1.
        """
        return _power_of_two(self._core.bound_log2)

    @property
    def error(self) -> float:
        """What the absolute error of every number stays within, in units of the numbers.

        It is the difference from what exact arithmetic on the encrypted numbers gives, decoding
        included; of :mod:`nttforge.ckks.functions`, from the function itself. The bound follows
        from the operations, without the key; it is heuristic (docs/bounds/ckks_noise.md). Infinite
        if nothing is known.
        """
        return _power_of_two(_core.ckks.error_log2(self._core, False))

    @property
    def proved_error(self) -> float:
        """The same by the proved bound: right but for 2^-128, for any circuit, some bits larger.

        Infinite of what came in bytes, which may have been made by anybody.
        """
        return _power_of_two(_core.ckks.error_log2(self._core, True))

    @property
    def precision_bits(self) -> float:
        """Bits behind the point that can be relied on: -log2 of :attr:`error`."""
        return -float(_core.ckks.error_log2(self._core, False))

    def to_bytes(self) -> bytes:
        """In the versioned, little-endian format of the library, with the context's fingerprint.

        Scale, slots, bound and the heuristic error, rounded up by at most 1/64 bit, are among them,
        the proved error is not. Bounds depend on the numbers in the clear that were multiplied
        with; what that tells is said in docs/bounds/noise.md.
        """
        return bytes(self._core.to_bytes(True))

    def __mul__(self: Self, other: Operand) -> Self:
        if isinstance(other, rlwe.Ciphertext):
            return self._with(self._context._evaluator.multiply, other)
        if not is_number(other):
            return self._times_plain(self._plaintext(other))
        evaluator = self._context._evaluator
        if isinstance(other, (int, np.integer)):
            factor = arguments.integer("b", other, -(2**63), 2**63 - 1, "or a float")
            if factor == 0:
                raise ParameterError(
                    "b = 0: a product with 0 is 0, which needs no ciphertext; encrypt a 0, or "
                    "leave the term out"
                )
            return self._wrap(self._context, evaluator.multiply_integer(self._core, factor))
        value = _constant(other)
        core = evaluator.multiply_constant(self._core, value.real, value.imag)
        return self._wrap(self._context, core)

    __rmul__ = __mul__

    def __add__(self: Self, other: Operand) -> Self:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self: Self, other: Operand) -> Self:
        return self._plus(other, -1)

    def __rsub__(self: Self, other: Operand) -> Self:
        return (-self)._plus(other, 1)

    def __truediv__(self: Self, other: complex) -> Self:
        """A product with 1 / other, a number other than 0, which takes a level."""
        if not is_number(other):
            raise ArgumentTypeError(
                f"b is a {type(other).__name__}: ciphertexts are divided by numbers; for an "
                "encrypted or an array's quotient multiply with 1 / b, or with "
                "nttforge.ckks.functions.inverse"
            )
        if other == 0:
            raise ParameterError("b = 0: a division by 0")
        inverse = 1 / _constant(other)
        return self * (inverse if inverse.imag else inverse.real)

    def __pow__(self: Self, exponent: int) -> Self:
        """``x ** 2`` is ``x.square()``, three parts; higher powers need keys: :meth:`power`."""
        exponent = arguments.integer("exponent", exponent, 1, 2**20)
        if exponent > 2:
            raise MissingKeyError(
                f"x ** {exponent} multiplies products, which must be relinearized: "
                f"x.power({exponent}, keys)"
            )
        return self.square() if exponent == 2 else self

    def power(self: Self, exponent: int, keys: rlwe.KeyHolder | None) -> Self:
        """The power by an integer from 1 on, with ceil(log2 exponent) levels; two parts."""
        exponent = arguments.integer("exponent", exponent, 1, 2**20)
        self._require_levels(f"the power {exponent}", (exponent - 1).bit_length())
        powers = {1: self}

        def of(k: int) -> Self:
            if k not in powers:
                half = 1 << ((k - 1).bit_length() - 1)
                powers[k] = (
                    of(half).square_relinearize(keys)
                    if k == 2 * half
                    else of(half).multiply_relinearize(of(k - half), keys)
                )
            return powers[k]

        return of(exponent)

    def relinearize(self: Self, key: rlwe.KeyHolder | None, *, rescale: bool = True) -> Self:
        """Three parts to two, and the scale of a product to that of the level below.

        Parameters
        ----------
        key : RelinearizationKey, EvaluationKeys or Keys
            Not needed for two parts.
        rescale : bool
            False: the scale stays, and so does the level; the next operation that needs it, or
            :meth:`rescale`, brings it down.
        """
        result = super().relinearize(key)
        return result.rescale() if rescale else result

    def rescale(self: Self) -> Self:
        """The scale of a product to that of the level below; everything else stays as it is.

        :meth:`relinearize` does it already. Of three parts it costs bits of precision: relinearize
        first.

        Raises
        ------
        ParameterError
            The ciphertext is a product at level 1, where no level is left.
        """
        return self._with(self._context._evaluator.settled)

    def within(self: Self, bound: float, *, error: float | None = None) -> Self:
        """The same, where all numbers are known to be at most ``bound`` in absolute value.

        Bounds that follow from operations may be far too large: of x - x, say, or of a function
        whose values stay in [0, 1]. A smaller one makes room below the modulus, and errors of
        later products smaller. What is stated is believed: a wrong bound makes errors wrong.

        Parameters
        ----------
        bound : number
        error : number, optional
            What every number is known to be off by at most, in place of what follows from the
            operations: where a computation corrects itself, as training and Newton's method do,
            errors do not add up. Nothing is proved of such numbers (:attr:`proved_error`).

        Raises
        ------
        ParameterError
            The bound is not in (0, :attr:`bound`], or the error not in (0, ``bound``].
        """
        stated = arguments.number("bound", bound, 2.0**-900, self.bound, "(what is known already)")
        result = self.to(self._context)
        result._core.set_bound_log2(math.log2(stated))
        if error is not None:
            off = arguments.number("error", error, 2.0**-900, stated, "(the bound)")
            _core.ckks.forget_error(result._core)
            _core.ckks.allow_error(result._core, math.log2(off), 1e6)
        return result

    def off_by(self: Self, error: float) -> Self:
        """The same numbers, meant as those of a function that they are within ``error`` of.

        Adds to :attr:`error` and :attr:`proved_error` what an approximation misses.

        Examples
        --------
        >>> from nttforge import ckks
        >>> keys = ckks.Context(ckks.Parameters.preset(2**13, 36)).generate_keys()
        >>> x = keys.encrypt([0.5, -1], bound=1)
        >>> exp = (x + (x * x).relinearize(keys) * 0.5 + 1).off_by(0.2183)  # e - 5/2 at most
        >>> 0.2183 < exp.error < 0.2184
        True
        """
        stated = arguments.number("error", error, 0, 2.0**900, "")
        result = self.to(self._context)
        if stated:
            _core.ckks.allow_error(result._core, math.log2(stated), math.log2(stated))
        return result

    def conjugate(self: Self, keys: rlwe.KeyHolder | None) -> Self:
        """Complex conjugates; real numbers stay as they are, and need no key.

        Raises
        ------
        MissingKeyError
            There is no key: ``generate_keys(conjugation=True)`` makes it.
        """
        if self.real:
            return self._unmoved("conjugate", keys)
        found = self._rotation_keys(keys)
        if not found._core.has_column_swap:
            raise MissingKeyError(
                "keys has no key for complex conjugates: make it with "
                "generate_keys(conjugation=True)"
            )
        return self._with(self._context._evaluator.swap_columns, found)

    def multiply_by_i(self: Self) -> Self:
        """Each number times the imaginary unit: no level, no error."""
        return self._with(self._context._evaluator.multiply_by_i)

    def bootstrap(
        self: Self, keys: _Bootstraps, *, level: int | None = None, iterations: int = 1
    ) -> Self:
        """The same numbers with levels again: :meth:`BootstrapKeys.bootstrap`."""
        return keys.bootstrap(self, level=level, iterations=iterations)

    def matmul(
        self: Self,
        matrix: LinearMap | ArrayLike,
        keys: rlwe.KeyHolder | None,
        *,
        block: int | None = None,
        repeated: bool = False,
    ) -> Self:
        """A matrix times the vector of each block of slots, of each message of a batch: one level.

        Parameters
        ----------
        matrix : LinearMap, or array of numbers, shape (rows, columns)
        keys, block, repeated
            As for :meth:`nttforge.bfv.Ciphertext.matmul`, with its errors.

        Raises
        ------
        ParameterError
            Also if the ciphertext has other slots than the map, or a level below it.
        """
        if not isinstance(matrix, LinearMap):
            self._require_levels("a linear map", 1)
            level = self.rescale().level
            matrix = LinearMap(
                matrix,
                self._context,
                block=block,
                repeated=repeated,
                slots=self.slots,
                level=level,
            )
        require_context(self._context, ("matrix", matrix))
        if not matrix.rotations:
            return self._unmoved("matmul", keys)._times_plain(matrix._single())
        x = self.rescale()
        if x.level < matrix.level:
            raise ParameterError(
                f"a is at level {x.level}, and the map is for level {matrix.level}: make it with "
                f"level={x.level}"
            )
        found = self._rotation_keys(keys)
        compute = self._context._evaluator.apply_map
        return self._wrap(self._context, compute(matrix._core, x._core, found._core))

    def polynomial(
        self: Self,
        coefficients: Sequence[complex],
        keys: rlwe.KeyHolder | None,
        *,
        basis: Basis = "power",
        interval: tuple[float, float] | None = None,
        domain: Sequence[tuple[float, float]] | None = None,
    ) -> Self:
        """A polynomial of each number, at the least depth.

        Of degree d it takes log2(d + 1) levels, rounded up, and about 2 sqrt(d) products; another
        interval than [-1, 1] may take one more.

        Parameters
        ----------
        coefficients : sequence of numbers
            The constant first; a degree of at least 1.
        keys : RelinearizationKey, EvaluationKeys or Keys
            Not needed for degree 1.
        basis : {"power", "chebyshev"}
            "chebyshev": ``coefficients[k]`` belongs to T_k(t), t in [-1, 1] being x moved from the
            interval: exact to many more bits from degree 8 on.
        interval : (float, float), optional
            Where the numbers are, with "chebyshev"; by default [-1, 1]. Outside, results are wrong
            by any amount. :attr:`error` and :attr:`bound` of the result then follow from the slopes
            and values of the polynomial there.
        domain : sequence of (float, float), optional
            The parts of the interval where they are, if not everywhere.

        Raises
        ------
        ParameterError
            Fewer levels are left than are needed; the message says how many.

        Examples
        --------
        >>> from nttforge import ckks
        >>> keys = ckks.Context(ckks.Parameters.preset(2**14)).generate_keys()
        >>> x = keys.encrypt([0.5, -1, 1])
        >>> keys.decrypt(x.polynomial([1, 0, 2], keys))[:3].round(3)  # 1 + 2 x^2
        array([1.5, 3. , 3. ])
        """
        result: Self = evaluate(self, coefficients, keys, basis, interval, domain)
        return result

    @property
    def _row(self) -> int:
        return self.slots

    @property
    def _most_span(self) -> int:
        return self.slots

    def _folded(self, step: int) -> int:
        return folded(step, self.slots)

    def _plus(self: Self, other: Operand, sign: int) -> Self:
        evaluator = self._context._evaluator
        if isinstance(other, rlwe.Ciphertext):
            return self._with(evaluator.add if sign > 0 else evaluator.sub, other)
        if is_number(other):
            value = sign * _constant(other)
            if self.encoding != "slots":
                raise ParameterError(
                    f"b = {other} is a number, which stands for every slot, and a is encoded as "
                    "coefficients: encode it with Plaintext(context, [b], encoding='coefficients')"
                )
            core = evaluator.add_constant(self._core, value.real, value.imag)
            return self._wrap(self._context, core)
        plain = self._plaintext(other)
        # A product's scale may be too large to encode at; the sum brings both together.
        product = evaluator.is_product(self._core)
        scale = self._context._core.scale(self.level) if product else self._core.scale
        compute = evaluator.add_plain if sign > 0 else evaluator.sub_plain
        return self._wrap(self._context, compute(self._core, plain._at(self.level, scale)))

    def _times_plain(self: Self, plain: Plaintext) -> Self:
        evaluator, context = self._context._evaluator, self._context
        core = evaluator.settled(self._core)
        self._require_levels("a product", 1, core.level)
        scale = context._core.factor_scale(core.level, core.scale)
        return self._wrap(context, evaluator.multiply_plain(core, plain._at(core.level, scale)))

    def _plaintext(self, other: Any) -> Plaintext:
        """The operand in the clear, checked."""
        if not isinstance(other, Plaintext):
            if isinstance(other, (str, bytes, bool)) or not (
                hasattr(other, "__array__") or isinstance(other, (list, tuple))
            ):
                raise ArgumentTypeError(
                    f"b is a {type(other).__name__}: need a Ciphertext, a Plaintext, a number or "
                    "an array of numbers"
                )
            if self.encoding != "slots":
                raise ParameterError(
                    "b is an array, which stands for slots, and a is encoded as coefficients: pass "
                    "Plaintext(context, b, encoding='coefficients')"
                )
            return Plaintext(self._context, other, slots=self.slots)
        require_context(self._context, ("b", other))
        if other.encoding != self.encoding:
            raise ParameterError(
                f"a is encoded as {self.encoding}, and b as {other.encoding}: encode both alike"
            )
        if other.slots != self.slots:
            raise ParameterError(
                f"a has {self.slots} slots and b {other.slots}: messages of one number of slots "
                f"are needed; make b with slots={self.slots}"
            )
        if 1 != other.batch != self.batch != 1:
            raise SizeError(
                f"a is a batch of {self.batch} and b one of {other.batch}: need the same, or one "
                "of them single"
            )
        return other

    def _require_levels(self, what: str, needed: int, level: int | None = None) -> None:
        left = (self.rescale().level if level is None else level) - 1
        if left < needed:
            raise ParameterError(
                f"{what} needs {needed} level{'s' * (needed > 1)}, {left} left: take a set with "
                f"{needed - left} more ({_deeper(self._context, needed - left)}), or decrypt and "
                "encrypt again"
            )

    def _facts(self) -> dict[str, Any]:
        facts = super()._facts()
        context = facts.pop("of")
        return {
            **facts,
            "slots": self.slots,
            "numbers": "real" if self.real else "complex",
            "scale": f"2^{math.log2(self.scale):.1f}",
            "bound": f"{self.bound:.3g}",
            "error": f"{self.error:.2g}",
            "of": context,
        }


def _power_of_two(exponent: float) -> float:
    """As a double; infinite above, and the least one below, where it is none."""
    if exponent >= 1024:
        return math.inf
    return max(2.0**exponent if exponent > -1074 else 0.0, 5e-324)


def _constant(value: Any) -> complex:
    """A finite number of Python or NumPy."""
    try:
        number = complex(value)
    except OverflowError:
        number = complex(math.inf)
    if not (math.isfinite(number.real) and math.isfinite(number.imag)):
        raise ParameterError(f"b = {value}: a number must be finite, below 2^1024")
    return number


def _deeper(context: rlwe.Context, more: int) -> str:
    """Where such sets are to be found."""
    depth = context.parameters.top_level - 1 + more
    for log_n, levels in ((14, 7), (15, 16), (16, 33), (17, 70)):
        if levels >= depth:
            return f"Parameters.preset(2**{log_n}) has {levels}"
    return "none of the presets has so many"

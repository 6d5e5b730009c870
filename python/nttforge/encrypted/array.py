# SPDX-License-Identifier: Apache-2.0
"""The encrypted array: its operators, and what is refused before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError
from ..integer_encoding.fixed_point import MOST_SCALE, real_numbers
from ..rlwe import Context, EvaluationKeys, Keys
from ..rlwe.key_set import secret_of
from ..rlwe.summaries import Summarised
from . import moves, products
from .bounds import Told, bounds_of, evaluation_of, real_bounds, require_range
from .bytes import bytes_of, fields_of
from .columns import ColumnScales, Scale, rounded_entries, scale_of, scaled
from .layout import block_for, layout_of
from .numpy_calls import NumpyHabits
from .powers import polynomial
from .real_functions import apply
from .schemes import decrypted, encrypted, halves_of, no_integers, smallest

if TYPE_CHECKING:
    from ..rlwe import PublicKey, SecretKey
    from ..typing import BytesLike, NoiseBound


class EncryptedArray(NumpyHabits, Summarised):
    """Encrypted integers, or numbers of fixed point, with the operators of a NumPy array.

    Made by :meth:`encrypt`. One axis: a vector; two: ``rows`` vectors, many of them in one
    ciphertext. ``+``, ``-``, ``*`` and ``@`` take encrypted arrays, arrays and numbers, which
    broadcast as in NumPy; ``sum``, ``mean``, ``roll``, ``convolve``, ``polynomial``,
    ``where`` and slices with step 1 do as well, and the functions of NumPy of these names. Real
    numbers get a scale of their own (:meth:`with_precision`). ``==``, ``<``, ``in`` and ``bool``
    are refused. Every array carries its scale and a range of its values, which follow from the
    operations alone: a result that could pass t/2, whose noise could pass its budget, or that needs
    a key which is not there, is refused, and no operand changes.

    With keys of CKKS entries are real numbers, close to what NumPy gives and not equal: ``error``
    says how close. Products but for those with integers take levels, ``scale`` is 1 but of means,
    and ``apply`` takes the functions of :mod:`nttforge.ckks.functions`.

    The shape and the scales are public, and of the range what somebody stated: ``bounds`` of
    :meth:`encrypt`. Without them the range is that of the values, rounded up to one bit less than
    a power of two, and stays in this process: bytes tell the whole range modulo t. The range of a
    result is told in steps of 16 bits, since plain operands may be secret.

    Examples
    --------
    >>> import numpy as np, nttforge
    >>> from nttforge import bfv
    >>> context = bfv.Context(bfv.Parameters.preset(8192, nttforge.ntt_primes(8192, 24)[0]))
    >>> keys = context.generate_keys(rotations=[1024, -1024, 2048])
    >>> x = nttforge.EncryptedArray.encrypt([1.5, -2, 0.25, 3], keys, scale=4)
    >>> x.shape, (x * 2 + 1).decrypt(keys)
    ((4,), array([ 4. , -3. ,  1.5,  7. ]))
    >>> float((x * x).sum().decrypt(keys))
    15.3125
    >>> x.roll(1).decrypt(keys)
    array([ 3.  ,  1.5 , -2.  ,  0.25])
    """

    @classmethod
    def encrypt(
        cls,
        values: ArrayLike,
        keys: Keys | PublicKey | SecretKey,
        *,
        scale: Scale | Sequence[float] | NDArray[Any] = 1,
        bounds: tuple[float | ArrayLike, float | ArrayLike] | None = None,
        block: int | None = None,
    ) -> EncryptedArray:
        """Encrypts numbers.

        Parameters
        ----------
        values : array of numbers, shape (length,) or (rows, length)
            A length of at most n/2.
        keys : Keys, PublicKey or SecretKey
            Evaluation keys among them serve the operations; :meth:`with_keys` gives others.
        scale : number or sequence of numbers
            Each value times this, rounded, is what is encrypted. With 1 values are integers. Of
            several, each is for a column (an entry of the last axis): of large numbers a small one,
            so that all columns have integers of one size. A product with plain numbers of as many
            columns gives all one scale; what would mix columns before that is refused.
        bounds : (number, number), optional
            With scales of columns each may be a number for each column.
            The range of the values that everybody may know; bytes tell nothing without it, so
            that whoever computes from bytes has no room for sums and products.
        block : int, optional
            Positions of a vector, a power of two: more than the least for later results that are
            longer. Operands have equal blocks.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            A value is outside its bounds or too large for t, a shape does not fit, no numbers.
        """
        key = keys.public if isinstance(keys, Keys) else keys
        array, context, halves = real_numbers(values), key.context, halves_of(key.context)
        if array.ndim not in (1, 2) or 0 in array.shape:
            raise SizeError(
                f"values has shape {array.shape}: need (length,) or (rows, length), not empty"
            )
        given: Scale = scale_of(scale, array.shape[-1])
        if halves == 1 and given != 1:
            raise no_integers(
                f"scale = {scale!r}", "leave it out, they are not rounded to integers"
            )
        if array.dtype.kind == "f" and given == 1 and halves == 2:
            raise ArgumentTypeError(
                "values has real numbers and scale = 1 would round them to integers: give a "
                "scale, for example scale=1000 for three decimal digits"
            )
        layout = layout_of(
            context.n,
            block_for(array.shape[-1], context.n, block),
            None if array.ndim == 1 else array.shape[0],
            array.shape[-1],
            halves,
        )
        t: int | None = None
        if halves == 1:
            words: NDArray[Any] = array.astype(np.float64)
            low, high = real_bounds(words, bounds)
        else:
            t, words = cast("Any", context).t, rounded_entries(array, given, "values")
            low, high = bounds_of(words, given, bounds)
            require_range(low, high, cast("int", t), "encrypt")
        text = encrypted(key, layout.to_slots(words), max(-low, high) or 1.0)
        told = Told.NOTHING if bounds is None else Told.STATED
        return cls(text, layout, evaluation_of(keys), t, given, low, high, told=told)

    @property
    def predicted_noise_budget_bits(self) -> float | None:
        """Bits left by the bound that the ciphertext carries."""
        self._require_integers("a noise budget", "x.error says how far they may be off")
        return cast("float | None", self.text.predicted_noise_budget_bits)

    @property
    def proved_noise_budget_bits(self) -> float | None:
        """Bits left by the proved bound, as :attr:`Ciphertext.proved_noise_budget_bits`."""
        self._require_integers("a noise budget", "x.error says how far they may be off")
        return cast("float | None", self._two().text.proved_noise_budget_bits)

    @property
    def error(self) -> float:
        """What every number is off by at most: :attr:`nttforge.ckks.Ciphertext.error`; of BFV 0."""
        return self.text.error / cast("float", self.scale) if self.layout.real else 0.0

    @property
    def levels_left(self) -> int:
        """As :attr:`nttforge.ckks.Ciphertext.levels_left`; CKKS alone has levels."""
        if not self.layout.real:
            raise UnsupportedError("levels are of CKKS: BFV has predicted_noise_budget_bits")
        return int(self._two().text.levels_left)

    def _require_integers(self, what: str, remedy: str) -> None:
        if self.layout.real:
            raise no_integers(what, remedy)

    def within(self, low: float, high: float, *, error: float | None = None) -> EncryptedArray:
        """The same, where everybody may know that the values are in a smaller range than `bounds`.

        What is stated is believed; slots that are no entries have to keep to it, too, if it is of
        CKKS: sums over an axis of vectors that fill their blocks do. A ParameterError otherwise.
        ``error``: what real numbers are off by at most, where a computation corrects itself.
        """
        known, scale = self.bounds, self._one_scale("within")
        if not known[0] <= low <= 0 <= high <= known[1]:
            raise ParameterError(f"within: [{low}, {high}] is not in {known}, or does not hold 0")
        if not self.layout.real:
            if error is not None:
                raise ParameterError(f"within: error = {error} is for real numbers: leave it out")
            return replace(self, low=math.floor(low * scale), high=math.ceil(high * scale))
        x, off = self._two(), None if error is None else error * scale
        text = x.text.within(min(max(-low, high) * scale, x.text.bound), error=off)
        return replace(x, text=text, low=low * scale, high=high * scale)

    apply = apply

    def with_keys(self, keys: Keys | EvaluationKeys) -> EncryptedArray:
        """The same array with other evaluation keys for what is computed from it."""
        return replace(self, keys=evaluation_of(keys))

    def with_precision(self, precision: float, scale: int | None = None) -> EncryptedArray:
        """The same array that keeps plain real numbers to another precision.

        What is computed from it inherits that; bytes do not hold it: say it in the function that
        computes, where :func:`nttforge.choose` sees it too.

        Parameters
        ----------
        precision : float
            The relative error that rounding may give a number, in (0, 0.5]; 0.0001 unless stated.
            Numbers become integers with the least power of 100 as scale that keeps each of them so,
            which multiplies the range of the result. Weights of a sum (``@``, ``convolve``) are
            kept to it beside the largest of the sum, and what is added beside its largest entry.
            Integers are exact.
        scale : int, optional
            That scale, stated, up to 2^62: where even the power of 100 shall not depend on the
            numbers, since the scale of a result is public.

        Raises
        ------
        ParameterError
            Here for arguments out of range, and later where a number cannot be kept.

        Examples
        --------
        >>> from nttforge import EncryptedArray, bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
        >>> x = EncryptedArray.encrypt([0.5, 1], keys, scale=2)
        >>> (x * 0.3333).scale, (x.with_precision(0.01) * 0.3333).scale
        (20000, 200)
        """
        precision = arguments.number("precision", precision, 0, 0.5, "of plain numbers")
        if precision == 0:
            raise ParameterError("precision = 0 is not in (0, 0.5]: integers are always exact")
        if scale is not None:
            scale = arguments.integer("scale", scale, 1, MOST_SCALE)
        return replace(self, precision=precision, factor_scale=scale)

    def decrypt(self, keys: Keys | SecretKey) -> NDArray[np.int64] | NDArray[np.float64]:
        """The numbers, of :attr:`shape`: int64 where the scale is 1, else float64.

        Raises
        ------
        NoiseError
            As :meth:`Decryptor.decrypt`.
        """
        return self._decoded(decrypted(secret_of(keys), self.text, {}))

    def _decoded(self, slots: NDArray[Any]) -> NDArray[np.int64] | NDArray[np.float64]:
        values = self.layout.from_slots(slots)
        result = np.array(values.reshape(self.shape))
        scale = self.scale.row() if isinstance(self.scale, ColumnScales) else self.scale
        return result if self.scale == 1 else np.asarray(result / scale)

    def decrypt_shared(
        self,
        keys: Keys | SecretKey,
        *,
        security_bits: int = 64,
        bound: NoiseBound = "proved",
        proved_bits: float | None = None,
    ) -> NDArray[np.int64] | NDArray[np.float64]:
        """The numbers, for answers that leave the house: as :meth:`Decryptor.decrypt_shared`.

        What came in bytes needs ``proved_bits``: ``f(x).proved_noise_budget_bits`` of your own run.
        """
        options = {"security_bits": security_bits, "bound": bound, "proved_bits": proved_bits}
        return self._decoded(decrypted(secret_of(keys), self.text, options))

    def shrink(self, min_budget_bits: float = 1) -> EncryptedArray:
        """The same numbers in as few bytes as their noise allows, as :meth:`Ciphertext.shrink`.

        ``min_budget_bits`` of budget stay, or what there is, if it is less. Numbers of CKKS go to
        the lowest level, where sums, rolls and products with integers are left.
        """
        ready = self._two()
        bits = getattr(ready.text, "predicted_noise_budget_bits", None)
        least = max(0.0, min_budget_bits if bits is None else min(min_budget_bits, bits))
        return replace(ready, text=smallest(ready.text, least))

    def bootstrap(self, keys: Any, **options: Any) -> EncryptedArray:
        """The same numbers with budget, or levels, again: by the scheme's ``BootstrapKeys``.

        ``options`` go to its ``bootstrap``. :func:`nttforge.choose` plans bootstraps for a whole
        computation, which :meth:`nttforge.choosing.Choice.run` then follows.

        Examples
        --------
        >>> from nttforge import EncryptedArray, bfv
        >>> machine = bfv.Bootstrapper.of("exact16", 257, insecure_n=2**7)
        >>> keys = machine.context.generate_keys()
        >>> x = EncryptedArray.encrypt([1, 2, 3], keys, bounds=(0, 10))
        >>> y = (x * x).bootstrap(machine.make_keys(keys))
        >>> y.predicted_noise_budget_bits > 80, y.decrypt(keys)
        (True, array([1, 4, 9]))
        """
        ready = self._two()
        return replace(ready, text=ready.text.bootstrap(keys, **options))

    def to_bytes(self, *, noise: bool = True, bounds: tuple[float, float] | None = None) -> bytes:
        """Shape, scale, range and ciphertext, without keys (docs/format.md).

        Parameters
        ----------
        noise : bool
            As :meth:`Ciphertext.to_bytes`, with its error.
        bounds : (number, number), optional
            The range that is told of the values, in place of what :class:`EncryptedArray` says; a
            ParameterError if it does not hold what is known here.
        """
        if not noise:
            self._require_integers("noise = False", "leave it out")
        return bytes_of(self._two(), noise, bounds)

    @classmethod
    def from_bytes(
        cls,
        context: Context,
        data: BytesLike,
        keys: Keys | EvaluationKeys | None = None,
        *,
        most_bytes: int | None = None,
    ) -> EncryptedArray:
        """Reads what :meth:`to_bytes` wrote. What it says of range and scale is its maker's word.

        ``most_bytes`` and errors as for :meth:`Ciphertext.from_bytes`.
        """
        fields = fields_of(context, bytes(data), most_bytes)
        t = None if halves_of(context) == 1 else cast("Any", context).t
        return cls(keys=evaluation_of(keys), t=t, **fields)

    # Operators

    __add__ = __radd__ = products.add

    __sub__ = products.subtract

    def __rsub__(self, other: Any) -> EncryptedArray:
        return products.add(-self, other)

    __neg__ = products.negate

    __mul__ = __rmul__ = products.multiply

    def __pow__(self, exponent: int) -> EncryptedArray:
        count = arguments.integer("exponent", exponent, 1, 1023, "a power is a product")
        return self.polynomial([0] * count + [1])

    def _squared(self) -> EncryptedArray:
        return products.multiply(self, self)

    __matmul__ = products.matmul

    def __rmatmul__(self, other: Any) -> EncryptedArray:
        return products.matmul_left(other, self)

    __getitem__ = moves.select

    roll = moves.roll

    sum = moves.total

    def mean(self, axis: int | None = None, *, keepdims: bool = False) -> EncryptedArray:
        """The sum with a scale that is larger by the number of terms: exact."""
        whole = self.sum(axis, keepdims=keepdims)
        terms = self.size // max(1, whole.size)
        return replace(whole, scale=scaled(whole.scale, terms))

    def var(
        self, axis: int | None = None, *, ddof: int = 0, keepdims: bool = False
    ) -> EncryptedArray:
        """As ``numpy.var``: the mean of the squares less the square of the mean, exact as it."""
        mean = self.mean(axis, keepdims=keepdims)
        terms = self.size // max(1, mean.size)
        ddof = arguments.integer("ddof", ddof, 0, terms - 1, "below the number of terms")
        found = self._squared().mean(axis, keepdims=keepdims) - mean * mean
        if not ddof:
            return found
        # times terms / (terms - ddof), both integers
        return replace(products.multiply(found, terms), scale=scaled(found.scale, terms - ddof))

    where = products.where

    convolve = products.convolve

    polynomial = polynomial

    def _facts(self) -> dict[str, Any]:
        low, high = self.bounds
        bits = getattr(self.text, "predicted_noise_budget_bits", None)
        left = {"predicted budget": "unknown" if bits is None else f"{bits:.1f} bits"}
        if self.layout.real:
            left = {"error": f"{self.error:.2g}", "levels left": str(self.levels_left)}
        return {
            "shape": self.shape,
            "scale": self.scale,
            "range": f"[{low:g}, {high:g}]",
            "ciphertexts": self.layout.ciphertexts,
            **left,
        }

# SPDX-License-Identifier: Apache-2.0
"""The encrypted array: its operators, and what is refused before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, MissingKeyError, NoiseError, SizeError
from ..rlwe import BatchEncoder, Ciphertext, Context, Decryptor, Encryptor, EvaluationKeys, Keys
from ..rlwe.fixed_point import real_numbers, rounded, scale_argument
from ..rlwe.summaries import Summarised
from . import moves, products
from .bounds import Told, bounds_of, evaluation_of, require_range
from .bytes import bytes_of, fields_of
from .layout import Layout, block_for
from .numpy_calls import NumpyHabits
from .precision import PRECISION, Precise, scaled

if TYPE_CHECKING:
    from ..rlwe import Plaintext, PublicKey, SecretKey
    from ..typing import BytesLike, NoiseBound
    from .spec import ArraySpec

__all__ = ["EncryptedArray"]


@dataclass(frozen=True, repr=False, eq=False)
class EncryptedArray(Precise, NumpyHabits, Summarised):
    """Encrypted integers, or numbers of fixed point, with the operators of a NumPy array.

    Made by :meth:`encrypt`. One axis: a vector; two: ``rows`` vectors, many of them in one
    ciphertext. ``+``, ``-``, ``*`` and ``@`` take encrypted arrays, arrays and numbers, which
    broadcast as in NumPy; ``sum``, ``mean``, ``dot``, ``roll``, ``convolve``, ``polynomial``,
    ``where`` and slices with step 1 do as well, and the functions of NumPy of these names. Real
    numbers get a scale of their own (:meth:`with_precision`). ``==``, ``<``, ``in`` and ``bool``
    are refused. Every array carries its scale and a range of its values, which follow from the
    operations alone: a result that could pass t/2, whose noise could pass its budget, or that needs
    a key which is not there, is refused, and no operand changes.

    The shape and the scale are public, and of the range what somebody stated: ``bounds`` of
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

    text: Any  # a Ciphertext, or what stands for one while parameters are chosen
    layout: Layout
    keys: Any
    t: int | None
    scale: int | float = 1
    low: int = 0  # of the integers that are encrypted
    high: int = 0
    clean: bool = True  # slots that are no entries hold 0
    kept: bool = False  # a summed axis of length 1 is kept
    precision: float = PRECISION  # to which plain real numbers are kept
    factor_scale: int | None = None  # by which they are multiplied; None: by the least that keeps
    told: Told = Told.STATED  # what bytes may say of low and high

    @classmethod
    def encrypt(
        cls,
        values: ArrayLike,
        keys: Keys | PublicKey | SecretKey,
        *,
        scale: int | float = 1,
        bounds: tuple[float, float] | None = None,
        block: int | None = None,
    ) -> EncryptedArray:
        """Encrypts numbers.

        Parameters
        ----------
        values : array of numbers, shape (length,) or (rows, length)
            A length of at most n/2.
        keys : Keys, PublicKey or SecretKey
            Evaluation keys among them serve the operations; :meth:`with_keys` gives others.
        scale : number
            Each value times this, rounded, is what is encrypted. With 1 values are integers.
        bounds : (number, number), optional
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
        array = real_numbers(values)
        if array.ndim not in (1, 2) or 0 in array.shape:
            raise SizeError(
                f"values has shape {array.shape}: need (length,) or (rows, length), not empty"
            )
        scale = scale_argument(scale)
        if array.dtype.kind == "f" and scale == 1:
            raise ArgumentTypeError(
                "values has real numbers and scale = 1 would round them to integers: give a "
                "scale, for example scale=1000 for three decimal digits"
            )
        words = rounded(array, scale)
        context = keys.context
        layout = Layout(
            context.n,
            block_for(array.shape[-1], context.n, block),
            None if array.ndim == 1 else array.shape[0],
            array.shape[-1],
        )
        low, high = bounds_of(words, scale, bounds)
        require_range(low, high, context.t, "encrypt")
        plain = BatchEncoder(context).encode(layout.to_slots(words))
        key = keys.public if isinstance(keys, Keys) else keys
        text = Encryptor(key).encrypt(plain)
        told = Told.NOTHING if bounds is None else Told.STATED
        numbers = (scale, low, high)
        return cls(text, layout, evaluation_of(keys), context.t, *numbers, told=told)

    @classmethod
    def traced(cls, text: Any, spec: ArraySpec, n: int, t: int | None = None) -> EncryptedArray:
        """An array without numbers, of something that records what is done with a ciphertext."""
        rows = None if len(spec.shape) == 1 else spec.shape[0]
        layout = Layout(n, block_for(spec.shape[-1], n, spec.block), rows, spec.shape[-1])
        low, high = spec.bounds
        return cls(text, layout, None, t, spec.scale, low, high)

    @property
    def shape(self) -> tuple[int, ...]:
        """(), (length,), (rows,) or (rows, length)."""
        kept = (1,) if self.kept else ()
        rows = () if self.layout.rows is None else (self.layout.rows,)
        return rows + (kept if self.layout.length is None else (self.layout.length,))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))

    @property
    def context(self) -> Context:
        """The context of the ciphertext."""
        return cast("Context", self.text.context)

    @property
    def bounds(self) -> tuple[float, float]:
        """No value is below the first or above the second."""
        return self.low / self.scale, self.high / self.scale

    @property
    def predicted_noise_budget_bits(self) -> float | None:
        """Bits left by the bound that the ciphertext carries."""
        return cast("float | None", self.text.predicted_noise_budget_bits)

    @property
    def proved_noise_budget_bits(self) -> float | None:
        """Bits left by the proved bound, as :attr:`Ciphertext.proved_noise_budget_bits`."""
        return cast("float | None", self._two().text.proved_noise_budget_bits)

    def with_keys(self, keys: Keys | EvaluationKeys) -> EncryptedArray:
        """The same array with other evaluation keys for what is computed from it."""
        return replace(self, keys=evaluation_of(keys))

    def decrypt(self, keys: Keys | SecretKey) -> NDArray[np.int64] | NDArray[np.float64]:
        """The numbers, of :attr:`shape`: int64 where the scale is 1, else float64.

        Raises
        ------
        NoiseError
            As :meth:`Decryptor.decrypt`.
        """
        secret = keys.secret if isinstance(keys, Keys) else keys
        return self._decoded(Decryptor(secret).decrypt(self.text))

    def _decoded(self, plain: Plaintext) -> NDArray[np.int64] | NDArray[np.float64]:
        values = self.layout.from_slots(BatchEncoder(self.context).decode_signed(plain))
        result = np.array(values.reshape(self.shape))
        return result if self.scale == 1 else np.asarray(result / self.scale)

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
        secret = keys.secret if isinstance(keys, Keys) else keys
        plain = Decryptor(secret).decrypt_shared(
            self.text, security_bits=security_bits, bound=bound, proved_bits=proved_bits
        )
        return self._decoded(plain)

    def shrink(self, min_budget: float = 1) -> EncryptedArray:
        """The same numbers in as few bytes as their noise allows, as :meth:`Ciphertext.shrink`.

        ``min_budget`` bits of budget stay, or what there is, if it is less.
        """
        ready = self._two()
        bits = getattr(ready.text, "predicted_noise_budget_bits", None)
        least = max(0.0, min_budget if bits is None else min(min_budget, bits))
        return replace(ready, text=ready.text.shrink(least))

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
        return cls(keys=evaluation_of(keys), t=context.t, **fields)

    # Operators

    def __add__(self, other: Any) -> EncryptedArray:
        return products.add(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedArray:
        return products.add(self, other, -1)

    def __rsub__(self, other: Any) -> EncryptedArray:
        return products.add(-self, other, 1)

    def __neg__(self) -> EncryptedArray:
        return self._new(lambda: -self.text, -self.high, -self.low, "-")

    def __mul__(self, other: Any) -> EncryptedArray:
        return products.multiply(self, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> EncryptedArray:
        count = arguments.integer("exponent", exponent, 1, 1023, "a power is a product")
        return self.polynomial([0] * count + [1])

    def _squared(self) -> EncryptedArray:
        return self * self

    def __matmul__(self, other: Any) -> EncryptedArray:
        return products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> EncryptedArray:
        return products.matmul_left(other, self)

    def __getitem__(self, index: Any) -> EncryptedArray:
        return moves.select(self, index)

    def roll(self, shift: int) -> EncryptedArray:
        """As ``numpy.roll`` along the last axis; a power of two as length costs no masks' noise."""
        return moves.roll(self, shift)

    def sum(self, axis: int | None = None, *, keepdims: bool = False) -> EncryptedArray:
        """As ``numpy.sum``, over one axis or all; ``keepdims`` for the last of two axes."""
        return moves.total(self, axis, keepdims)

    def mean(self, axis: int | None = None, *, keepdims: bool = False) -> EncryptedArray:
        """The sum with a scale that is larger by the number of terms: exact."""
        whole = self.sum(axis, keepdims=keepdims)
        terms = self.size // max(1, whole.size)
        return replace(whole, scale=scaled(whole.scale, terms))

    def dot(self, other: Any) -> EncryptedArray:
        """``self @ other``."""
        return products.matmul(self, other)

    def where(self, mask: ArrayLike) -> EncryptedArray:
        """The values where a public mask of booleans is true, 0 elsewhere."""
        chosen = real_numbers(mask, "mask")
        if chosen.dtype != np.bool_:
            raise ArgumentTypeError(f"mask has dtype {chosen.dtype}: need booleans")
        return self * chosen.astype(np.int64)

    def convolve(self, other: Any) -> EncryptedArray:
        """As ``numpy.convolve`` of two vectors; the block must hold both lengths less one."""
        return products.convolve(self, other)

    def polynomial(self, coefficients: Any) -> EncryptedArray:
        """The sum of ``coefficients[k]`` times the k-th power, by Paterson and Stockmeyer [PS73].

        A degree d takes about 2 sqrt(d) products of ciphertexts and a depth of log2 d. The scale of
        the result is that of the highest power, and more where real coefficients need it
        (:meth:`with_precision`).
        """
        return products.polynomial(self, coefficients)

    def _facts(self) -> dict[str, Any]:
        low, high = self.bounds
        bits = getattr(self.text, "predicted_noise_budget_bits", None)
        return {
            "shape": self.shape,
            "scale": self.scale,
            "range": f"[{low:g}, {high:g}]",
            "ciphertexts": self.layout.ciphertexts,
            "predicted budget": "unknown" if bits is None else f"{bits:.1f} bits",
        }

    # What operations are made of

    def _new(
        self, compute: Callable[[], Any], low: int, high: int, what: str, **changes: Any
    ) -> EncryptedArray:
        """The result of ``compute``, which is called only if its range fits t."""
        if self.t is not None:
            require_range(low, high, self.t, what)
        text = compute()
        bits = getattr(text, "predicted_noise_budget_bits", None)
        if bits is not None and bits <= 0:
            raise NoiseError(
                f"{what}: the result would have a predicted noise budget of {bits:.1f} bits, and "
                "decryption needs more than 0: choose parameters for the whole computation, with "
                "nttforge.choose, or decrypt and encrypt again before this operation"
            )
        if hasattr(text, "bounded"):
            text.bounded(low, high)
        changes = {"told": max(self.told, Told.COMPUTED), **changes}
        kept = changes.pop("kept", self.kept)
        kept = kept and changes.get("layout", self.layout).length is None
        return replace(self, text=text, low=low, high=high, kept=kept, **changes)

    def _two(self) -> EncryptedArray:
        """The same with two parts; the relinearization is done once and kept."""
        if self.text.parts == 2:
            return self
        known: EncryptedArray | None = self.__dict__.get("_relinearized")
        if known is None:
            text = self.text.relinearize(self.keys)
            if hasattr(text, "bounded"):
                text.bounded(self.low, self.high)
            known = self.__dict__["_relinearized"] = replace(self, text=text)
        return known

    def _require_steps(self, steps: list[int], what: str, columns: bool = False) -> None:
        """All keys of an operation, before it begins."""
        if not isinstance(self.text, Ciphertext) or not (steps or columns):
            return
        rotations = getattr(self.keys, "rotations", None)
        missing = [str(s) for s in steps if rotations is None or not rotations._core.has_step(s)]
        if columns and (rotations is None or not rotations.has_column_swap):
            missing.append("column swap")
        if missing:
            raise MissingKeyError(
                f"{what} lacks rotation keys for the steps: {', '.join(missing)}; make them with "
                "generate_keys(rotations=[...], columns=...), or let nttforge.choose name all"
            )

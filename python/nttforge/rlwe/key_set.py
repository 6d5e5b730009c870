# SPDX-License-Identifier: Apache-2.0
"""All keys of one owner, and encryption without handling encoders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _arguments as arguments
from .. import _core
from ..errors import ParameterError
from ._require import ENCODINGS
from .encoders import BatchEncoder, CoefficientEncoder
from .encryption import Decryptor, Encryptor
from .evaluation_keys import EvaluationKeys
from .fixed_point import rounded, scale_argument
from .keys import (
    KeyGenerator,
    PublicKey,
    RelinearizationKey,
    RotationKeys,
    SecretKey,
    offload_argument,
)

if TYPE_CHECKING:
    from ..typing import Encoding, Integers
    from .context import Context
    from .texts import Ciphertext

__all__ = ["Keys", "generate_keys"]


@dataclass(frozen=True)
class Keys:
    """What :meth:`Context.generate_keys` makes; the secret key stays with its owner.

    ``encrypt``, ``decrypt`` and ``noise_budget_bits`` save the owner of all keys from handling
    encoders.
    """

    secret: SecretKey
    public: PublicKey
    relinearization: RelinearizationKey | None = None
    rotations: RotationKeys | None = None

    @property
    def context(self) -> Context:
        """The context of the keys."""
        return self.secret.context

    @cached_property
    def evaluation(self) -> EvaluationKeys:
        """The keys that whoever computes needs, without the secret: one object, one ``to_bytes``.

        Raises
        ------
        MissingKeyError
            Neither a relinearization key nor rotation keys were made.
        """
        return EvaluationKeys(self.relinearization, self.rotations)

    def to(self, context: Context) -> Keys:
        """All keys in another context of equal parameters, perhaps on another device.

        Raises
        ------
        ContextError
            The context has other parameters.
        """
        return Keys(
            self.secret.to(context),
            self.public.to(context),
            None if self.relinearization is None else self.relinearization.to(context),
            None if self.rotations is None else self.rotations.to(context),
        )

    def offload(self, cached: int = 2) -> None:
        """Moves the relinearization key and the rotation keys to host memory until they are used.

        ``cached`` of the rotation keys stay on the device (:meth:`RotationKeys.offload`), and the
        relinearization key if it is not 0. On a CPU nothing happens. :meth:`load` brings them back.

        Raises
        ------
        UnsupportedError
            The host has too little memory.
        """
        if self.rotations is not None:
            self.rotations.offload(cached)
        if self.relinearization is not None:
            self.relinearization.offload(min(cached, 1))

    def load(self) -> None:
        """Brings what :meth:`offload` moved back to the device, to stay.

        Raises
        ------
        UnsupportedError
            The device has too little memory for the keys that are still in host memory.
        """
        for key in (self.relinearization, self.rotations):
            if key is not None:
                key.load()

    @overload
    def encrypt(
        self,
        values: Integers,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: None = None,
    ) -> Ciphertext: ...

    @overload
    def encrypt(
        self,
        values: ArrayLike,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: float,
    ) -> Ciphertext: ...

    def encrypt(
        self,
        values: Integers | ArrayLike,
        *,
        encoding: Encoding = "slots",
        signed: bool = True,
        scale: float | None = None,
    ) -> Ciphertext:
        """Encodes integers, or numbers of fixed point, and encrypts them by the public key.

        Parameters
        ----------
        values : array of integers, shape (m,) or (batch, m) with m <= n
            Several rows make a batch of ciphertexts.
        encoding : {"slots", "coefficients"}
            Slots are multiplied one by one and can be rotated. Coefficients are multiplied as
            polynomials modulo X^n + 1.
        signed : bool
            True: values in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1]; False: in [0, t).
        scale : number, optional
            Values are real numbers; encrypted is each times ``scale``, rounded to an integer. A sum
            has the scale of its terms, a product the product of both scales; give it to
            :meth:`decrypt`. :class:`nttforge.EncryptedArray` keeps track of scales.

        Raises
        ------
        UnsupportedError
            The encoding is "slots" and t has none: it is not a prime = 1 (mod 2n).
        ParameterError, SizeError, ArgumentTypeError
            As :meth:`BatchEncoder.encode`.
        """
        arguments.choice("encoding", encoding, ENCODINGS)
        if scale is not None:
            if not signed:
                raise ParameterError("signed = False goes without a scale: leave one of them out")
            values = rounded(values, scale_argument(scale))
        integers = cast("Integers", values)
        return self._encryptor.encrypt(self._encoder(encoding).encode(integers, signed=signed))

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        signed: Literal[True] = True,
        *,
        check: bool = True,
        scale: None = None,
    ) -> NDArray[np.int64]: ...

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        signed: Literal[False],
        *,
        check: bool = True,
        scale: None = None,
    ) -> NDArray[np.uint64]: ...

    @overload
    def decrypt(
        self, ciphertext: Ciphertext, signed: bool, *, check: bool = True, scale: None = None
    ) -> NDArray[np.int64 | np.uint64]: ...

    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext,
        signed: Literal[True] = True,
        *,
        check: bool = True,
        scale: float,
    ) -> NDArray[np.float64]: ...

    def decrypt(
        self,
        ciphertext: Ciphertext,
        signed: bool = True,
        *,
        check: bool = True,
        scale: float | None = None,
    ) -> NDArray[np.int64 | np.uint64] | NDArray[np.float64]:
        """All integers, decoded as the ciphertext was encoded: shape (n,), of a batch (batch, n).

        Parameters
        ----------
        ciphertext : Ciphertext
        signed : bool
            True: int64 in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1]; False: uint64 in
            [0, t).
        check : bool
            False: also where the noise is, or may be, exhausted; the result is then not what was
            computed.
        scale : number, optional
            The result is float64: each integer divided by ``scale``.

        Raises
        ------
        NoiseError
            As :meth:`Decryptor.decrypt`.

        Examples
        --------
        >>> from nttforge import bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
        >>> prices = keys.encrypt([1.25, -3.5], scale=100)
        >>> keys.decrypt(prices * 3, scale=100)[:2]
        array([  3.75, -10.5 ])
        """
        if scale is not None:
            scale = scale_argument(scale)
            if not signed:
                raise ParameterError("signed = False goes without a scale: leave one of them out")
        plaintext = self._decryptor.decrypt(ciphertext, check=check)
        encoder = self._encoder(plaintext.encoding)
        if scale is not None:
            return encoder.decode_signed(plaintext) / scale
        return encoder.decode_signed(plaintext) if signed else encoder.decode(plaintext)

    def noise_budget_bits(self, ciphertext: Ciphertext) -> float:
        """Bits of noise left, exactly (see :meth:`Decryptor.noise_budget_bits`)."""
        return self._decryptor.noise_budget_bits(ciphertext)

    def noise_budget(self, ciphertext: Ciphertext) -> float:
        """Deprecated: :meth:`noise_budget_bits`."""
        arguments.renamed("Keys.noise_budget", "noise_budget_bits")
        return self.noise_budget_bits(ciphertext)

    def _encoder(self, encoding: Encoding) -> BatchEncoder | CoefficientEncoder:
        return self._batch_encoder if encoding == "slots" else self._coefficient_encoder

    @cached_property
    def _batch_encoder(self) -> BatchEncoder:
        return BatchEncoder(self.context)

    @cached_property
    def _coefficient_encoder(self) -> CoefficientEncoder:
        return CoefficientEncoder(self.context)

    @cached_property
    def _encryptor(self) -> Encryptor:
        return Encryptor(self.public)

    @cached_property
    def _decryptor(self) -> Decryptor:
        return Decryptor(self.secret)

    def __reduce__(self) -> tuple[Any, ...]:
        return Keys, (self.secret, self.public, self.relinearization, self.rotations)

    def __repr__(self) -> str:
        steps = list(self.rotations.steps) if self.rotations is not None else []
        relinearization = "with" if self.relinearization is not None else "without"
        return f"<Keys of {self.context!r}, {relinearization} relinearization, rotations {steps}>"


def generate_keys(
    context: Context,
    relinearization: bool | None,
    rotations: Iterable[int],
    columns: bool,
    inner_sum: int,
    seed: bytes | None,
    offload: int | None = None,
) -> Keys:
    """What :meth:`Context.generate_keys` says."""
    if relinearization is None:
        relinearization = context.parameters.has_evaluation_keys
    steps = arguments.integers("rotations", rotations, -(2**62), 2**62)
    inner_sum = arguments.integer("inner_sum", inner_sum, 1, context.n, "a power of two up to n")
    steps = sorted({*steps, *_core.rlwe.inner_sum_steps(context.n, inner_sum)})
    columns = columns or (inner_sum == context.n and context.n > 1)
    kept = offload_argument(offload)
    if kept is None:
        _require_memory(context, relinearization, len(steps) + columns)
    generator = KeyGenerator(context, seed=seed)
    rotated = generator.rotation_keys(steps, columns, offload=kept) if steps or columns else None
    relinearizing = generator.relinearization_key() if relinearization else None
    if relinearizing is not None and kept is not None:
        relinearizing.offload(min(kept, 1))
    return Keys(generator.secret_key(), generator.public_key(), relinearizing, rotated)


def _require_memory(context: Context, relinearization: bool, rotations: int) -> None:
    """Before any key is made: all of them, and one more for what making one takes."""
    sizes = context.parameters.memory_sizes()
    count = rotations + (1 if relinearization or rotations else 0)
    total = sizes["secret_key"] + sizes["public_key"] + count * sizes["rotation_key"]
    if relinearization:
        total += sizes["relinearization_key"]
    each = f" and {rotations} rotation keys of {sizes['rotation_key']} bytes each"
    context._core.require_memory(total, f"the keys{each if rotations else ''}")

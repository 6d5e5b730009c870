# SPDX-License-Identifier: Apache-2.0
"""Encryption and decryption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _arguments as arguments
from .. import _core
from ..errors import ParameterError
from ..rlwe._require import ENCODINGS, MAX_BATCH, require
from ..rlwe.encryption import DecryptorBase, EncryptorBase
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .context import Context
from .plaintexts import Plaintext

if TYPE_CHECKING:
    from ..typing import Encoding, NoiseBound


class Encryptor(EncryptorBase[Context]):
    """Encrypts with the public key, or with the secret key (less noise, half the bytes).

    Parameters
    ----------
    key : PublicKey or SecretKey
    """

    __slots__ = ()
    _core_class = _core.rlwe.Encryptor

    def encrypt(
        self, plaintext: Plaintext, *, seed: bytes | None = None, index: int = 0
    ) -> Ciphertext:
        """A fresh encryption; of a batch of plaintexts a batch of ciphertexts.

        Parameters
        ----------
        plaintext : Plaintext
        seed : bytes, optional
            32 bytes that make the result reproducible: for tests only. Never use a (seed, index)
            twice. By default the operating system's generator.
        index : int
            Goes with ``seed``; below 2^32. Element b of a batch takes the index ``index + b``.

        Raises
        ------
        ContextError
            The plaintext belongs to another context.
        ParameterError
            An index is out of range, or given without a seed.
        """
        require(plaintext, Plaintext, "plaintext")
        require_context(self._context, ("plaintext", plaintext))
        core = self._encrypted(plaintext._core, seed, index)
        return Ciphertext._wrap(self._context, core)

    def encrypt_zero(self, encoding: Encoding = "slots", batch: int = 1) -> Ciphertext:
        """A fresh encryption of zero, to be added to ciphertexts of this encoding, or a batch.

        Raises
        ------
        UnsupportedError
            The encoding is "slots" and t has none.
        ParameterError
            ``batch`` is not in 1 ... 2^20.
        """
        arguments.choice("encoding", encoding, ENCODINGS)
        batch = arguments.integer("batch", batch, 1, MAX_BATCH)
        return Ciphertext._wrap(self._context, self._core.encrypt_zero(encoding, batch))


class Decryptor(DecryptorBase[Context]):
    """Decrypts ciphertexts of two or three parts, in constant time.

    Parameters
    ----------
    key : SecretKey
    """

    __slots__ = ()
    _core_class = _core.rlwe.Decryptor

    def decrypt(self, ciphertext: Ciphertext, *, check: bool = True) -> Plaintext:
        """The plaintext, with the ciphertext's encoding and batch.

        Parameters
        ----------
        ciphertext : Ciphertext
        check : bool
            False: whatever the noise is. What an exhausted ciphertext decrypts to is not what was
            computed.

        Raises
        ------
        NoiseError
            The predicted budget is not above 0 bits, or the one measured with the key is 0 (the
            first such element of a batch is named): too much noise, or another secret key. Who
            makes ciphertexts learns about the key from whether this is raised: do not tell them.
        ContextError
            The ciphertext belongs to another context.
        """
        self._check(ciphertext)
        decrypt = self._core.decrypt if check else self._core.decrypt_unchecked
        return Plaintext._wrap(self._context, decrypt(ciphertext._core))

    def decrypt_shared(
        self,
        ciphertext: Ciphertext,
        *,
        security_bits: int = 64,
        bound: NoiseBound = "proved",
        proved_bits: float | None = None,
    ) -> Plaintext:
        """The plaintext, for answers that leave the house.

        Flooding noise from a fresh seed of the operating system is added before decryption, of a
        size that follows from the parameters (docs/bounds/decrypt.md). What comes out, and whether
        anything does, then depends on the noise of the ciphertext with a statistical distance of
        at most 2^-security_bits: two who share N answers lose N times that.

        Parameters
        ----------
        ciphertext : Ciphertext
        security_bits : int
            20 ... 128. The bound on the noise has to leave this and log2 n + 2 bits of budget.
        bound : {"proved", "heuristic"}
            Which bound is believed. Bytes prove nothing: the heuristic one is what their maker
            says.
        proved_bits : float, optional
            The proved budget that you know the computation to leave, in place of what the
            ciphertext says: from your own run of it on your own encryptions,
            ``f(x).proved_noise_budget_bits``; never from who sends the ciphertext. For what came in
            bytes from one who computes what was agreed.

        Raises
        ------
        NoiseError
            The bound leaves too little budget, or there is none; also as in :meth:`decrypt`, for a
            wrong key or a bound that was wrong.
        ContextError
            The ciphertext belongs to another context.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(8192))
        >>> keys = context.generate_keys()
        >>> answer = keys.encrypt([1, 2, 3]) * 10
        >>> plain = bfv.Decryptor(keys.secret).decrypt_shared(answer)
        >>> bfv.BatchEncoder(context).decode(plain)[:3]
        array([10, 20, 30])

        The same where a server multiplied, and sent its result:

        >>> received = bfv.Ciphertext.from_bytes(context, answer.to_bytes())
        >>> known = (keys.encrypt([0]) * 10).proved_noise_budget_bits
        >>> plain = bfv.Decryptor(keys.secret).decrypt_shared(received, proved_bits=known)
        """
        self._check(ciphertext)
        bits = arguments.integer("security_bits", security_bits, 20, 128)
        arguments.choice("bound", bound, ("proved", "heuristic"))
        if proved_bits is not None:
            proved_bits = arguments.number(
                "proved_bits", proved_bits, -(10**6), 10**6, "bits of budget"
            )
            if bound != "proved":
                raise ParameterError(
                    f"bound = {bound!r} and proved_bits are both given: leave one of them out"
                )
        core = self._core.decrypt_shared(ciphertext._core, bits, bound == "proved", proved_bits)
        return Plaintext._wrap(self._context, core)

    def noise_budget_bits(self, ciphertext: Ciphertext) -> float:
        """Bits of noise left before decryption fails, exactly; 0 when exhausted.

        Of a batch the fewest. Less than half a bit counts as exhausted: noise that overflows can
        look like that. Depends on the secret key: do not publish it. Slow (big integers).
        """
        self._check(ciphertext)
        return float(self._core.noise_budget_bits(ciphertext._core))

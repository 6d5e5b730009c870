# SPDX-License-Identifier: Apache-2.0
"""The first half of Orion's backend: the scheme, keys, encoding, encryption, and what is held."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nttforge import ParameterError, SizeError, ckks

from ..encrypted import Boots, Numbers
from .keys import Bytes, KeyRing
from .ring import Options, Ring
from .values import Encoded, Encrypted, Handles, Transform

__all__ = ["Holder"]

_MOST_SCALE = 2.0**64 - 2.0**11  # the largest double that Orion's 64-bit scales can be


class Holder:
    """What Orion holds by numbers; 32 of the functions of its backend."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._ring: Ring | None = None
        self._keys: KeyRing | None = None
        # Orion deletes its scheme while Python ends, when types can import nothing any more.
        self._plaintexts: Handles[Encoded] = Handles("plaintext")
        self._ciphertexts: Handles[Encrypted] = Handles("ciphertext")
        self._transforms: Handles[Transform] = Handles("linear transform")
        self._polynomials: Handles[tuple[tuple[float, ...], str]] = Handles("polynomial")

    # The scheme.
    def NewScheme(
        self,
        logn: int,
        logq: Sequence[int],
        logp: Sequence[int],
        logscale: int,
        h: int,
        ringtype: str,
        keys_path: str = "",
        io_mode: str = "none",
    ) -> None:
        """A new context; the secret's weight ``h`` is ours, ternary, and files are Orion's."""
        self.DeleteScheme()
        self._ring = Ring(logn, logq, logp, logscale, ringtype, self._options)

    def DeleteScheme(self) -> None:
        """Forgets everything."""
        Holder.__init__(self, self._options)

    def FreeCArray(self, ptr: Any) -> None:
        """Nothing: arrays are Python's."""

    # Plaintexts and ciphertexts.
    def DeletePlaintext(self, handle: int) -> None:
        """Forgets one."""
        self._plaintexts.remove(handle)

    def DeleteCiphertext(self, handle: int) -> None:
        """Forgets one."""
        self._ciphertexts.remove(handle)

    def GetPlaintextScale(self, handle: int) -> int:
        """The scale that Orion counts."""
        return _scale(self._plaintexts[handle].scale)

    def GetCiphertextScale(self, handle: int) -> int:
        """The scale that Orion counts."""
        return _scale(self._ciphertexts[handle].scale)

    def SetPlaintextScale(self, handle: int, scale: int) -> None:
        """The same polynomial with another scale: other numbers."""
        self._plaintexts[handle] = self._plaintexts[handle].scaled(_stated(scale))

    def SetCiphertextScale(self, handle: int, scale: int) -> None:
        """The same polynomial with another scale: other numbers."""
        self._ciphertexts[handle] = self._ciphertexts[handle].scaled(_stated(scale))

    def GetPlaintextLevel(self, handle: int) -> int:
        """Orion's, from 0."""
        return self._plaintexts[handle].level

    def GetCiphertextLevel(self, handle: int) -> int:
        """Orion's, from 0."""
        return self._ciphertexts[handle].level

    def GetPlaintextSlots(self, handle: int) -> int:
        """Those of the configuration."""
        return len(self._plaintexts[handle].values)

    def GetCiphertextSlots(self, handle: int) -> int:
        """Those of the configuration."""
        self._ciphertexts[handle]
        return self.ring.slots

    def GetCiphertextDegree(self, handle: int) -> int:
        """1, or 2 before a relinearization."""
        return int(self._ciphertexts[handle].text.parts) - 1

    def GetModuliChain(self) -> list[int]:
        """What a rescaling divides Orion's scales by: powers of two of the sizes of LogQ."""
        return self.ring.moduli

    def GetAuxModuliChain(self) -> list[int]:
        """Powers of two of the sizes of LogP."""
        return [1 << bits for bits in self.ring.log_p]

    def GetLivePlaintexts(self) -> list[int]:
        """Numbers of all that are held."""
        return self._plaintexts.live()

    def GetLiveCiphertexts(self) -> list[int]:
        """Numbers of all that are held."""
        return self._ciphertexts.live()

    # Keys.
    def NewKeyGenerator(self) -> None:
        """Keys begin anew."""
        self._keys = KeyRing(self.ring.context)

    def GenerateSecretKey(self) -> None:
        """A new secret."""
        self.keys.generate()

    def GeneratePublicKey(self) -> None:
        """The key that encrypts."""
        self.keys.make_public()

    def GenerateRelinearizationKey(self) -> None:
        """The key for products."""
        self.keys.make_relinearization()

    def GenerateEvaluationKeys(self) -> None:
        """Rotation keys begin anew."""
        self.keys.remove()

    def SerializeSecretKey(self) -> tuple[Bytes, None]:
        """The secret key's bytes."""
        return self.keys.secret_bytes(), None

    def LoadSecretKey(self, data: Any) -> None:
        """The secret key from its bytes."""
        self.keys.load_secret(data)

    # Encoding and encryption.
    def NewEncoder(self) -> None:
        """Nothing: what is encoded says where."""

    def Encode(self, values: Sequence[float], level: int, scale: int) -> int:
        """Numbers for a level; they are encoded as they are used, at the scale that is needed."""
        slots = self.ring.slots
        row = np.zeros(slots)
        given = np.asarray(values, dtype=np.float64).ravel()
        if len(given) > slots:
            raise SizeError(f"values has {len(given)} numbers: need at most {slots}")
        if not np.isfinite(given).all():
            raise ParameterError("values has NaN or infinity: need finite numbers")
        row[: len(given)] = given
        self.ring.level(level)
        return self._plaintexts.add(Encoded(row, int(level), _stated(scale)))

    def Decode(self, handle: int) -> list[float]:
        """The numbers of a plaintext."""
        return [float(v) for v in self._plaintexts[handle].values]

    def NewEncryptor(self) -> None:
        """Nothing: the public key is asked for when something is encrypted."""

    def NewDecryptor(self) -> None:
        """Nothing: the secret key is asked for when something is decrypted."""

    def Encrypt(self, handle: int) -> int:
        """By the public key, at the level of the plaintext."""
        plain = self._plaintexts[handle]
        largest = float(np.max(np.abs(plain.values))) or 1.0
        bound = 2.0 ** max(self.ring.room, math.ceil(math.log2(largest)))
        text = self.keys.encryptor().encrypt(self.encoded(plain, 1.0, bound))
        text = text.mod_switch(self.ring.level(plain.level))
        return self._ciphertexts.add(Encrypted(text, plain.level, plain.scale))

    def Decrypt(self, handle: int) -> int:
        """A plaintext of the numbers, with the level and the scale of the ciphertext."""
        x = self._ciphertexts[handle]
        text = self.not_refused(x.text)
        values = np.asarray(self.keys.decryptor().decrypt(text), dtype=np.float64)
        values = values[: self.ring.slots] * x.factor
        return self._plaintexts.add(Encoded(values, x.level, x.scale))

    # What both halves need.
    @property
    def ring(self) -> Ring:
        """Parameters and context."""
        if self._ring is None:
            raise ParameterError("there is no scheme: call NewScheme, or orion.init_scheme")
        return self._ring

    @property
    def keys(self) -> KeyRing:
        """What keys there are."""
        if self._keys is None:
            raise ParameterError("there are no keys: call NewKeyGenerator")
        return self._keys

    def encoded(self, plain: Encoded, factor: float, bound: float | None = None) -> ckks.Plaintext:
        """The numbers divided by a factor, in the slots of our messages."""
        if bound is None and factor in plain.made:
            kept: ckks.Plaintext = plain.made[factor]
            return kept
        slots = self.ring.message_slots
        row = np.resize(plain.values / factor, slots)
        made = ckks.Plaintext(self.ring.context, row, slots=slots, bound=bound)
        if bound is None:
            plain.made[factor] = made
        return made

    def not_refused(self, text: Any) -> Any:
        """The same, where a bound on errors that says nothing does not refuse it.

        Such bounds hold for numbers of any size; Orion knows its numbers, and carries no errors.
        """
        most = text.bound / 2
        return text if text.error < most else text.within(text.bound, error=most)

    def numbers(self, prepared: dict[Any, Any]) -> Numbers:
        """What carries out operations of :mod:`nttforge_compilers.encrypted`."""
        ring = self.ring
        slots = ring.message_slots
        return Numbers(ring.context, ring.slots, slots, self.keys.evaluation, prepared, Boots())


def _scale(value: float) -> int:
    """A scale as 64 bits hold it."""
    return round(min(value, _MOST_SCALE))


def _stated(scale: int) -> float:
    """A scale that Orion states."""
    if not 1 <= scale < 2**64:
        raise ParameterError(f"scale = {scale} is out of range [1, 2^64)")
    return float(scale)

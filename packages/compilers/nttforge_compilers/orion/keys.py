# SPDX-License-Identifier: Apache-2.0
"""The keys of Orion's process, which is owner and server in one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import FormatError, MissingKeyError, ckks
from nttforge.rlwe import EvaluationKeys, KeyGenerator, RotationKeys, SecretKey

__all__ = ["KeyRing"]

Bytes = NDArray[np.uint8]


class KeyRing:
    """A secret key and what is made from it, step by step.

    Parameters
    ----------
    context : Context
    """

    def __init__(self, context: ckks.Context) -> None:
        self._context = context
        self._generator: KeyGenerator | None = None
        self._relinearization: Any = None
        self._rotations: RotationKeys | None = None
        self._boots: Any = None
        self._public: Any = None

    @property
    def generator(self) -> KeyGenerator:
        """What makes keys."""
        if self._generator is None:
            raise MissingKeyError("there is no secret key: call GenerateSecretKey, or load one")
        return self._generator

    def generate(self) -> None:
        """A new secret."""
        self._generator = KeyGenerator(self._context)

    def load_secret(self, data: Any) -> None:
        """The secret that :meth:`secret_bytes` wrote."""
        secret = SecretKey.from_bytes(self._context, np.asarray(data, dtype=np.uint8).tobytes())
        self._generator = KeyGenerator(secret)

    def secret_bytes(self) -> Bytes:
        """The secret key."""
        return np.frombuffer(self.generator.secret_key().to_bytes(), dtype=np.uint8)

    def make_public(self) -> None:
        """The key that encrypts."""
        self._public = self.generator.public_key()

    def make_relinearization(self) -> None:
        """The key for products."""
        self._relinearization = self.generator.relinearization_key()

    def encryptor(self) -> ckks.Encryptor:
        """By the public key."""
        if self._public is None:
            raise MissingKeyError("there is no public key: call GeneratePublicKey")
        return ckks.Encryptor(self._public)

    def decryptor(self) -> ckks.Decryptor:
        """By the secret key."""
        return ckks.Decryptor(self.generator.secret_key())

    def add(self, steps: Iterable[int], *, conjugation: bool = False) -> None:
        """Rotation keys that are not there yet."""
        have = () if self._rotations is None else self._rotations.steps
        missing = sorted({*steps} - {0, *have})
        there = self._rotations is not None and self._rotations.has_swap_columns
        if missing or (conjugation and not there):
            swap = conjugation and not there
            self._join(self.generator.rotation_keys(missing, swap_columns=swap))

    def serialized(self, step: int) -> Bytes:
        """One rotation key in bytes, which is not kept; of step 0 that of the conjugation."""
        made = self.generator.rotation_keys([step] * bool(step), swap_columns=not step)
        return np.frombuffer(made.to_bytes(), dtype=np.uint8)

    def load(self, data: Any, step: int) -> None:
        """A rotation key that :meth:`serialized` wrote."""
        found = RotationKeys.from_bytes(self._context, np.asarray(data, dtype=np.uint8).tobytes())
        if step not in found.steps and (step or not found.has_swap_columns):
            raise FormatError(f"the rotation key is for {found.steps}: need one for {step}")
        self._join(found)

    def remove(self) -> None:
        """Forgets all rotation keys; those of rotations are made again when they are needed."""
        self._rotations = None

    def _join(self, more: RotationKeys) -> None:
        self._rotations = more if self._rotations is None else self._rotations.joined(more)

    @property
    def evaluation(self) -> EvaluationKeys:
        """What operations take."""
        return EvaluationKeys(self._relinearization, self._rotations)

    def boots(self, machine: ckks.Bootstrapper) -> Any:
        """Keys of bootstraps, made once."""
        if self._boots is None:
            self._boots = machine.make_keys(self.generator)
        return self._boots

    def forget_boots(self) -> None:
        """Frees them."""
        self._boots = None

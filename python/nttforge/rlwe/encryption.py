# SPDX-License-Identifier: Apache-2.0
"""What the encryptors and decryptors of all schemes have."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar, cast

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, ParameterError
from ._require import require
from .ciphertext import Ciphertext
from .context import Context
from .key_generator import seed_array
from .keys import PublicKey, SecretKey
from .objects import require_context

Of = TypeVar("Of", bound=Context)


class _KeyUser(Generic[Of]):
    """Belongs to a key; pickles hold the key."""

    __slots__ = ("_context", "_core", "_key")
    _core_class: ClassVar[Any]
    _context: Of

    def __init__(self, key: PublicKey | SecretKey) -> None:
        self._key = key
        self._context = cast("Of", key.context)
        self._core = self._core_class(key._core)

    @property
    def context(self) -> Of:
        """The context of the key."""
        return self._context

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._key,)


class EncryptorBase(_KeyUser[Of]):
    """Encrypts with the public key, or with the secret key (less noise, half the bytes)."""

    __slots__ = ()

    def __init__(self, key: PublicKey | SecretKey) -> None:
        if not isinstance(key, (PublicKey, SecretKey)):
            raise ArgumentTypeError(
                f"key is a {type(key).__name__}: need a PublicKey or a SecretKey"
            )
        super().__init__(key)

    def _encrypted(self, message: Any, seed: bytes | None, index: int) -> Any:
        """What the compiled module makes of its plaintext, from a seed or the system's."""
        index = arguments.integer("index", index, 0, 2**32 - 1)
        if seed is not None:
            return self._core.encrypt(message, seed_array(seed), index)
        if index != 0:
            raise ParameterError(
                f"index = {index} goes with a seed, and seed is None: give both (for tests only), "
                "or neither"
            )
        return self._core.encrypt(message)


class DecryptorBase(_KeyUser[Of]):
    """Decrypts with the secret key."""

    __slots__ = ()

    def __init__(self, key: SecretKey) -> None:
        super().__init__(require(key, SecretKey, "key"))

    def _check(self, ciphertext: Any) -> None:
        require(ciphertext, Ciphertext, "ciphertext")
        require_context(self._context, ("ciphertext", ciphertext))

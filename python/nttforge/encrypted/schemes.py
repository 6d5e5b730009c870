# SPDX-License-Identifier: Apache-2.0
"""Where the arithmetic under encrypted arrays differs: integers of BFV and BGV, numbers of CKKS."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, ckks
from ..errors import PrecisionError, UnsupportedError
from ..integer_encoding import BatchEncoder, Ciphertext, Decryptor, Encryptor
from ..rlwe import Ciphertext as AnyCiphertext
from ..rlwe import Context
from ..rlwe._require import view

if TYPE_CHECKING:
    from ..rlwe import PublicKey, SecretKey


def halves_of(context: Context) -> int:
    """Rows of slots: two of integers, one of real numbers."""
    return 1 if isinstance(context, ckks.Context) else 2


def encrypted(key: PublicKey | SecretKey, slots: NDArray[Any], bound: float) -> AnyCiphertext:
    """Slots as a ciphertext; ``bound`` is what real numbers stay within."""
    if halves_of(key.context) == 1:
        return ckks.Encryptor(key).encrypt(ckks.Plaintext(key.context, slots, bound=bound))
    encryptor = Encryptor(key)
    return encryptor.encrypt(BatchEncoder(encryptor.context).encode(slots))


def decrypted(key: SecretKey, text: AnyCiphertext, shared: dict[str, Any]) -> NDArray[Any]:
    """Slots of a ciphertext, by ``decrypt_shared`` with arguments if there are any."""
    real = halves_of(key.context) == 1
    decryptor: Any = ckks.Decryptor(key) if real else Decryptor(key)
    if real and shared:
        shared = dict(shared)
        if shared.pop("proved_bits") is not None:
            raise no_integers(
                "proved_bits", "give proved_error to nttforge.ckks.Decryptor.decrypt_shared(x.text)"
            )
    found = decryptor.decrypt_shared(text, **shared) if shared else decryptor.decrypt(text)
    return np.asarray(found if real else BatchEncoder(decryptor.context).decode(found))


def read_ciphertext(context: Context, data: bytes, most_bytes: int | None) -> AnyCiphertext:
    """The ciphertext of an array from its bytes."""
    kind: Any = ckks.Ciphertext if halves_of(context) == 1 else Ciphertext
    found: AnyCiphertext = kind.from_bytes(context, data, most_bytes=most_bytes)
    return found


def read_stack(context: Context, parts: Iterable[bytes | memoryview]) -> AnyCiphertext:
    """The ciphertexts of arrays as one batch, from bytes that nobody else changes meanwhile."""
    kind: Any = ckks.Ciphertext if halves_of(context) == 1 else Ciphertext
    core = kind._core_class.stack_from_bytes(context._core, [view(part) for part in parts])
    found: AnyCiphertext = kind._wrap(context, core)
    return found


def smallest(text: Any, bits: float) -> Any:
    """The same numbers in few bytes: with so many bits of noise budget, or at the lowest level."""
    if not hasattr(text, "rescale"):
        return text.shrink(bits)
    text = text.rescale()
    for level in range(1, getattr(text, "level", 1)):
        with contextlib.suppress(PrecisionError):  # numbers need more room than the level has
            return text.mod_switch(level)
    return text


def real_map(
    text: Any, diagonals: dict[int, NDArray[Any]], baby: list[int], giant: list[int]
) -> Any:
    """A linear map of the slots of CKKS at the level of a rescaled ciphertext, by its diagonals."""
    core, level = text.context._core, text.level
    values = np.array(list(diagonals.values()), np.complex128)
    scale = core.scale(level)
    return _core.ckks.LinearTransform(core, list(diagonals), values, level, baby, giant, scale)


def no_integers(what: str, remedy: str) -> UnsupportedError:
    """For what is exact, or does not exist, where numbers are approximate."""
    return UnsupportedError(
        f"{what} is for integers, of BFV, and these are numbers of CKKS: {remedy}"
    )

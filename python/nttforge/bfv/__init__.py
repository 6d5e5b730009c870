# SPDX-License-Identifier: Apache-2.0
"""RNS-BFV homomorphic encryption: compute on integers modulo t that stay encrypted.

The usual flow: :class:`Parameters` → :class:`Context` → :meth:`Context.generate_keys` →
:class:`BatchEncoder` → :class:`Encryptor` → operators on :class:`Ciphertext` → :class:`Decryptor`.

All objects are immutable, thread-safe, and can be pickled; ``to_bytes`` and ``from_bytes`` are the
format to exchange with others.
"""

from __future__ import annotations

from .context import Context
from .encoders import BatchEncoder, CoefficientEncoder
from .encryption import Decryptor, Encryptor
from .evaluator import Evaluator
from .keys import KeyGenerator, Keys, PublicKey, RelinearizationKey, RotationKeys, SecretKey
from .parameters import Parameters
from .texts import Ciphertext, Plaintext, PreparedPlaintext

__all__ = [
    "BatchEncoder",
    "Ciphertext",
    "CoefficientEncoder",
    "Context",
    "Decryptor",
    "Encryptor",
    "Evaluator",
    "KeyGenerator",
    "Keys",
    "Parameters",
    "Plaintext",
    "PreparedPlaintext",
    "PublicKey",
    "RelinearizationKey",
    "RotationKeys",
    "SecretKey",
]


def __dir__() -> list[str]:
    return sorted(__all__)

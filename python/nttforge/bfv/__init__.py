# SPDX-License-Identifier: Apache-2.0
"""RNS-BFV homomorphic encryption: compute on integers modulo t that stay encrypted.

The usual flow: :class:`Parameters` → :class:`Context` → :meth:`Context.generate_keys` →
:class:`BatchEncoder` → :class:`Encryptor` → operators on :class:`Ciphertext` → :class:`Decryptor`.

All objects are immutable, thread-safe, and can be pickled; ``to_bytes`` and ``from_bytes`` are the
format to exchange with others.
"""

from __future__ import annotations

from ..integer_encoding import (
    BatchEncoder,
    BootstrapKeys,
    Ciphertext,
    CoefficientEncoder,
    Decryptor,
    Encryptor,
    Keys,
    LinearMap,
    Plaintext,
    PreparedPlaintext,
    gather,
    sum_of_products,
)
from ..rlwe import (
    EvaluationKeys,
    KeyGenerator,
    KeySwitchKey,
    PublicKey,
    RelinearizationKey,
    RotationKeys,
    SecretKey,
    add_many,
    stack,
    sum_steps,
    unstack,
)
from .context import Bootstrapper, Context
from .parameters import Parameters

__all__ = [
    "BatchEncoder",
    "BootstrapKeys",
    "Bootstrapper",
    "Ciphertext",
    "CoefficientEncoder",
    "Context",
    "Decryptor",
    "Encryptor",
    "EvaluationKeys",
    "KeyGenerator",
    "KeySwitchKey",
    "Keys",
    "LinearMap",
    "Parameters",
    "Plaintext",
    "PreparedPlaintext",
    "PublicKey",
    "RelinearizationKey",
    "RotationKeys",
    "SecretKey",
    "add_many",
    "gather",
    "stack",
    "sum_of_products",
    "sum_steps",
    "unstack",
]


def __dir__() -> list[str]:
    return sorted(__all__)

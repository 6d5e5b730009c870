# SPDX-License-Identifier: Apache-2.0
"""RNS-CKKS homomorphic encryption: compute on real and complex numbers that stay encrypted.

Numbers are multiplied with a scale and rounded, so that results are approximate; every ciphertext
says how far its numbers may be off (:attr:`Ciphertext.error`). A product with anything but an
integer takes a level, and a set of parameters has :attr:`Parameters.depth` of them.

The usual flow: :class:`Parameters` → :class:`Context` → :meth:`Context.generate_keys` →
:meth:`Keys.encrypt` → operators on :class:`Ciphertext` → :meth:`Keys.decrypt`.

All objects are immutable, thread-safe, and can be pickled; ``to_bytes`` and ``from_bytes`` are the
format to exchange with others.
"""

from __future__ import annotations

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
    sum_of_products,
    sum_steps,
    unstack,
)
from .bootstrapping import BootstrapKeys, Bootstrapper
from .ciphertext import Ciphertext
from .context import Context
from .encryption import Decryptor, Encryptor
from .key_set import Keys
from .linear_map import LinearMap
from .parameters import Parameters
from .plaintext import Plaintext
from .precision import Precision, PrecisionStatistics, precision_statistics

__all__ = [
    "BootstrapKeys",
    "Bootstrapper",
    "Ciphertext",
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
    "Precision",
    "PrecisionStatistics",
    "PublicKey",
    "RelinearizationKey",
    "RotationKeys",
    "SecretKey",
    "add_many",
    "precision_statistics",
    "stack",
    "sum_of_products",
    "sum_steps",
    "unstack",
]


def __dir__() -> list[str]:
    return sorted(__all__)

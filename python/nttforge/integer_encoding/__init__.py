# SPDX-License-Identifier: Apache-2.0
"""Encrypted integers modulo t, in slots or coefficients: what BFV and BGV share.

Plaintexts, ciphertexts, encoders and keys are the same classes in both schemes: their context says
which one they belong to. Import them from :mod:`nttforge.bfv` or :mod:`nttforge.bgv`.
"""

from __future__ import annotations

from .bootstrapping import BootstrapKeys, Bootstrapper
from .ciphertext import Ciphertext
from .context import Context
from .encoders import BatchEncoder, CoefficientEncoder
from .encryption import Decryptor, Encryptor
from .key_set import Keys
from .linear_map import LinearMap
from .parameters import Parameters
from .plaintexts import Plaintext, PreparedPlaintext
from .scheme_context import SchemeContext
from .sums import gather, sum_of_products

__all__ = [
    "BatchEncoder",
    "BootstrapKeys",
    "Bootstrapper",
    "Ciphertext",
    "CoefficientEncoder",
    "Context",
    "Decryptor",
    "Encryptor",
    "Keys",
    "LinearMap",
    "Parameters",
    "Plaintext",
    "PreparedPlaintext",
    "SchemeContext",
    "gather",
    "sum_of_products",
]


def __dir__() -> list[str]:
    return sorted(__all__)

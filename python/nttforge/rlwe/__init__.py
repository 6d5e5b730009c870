# SPDX-License-Identifier: Apache-2.0
"""What every encryption scheme has: parameters, contexts, keys, ciphertexts, rotations, bytes.

Nothing here knows what is encrypted. :mod:`nttforge.bfv` and :mod:`nttforge.bgv` are for use.
"""

from __future__ import annotations

from .batches import stack, unstack
from .ciphertext import Ciphertext, add_many
from .context import Context
from .evaluation_keys import EvaluationKeys, KeyHolder
from .graph import Graph, Recording
from .key_generator import KeyGenerator
from .key_set import Keys
from .keys import KeySwitchKey, PublicKey, RelinearizationKey, RotationKeys, SecretKey
from .parameters import Parameters
from .rotations import sum_steps
from .sums import sum_of_products

__all__ = [
    "Ciphertext",
    "Context",
    "EvaluationKeys",
    "Graph",
    "KeyGenerator",
    "KeyHolder",
    "KeySwitchKey",
    "Keys",
    "Parameters",
    "PublicKey",
    "Recording",
    "RelinearizationKey",
    "RotationKeys",
    "SecretKey",
    "add_many",
    "stack",
    "sum_of_products",
    "sum_steps",
    "unstack",
]


def __dir__() -> list[str]:
    return sorted(__all__)

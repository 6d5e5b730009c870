# SPDX-License-Identifier: Apache-2.0
"""What the encryption schemes share; :mod:`nttforge.bfv` and :mod:`nttforge.bgv` are for use.

Keys, plaintexts, ciphertexts, encoders and evaluators are the same classes in every scheme: their
context says which one they belong to.
"""

from __future__ import annotations

from .batches import stack, unstack
from .context import Context, Scheme
from .encoders import BatchEncoder, CoefficientEncoder
from .encryption import Decryptor, Encryptor
from .evaluation_keys import EvaluationKeys
from .evaluator import Evaluator
from .graph import Graph
from .key_set import Keys, generate_keys
from .keys import KeyGenerator, KeySwitchKey, PublicKey, RelinearizationKey, RotationKeys, SecretKey
from .linear_map import LinearMap, sum_steps
from .parameters import Parameters
from .plaintexts import Plaintext, PreparedPlaintext
from .texts import Ciphertext

__all__ = [
    "BatchEncoder",
    "Ciphertext",
    "CoefficientEncoder",
    "Context",
    "Decryptor",
    "Encryptor",
    "EvaluationKeys",
    "Evaluator",
    "Graph",
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
    "Scheme",
    "SecretKey",
    "generate_keys",
    "stack",
    "sum_steps",
    "unstack",
]


def __dir__() -> list[str]:
    return sorted(__all__)

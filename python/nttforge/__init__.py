# SPDX-License-Identifier: Apache-2.0
"""nttforge: number theoretic transforms and homomorphic encryption.

State a transform once and get the fastest correct implementation of it for this machine; every
target gives the same words. Start with :class:`NttPlan` (transforms), :mod:`nttforge.bfv`
(homomorphic encryption of integers), :mod:`nttforge.ckks` (of real numbers) or the command
``nttforge --help``.

>>> import numpy as np, nttforge
>>> plan = nttforge.NttPlan(n=8, moduli=17)
>>> x = np.arange(8, dtype=np.uint64)
>>> bool((plan.inverse(plan.forward(x)) == x).all())
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._gpu_package import search_path as _search_path
from .errors import (
    ArgumentTypeError,
    ClusterError,
    ContextError,
    FormatError,
    MissingKeyError,
    NoiseError,
    NttforgeError,
    ParameterError,
    PrecisionError,
    SizeError,
    UnsupportedError,
)

__path__ = _search_path(__path__)

if TYPE_CHECKING:
    from . import bfv, bgv, ckks, cuda, multi, seal
    from . import spec as spec
    from . import typing as typing
    from ._core import version as __version__
    from .arrays import empty
    from .choosing import Choice, choose
    from .encrypted import ArraySpec, EncryptedArray
    from .ntt.algorithms import Algorithm, NttTrace, TraceStep, algorithms
    from .ntt.big_integers import convolve, crt
    from .ntt.explorer import Exploration, ExploredRecipe, Wisdom, explore
    from .ntt.plan import NttPlan
    from .ntt.spec import NttSpec, RecipeCandidate, candidate_recipes
    from .number_theory import (
        GeneralisedMersennePrime,
        TransformSupport,
        generalised_mersenne_primes,
        is_prime,
        ntt_primes,
        prime_factors,
        smallest_primitive_root,
        smallest_root_of_unity,
        transform_support,
    )
    from .targets import CpuDescription, active_target, available_targets, describe_cpu

# Loaded on first use: nttforge.spec (plain Python) also works where the compiled core is not built.
_LAZY = {
    "Algorithm": "ntt.algorithms",
    "NttTrace": "ntt.algorithms",
    "TraceStep": "ntt.algorithms",
    "algorithms": "ntt.algorithms",
    "empty": "arrays",
    "Choice": "choosing",
    "choose": "choosing",
    "ArraySpec": "encrypted",
    "EncryptedArray": "encrypted",
    "convolve": "ntt.big_integers",
    "crt": "ntt.big_integers",
    "NttPlan": "ntt.plan",
    "NttSpec": "ntt.spec",
    "RecipeCandidate": "ntt.spec",
    "candidate_recipes": "ntt.spec",
    "Exploration": "ntt.explorer",
    "ExploredRecipe": "ntt.explorer",
    "Wisdom": "ntt.explorer",
    "explore": "ntt.explorer",
    "GeneralisedMersennePrime": "number_theory",
    "TransformSupport": "number_theory",
    "generalised_mersenne_primes": "number_theory",
    "is_prime": "number_theory",
    "ntt_primes": "number_theory",
    "prime_factors": "number_theory",
    "smallest_primitive_root": "number_theory",
    "smallest_root_of_unity": "number_theory",
    "transform_support": "number_theory",
    "CpuDescription": "targets",
    "active_target": "targets",
    "available_targets": "targets",
    "describe_cpu": "targets",
}

_MODULES = ("bfv", "bgv", "ckks", "cuda", "multi", "seal", "spec", "typing")

__all__ = [
    "Algorithm",
    "ArgumentTypeError",
    "ArraySpec",
    "Choice",
    "ClusterError",
    "ContextError",
    "CpuDescription",
    "EncryptedArray",
    "Exploration",
    "ExploredRecipe",
    "FormatError",
    "GeneralisedMersennePrime",
    "MissingKeyError",
    "NoiseError",
    "NttPlan",
    "NttSpec",
    "NttTrace",
    "NttforgeError",
    "ParameterError",
    "PrecisionError",
    "RecipeCandidate",
    "SizeError",
    "TraceStep",
    "TransformSupport",
    "UnsupportedError",
    "Wisdom",
    "__version__",
    "active_target",
    "algorithms",
    "available_targets",
    "bfv",
    "bgv",
    "candidate_recipes",
    "choose",
    "ckks",
    "convolve",
    "crt",
    "cuda",
    "describe_cpu",
    "empty",
    "explore",
    "generalised_mersenne_primes",
    "is_prime",
    "multi",
    "ntt_primes",
    "prime_factors",
    "seal",
    "smallest_primitive_root",
    "smallest_root_of_unity",
    "transform_support",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        return importlib.import_module("._core", __name__).version
    if name in ("heir", "ml", "models"):  # of another distribution
        providers = importlib.import_module("._providers", __name__)
        value = providers.provided(providers.MODULES, name)
    elif name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})

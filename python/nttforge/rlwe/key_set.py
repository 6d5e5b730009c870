# SPDX-License-Identifier: Apache-2.0
"""All keys of one owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from .. import _arguments as arguments
from .. import _core
from ._require import require
from .context import Context
from .evaluation_keys import EvaluationKeys
from .key_generator import KeyGenerator
from .keys import (
    PublicKey,
    RelinearizationKey,
    RotationKeys,
    SecretKey,
    offload_argument,
)

Self = TypeVar("Self", bound="Keys")


@dataclass(frozen=True, repr=False)
class Keys:
    """What :meth:`Context.generate_keys` makes; the secret key stays with its owner."""

    secret: SecretKey
    public: PublicKey
    relinearization: RelinearizationKey | None = None
    rotations: RotationKeys | None = None

    @classmethod
    def generate(
        cls: type[Self],
        context: Context,
        relinearization: bool | None = None,
        rotations: Iterable[int] = (),
        swap_columns: bool = False,
        inner_sum: int = 1,
        seed: bytes | None = None,
        offload: int | None = None,
    ) -> Self:
        """A new secret key and what goes with it, as :meth:`Context.generate_keys` says."""
        if relinearization is None:
            relinearization = context.parameters.has_evaluation_keys
        steps = arguments.integers("rotations", rotations, -(2**62), 2**62)
        span = arguments.integer("inner_sum", inner_sum, 1, context.n, "a power of two up to n")
        steps = sorted({*steps, *_core.rlwe.inner_sum_steps(context.n, span)})
        swapped = swap_columns or (span == context.n and context.n > 1)
        kept = offload_argument(offload)
        if kept is None:
            _require_memory(context, relinearization, len(steps) + swapped)
        generator = KeyGenerator(context, seed=seed)
        rotated = relinearizing = None
        if steps or swapped:
            rotated = generator.rotation_keys(steps, swapped, offload=kept)
        if relinearization:
            relinearizing = generator.relinearization_key()
            if kept is not None:
                relinearizing.offload(min(kept, 1))
        return cls(generator.secret_key(), generator.public_key(), relinearizing, rotated)

    @property
    def context(self) -> Context:
        """The context of the keys."""
        return self.secret.context

    @cached_property
    def evaluation(self) -> EvaluationKeys:
        """The keys that whoever computes needs, without the secret: one object, one ``to_bytes``.

        Raises
        ------
        MissingKeyError
            Neither a relinearization key nor rotation keys were made.
        """
        return EvaluationKeys(self.relinearization, self.rotations)

    def to(self: Self, context: Context) -> Self:
        """All keys in another context of equal parameters: :meth:`ContextObject.to`."""
        return type(self)(
            self.secret.to(context),
            self.public.to(context),
            None if self.relinearization is None else self.relinearization.to(context),
            None if self.rotations is None else self.rotations.to(context),
        )

    def offload(self, cached: int = 2) -> None:
        """Moves the relinearization key and the rotation keys to host memory until they are used.

        ``cached`` of the rotation keys stay on the device (:meth:`RotationKeys.offload`), and the
        relinearization key if it is not 0. On a CPU nothing happens. :meth:`load` brings them back.
        """
        if self.rotations is not None:
            self.rotations.offload(cached)
        if self.relinearization is not None:
            self.relinearization.offload(min(cached, 1))

    def load(self) -> None:
        """Brings what :meth:`offload` moved back to the device: :meth:`RotationKeys.load`."""
        for key in (self.relinearization, self.rotations):
            if key is not None:
                key.load()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.secret, self.public, self.relinearization, self.rotations)

    def __repr__(self) -> str:
        steps = list(self.rotations.steps) if self.rotations is not None else []
        relinearization = "with" if self.relinearization is not None else "without"
        return f"<Keys of {self.context!r}, {relinearization} relinearization, rotations {steps}>"


def secret_of(keys: Keys | SecretKey | KeyGenerator) -> SecretKey:
    """The secret key in what an owner has in hand."""
    if isinstance(keys, KeyGenerator):
        return keys.secret_key()
    secret: SecretKey = require(keys.secret if isinstance(keys, Keys) else keys, SecretKey, "keys")
    return secret


def _require_memory(context: Context, relinearization: bool, rotations: int) -> None:
    """Before any key is made: all of them, and one more for what making one takes."""
    sizes = context.parameters.memory_sizes()
    count = rotations + (1 if relinearization or rotations else 0)
    total = sizes["secret_key"] + sizes["public_key"] + count * sizes["rotation_key"]
    if relinearization:
        total += sizes["relinearization_key"]
    each = f" and {rotations} rotation keys of {sizes['rotation_key']} bytes each"
    context._core.require_memory(total, f"the keys{each if rotations else ''}")

# SPDX-License-Identifier: Apache-2.0
"""Secret and public keys, and the keys of whoever computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .. import _arguments as arguments
from .. import _core
from .._secrecy import hold_secret, require_may_hold
from ._require import require, steady
from .context import Context
from .objects import ContextObject, require_context

if TYPE_CHECKING:
    from typing import Any

    from ..typing import BytesLike


#: A preset's keys have at least 100 KiB: so many are more than any memory.
_MOST_CACHED = 2**20


class SecretKey(ContextObject):
    """The secret. ``to_bytes`` and pickle write it in the clear: protect where that is stored."""

    __slots__ = ()
    _core_class = _core.rlwe.SecretKey

    @classmethod
    def from_bytes(cls, context: Context, data: BytesLike) -> SecretKey:
        """Reads what :meth:`to_bytes` wrote, as :meth:`ContextObject.from_bytes`.

        Raises
        ------
        FormatError, ContextError
            As there.
        UnsupportedError
            This process refuses secret keys, as those that speak to Dask do.
        """
        require_may_hold("a secret key")
        return super().from_bytes(context, data)

    @classmethod
    def _wrap(cls, context: Context, core: Any) -> SecretKey:
        hold_secret("a secret key")
        return super()._wrap(context, core)


class PublicKey(ContextObject):
    """Encrypts; may be given to anyone."""

    __slots__ = ()
    _core_class = _core.rlwe.PublicKey


_Key = TypeVar("_Key", bound="_LevelKey")


class _LevelKey(ContextObject):
    """What switches keys, for a level and those below."""

    __slots__ = ()

    @property
    def level(self) -> int:
        """The highest level of ciphertexts that it is for."""
        return int(self._core.level)

    def at_level(self: _Key, level: int) -> _Key:
        """For ciphertexts of a level and below, in fewer bytes; results there are the same words.

        Nothing new is drawn: what those ciphertexts do not need is left out.

        Parameters
        ----------
        level : int
            From :attr:`Context.lowest_level` to :attr:`level`.

        Raises
        ------
        ParameterError
            The level is out of range.
        """
        level = arguments.integer("level", level, 1, self._context.parameters.top_level)
        return self._wrap(self._context, self._core.at_level(level))


class KeySwitchKey(_LevelKey):
    """Leads from one secret to another; may be given to whoever computes.

    :meth:`KeyGenerator.key_switch_key` makes it, :meth:`Ciphertext.switch_secret` uses it.
    """

    __slots__ = ()
    _core_class = _core.rlwe.KeySwitchKey


class _SwitchingKey(_LevelKey):
    """What evaluation keys consist of: its words are in host memory if asked."""

    __slots__ = ()

    def _offload(self, cached: int) -> None:
        self._core.offload(cached_argument(cached))

    def load(self) -> None:
        """Brings what :meth:`offload` moved back to the device, to stay.

        They stay where they are if the device has too little memory (UnsupportedError).
        """
        self._core.load()

    @property
    def offloaded(self) -> bool:
        """Whether the words were moved to host memory; never on a CPU, whose memory is that."""
        return bool(self._core.offloaded)


class RelinearizationKey(_SwitchingKey):
    """Brings products back to two parts; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.rlwe.RelinearizationKey

    def offload(self, cached: int = 0) -> None:
        """Moves the words to host memory, as :meth:`RotationKeys.offload`.

        Parameters
        ----------
        cached : int
            1: what the first use has fetched stays on the device. 0: it goes after each use.
        """
        self._offload(cached)


class RotationKeys(_SwitchingKey):
    """Rotates slots by the steps it was made for; may be given to whoever computes."""

    __slots__ = ()
    _core_class = _core.rlwe.RotationKeys

    def offload(self, cached: int = 2) -> None:
        """Moves the words of all keys to host memory, from where they are fetched for their use.

        For more keys than fit beside what is computed: :meth:`KeyGenerator.rotation_keys` and
        :meth:`from_bytes` also take ``offload=``, so that the keys are never all on the device.
        Half of their size is enough on the host, since the other half follows from a seed. Results
        do not change, and bytes and :meth:`to` neither. On a CPU nothing happens.

        Parameters
        ----------
        cached : int
            Keys that stay on the device: those used last. From 2 on, operations of several
            rotations (:meth:`Ciphertext.inner_sum`) fetch the next key ahead of its use.

        Raises
        ------
        UnsupportedError
            The host has too little memory.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(4096), "cuda:host")
        >>> keys = context.generate_keys(rotations=[1])
        >>> keys.rotations.offload()
        >>> keys.decrypt(keys.encrypt([1, 2]).rotate_rows(1, keys.rotations))[:1]
        array([2])
        """
        self._offload(cached)

    @classmethod
    def from_bytes(
        cls, context: Context, data: BytesLike, *, offload: int | None = None
    ) -> RotationKeys:
        """Reads what :meth:`to_bytes` wrote, as :meth:`ContextObject.from_bytes`.

        Parameters
        ----------
        context : Context
        data : bytes-like
        offload : int, optional
            Moves each key to host memory as soon as it is read, as :meth:`offload` with so many
            cached.

        Raises
        ------
        FormatError, ContextError
            As there.
        UnsupportedError
            They take more memory than there is.
        """
        require(context, Context, "context")
        kept = offload_argument(offload)
        with steady(data) as given:
            return cls._wrap(context, cls._core_class.from_bytes(context._core, given, kept))

    def joined(self, other: RotationKeys) -> RotationKeys:
        """These keys, and those of ``other`` for further steps, of one secret; words are shared.

        Raises
        ------
        ContextError
            They belong to another context.

        Examples
        --------
        >>> from nttforge import bfv
        >>> generator = bfv.KeyGenerator(bfv.Context(bfv.Parameters.preset(4096)))
        >>> generator.rotation_keys([1]).joined(generator.rotation_keys([4, 1])).steps
        (1, 4)
        """
        require(other, RotationKeys, "other")
        require_context(self._context, ("other", other))
        return self._wrap(self._context, self._core.joined(other._core))

    def __len__(self) -> int:
        """Number of keys, the column swap among them."""
        return len(self._core.elements)

    def __bool__(self) -> bool:
        return True

    @property
    def steps(self) -> tuple[int, ...]:
        """Row steps there are keys for, increasing, in (-n/4, n/4]."""
        return tuple(self._core.steps)

    def composed(self, step: int, level: int = 0) -> tuple[int, ...]:
        """The fewest steps with a key that add up to ``step`` modulo n/2, increasing.

        Parameters
        ----------
        step : int
        level : int
            Takes only steps whose keys are for ciphertexts of this level; 0: all steps.

        Raises
        ------
        MissingKeyError
            They do not reach it.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(4096))
        >>> keys = context.generate_keys(rotations=[1, 4, -16])
        >>> keys.rotations.composed(-14)
        (-16, 1, 1)
        """
        step = arguments.integer("step", step, -(2**62), 2**62)
        level = arguments.integer("level", level, 0, self._context.parameters.top_level)
        return tuple(self._core.composed(step, level))

    @property
    def has_swap_columns(self) -> bool:
        """Whether the key that swaps the two rows is there."""
        return bool(self._core.has_column_swap)

    @property
    def elements(self) -> tuple[int, ...]:
        """Galois elements there are keys for."""
        return tuple(self._core.elements)


def cached_argument(cached: int) -> int:
    """Keys that stay on the device."""
    return arguments.integer("cached", cached, 0, _MOST_CACHED, "keys")


def offload_argument(offload: int | None) -> int | None:
    """Keys cached on the device, or None for keys that stay there."""
    return None if offload is None else arguments.integer("offload", offload, 0, _MOST_CACHED)

# SPDX-License-Identifier: Apache-2.0
"""All evaluation keys as one object, and what operations take where they need a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .. import _core
from ..errors import MissingKeyError
from ._require import fetched_from, require, sent_to, steady
from .context import Context
from .keys import RelinearizationKey, RotationKeys, offload_argument
from .objects import ContextObject, HasContext, require_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from ..typing import BytesLike


class EvaluationKeys(ContextObject):
    """What whoever computes needs, as one object: the relinearization key and the rotation keys.

    Taken wherever an operation takes a key; made by :attr:`Keys.evaluation`, or from its parts.

    Parameters
    ----------
    relinearization : RelinearizationKey, optional
    rotations : RotationKeys, optional
        One of the two at least.

    Examples
    --------
    >>> from nttforge import bfv
    >>> context = bfv.Context(bfv.Parameters.preset(8192))
    >>> keys = context.generate_keys(rotations=[1])
    >>> sent = keys.evaluation.to_bytes()
    >>> len(sent) == context.parameters.evaluation_keys_bytes(rotations=1)
    True
    >>> server = bfv.EvaluationKeys.from_bytes(context, sent)
    >>> a = keys.encrypt([1, 2, 3])
    >>> keys.decrypt((a * a).relinearize(server).rotate_rows(1, server))[:2]
    array([4, 9])
    """

    __slots__ = ("_relinearization", "_rotations")
    _core_class = _core.rlwe.EvaluationKeys
    _relinearization: RelinearizationKey | None
    _rotations: RotationKeys | None

    def __init__(
        self,
        relinearization: RelinearizationKey | None = None,
        rotations: RotationKeys | None = None,
    ) -> None:
        parts: list[ContextObject] = []
        if relinearization is not None:
            parts.append(require(relinearization, RelinearizationKey, "relinearization"))
        if rotations is not None:
            parts.append(require(rotations, RotationKeys, "rotations"))
        if not parts:
            raise MissingKeyError(
                "relinearization and rotations are both None: there are no evaluation keys; make "
                "some with generate_keys(relinearization=True, rotations=[...])"
            )
        context = parts[0].context
        require_context(context, *(("rotations", part) for part in parts[1:]))
        cores = (None if x is None else x._core for x in (relinearization, rotations))
        object.__setattr__(self, "_context", context)
        object.__setattr__(self, "_core", self._core_class(*cores))
        object.__setattr__(self, "_relinearization", relinearization)
        object.__setattr__(self, "_rotations", rotations)

    @property
    def relinearization(self) -> RelinearizationKey | None:
        """Its key for products, or None."""
        return self._relinearization

    @property
    def rotations(self) -> RotationKeys | None:
        """Its keys for rotations, or None."""
        return self._rotations

    def at_level(self, level: int) -> EvaluationKeys:
        """All keys for ciphertexts of a level and below, in fewer bytes.

        :meth:`Parameters.evaluation_keys_bytes` says how many. Results are the same words, as
        nothing new is drawn: what those ciphertexts do not need is left out. Ciphertexts above the
        level are refused.

        Parameters
        ----------
        level : int
            From the context's lowest level to that of the keys.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(8192))
        >>> keys = context.generate_keys()
        >>> small = keys.evaluation.at_level(2)
        >>> len(small.to_bytes()), len(keys.evaluation.to_bytes())
        (262232, 876632)
        >>> a = keys.encrypt([3]).mod_switch(2)
        >>> keys.decrypt((a * a).relinearize(small))[:1]
        array([9])
        """
        parts = (self._relinearization, self._rotations)
        lower = [None if part is None else part.at_level(level) for part in parts]
        return EvaluationKeys(*lower)  # type: ignore[arg-type]

    def to(self, context: Context) -> EvaluationKeys:
        """A copy in another context of equal parameters: :meth:`ContextObject.to`."""
        parts = (self._relinearization, self._rotations)
        moved = [None if part is None else part.to(context) for part in parts]
        return EvaluationKeys(*moved)  # type: ignore[arg-type]

    def write(self, file: IO[bytes], progress: Callable[[int, int], object] | None = None) -> None:
        """Writes the bytes of :meth:`to_bytes` part by part, without all of them in memory.

        Parameters
        ----------
        file : binary file
            Open for writing; written to from where it stands.
        progress : callable, optional
            Called after each part with the bytes written and all bytes. What it raises ends the
            writing, as does Ctrl-C; the file then holds a part that no reader accepts.
        """
        self._core.write(sent_to(file), progress)

    @classmethod
    def read(
        cls,
        context: Context,
        file: IO[bytes],
        progress: Callable[[int, int], object] | None = None,
        *,
        offload: int | None = None,
    ) -> EvaluationKeys:
        """Reads what :meth:`write` or :meth:`to_bytes` wrote, one key at a time.

        Everything is checked as by :meth:`from_bytes`; there are keys only if all of it is right.
        The file stands behind them afterwards.

        Parameters
        ----------
        context : Context
            Of the same parameters as the keys.
        file : binary file
            Open for reading.
        progress : callable, optional
            Called after each part with the bytes read and all bytes. What it raises ends the
            reading.
        offload : int, optional
            As for :meth:`RotationKeys.from_bytes`.

        Raises
        ------
        FormatError, ContextError, UnsupportedError
            As :meth:`RotationKeys.from_bytes`.

        Examples
        --------
        >>> import io
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(4096))
        >>> keys = context.generate_keys(rotations=[1])
        >>> file = io.BytesIO()
        >>> keys.evaluation.write(file)
        >>> _ = file.seek(0)
        >>> bfv.EvaluationKeys.read(context, file).rotations.steps
        (1,)
        """
        require(context, Context, "context")
        kept = offload_argument(offload)
        core = cls._core_class.read(context._core, fetched_from(file), progress, kept)
        return cls._of(context, core)

    @classmethod
    def from_bytes(
        cls, context: Context, data: BytesLike, *, offload: int | None = None
    ) -> EvaluationKeys:
        """Reads what :meth:`to_bytes` wrote, as :meth:`RotationKeys.from_bytes`."""
        require(context, Context, "context")
        kept = offload_argument(offload)
        with steady(data) as given:
            return cls._of(context, cls._core_class.from_bytes(context._core, given, kept))

    @classmethod
    def _of(cls, context: Context, core: Any) -> EvaluationKeys:
        relinearization, rotations = core.relinearization, core.rotations
        return cls(
            None if relinearization is None else RelinearizationKey._wrap(context, relinearization),
            None if rotations is None else RotationKeys._wrap(context, rotations),
        )

    def __repr__(self) -> str:
        steps = [] if self._rotations is None else list(self._rotations.steps)
        has = "without" if self._relinearization is None else "with"
        return f"<EvaluationKeys of {self._context!r}, {has} relinearization, rotations {steps}>"


class KeyHolder(HasContext, Protocol):
    """What an operation takes where it needs a key.

    A :class:`RelinearizationKey` or :class:`RotationKeys`, or what holds them as attributes
    ``relinearization`` and ``rotations``: :class:`EvaluationKeys` and :class:`Keys`.
    """


def _held(keys: object, kind: type, attribute: str, field: str, missing: str) -> Any:
    """``keys``, or what they hold as an attribute; an error that says what to make if none."""
    found = keys if isinstance(keys, kind) else getattr(keys, attribute, keys)
    if found is None:
        raise MissingKeyError(f"{field} {'is None' if keys is None else 'holds none'}: {missing}")
    return require(found, kind, field)


def relinearization_key(keys: object) -> RelinearizationKey:
    """The key for products of what an operation was given, or an error that says what to make."""
    missing = (
        "there is no relinearization key; make one with generate_keys(relinearization=True) or "
        "KeyGenerator(secret).relinearization_key()"
    )
    key: RelinearizationKey = _held(keys, RelinearizationKey, "relinearization", "key", missing)
    return key


def rotation_keys(keys: object) -> RotationKeys:
    """The keys for rotations of what an operation was given, or an error that says what to make."""
    missing = (
        "there are no rotation keys; make them with generate_keys(rotations=[...]) or "
        "KeyGenerator(secret).rotation_keys([...])"
    )
    found: RotationKeys = _held(keys, RotationKeys, "rotations", "keys", missing)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Levels won back: ciphertexts of the lowest level become ones of a higher level."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ParameterError
from ..rlwe import bootstrap_keys as _keys
from ..rlwe._require import require
from ..rlwe.key_generator import seed_array
from ..rlwe.key_set import secret_of
from ..rlwe.keys import offload_argument
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .context import Context
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import BytesLike, DeviceName

C = TypeVar("C", bound=Ciphertext)


class BootstrapKeys(_keys.BootstrapKeys["Bootstrapper"]):
    """What whoever bootstraps needs: :meth:`Bootstrapper.make_keys`. None of it is secret.

    Examples
    --------
    Whoever computes makes the same bootstrapper and reads the keys.

    >>> import io
    >>> from nttforge import ckks
    >>> owner = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    >>> keys = owner.context.generate_keys()
    >>> file = io.BytesIO()
    >>> owner.make_keys(keys).write(file)
    >>> server = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    >>> _ = file.seek(0)
    >>> ckks.BootstrapKeys.read(server, file).bootstrapper is server
    True
    """

    __slots__ = ("_second",)

    def __init__(self, bootstrapper: Bootstrapper, core: Any, second: BootstrapKeys | None = None):
        super().__init__(bootstrapper, core)
        self._second = second

    def beside(self, device: DeviceName) -> BootstrapKeys:
        """The same keys, whose bootstraps a second device takes part in: same words, sooner.

        It takes the sine of imaginary parts, and of the maps to slots half of the primes, so that
        real numbers gain less. It has its own copy of what that needs, made here.

        Parameters
        ----------
        device : str
            Another one than that of the keys: "cuda:1".

        Raises
        ------
        ParameterError, UnsupportedError
            It is the keys' own device, there is none, or it has no room.

        Examples
        --------
        >>> machine = Bootstrapper.of("boot15_31", insecure_n=2**7)
        >>> keys = machine.context.generate_keys()
        >>> one = machine.make_keys(keys)
        >>> two = one.beside("cuda:host")
        >>> x = keys.encrypt(0.5).mod_switch(machine.input_level)
        >>> bool((one.bootstrap(x).residues == two.bootstrap(x).residues).all())
        True
        """
        machine, home = self._bootstrapper, self._bootstrapper.context
        there = home.on(device)
        if there.device == home.device:
            raise ParameterError(f"device = {device!r} is the keys' own: name a second one")
        other = type(machine)(there, **machine._options)
        core = machine._core.keys_of_partner(self._core, other._core)
        return type(self)(machine, self._core, type(self)(other, core))

    def bootstrap(self, x: C, *, level: int | None = None, iterations: int = 1) -> C:
        """The same numbers at a higher level, whatever the level of ``x`` is.

        Parameters
        ----------
        x : Ciphertext
            Two parts, at :attr:`Bootstrapper.input_level` at least. It stays as it is.
        level : int, optional
            Of the result, 1 ... :attr:`Bootstrapper.level`, which is the default: what is not
            needed makes what follows slower. One less at most after several iterations.
        iterations : int
            1 ... 8. Each after the first bootstraps what is left of ``x`` without the result so
            far, multiplied up, and adds it [BCCKKS22]: as many bits again, at the time of one
            bootstrap, up to the bits that numbers of ``x`` have.

        Raises
        ------
        PrecisionError
            Numbers may be larger than the bootstrapper is for, or nothing of them is left; or an
            iteration would gain nothing, as numbers of ``x`` have no more bits.
        ParameterError, ContextError
            Three parts, coefficients, another number of slots, too low a level, or another context.
        """
        passes = arguments.integer("iterations", iterations, 1, 8)
        highest = self._bootstrapper.level - (passes > 1)
        target = 0 if level is None else arguments.integer("level", level, 1, highest)
        context = self._bootstrapper.context
        require(x, Ciphertext, "x")
        require_context(context, ("x", x))
        given: tuple[Any, ...] = (context._evaluator, x._core, self._core, target, passes)
        if (other := self._second) is not None:
            machine = other._bootstrapper
            given += (machine._core, machine.context._evaluator, other._core)
        core = self._bootstrapper._core.bootstrap(*given)
        return type(x)._wrap(context, core)


class Bootstrapper(_keys.Bootstraps):
    """How ciphertexts of a context are bootstrapped [CHKKS18].

    The phase of a ciphertext at the lowest level, modulo one prime q_0, is lifted to the whole
    modulus, where it is off by multiples of q_0; its coefficients are moved to slots, the sine
    removes the multiples, and they are moved back. Meanwhile an ephemeral sparse secret keeps the
    multiples few [BTH22]. Errors are said by the result (:attr:`Ciphertext.error`).

    Parameters
    ----------
    context : Context
        Its lowest level has one prime.
    slots : int, optional
        Of the messages, 2 ... n/2, which is the default.
    to_slots, to_coefficients : iterable of int, optional
        Layers of the transform in each matrix, in order; they add up to log2(slots), and each
        matrix takes a level.
    degree : int
        Of the cosine's polynomial, even, 4 ... 254.
    double_angles : int
        Doublings of its angle, 0 ... 8, each of which takes a level.
    ratio_bits : int
        Bits that numbers are at most left below q_0, 6 ... 30: fewer make the sine's error larger
        and all others smaller. With ``coefficients_first`` scales say how many
        (:attr:`ratio_bits`).
    coefficients_first : bool
        Move slots to coefficients before the sine instead of after it: cheaper, and the sine acts
        on the numbers themselves, so that its errors do not add up over a slot. Ciphertexts must
        have as many levels left as ``to_coefficients`` has matrices (:attr:`input_level`).
    bound : number
        Numbers up to this have all of these bits; larger ones up to 2^(ratio_bits - 5) times this
        are bootstrapped with less precision.

    keys : {"fast", "small"}
        "small": maps rotate step by step, so that two or three keys serve each of their matrices:
        about a third of the bytes, and slower.

    Raises
    ------
    ParameterError
        An argument is out of range, or the set has too few levels.
    UnsupportedError
        The lowest level has several primes.

    Examples
    --------
    Messages of four numbers, on the chain of a set, which is small here and without security.

    >>> from nttforge import ckks
    >>> context = ckks.Bootstrapper.of("boot15_31", insecure_n=2**7).context
    >>> machine = ckks.Bootstrapper(context, slots=4, to_slots=[1, 1], to_coefficients=[1, 1],
    ...                             coefficients_first=True)
    >>> keys = context.generate_keys()
    >>> x = keys.encrypt([0.5, -0.25, 0.125, 1], slots=4).mod_switch(machine.input_level)
    >>> y = machine.make_keys(keys).bootstrap(x)
    >>> x.levels_left, y.levels_left, keys.decrypt(y).round(3)
    (2, 6, array([ 0.5  , -0.25 ,  0.125,  1.   ]))
    """

    __slots__ = ()
    _context: Context

    def __init__(
        self,
        context: Context,
        *,
        slots: int | None = None,
        to_slots: Iterable[int] = (),
        to_coefficients: Iterable[int] = (),
        degree: int = 30,
        double_angles: int = 3,
        ratio_bits: int = 10,
        bound: float = 1,
        coefficients_first: bool = False,
        keys: Literal["fast", "small"] = "fast",
    ) -> None:
        require(context, Context, "context")
        arguments.choice("keys", keys, ("fast", "small"))
        count = 0 if slots is None else arguments.integer("slots", slots, 2, context.slots)
        self._context = context
        options: dict[str, Any] = {
            "to_slots": arguments.integers("to_slots", to_slots, 1, 17),
            "to_coefficients": arguments.integers("to_coefficients", to_coefficients, 1, 17),
            "degree": arguments.integer("degree", degree, 4, 254, "even"),
            "double_angles": arguments.integer("double_angles", double_angles, 0, 8),
            "ratio_bits": arguments.integer("ratio_bits", ratio_bits, 6, 30),
            "bound": arguments.number("bound", bound, 2.0**-100, 2.0**100, ""),
            "coefficients_first": bool(coefficients_first),
        }
        self._core = _core.ckks.Bootstrapper(
            context._core, slots=count, **options, small_keys=keys == "small"
        )
        self._options = {"slots": self._core.slots, **options, "keys": keys}

    @classmethod
    def of(
        cls,
        name: str,
        *,
        insecure_n: int | None = None,
        keys: Literal["fast", "small"] = "fast",
        **device: Any,
    ) -> Bootstrapper:
        """That of a set by name, with a context of its own.

        The secret of messages is 128-bit secure by the 2024 guidelines. The ephemeral one, of
        weight 32, is under one key alone, modulo 121 bits (96 at n = 2^15): no table covers that.

        Parameters
        ----------
        name : str
            "boot16_40", "boot16_45", "boot16_51", "boot16w_40", "boot16w_45", "boot16w_54",
            "boot16w_fast", "boot15_31" or "boot15w_30":
            log2 of n and of the scale; :meth:`describe` says what each does.
        insecure_n : int, optional
            The same chain at a smaller n, 2^7 or more, without security, to try circuits out.
        keys : {"fast", "small"}
            As above.
        **device
            ``device``, ``threads`` and ``target`` of :class:`Context`.
        """
        log_n = arguments.insecure_log_n(insecure_n, 7)
        core, options = _core.ckks.bootstrap_preset(str(name), log_n)
        return cls(Context(Parameters._wrap(core), **device), keys=keys, **options)

    @property
    def context(self) -> Context:
        """The context of the ciphertexts."""
        return self._context

    @property
    def slots(self) -> int:
        """Numbers of a message that is bootstrapped."""
        return int(self._core.slots)

    @property
    def level(self) -> int:
        """The level of results: one more than their :attr:`Ciphertext.levels_left`."""
        return int(self._core.level)

    @property
    def input_level(self) -> int:
        """The lowest level that arguments may have."""
        return int(self._core.input_level)

    @property
    def ratio_bits(self) -> float:
        """log2 of the lowest modulus over numbers of 1: the sine is off by (2 pi / ratio)^2 / 6."""
        return float(self._core.ratio_log2)

    def make_keys(
        self,
        keys: rlwe.Keys | rlwe.SecretKey | rlwe.KeyGenerator,
        *,
        offload: int | None = None,
        seed: BytesLike | None = None,
    ) -> BootstrapKeys:
        """Keys for ciphertexts of this secret; the ephemeral secret is forgotten.

        Parameters
        ----------
        keys : Keys, SecretKey or KeyGenerator
            With a seed the generator's own seed is used, else a fresh one.
        offload : int, optional
            Moves each key to host memory as soon as it is made, with so many cached.
        seed : bytes, optional
            32 bytes from which the ephemeral secret follows: for tests only.

        Raises
        ------
        ContextError
            The secret belongs to another context.
        UnsupportedError
            They take more memory than there is.
        """
        kept, given = offload_argument(offload), None if seed is None else seed_array(seed)
        if given is None or not isinstance(keys, rlwe.KeyGenerator):
            # A generator makes keys to one ephemeral secret; this makes those of any number.
            keys = rlwe.KeyGenerator(secret_of(keys))
        require_context(self._context, ("keys", keys))
        return BootstrapKeys(self, self._core.make_keys(keys._core, given, kept))

    def describe(self) -> str:
        """What it does, needs and leaves, in a few lines.

        Examples
        --------
        >>> print(Bootstrapper.of("boot16_40", insecure_n=2**8).describe())
        128 slots of level 4 or above go to level 16: 12 levels between bootstraps.
        Coefficients first; numbers of 1 are 2^15.2 below the lowest modulus, where the sine is
        off by 2^-27.6, and may be up to 2^10.2. One bootstrap in 2^137.9 loses a number.
        Iterations add bits up to those that numbers have at scale 2^40, for one level.
        Keys: 15 rotations, the conjugation, relinearization and the two of the sparse secret,
        0.01 GB.
        """
        off = 2 * math.log2(2 * math.pi) - 2 * self.ratio_bits - math.log2(6)
        order = "first" if self.input_level > 1 else "last"
        low_scale = math.log2(self._context.scale(self.input_level))
        return (
            f"{self.slots} slots of level {self.input_level} or above go to level "
            f"{self.level}: {self.level - self.input_level} levels between bootstraps.\n"
            f"Coefficients {order}; numbers of 1 are 2^{self.ratio_bits:.1f} below the lowest "
            f"modulus, where the sine is\noff by 2^{off:.1f}, and may be up to "
            f"2^{self.ratio_bits - 5:.1f}. One bootstrap in 2^{self.failure_bits:.1f} "
            f"loses a number.\nIterations add bits up to those that numbers have at scale "
            f"2^{low_scale:.0f}, for one level.\n"
            f"Keys: {len(self.rotations)} rotations, the conjugation, relinearization and the "
            f"two of the sparse secret,\n{self.keys_bytes / 1e9:.2f} GB."
        )

    def __repr__(self) -> str:
        return (
            f"<Bootstrapper to level {self.level}, {len(self.rotations)} rotations, keys of "
            f"{self.keys_bytes / 2**20:.0f} MiB, scale "
            f"2^{math.log2(self._context.scale(self.level)):.1f}, of {self._context!r}>"
        )


BootstrapKeys._machine = Bootstrapper

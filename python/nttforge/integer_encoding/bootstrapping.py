# SPDX-License-Identifier: Apache-2.0
"""Budgets won back: ciphertexts of integers that have little left become ones with much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from .. import _arguments as arguments
from .. import _core, rlwe
from ..errors import ParameterError
from ..rlwe._require import require
from ..rlwe.objects import require_context
from .ciphertext import Ciphertext
from .context import Context

__all__ = ["BootstrapKeys", "Bootstrapper"]

B = TypeVar("B", bound="Bootstrapper")
C = TypeVar("C", bound=Ciphertext)


class BootstrapKeys:
    """What whoever bootstraps needs: :meth:`Bootstrapper.make_keys`. None of it is secret."""

    __slots__ = ("_bootstrapper", "_core")

    def __init__(self, bootstrapper: Bootstrapper, core: Any) -> None:
        self._bootstrapper, self._core = bootstrapper, core

    @property
    def bootstrapper(self) -> Bootstrapper:
        """What they are for."""
        return self._bootstrapper

    def bootstrap(self, x: C, *, budget: float | None = None) -> C:
        """The same integers, exactly, at the highest level, with the budget that was planned.

        Parameters
        ----------
        x : Ciphertext
            Two parts, slots or coefficients, one or a batch, of any level. It stays as it is.
        budget : number, optional
            Bits that are left of ``x`` at least, where that is known and ``x`` does not say it, as
            after ``from_bytes``: by default :attr:`Ciphertext.predicted_noise_budget_bits`. The
            result is wrong, and says nothing of it, where less is left.

        Raises
        ------
        NoiseError
            Less than :attr:`Bootstrapper.least_budget_bits` are left, or nothing is known of them.
        ParameterError, ContextError
            Three parts, or another context.
        """
        bootstrapper = self._bootstrapper
        require(x, Ciphertext, "x")
        require_context(bootstrapper.context, ("x", x))
        stated = None if budget is None else arguments.number("budget", budget, 0, 10000, "bits")
        core = bootstrapper._core.bootstrap(x._core, self._core, stated)
        return type(x)._wrap(bootstrapper.context, core)


class Bootstrapper:
    """How ciphertexts of a context are bootstrapped: exactly, whatever t is, all slots at once.

    The noise of a ciphertext, as a message of CKKS of which the plaintext is no part, is
    bootstrapped there and subtracted, so that the error of that is what noise is left [KSS24].
    Each pass does so with the noise that the one before has left, times a power of two: it takes as
    long, and adds its gain to the budget. docs/decisions/exact-bootstrap.md tells more,
    docs/bounds/exact_bootstrap.md why it holds.

    :meth:`of` makes secure ones. The circuit runs in a chain of primes above those of Q, under the
    same secret, which is why that chain must be secure too; an ephemeral sparse secret is in it
    under one key alone [BTH22].

    Parameters
    ----------
    context : Context
        Of the ciphertexts: words of 64 bits, two primes of q at least.
    primes : iterable of int
        Of the chain above those of q, the lowest first: as many as ``to_coefficients`` has
        matrices, those of the sine, and as many as ``to_slots`` has.
    special : iterable of int
        Special primes of the chain's keys: one or an even number.
    digit_primes : int, optional
        Primes of a digit of its key switching; by default as many as there are special ones.
    to_slots, to_coefficients : iterable of int, optional
        Layers of the transform in each matrix, in order; they add up to log2(n/2). By default four
        and three matrices of about equal size.
    degree : int
        Of the sine's polynomial, even, 4 ... 254.
    double_angles : int
        Doublings of its angle, 0 ... 8.
    range : int
        Multiples of q_0 that the sine removes.
    passes : int
        1 ... 8.

    Raises
    ------
    ParameterError
        Q, its first prime or another argument is too small, saying what is needed, or the chain is
        not as secure as the context says that it is.
    UnsupportedError
        Words of 32 bits.

    Examples
    --------
    A small set without security.

    >>> from nttforge import bfv
    >>> bootstrapper = bfv.Bootstrapper.of("exact16", t=257, insecure_n=2**7)
    >>> keys = bootstrapper.context.generate_keys()
    >>> evaluation = bootstrapper.make_keys(keys)
    >>> x = keys.encrypt([1, 2, 3])
    >>> for _ in range(10):
    ...     x = (x * x).relinearize(keys) + 1
    ...     if x.predicted_noise_budget_bits < 40:
    ...         x = x.bootstrap(evaluation)
    ...         print("bootstrap")
    bootstrap
    bootstrap
    >>> keys.decrypt(x)[:3]
    array([ -8,  65, -61])
    """

    __slots__ = ("_context", "_core")
    _context_class: ClassVar[Any]
    _parameters_class: ClassVar[Any]

    def __init__(
        self,
        context: Context,
        *,
        primes: Iterable[int],
        special: Iterable[int],
        digit_primes: int | None = None,
        to_slots: Iterable[int] = (),
        to_coefficients: Iterable[int] = (),
        degree: int = 62,
        double_angles: int = 2,
        range: int = 17,
        passes: int = 3,
    ) -> None:
        require(context, self._context_class, "context")
        self._context = context
        self._core = _core.exact_bootstrap.Bootstrapper(
            context._core,
            arguments.integers("primes", primes, 2, 2**62 - 1),
            arguments.integers("special", special, 2, 2**62 - 1),
            0 if digit_primes is None else arguments.integer("digit_primes", digit_primes, 1, 24),
            arguments.integers("to_slots", to_slots, 1, 17),
            arguments.integers("to_coefficients", to_coefficients, 1, 17),
            arguments.integer("degree", degree, 4, 254, "even"),
            arguments.integer("double_angles", double_angles, 0, 8),
            arguments.integer("range", range, 2, 1024),
            arguments.integer("passes", passes, 1, 8),
        )

    @classmethod
    def of(
        cls: type[B],
        name: str,
        t: int = 65537,
        *,
        passes: int | None = None,
        insecure_n: int | None = None,
        **device: Any,
    ) -> B:
        """That of a set by name, with a context of its own.

        The chain is 128-bit secure by the 2024 guidelines, and so is what has fewer primes. The
        ephemeral secret, of weight 32, is under one key alone, modulo 115 bits (89 at n = 2^15, for
        t = 65537): no table covers that.

        Parameters
        ----------
        name : {"exact16", "exact15"}
            log2 of n; :meth:`describe` says what each does.
        t : int
            Plaintext modulus, any from 2 on: 65537 has slots.
        passes : int, optional
            1 ... 8; by default three. A larger Q has room for more of them.
        insecure_n : int, optional
            The same chain at a smaller n, 2^6 or more, without security, to try circuits out.
        **device
            ``device``, ``threads`` and ``target`` of the scheme's context.

        Raises
        ------
        ParameterError
            Lists the names.
        """
        log_n = 0
        if insecure_n is not None:
            n = arguments.integer("insecure_n", insecure_n, 2**6, 2**16, "a power of two")
            log_n = n.bit_length() - 1
            if n != 1 << log_n:
                raise ParameterError(f"insecure_n = {n} must be a power of two")
        count = 0 if passes is None else arguments.integer("passes", passes, 1, 8)
        t = arguments.integer("t", t, 2, 2**60 - 1)
        make = _core.exact_bootstrap.bootstrap_preset
        parameters, options = make(str(name), t, count, log_n)
        context = cls._context_class(cls._parameters_class.custom(**parameters), **device)
        return cls(context, **options)

    @property
    def context(self) -> Context:
        """The context of the ciphertexts."""
        return self._context

    @property
    def passes(self) -> int:
        """Passes of a bootstrap."""
        return int(self._core.passes)

    @property
    def budget_bits(self) -> float:
        """Budget of results, by the heuristic bound, of arguments with :attr:`full_budget_bits`."""
        return float(self._core.budget_bits)

    @property
    def full_budget_bits(self) -> float:
        """Budget that arguments need for all of :attr:`budget_bits`; with less they gain less."""
        return float(self._core.full_budget_bits)

    @property
    def least_budget_bits(self) -> float:
        """Budget below which arguments are refused."""
        return float(self._core.least_budget_bits)

    @property
    def usable_bits(self) -> float:
        """Bits between two bootstraps: :attr:`budget_bits` less :attr:`full_budget_bits`."""
        return self.budget_bits - self.full_budget_bits

    @property
    def failure_bits(self) -> float:
        """-log2 of the probability that a bootstrap leaves less than it says."""
        return -float(self._core.failure_log2)

    @property
    def keys_bytes(self) -> int:
        """Bytes of the keys in the device's memory."""
        return int(self._core.keys_bytes)

    def plan(self, budget: float) -> list[tuple[int, float]]:
        """The passes of an argument of such a budget: log2 of each gain, and the budget after it.

        Raises
        ------
        NoiseError
            It is below :attr:`least_budget_bits`.

        Examples
        --------
        >>> from nttforge import bgv
        >>> bootstrapper = bgv.Bootstrapper.of("exact15", t=257, insecure_n=2**8)
        >>> [(gain, round(bits, 1)) for gain, bits in bootstrapper.plan(20)]
        [(0, 27.8), (17, 44.7), (34, 61.6)]
        """
        number = arguments.number("budget", budget, 0, 10000, "bits")
        return [(int(gain), float(bits)) for gain, bits in self._core.plan(number)]

    def make_keys(self, keys: rlwe.Keys | rlwe.SecretKey) -> BootstrapKeys:
        """Keys for ciphertexts of this secret; the ephemeral secret is forgotten.

        Raises
        ------
        ContextError
            The secret belongs to another context.
        UnsupportedError
            They take more memory than there is.
        """
        secret = (
            keys.secret if isinstance(keys, rlwe.Keys) else require(keys, rlwe.SecretKey, "keys")
        )
        require_context(self._context, ("keys", secret))
        self._context._core.require_memory(self.keys_bytes, "the keys of a bootstrap")
        return BootstrapKeys(self, self._core.make_keys(secret._core))

    def describe(self) -> str:
        """What it does, needs and leaves, in a few lines.

        Examples
        --------
        >>> from nttforge import bfv
        >>> print(bfv.Bootstrapper.of("exact16", insecure_n=2**8).describe())
        From a budget of 14.6 bits or more to 92.7 in 3 passes: 78.1 bits between bootstraps.
        From 4.1 bits on less than that is left. One in 2^141.1 leaves less than it says.
        Keys: 20 rotations, the conjugation, relinearization and the two of the sparse secret,
        0.00 GB, modulo 1580 bits.
        """
        core, passes = self._core, "pass" if self.passes == 1 else "passes"
        return (
            f"From a budget of {self.full_budget_bits:.1f} bits or more to "
            f"{self.budget_bits:.1f} in {self.passes} {passes}: {self.usable_bits:.1f} bits "
            f"between bootstraps.\nFrom {self.least_budget_bits:.1f} bits on less than that is "
            f"left. One in 2^{self.failure_bits:.1f} leaves less than it says.\n"
            f"Keys: {len(core.rotations)} rotations, the conjugation, relinearization and the two "
            f"of the sparse secret,\n{self.keys_bytes / 1e9:.2f} GB, modulo {core.chain_bits} bits."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise ParameterError("a bootstrapper is not pickled: make it where it is used")

    def __repr__(self) -> str:
        return (
            f"<Bootstrapper to {self.budget_bits:.1f} bits, {self.passes} passes, keys of "
            f"{self.keys_bytes / 2**20:.0f} MiB, of {self._context!r}>"
        )

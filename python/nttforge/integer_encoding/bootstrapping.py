# SPDX-License-Identifier: Apache-2.0
"""Budgets won back: ciphertexts of integers that have little left become ones with much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import _arguments as arguments
from .. import _core, rlwe
from ..rlwe import bootstrap_keys as _keys
from ..rlwe._require import require
from ..rlwe.key_generator import seed_array
from ..rlwe.key_set import secret_of
from ..rlwe.keys import offload_argument
from ..rlwe.objects import require_context
from .context import Context

if TYPE_CHECKING:
    from ..typing import BytesLike

B = TypeVar("B", bound="Bootstrapper")
C = TypeVar("C", bound=rlwe.Ciphertext)


class BootstrapKeys(_keys.BootstrapKeys["Bootstrapper"]):
    """What whoever bootstraps needs: :meth:`Bootstrapper.make_keys`. None of it is secret.

    Examples
    --------
    Whoever computes makes the same bootstrapper and reads the keys.

    >>> import io
    >>> from nttforge import bfv
    >>> owner = bfv.Bootstrapper.of("exact16", t=257, insecure_n=2**7)
    >>> keys = owner.context.generate_keys()
    >>> file = io.BytesIO()
    >>> owner.make_keys(keys).write(file)
    >>> server = bfv.Bootstrapper.of("exact16", t=257, insecure_n=2**7)
    >>> _ = file.seek(0)
    >>> bfv.BootstrapKeys.read(server, file).bootstrapper is server
    True
    """

    __slots__ = ()

    def bootstrap(self, x: C, *, budget: float | None = None, level: int | None = None) -> C:
        """The same integers, exactly, with the budget that was planned.

        Parameters
        ----------
        x : Ciphertext
            Two parts, of any level. It stays as it is.
        budget : number, optional
            Bits that are left in ``x`` at least, where the owner knows that and the ciphertext, as
            after ``from_bytes``, does not. Where less is left the result is wrong, silently.
        level : int, optional
            Of the result; the highest by default. Lower ones are smaller and have less budget.

        Raises
        ------
        NoiseError
            Too little is left (:meth:`Bootstrapper.plan`), or nothing is known of it.
        ParameterError, ContextError
            Three parts, no such level, or keys of another context.
        """
        context = self._bootstrapper._context
        require_context(context, ("x", x))
        stated = None if budget is None else arguments.number("budget", budget, 0, 10000, "bits")
        highest = len(context.parameters.q)
        if level is not None:
            level = arguments.integer("level", level, context.lowest_level, highest)
        core = self._bootstrapper._core.bootstrap(x._core, self._core, stated)
        found = type(x)._wrap(context, core)
        return found if level in (None, highest) else found.mod_switch(level)


class Bootstrapper(_keys.Bootstraps):
    """How ciphertexts of a context are bootstrapped: exactly, whatever t is, all slots at once.

    Their noise is bootstrapped as a message of CKKS and subtracted [KSS24], in passes: each takes
    as long and adds its gain to the budget. That runs in a chain of primes above those of q, under
    the same secret, which must be secure there too. :meth:`of` makes secure ones;
    docs/integers-without-end.md is the guide.

    Parameters
    ----------
    context : Context
        Of the ciphertexts: words of 64 bits, two primes of q at least.
    primes, special : iterable of int
        Of the chain above those of q, the lowest first: for the matrices of slots to coefficients,
        the sine, the matrices of coefficients to slots; and of its keys, one or an even number.
    to_slots, to_coefficients : iterable of int, optional
        Layers in each matrix; by default four and three matrices of about equal size.
    digit_primes, degree, double_angles, range, passes : int, optional
        Of key switching (as many as special primes), of the sine (62, 2; 17 multiples of the first
        prime), and passes, 1 ... 8 (3).

    Raises
    ------
    ParameterError
        What is out of range or too small, saying what is needed.
    UnsupportedError
        Words of 32 bits.

    Examples
    --------
    >>> from nttforge import bfv
    >>> bootstrapper = bfv.Bootstrapper.of("exact16", t=257, insecure_n=2**7)
    >>> keys = bootstrapper.context.generate_keys()
    >>> evaluation = bootstrapper.make_keys(keys)
    >>> x = (keys.encrypt([1, 2, 3]) * 5).bootstrap(evaluation)
    >>> keys.decrypt(x)[:3], x.predicted_noise_budget_bits > 80
    (array([ 5, 10, 15]), True)
    """

    __slots__ = ()
    _classes: ClassVar[tuple[Any, Any]]  # of parameters and contexts

    def __init__(
        self,
        context: Context,
        *,
        primes: Iterable[int],
        special: Iterable[int],
        to_slots: Iterable[int] = (),
        to_coefficients: Iterable[int] = (),
        **options: int,
    ) -> None:
        require(context, self._classes[1], "context")
        numbers = {"digit_primes": 0, "degree": 62, "double_angles": 2, "range": 17, "passes": 3}
        for name, value in options.items():
            arguments.choice("option", name, numbers)
            numbers[name] = arguments.integer(name, value, 0, 1024)
        chain = {
            "primes": arguments.integers("primes", primes, 1, 2**62 - 1),
            "special": arguments.integers("special", special, 1, 2**62 - 1),
            "to_slots": arguments.integers("to_slots", to_slots, 1, 17),
            "to_coefficients": arguments.integers("to_coefficients", to_coefficients, 1, 17),
        }
        self._context, self._options = context, {**chain, **numbers}
        self._core = _core.exact_bootstrap.Bootstrapper(context._core, self._options)

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

        The chain is 128-bit secure by the 2024 guidelines. The ephemeral secret, of weight 32, is
        under one key alone, modulo 122 bits at most (91 at n = 2^15): no table covers that.

        Parameters
        ----------
        name : {"exact16", "exact16w", "exact15"}
            log2 of n; ``w``: in words of 32 bits, for cards.
        t, passes
            The plaintext modulus, from 2 on; 1 ... 8, by default three, of "exact15" four.
        insecure_n : int, optional
            The same chain at a smaller n, 2^7 or more, without security, to try circuits out.
        **device
            ``device``, ``threads`` and ``target`` of the scheme's context.
        """
        parameters, options = cls._set(name, t, passes, insecure_n)
        return cls(cls._classes[1](parameters, **device), **options)

    @classmethod
    def _set(
        cls, name: str, t: int, passes: int | None, insecure_n: int | None
    ) -> tuple[Any, dict[str, Any]]:
        """Parameters of the ciphertexts of a named set, and options of the bootstrapper."""
        log_n = arguments.insecure_log_n(insecure_n, 6)
        count = 0 if passes is None else arguments.integer("passes", passes, 1, 8)
        t = arguments.integer("t", t, 2, 2**60 - 1)
        of_parameters, of_context = cls._classes
        parameters, options = _core.exact_bootstrap.bootstrap_preset(
            str(name), t, count, log_n, of_context._scheme == "BGV"
        )
        return of_parameters.custom(**parameters), options

    @property
    def budget_bits(self) -> float:
        """Budget of results of arguments with :attr:`full_budget_bits`, by the heuristic bound."""
        return float(self._core.budget_bits)

    @property
    def full_budget_bits(self) -> float:
        """Budget that arguments need for all of :attr:`budget_bits`; with less they gain less."""
        return float(self._core.full_budget_bits)

    def plan(self, budget: float) -> list[tuple[int, float]]:
        """The passes of an argument of such a budget: log2 of each gain, and the budget after it.

        Raises
        ------
        NoiseError
            It is below what a bootstrap takes, 4.1 bits.
        """
        passes = self._core.plan(arguments.number("budget", budget, 0, 10000, "bits"))
        return [(int(gain), float(bits)) for gain, bits in passes]

    def make_keys(
        self,
        keys: rlwe.Keys | rlwe.SecretKey | rlwe.KeyGenerator,
        *,
        offload: int | None = None,
        seed: BytesLike | None = None,
    ) -> BootstrapKeys:
        """Keys for ciphertexts of this secret; the ephemeral secret is forgotten.

        Parameters and errors are those of :meth:`nttforge.ckks.Bootstrapper.make_keys`; from a seed
        all that is random follows.
        """
        secret = secret_of(keys)
        require_context(self._context, ("keys", secret))
        kept, given = offload_argument(offload), None if seed is None else seed_array(seed)
        return BootstrapKeys(self, self._core.make_keys(secret._core, given, kept))

    def describe(self) -> str:
        """What it does, needs and leaves, in a few lines."""
        core, usable = self._core, self.budget_bits - self.full_budget_bits
        return (
            f"{self.budget_bits:.1f} bits of budget after {core.passes} "
            f"{'pass' if core.passes == 1 else 'passes'} on arguments with "
            f"{self.full_budget_bits:.1f} or more: {usable:.1f} between bootstraps.\n"
            f"From {core.least_budget_bits:.1f} bits on less is gained. One bootstrap in "
            f"2^{self.failure_bits:.1f} leaves less than it says.\n"
            f"Keys: {len(core.rotations)} rotations, the conjugation, relinearization and the two "
            f"of the sparse secret,\n{self.keys_bytes / 1e9:.2f} GB, modulo {core.chain_bits} bits."
        )

    def __repr__(self) -> str:
        return f"<Bootstrapper to {self.budget_bits:.1f} bits of budget, of {self._context!r}>"


BootstrapKeys._machine = Bootstrapper

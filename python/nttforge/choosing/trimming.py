# SPDX-License-Identifier: Apache-2.0
"""A recommended set made as small as a recorded computation allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from .. import bgv
from ..errors import ParameterError
from ..integer_encoding import Parameters
from ..number_theory import ntt_primes
from .noise import Noise, noise_rules
from .traced import Recorder, Traced

if TYPE_CHECKING:
    from ..typing import WordBits

P = TypeVar("P", bound=Parameters)

_SPARE_BITS = 1.0  # of a result's budget: less is not worth other primes
_TRIES = 4


def budgets_of(
    parameters: Parameters, recorder: Recorder, known: list[Noise] | None = None
) -> list[float]:
    """Bits of budget after each step, of which the noise may be known."""
    rules = noise_rules(parameters)
    noises: list[Noise] = known or []
    for step in recorder.steps[len(noises) :]:
        noises.append(step.rule(rules, [noises[i] for i in step.operands]))
    return [rules.budget(noise) for noise in noises]


def lack(parameters: Parameters, recorder: Recorder, results: list[Traced]) -> str:
    """What a set lacks for the results to decrypt; empty: nothing."""
    budgets = budgets_of(parameters, recorder)
    least = min(budgets[result._index] for result in results)
    if least > 0:
        return ""
    index = next(i for i, bits in enumerate(budgets) if bits <= least or bits <= 0)
    return (
        f"step {index + 1} of {len(budgets)} ({recorder.steps[index].name}) leaves "
        f"{budgets[index]:.1f} bits of noise budget, a result {least:.1f}."
    )


def trimmed(whole: P, recorder: Recorder, results: list[Traced], refused: list[str]) -> P:
    """The set with as few of its primes as are enough, and as few bits of them."""
    for count in range(1, len(whole.q)):
        try:
            parameters = with_primes(whole, whole.q[:count])
        except ParameterError as error:
            lacking = str(error)
        else:
            lacking = lack(parameters, recorder, results)
            if not lacking:
                return narrowed(parameters, recorder, results)
        reason = f"n = {whole.n} with {count} of its {len(whole.q)} primes: {lacking}"
        if refused and refused[-1].startswith(f"n = {whole.n} with"):
            refused.pop()
        refused.append(reason)
    return narrowed(whole, recorder, results)


def with_primes(whole: P, primes: Sequence[int]) -> P:
    """The set with other primes of the ciphertext modulus; special primes stay."""
    return type(whole).custom(
        whole.n,
        whole.t,
        primes,
        whole.special,
        security=whole.security,
        security_table=whole.security_table,
        word_bits=cast("WordBits", whole.word_bits),
        digit_primes=min(whole.digit_primes, len(primes)),
    )


def narrowed(whole: P, recorder: Recorder, results: list[Traced]) -> P:
    """The set with as many primes of fewer bits, all alike, so that no budget is left over.

    Ciphertexts and keys have fewer bytes and the set more security; times stay. A set of BGV stays
    as it is: its primes have the sizes that products divide by.
    """
    if isinstance(whole, bgv.Parameters):
        return whole
    budgets, count = budgets_of(whole, recorder), len(whole.q)
    spare = min(budgets[result._index] for result in results) - _SPARE_BITS
    least = whole.n.bit_length() + 4  # of a prime = 1 (mod 2n), with several of that size
    bits = max(least, int((whole.q_bits - spare) / count))
    for size in range(bits, min(bits + _TRIES, min(q.bit_length() for q in whole.q))):
        try:
            found = ntt_primes(whole.n, size, count + 1 + len(whole.special))
            taken = {whole.t, *whole.special}
            primes = [q for q in found if q not in taken][:count]
            parameters = with_primes(whole, primes)
        except ParameterError:  # too few primes of this size
            continue
        if len(primes) == count and not lack(parameters, recorder, results):
            return parameters
    return whole

# SPDX-License-Identifier: Apache-2.0
"""Noise of BGV ciphertexts predicted without the key, and the rule of modulus switching.

A ciphertext's noise is its phase kappa m + t e, centred modulo Q_level (``bgv.Scheme.phase``): two
bounds are carried along, in log2, and decryption is right while the first stays below Q_level / 2.
docs/bounds/bgv_noise.md has the derivations and says what is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp2, inf, log, log2, pi, prod, sin, sqrt

from .hybrid import digit_groups
from .secrets import TERNARY, Secret

#: Each distributional assumption fails with a probability below 2^-ASSUMED.
ASSUMED = 40
#: Bounds of a ciphertext are multiples of this, rounded up, so that no level depends on the last
#: digit of a logarithm.
NOISE_STEP = 1 / 1024


@dataclass(frozen=True)
class Noise:
    """log2 of bounds on the phase: its largest coefficient, its largest value at the roots."""

    coefficient: float
    canonical: float

    def rounded(self) -> Noise:
        """Up to multiples of NOISE_STEP."""
        steps = (ceil(x / NOISE_STEP) for x in (self.coefficient, self.canonical))
        return Noise(*(step * NOISE_STEP for step in steps)) if self.known else self

    @property
    def known(self) -> bool:
        """Whether there is a bound at all."""
        return self.coefficient < inf

    def plus(self, other: Noise) -> Noise:
        """The bound of a sum."""
        return Noise(
            log2_sum(self.coefficient, other.coefficient), log2_sum(self.canonical, other.canonical)
        )

    def times(self, factor_log2: float) -> Noise:
        """The bound of a multiple."""
        return Noise(self.coefficient + factor_log2, self.canonical + factor_log2)


UNKNOWN = Noise(inf, inf)


def log2_sum(a: float, b: float) -> float:
    """log2(2^a + 2^b).

    Examples
    --------
    >>> log2_sum(3, 3), log2_sum(0, float("inf"))
    (4.0, inf)
    """
    high, low = max(a, b), min(a, b)
    return high if high == inf else high + log2(1 + exp2(low - high))


class NoiseModel:
    """Bounds for the ciphertexts of one parameter set.

    Parameters
    ----------
    n, moduli, t, special :
        Dimension, chain of primes, plaintext modulus, special primes.
    secret, sigma :
        Distribution of the secret, deviation of an error.
    digit_primes :
        Primes of a digit of key switching.

    Examples
    --------
    >>> model = NoiseModel(4096, (34359214081, 34359410689), 65537, (68719403009,))
    >>> fresh = model.fresh_public()
    >>> round(fresh.coefficient, 3), round(model.budget_bits(fresh, 2), 3)
    (23.007, 45.993)
    """

    def __init__(
        self,
        n: int,
        moduli: Sequence[int],
        t: int,
        special: Sequence[int] = (),
        secret: Secret = TERNARY,
        sigma: float = 3.2,
        digit_primes: int = 1,
    ) -> None:
        self.n, self.t, self.special, self.sigma = n, t, tuple(special), sigma
        self.moduli_log2 = [log2(q) for q in moduli]
        self.limits = [-1.0]  # log2(Q_level / 2), level 0 ... top
        for bits in self.moduli_log2:
            self.limits.append(self.limits[-1] + bits)
        # In standard deviations: a random polynomial at the n/2 pairs of complex roots of X^n + 1,
        # a product of two there, the n coefficients of a sum of many random terms.
        tail = log(n / 2 * 2**ASSUMED)
        self.at_roots = sqrt(tail)
        self.product_at_roots = (tail + log(pi * tail) / 2) / 2
        self.in_coefficients = sqrt(2 * log(n * 2**ASSUMED))
        # |1 + X + ... + X^(n-1)| at the roots is at most this.
        self.ones = 1 / sin(pi / (2 * n))
        self.secret_square, self.secret, self.secret_product = self._small(secret)
        self.mask_square, _, self.mask_product = self._small(secret.mask)
        # A bound on a sum of all coefficients of the secret, with any signs.
        mean, square = secret.moments(n)
        self.secret_sum = n * mean + self.in_coefficients * sqrt(n * (square - mean**2))
        self.digits = [
            self._digits_of(digit_groups(moduli[:level], digit_primes))
            for level in range(len(moduli) + 1)
        ]

    def _small(self, distribution: Secret) -> tuple[float, float, float]:
        """A polynomial of the distribution: expected sum of squares, and bounds at the roots.

        Those of the polynomial itself, and of its product with a random one of deviation 1.
        """
        n, (mean, square) = self.n, distribution.moments(self.n)
        variance, ones = square - mean**2, self.at_roots * sqrt(n) * mean * self.ones
        at_roots = mean * self.ones + self.at_roots * sqrt(n * variance)
        return n * square, at_roots, ones + self.product_at_roots * n * sqrt(variance)

    def _digits_of(self, groups: Sequence[Sequence[int]]) -> tuple[float, float]:
        """Square roots of the digits' squared bounds, divided by P: coefficients, at the roots.

        Digit i is D_i times a sum of as many polynomials uniform in [0, 1) as it has primes.
        """
        deviation = self.at_roots * sqrt(self.n / 12)
        coefficients = canonical = 0.0
        for group in groups if self.special else ():
            ratio, count = prod(group) / prod(self.special), len(group)
            coefficients += (count * ratio) ** 2
            canonical += (ratio * (count * self.ones / 2 + sqrt(count) * deviation)) ** 2
        return sqrt(coefficients), sqrt(canonical)

    @property
    def top(self) -> int:
        """The level of fresh ciphertexts."""
        return len(self.moduli_log2)

    def budget_bits(self, a: Noise, level: int) -> float:
        """log2(Q_level / (2 bound)): bits left; negative means that decryption may fail."""
        return self.limits[level] - a.coefficient

    def _message(self) -> Noise:
        """Any polynomial with coefficients in [-t/2, t/2]."""
        return Noise(log2(self.t / 2), log2(self.t / 2 * self.ones))

    def rounding(self, parts: int = 2) -> Noise:
        """t (r_0 + r_1 s + ...), the coefficients of r_i uniform in [-1/2, 1/2)."""
        coefficients = 1 + self.secret_square
        canonical = self.at_roots * sqrt(self.n) + self.secret_product
        if parts == 3:
            coefficients += self.secret**2 * self.secret_square
            canonical += self.secret_product * self.secret
        return Noise(
            log2(self.t * self.in_coefficients * sqrt(coefficients / 12)),
            log2(self.t * canonical / sqrt(12)),
        )

    def divided(self) -> Noise:
        """What the division by P leaves: t (r_0 + r_1 s), r_i sums of a uniform polynomials.

        For an odd a above 1 their mean is 1/2, else 0.
        """
        count = len(self.special)
        spread = self.rounding().times(log2(sqrt(count)))
        if count == 1 or count % 2 == 0:
            return spread
        mean = self.t / 2
        return spread.plus(
            Noise(log2(mean * (1 + self.secret_sum)), log2(mean * self.ones * (1 + self.secret)))
        )

    def fresh_secret(self) -> Noise:
        """Encrypted by the secret key."""
        error = self.t * self.sigma
        return self._message().plus(
            Noise(log2(self.in_coefficients * error), log2(self.at_roots * sqrt(self.n) * error))
        )

    def fresh_public(self) -> Noise:
        """Encrypted by the public key, through the special primes where there are any."""
        error = self.t * self.sigma / prod(self.special)
        masked = Noise(
            log2(self.in_coefficients * error * sqrt(self.secret_square + self.mask_square + 1)),
            log2(error * (self.at_roots * sqrt(self.n) + self.secret_product + self.mask_product)),
        )
        zero = masked.plus(self.divided()) if self.special else masked
        return zero.plus(self._message())

    def scale(self, a: Noise, f: int) -> Noise:
        """f times a ciphertext, f an integer other than 0."""
        return a.times(log2(abs(f)))

    def add(self, a: Noise, b: Noise, f: int = 1, g: int = 1) -> Noise:
        """f a + g b at one level, (f, g) the pair that balances the correction factors."""
        return self.scale(a, f).plus(self.scale(b, g))

    def add_plain(self, a: Noise) -> Noise:
        """Plus kappa m, centred."""
        return a.plus(self._message())

    def multiply_plain(self, a: Noise, norm: float) -> Noise:
        """Times a plaintext; norm is the sum of its centred coefficients' absolute values."""
        return a.times(log2(max(norm, 1)))

    def multiply(self, a: Noise, b: Noise, terms: int = 1) -> Noise:
        """Sum of ``terms`` products of two-part ciphertexts at one level, not relinearized."""
        return Noise(self._euclidean(a) + self._euclidean(b), a.canonical + b.canonical).times(
            log2(terms)
        )

    def _euclidean(self, a: Noise) -> float:
        """log2 of a bound on the Euclidean norm of the coefficients."""
        return min(a.canonical, a.coefficient + log2(self.n) / 2)

    def switch_modulus(self, a: Noise, level: int, parts: int = 2) -> Noise:
        """From ``level`` to the one below."""
        return a.times(-self.moduli_log2[level - 1]).plus(self.rounding(parts))

    def key_switch(self, a: Noise, level: int) -> Noise:
        """Relinearized or rotated at a level; needs special primes."""
        error = self.t * self.sigma * sqrt(self.n)
        coefficients, canonical = self.digits[level]
        switched = Noise(
            log2(self.in_coefficients * error * coefficients),
            log2(self.at_roots * error * canonical),
        )
        return a.plus(switched).plus(self.divided())

    # The rule of modulus switching.

    def product_level(
        self, a: Noise, level_a: int, b: Noise, level_b: int
    ) -> tuple[int, Noise, Noise]:
        """The level at which two operands are multiplied, and their bounds there.

        Both go to the lower of their levels, and on down as long as the product's predicted budget
        does not become smaller. Nothing is predicted where a bound is unknown.
        """
        level = min(level_a, level_b)
        a, b = self.to_level(a, level_a, level), self.to_level(b, level_b, level)
        budget = self.product_budget(a, b, level)
        while level > 1 and a.known and b.known:
            lower_a = self.to_level(a, level, level - 1)
            lower_b = self.to_level(b, level, level - 1)
            lower = self.product_budget(lower_a, lower_b, level - 1)
            if lower < budget:
                break
            level, a, b, budget = level - 1, lower_a, lower_b, lower
        return level, a, b

    def to_level(self, a: Noise, level: int, lower: int) -> Noise:
        """The bound of a two-part ciphertext, rounded after every step down."""
        a = a.rounded()
        for above in range(level, lower, -1):
            a = self.switch_modulus(a, above).rounded()
        return a

    def product_budget(self, a: Noise, b: Noise, level: int) -> float:
        """What a product has left, in bits."""
        return self.budget_bits(self.multiply(a, b).rounded(), level)

    # What a parameter set promises.

    def operand(self, a: Noise, level: int) -> Noise:
        """A sum of two, a plaintext added, rotated once where there are keys to rotate."""
        doubled = self.add_plain(self.add(a, a).rounded()).rounded()
        return self.key_switch(doubled, level).rounded() if self.special else doubled

    def product(self, a: Noise, b: Noise, level: int) -> Noise:
        """A product, relinearized where there is a key."""
        tensor = self.multiply(a, b).rounded()
        return self.key_switch(tensor, level).rounded() if self.special else tensor

    def next_level(self, a: Noise, level: int) -> tuple[Noise, int]:
        """One level of the promise: such operands, switched down by the rule, multiplied."""
        a = self.operand(a, level)
        level, a, _ = self.product_level(a, level, a, level)
        return self.product(a, a, level), level

    def promise(self) -> tuple[int, float]:
        """The promised depth and the budget that is left at its end.

        As many levels as decrypt, beginning with public-key ciphertexts; without special prime at
        most one, left at three parts. Without any level: what is left before a product.
        """
        noise, level = self.fresh_public().rounded(), self.top
        depth, left = 0, self.budget_bits(self.operand(noise, level), level)
        while depth < (1000 if self.special else 1):
            noise, level = self.next_level(noise, level)
            budget = self.budget_bits(noise, level)
            if budget <= 0:
                break
            depth, left = depth + 1, budget
        return depth, left

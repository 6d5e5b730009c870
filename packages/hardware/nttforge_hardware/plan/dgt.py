# SPDX-License-Identifier: Apache-2.0
"""Designs for the discrete Galois transform ([Bad18b] Alg. 1): moduli without a power-of-two root.

A polynomial of n coefficients is n / 2 numbers a[j] + a[j + n / 2] i, a residue modulo
Y^(n/2) - i, and the product tree of that ring has the shape of the negacyclic one. So the stages,
permutations and memories are those of an NTT of n / 2 points with words of two residues; folding is
wiring at the port, twisting is in the twiddles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nttforge.errors import ParameterError
from nttforge.spec.transform import Ring, bit_reverse
from nttforge_oracle.dgt import Pair, multiply, power, twist_root
from nttforge_oracle.number_theory import transform_support

from .cores import CoreDesign, choose_cores
from .design import Design, plan_schedules
from .parameters import MAX_LOG_N, HardwareParameters, check_power_of_two, check_prime
from .pipeline import Choice, Pipeline


@dataclass(frozen=True)
class DgtParameters(HardwareParameters):
    """``n``, ``dp``: numbers of GF(q)[i], half of the coefficients; made by ``plan_dgt``."""

    def _check_modulus(self, q: int) -> None:
        check_prime(q)
        largest = transform_support(q).max_n_dgt
        if largest < 2 * self.n:
            raise ParameterError(
                f"moduli: q = {q} does not support a DGT of n = {2 * self.n}; "
                f"its largest is {largest}"
            )

    @property
    def bits(self) -> int:
        return 2 * super().bits

    @property
    def parts(self) -> int:
        return 2


@dataclass(frozen=True)
class DgtCore(CoreDesign):
    """A core on numbers x + y i, kept as x + y 2^bits."""

    @property
    def product_latency(self) -> int:
        return super().product_latency + 3 * (1 + self.pipeline.add_regs)

    def _dsps(self, q: int | None, constant: int | None) -> int:
        return 3 * super()._dsps(q, constant)

    def _pair(self, word: int) -> Pair:
        return word % 2**self.bits, word >> self.bits

    def _word(self, pair: Pair) -> int:
        return pair[0] | pair[1] << self.bits

    def tables(self, n: int, ring: Ring) -> dict[str, list[int]]:
        q = self.q
        forward = dgt_tree(n, q)
        # The inverse of a unit of GF(q)[i] of norm N = x^2 + y^2 is (x - y i) / N.
        back = []
        for x, y in forward:
            norm = pow(x * x + y * y, -1, q)
            back.append((x * norm % q, -y * norm % q))
        factor, half = self.twiddle_factor, (q + 1) // 2

        def stored(tree: list[Pair], f: int) -> list[int]:
            return [self._word((x * f % q, y * f % q)) for x, y in tree]

        return {"forward": stored(forward, factor), "inverse": stored(back, factor * half)}

    def ratio(self, wanted: int, coarse: int) -> int:
        q, (x, y) = self.q, self._pair(coarse)
        norm = pow(x * x + y * y, -1, q)
        u, v = multiply(self._pair(wanted), (x * norm % q, -y * norm % q), q)
        return self._word((u * self.twiddle_factor % q, v * self.twiddle_factor % q))

    def multiply(self, a: int, b: int) -> int:
        """What nttf_complex_multiplier gives."""
        q, one = self.q, super().multiply
        (a0, a1), (b0, b1) = self._pair(a), self._pair(b)
        low, high = one(a0, b0), one(a1, b1)
        whole = one((a0 + a1) % q, (b0 + b1) % q)
        return self._word(((low - high) % q, (whole - low - high) % q))

    def butterfly(self, a: int, b: int, w: int, inverse: bool = False) -> tuple[int, int]:
        """What nttf_butterfly gives with PARTS = 2."""
        q = self.q
        if not inverse:
            product = self._pair(self.multiply(b, w))
            pairs = [*zip(self._pair(a), product, strict=True)]
            total, rest = ([f(u, v) % q for u, v in pairs] for f in (int.__add__, int.__sub__))
            return self._word((total[0], total[1])), self._word((rest[0], rest[1]))
        pairs = [*zip(self._pair(a), self._pair(b), strict=True)]
        half = [(s + (q if s & 1 else 0)) // 2 for s in ((u + v) % q for u, v in pairs)]
        rest = [(u - v) % q for u, v in pairs]
        return self._word((half[0], half[1])), self.multiply(self._word((rest[0], rest[1])), w)


class DgtDesign(Design):
    """A ``Design`` of a DGT: coefficients are 2 n residues, values n words of two residues."""

    def compute(self, limb: int, data: Sequence[int], direction: str = "forward") -> list[int]:
        n, bits = self.parameters.n, self.cores[limb].bits
        if direction == "forward":
            folded = [data[j] | data[j + n] << bits for j in range(n)]
            return super().compute(limb, folded, direction)
        out = super().compute(limb, data, direction)
        return [v % 2**bits for v in out] + [v >> bits for v in out]

    def oracle(self, limb: int, coefficients: Sequence[int]) -> list[int]:
        core = self.cores[limb]
        values = dgt_forward(coefficients, core.q)
        return [x | y << core.bits for x, y in values]

    def port_words(self, data: Sequence[int], direction: str, port: str) -> list[list[int]]:
        p, bits = self.parameters, self.cores[0].bits
        if len(data) == 2 * p.n:
            return [[data[lane * p.words + t] for lane in range(2 * p.dp)] for t in range(p.words)]
        words = super().port_words(data, direction, port)
        return [[part for v in word for part in (v % 2**bits, v >> bits)] for word in words]


def dgt_tree(points: int, q: int) -> list[Pair]:
    """Twiddles W[1 ... points - 1] of the product tree of Y^points - i; W[0] is not used.

    Group j of the stage with m groups holds Y^(points/m) - h^(e points/m), e = 1 + 4 bitrev(j)
    (docs/bounds/dgt.md); its butterflies use the square root of that constant.
    """
    h = twist_root(2 * points, q)
    tree = [(1, 0)]
    m = 1
    while m < points:
        bits = m.bit_length() - 1
        step = power(h, points // (2 * m), q)
        turn = power(step, 4, q)
        powers = [step]
        for _ in range(m - 1):
            powers.append(multiply(powers[-1], turn, q))
        tree += [powers[bit_reverse(j, bits)] for j in range(m)]
        m *= 2
    return tree


def dgt_forward(a: Sequence[int], q: int) -> list[Pair]:
    """The values of ``spec.dgt.forward`` at bit-reversed positions, by the product tree.

    Examples
    --------
    >>> dgt_forward([1, 2, 3, 4], 7)
    [(4, 1), (5, 5)]
    """
    points = len(a) // 2
    x = [(a[j] % q, a[j + points] % q) for j in range(points)]
    tree = dgt_tree(points, q)
    m, half = 1, points // 2
    while m < points:
        for j in range(m):
            w = tree[m + j]
            for i in range(2 * half * j, 2 * half * j + half):
                u, v = x[i], multiply(x[i + half], w, q)
                x[i] = ((u[0] + v[0]) % q, (u[1] + v[1]) % q)
                x[i + half] = ((u[0] - v[0]) % q, (u[1] - v[1]) % q)
        m, half = 2 * m, half // 2
    return x


def plan_dgt(
    n: int,
    moduli: Sequence[int],
    direction: str = "forward",
    dp: int = 4,
    pp: int = 1,
    core: str = "auto",
    pipeline: Pipeline | Choice = "balanced",
    twiddles: str = "table",
    memories: str = "block",
) -> DgtDesign:
    """A design for polynomials of ``n`` coefficients, ``dp`` of them a cycle and limb.

    Parameters
    ----------
    n : int
        A power of two in 16 ... 131072.
    moduli : sequence of int
        Primes with 2n | q^2 - 1 (q = 3 mod 4) or 2n | q - 1.
    dp : int
        A power of two in 4 ... n / 2.
    direction, pp, core, pipeline, twiddles, memories
        As in ``HardwareParameters``; pp at most log2 n - 1.

    Raises
    ------
    ParameterError
        Naming the field, its value, what is allowed and what to do.

    Examples
    --------
    >>> plan_dgt(512, (2**30 - 2**9 - 1,), dp=8, pp=2).latency_cycles("forward")
    300
    """
    check_power_of_two("n", n, 16, 2 << MAX_LOG_N, "")
    check_power_of_two("dp", dp, 4, n // 2, " (n / 2)")
    parameters = DgtParameters(
        n // 2,
        tuple(moduli),
        direction,
        "negacyclic",
        dp // 2,
        pp,
        core,
        pipeline,
        twiddles,
        memories=memories,
    )
    return plan_dgt_parameters(parameters)


def plan_dgt_parameters(parameters: HardwareParameters) -> DgtDesign:
    """Do what ``plan_dgt`` does, from parameters of points (pairs of coefficients)."""
    plain = choose_cores(parameters.core, parameters.moduli, parameters.pipeline)
    cores = tuple(DgtCore(c.kind, c.q, c.bits, c.pipeline, c.two_adicity, c.solinas) for c in plain)
    return DgtDesign(parameters, cores, plan_schedules(parameters, cores[0]))

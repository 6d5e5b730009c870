# SPDX-License-Identifier: Apache-2.0
"""The papers' errata: each proof is a test that carries the erratum's key; plain integers only."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Callable

import pytest

from nttforge_oracle.number_theory import yan22_table_3
from nttforge_papers.all.errata import ERRATA
from nttforge_papers.bad18a.tables import TABLE_II, TABLE_III
from nttforge_papers.kim20.figures import TABLE_II as KIM20_TABLE_II
from nttforge_papers.nttsuite.hardware import TABLE_1

PROOFS: dict[str, Callable[[], None]] = {}


def proof(function: Callable[[], None]) -> Callable[[], None]:
    PROOFS[function.__name__] = function
    return function


def test_every_erratum_has_its_proof() -> None:
    assert sorted(PROOFS) == sorted(e.key for e in ERRATA)
    assert all(e.printed and e.right and e.proof for e in ERRATA)


@pytest.mark.parametrize("key", [e.key for e in ERRATA])
def test_erratum(key: str) -> None:
    PROOFS[key]()


@proof
def kim20_alg_2() -> None:
    p = 17
    printed = [a + product for a in range(4 * p) for product in range(p)]
    assert max(printed) == 5 * p - 2 >= 4 * p
    reduced = [a - 2 * p * (a >= 2 * p) + product for a in range(4 * p) for product in range(p)]
    assert max(reduced) < 4 * p


def _stockham_places(n: int, swapped: bool) -> list[int]:
    """The places that the first stage's stores reach, in order."""
    places, m = [], 1
    outer, inner = (n // 2 // m, m) if swapped else (m, n // 2 // m)
    for j in range(outer):
        for k in range(inner):
            places += [2 * m * j + k, 2 * m * j + k + m]
    return places


@proof
def kim20_alg_3() -> None:
    n = 16
    printed, right = _stockham_places(n, False), _stockham_places(n, True)
    assert len(printed) == n and len(set(printed)) == n // 2 + 1
    assert sorted(right) == list(range(n))


@proof
def kim20_alg_4() -> None:
    p, beta = 29, 2**8

    def product(b: int, w: int, at_least: bool) -> int:
        quotient = b * (w * beta // p) >> 8
        r = b * w - quotient * p
        return r - p if r > p or (at_least and r == p) else r

    cases = list(itertools.product(range(4 * p), range(p)))
    assert product(p, 5, False) == p
    assert all(product(b, w, True) == b * w % p for b, w in cases)
    assert any(product(b, w, False) != b * w % p for b, w in cases)
    # Shifted to the left, the quotient is no quotient.
    assert (7 * (5 * beta // p)) << 8 != 7 * 5 // p


@proof
def kim20_fig_3() -> None:
    assert abs(1426.4 - KIM20_TABLE_II[17][0]) < 1 < 1426.4 * 20
    assert round(1426.4 * 21) == 29954 and round(2751.5 / 1426.4, 2) == 1.93


@proof
def kim20_fig_6() -> None:
    blocks, threads, points, words = 4, 4, 4, 4
    (n1,) = [r for r in (4, 16) if 64 // r == blocks and r // points == threads]
    assert n1 == 16 and 64 // n1 * 8 == 32 and 1 - 1 / words == 0.75


@proof
def kim20_section_3b() -> None:
    q, n = 12289, 4096
    assert q % n == 1 and q % (2 * n) != 1
    assert not any(pow(x, n, q) == q - 1 for x in range(1, q))


@proof
def din24_alg_1() -> None:
    q, n, root = 17, 4, 4
    x = [3, 1, 4, 2]
    y = [x[0], x[2], x[1], x[3]]  # bit reversed
    for _ in range(2):
        sums = [(y[2 * r] + y[2 * r + 1]) % q for r in range(n // 2)]
        y = sums + [(y[2 * r] - y[2 * r + 1]) % q for r in range(n // 2)]
    definition = [sum(x[i] * pow(root, i * k, q) for i in range(n)) % q for k in range(n)]
    signs = [sum(x[i] * (-1) ** (i & k).bit_count() for i in range(n)) % q for k in range(n)]
    assert sorted(y) == sorted(signs) and sorted(y) != sorted(definition)


@proof
def din24_no_copy() -> None:
    t, r = 6, 3
    printed = [4 * r, 4 * r + 1, 4 * r + 2, 4 * r + 3, *[4 * r + 2 ** (t - 1)] * 4]
    right = [half + 4 * r + i for half in (0, 2 ** (t - 1)) for i in range(4)]
    assert len(set(printed)) == 5 and len(set(right)) == 8


@proof
def din24_most_hardware() -> None:
    most = [
        max(TABLE_1, key=lambda name, i=i: max(row[i] for row in TABLE_1[name][2]))
        for i in range(1, 5)
    ]
    assert most == ["six_step", "pease_nc 16", "six_step", "pease"]


@proof
def din24_proportional() -> None:
    growth = {name: rows[2][0] / rows[0][0] for name, (_, _, rows) in TABLE_1.items()}
    slow = [growth[name] for name in ("dif", "dit", "flat", "stockham")]
    assert 21.8 <= min(slow) <= max(slow) < 22.35
    assert round(min(growth.values()), 1) == 11.1 and round(max(growth.values()), 1) == 22.3
    assert 16384 * 14 / (1024 * 10) == 22.4


@proof
def din24_size() -> None:
    assert 16834 & 16833 and not 16384 & 16383


@proof
def bad18a_table_iii() -> None:
    base, optimised = TABLE_III[15, "forward"]
    assert round(base / optimised, 2) == 1.24
    assert (base - 0.005) / (optimised + 0.005) > 1.235


@proof
def bad18a_alg_1() -> None:
    q, m, n = 17, 2, 4
    size, root = m * n, 2  # 2 has order 8 modulo 17
    a = [3, 1, 4, 1, 5, 9, 2, 6]

    def transform(x: list[int], w: int) -> list[int]:
        return [sum(v * pow(w, i * k, q) for i, v in enumerate(x)) % q for k in range(len(x))]

    def four_steps(twiddle: int) -> list[int]:
        rows = [a[n * i : n * (i + 1)] for i in range(m)]
        columns = [transform([row[j] for row in rows], pow(root, n, q)) for j in range(n)]
        mixed = [[columns[j][i] * pow(twiddle, i * j, q) % q for j in range(n)] for i in range(m)]
        done = [transform(row, pow(root, m, q)) for row in mixed]
        return [done[i][j] for j in range(n) for i in range(m)]

    definition = transform(a, root)
    assert len(definition) == size and four_steps(root) == definition
    assert four_steps(pow(root, m, q)) != definition


@proof
def bad18a_efficiency() -> None:
    divergent = [
        row[0] for (_, kernel), row in TABLE_II.items() if kernel.startswith(("first", "second"))
    ]
    assert len(divergent) == 9 and round(statistics.mean(divergent), 2) == 84.49
    assert (min(divergent), max(divergent)) == (83.77, 84.95)


def _garner(residues: list[int], moduli: list[int], begin: int | None = None) -> int:
    constants = [math.prod(pow(m, -1, moduli[i]) for m in moduli[:i]) for i in range(len(moduli))]
    x = residues[0] if begin is None else begin
    for i in range(1, len(moduli)):
        u = (residues[i] - x) * constants[i] % moduli[i]
        x += u * math.prod(moduli[:i])
    return x


@proof
def bad18b_alg_4() -> None:
    moduli = [3, 5, 7]
    t = pow(moduli[1], -1, moduli[2])  # what t is last in the precomputation
    assert all(_garner([x % m for m in moduli], moduli) == x for x in range(105))
    assert _garner([5 % m for m in moduli], moduli, begin=t) != 5


@proof
def bad18b_appendix() -> None:
    listing = """
        uint32 t0 = ((uint64)tab_c[m]*in[m*n+t_id]) % p;
        int64 t1 = (int64)x[0] - in[m*n+t_id];
        x[0] = t1;
        u = MP_mod_SP(x, x_w32_cnt, p);
        u = ((uint64)tab_minus_c[m]*u) % p;
        u = t2;
    """
    assert re.findall(r"\bt2\b", listing) == ["t2"] and re.findall(r"\bt0\b", listing) == ["t0"]
    moduli = [3, 5, 7]
    for x in range(105):
        value = x % 3
        for i in (1, 2):
            p = moduli[i]
            c = pow(math.prod(moduli[:i]), -1, p)
            t0 = c * (x % p) % p
            u = (p - c) * (value % p) % p
            value += (t0 + u) % p * math.prod(moduli[:i])
        assert value == x


@proof
def bad18b_table_3() -> None:
    cores = 2 * 6
    assert cores == 12 and cores * 2 == 24


@proof
def bad18b_primes() -> None:
    for bits, count in ((62, 2), (186, 6), (372, 12), (744, 24)):
        assert bits == 31 * count
        assert not any(31 * k + 1 <= bits <= 32 * k for k in range(1, 31))


@proof
def yan22_alg_1() -> None:
    n = 8
    phi = list(range(n))
    t, m, stages = n, 1, 0
    with pytest.raises(IndexError):
        while m <= n:  # as printed
            t //= 2
            for i in range(m):
                phi[m + i]
            m, stages = 2 * m, stages + 1
    assert (m, stages, t) == (n, 3, 0)


@proof
def yan22_tree() -> None:
    def depth(operations: int) -> int:
        return operations.bit_length()  # of operations + 1 leaves: ceil(log2(operations + 1))

    assert all(2 ** depth(k) >= k + 1 > 2 ** (depth(k) - 1) for k in range(1, 32))
    assert (depth(3), depth(4)) == (2, 3)


@proof
def yan22_table_3_() -> None:
    none = [s for s in yan22_table_3() if s.max_n_negacyclic == 1]
    assert len(none) == 5 and all((s.q - 1) % 4 == 2 for s in none)


PROOFS["yan22_table_3"] = PROOFS.pop("yan22_table_3_")


@proof
def yan22_table_4() -> None:
    moved = 2 * 4 * 8192 * 52 / 8
    assert moved == 425984 and round(moved / 78e3, 2) == 5.46 > 4.5


@proof
def yan22_table_7_cycles() -> None:
    assert pytest.approx(7128) == 39.6 * 180 and 14 * 16384 // 32 == 7168
    assert round(39.65 * 180.5) == 7157 < 7168 and round(7168 / 180, 1) == 39.8


@proof
def yan22_table_7_efficiency() -> None:
    cycles = 8192 * 14 / 16
    assert cycles == 7168 and round(100 * cycles / 7128, 1) == 100.6
    assert round(cycles / 0.673 / 180, 1) == 59.2


@proof
def yan22_table_7_gpu() -> None:
    butterflies = 8192 * 14 * 21
    assert butterflies == 2408448 and round(20 * butterflies / 1e9, 4) == 0.0482
    assert round(2 * 20 * butterflies / 1e9, 3) == 0.096
    share = 20 * butterflies / 44.1e-6 / 6.14e12
    assert round(100 * share, 1) == 17.8 and round(200 * share, 1) in (35.5, 35.6)

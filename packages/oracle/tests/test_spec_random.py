# SPDX-License-Identifier: Apache-2.0
"""ChaCha20 against RFC 8439, tables against FLINT's intervals, samples against their rules."""

import math
from fractions import Fraction

import flint
import pytest

from nttforge_oracle import chacha20, gaussian, sampling

SEED = bytes(range(32))

# RFC 8439: section 2.3.2, and A.1 test vectors 1 and 2.
RFC_BLOCKS = [
    (
        bytes(range(32)),
        1,
        "000000090000004a00000000",
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    ),
    (
        bytes(32),
        0,
        "00" * 12,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    (
        bytes(32),
        1,
        "00" * 12,
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
]


@pytest.mark.parametrize(("key", "counter", "nonce", "expected"), RFC_BLOCKS)
def test_chacha20_of_the_rfc(key, counter, nonce, expected):
    assert chacha20.block(key, counter, bytes.fromhex(nonce)).hex() == expected


def test_chacha20_encrypts_the_rfcs_sunscreen():
    """RFC 8439 section 2.4.2, first and last bytes of the ciphertext."""
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it."
    )
    nonce = bytes.fromhex("000000000000004a00000000")
    stream = chacha20.block(bytes(range(32)), 1, nonce) + chacha20.block(bytes(range(32)), 2, nonce)
    cipher = bytes(a ^ b for a, b in zip(text, stream, strict=False))
    assert len(cipher) == 114
    assert cipher[:16].hex() == "6e2e359a2568f98041ba0728dd0d6981"
    assert cipher[-2:].hex() == "874d"


@pytest.mark.parametrize(("key", "counter", "nonce"), [(31, 0, 12), (32, 2**32, 12), (32, 0, 8)])
def test_chacha20_errors(key, counter, nonce):
    with pytest.raises(ValueError, match="32 bytes"):
        chacha20.block(bytes(key), counter, bytes(nonce))


def test_stream_is_addressed_by_domain_index_lane_and_word():
    stream = sampling.Stream(SEED, 0x01020304, 0x05060708)
    nonce = bytes.fromhex("0403020108070605") + (0x0A0B0C0D).to_bytes(4, "little")
    data = chacha20.block(SEED, 0, nonce) + chacha20.block(SEED, 1, nonce)
    expected = [int.from_bytes(data[8 * i : 8 * i + 8], "little") for i in range(16)]
    for first in range(15):
        words = stream.words(0x0A0B0C0D, first)
        assert [next(words) for _ in range(16 - first)] == expected[first:]


def test_rejected_samples_take_the_same_position_of_the_next_lane():
    stream, q, limb = sampling.Stream(SEED, 1, 2), 2**64 // 5 + 1, 7  # rejects one word in five
    below = q * (2**64 // q)
    lanes = [stream.words(limb << 8 | r) for r in range(8)]
    words = [[next(lane) for lane in lanes] for _ in range(200)]
    rounds = [next(r for r, w in enumerate(row) if w < below) for row in words]
    assert max(rounds) >= 2
    expected = [row[r] % q for row, r in zip(words, rounds, strict=True)]
    assert sampling.uniform(stream, limb, q, 200) == expected
    # A prefix is a prefix: samples do not depend on how many are drawn.
    assert sampling.uniform(stream, limb, q, 50) == expected[:50]


def test_limbs_and_streams_differ():
    q = 2**61 - 1
    samples = [
        tuple(sampling.uniform(sampling.Stream(seed, domain, index), limb, q, 4))
        for seed in (SEED, bytes(32))
        for domain in (1, 2)
        for index in (0, 1)
        for limb in (0, 1)
    ]
    assert len(set(samples)) == 16


@pytest.mark.parametrize(
    ("limb", "q", "message"),
    [(2**24, 97, "limb"), (-1, 97, "limb"), (0, 1, "q = 1 "), (0, 2**62, "q = ")],
)
def test_uniform_errors(limb, q, message):
    with pytest.raises(ValueError, match=message):
        sampling.uniform(sampling.Stream(SEED), limb, q, 1)


def chi_square(counts: dict[int, int], probabilities: dict[int, float]) -> float:
    total = sum(counts.values())
    return sum((counts.get(v, 0) - total * p) ** 2 / (total * p) for v, p in probabilities.items())


def counted(samples):
    return {v: samples.count(v) for v in set(samples)}


def test_distributions_by_chi_square():
    """Fixed seed; limits at a chance of about one in 10^6."""
    stream = sampling.Stream(SEED, 100, 1)
    ternary = counted(sampling.ternary(stream, 3000))
    assert set(ternary) == {-1, 0, 1}
    assert chi_square(ternary, dict.fromkeys((-1, 0, 1), 1 / 3)) < 28
    binary = counted(sampling.binary(stream, 3000))
    assert set(binary) == {0, 1}
    assert chi_square(binary, {0: 0.5, 1: 0.5}) < 24
    support = [(i, j) for i in range(4) for j in range(i)]
    vectors = []
    for index in range(600):
        vector = sampling.sparse(sampling.Stream(SEED, 100, index), 2, 4)
        assert sum(map(abs, vector)) == 2
        vectors.append(tuple(vector))
    signs = [(a, b) for a in (-1, 1) for b in (-1, 1)]
    all_vectors = [
        tuple(a if k == i else b if k == j else 0 for k in range(4))
        for i, j in support
        for a, b in signs
    ]
    assert chi_square(counted(vectors), dict.fromkeys(all_vectors, 1 / 24)) < 74
    uniform = counted(sampling.uniform(stream, 3, 17, 3400))
    assert chi_square(uniform, dict.fromkeys(range(17), 1 / 17)) < 60
    for d in gaussian.DISTRIBUTIONS:
        reach = int(2 * float(d.sigma))
        errors = sampling.error(stream, d, 4000)
        masses = [float(p) for p in gaussian.table_probabilities(d)]
        probabilities = {v: masses[abs(v)] / (2 if v else 1) for v in range(-reach, reach + 1)}
        inside = sum(probabilities.values())
        probabilities = {v: p / inside for v, p in probabilities.items()}
        counts = counted([e for e in errors if abs(e) <= reach])
        assert chi_square(counts, probabilities) < 100
        assert max(map(abs, errors)) <= d.bound


# Tables: docs/bounds/gaussian.md.


@pytest.mark.parametrize("d", gaussian.DISTRIBUTIONS)
def test_tables_by_interval_arithmetic(d):
    with flint.ctx.workprec(600):
        two_sigma_squared = 2 * flint.arb(flint.fmpq(*_ratio(d.sigma))) ** 2
        rho = [(-flint.arb(x * x) / two_sigma_squared).exp() for x in range(-d.bound, d.bound + 1)]
        total = sum(rho, flint.arb(0))
        for k, entry in enumerate(gaussian.gaussian_table(d)):
            inside = sum(rho[d.bound - k : d.bound + k + 1], flint.arb(0)) / total
            assert (inside * 2**63).floor().unique_fmpz() == entry


def _ratio(decimal: str) -> tuple[int, int]:
    whole, _, fraction = decimal.partition(".")
    return int(whole + fraction), 10 ** len(fraction)


@pytest.mark.parametrize("d", gaussian.DISTRIBUTIONS)
def test_words_at_the_table_limits(d):
    table = gaussian.gaussian_table(d)
    assert len(table) == d.bound
    assert table == sorted(table)
    assert table[-1] < 2**63
    for k, entry in enumerate(table):
        # T[k] - 1 gives at most k, T[k] at least k + 1.
        assert abs(sampling.error_of_word(2 * (entry - 1), table)) <= k
        assert sampling.error_of_word(2 * entry, table) >= k + 1
        assert sampling.error_of_word(2 * entry + 1, table) <= -(k + 1)
    assert sampling.error_of_word(0, table) == sampling.error_of_word(1, table) == 0
    assert sampling.error_of_word(2**64 - 1, table) == -d.bound


def test_distances_that_the_document_states():
    limits = [(60, 126), (59, 29)]
    for d, (table_bits, tail_bits) in zip(gaussian.DISTRIBUTIONS, limits, strict=True):
        distance, tail = gaussian.table_distance(d), gaussian.tail_mass(d)
        assert 2.0 ** -(table_bits + 1) < distance < 2.0**-table_bits
        assert distance < (d.bound + 1) * 2.0**-64
        assert 2.0 ** -(tail_bits + 1) < tail < 2.0**-tail_bits


def test_magnitudes_that_sigma_3_2_never_gives():
    p = gaussian.table_probabilities(gaussian.SIGMA_3_2)
    assert [k for k, v in enumerate(p) if v == 0] == list(range(30, 41))
    assert p[41] * 2**63 == 1


@pytest.mark.parametrize("d", gaussian.DISTRIBUTIONS)
def test_table_has_the_standard_deviation(d):
    variance = sum(k * k * p for k, p in enumerate(gaussian.table_probabilities(d)))
    assert math.isclose(math.sqrt(variance), float(d.sigma), rel_tol=1e-7)


@pytest.mark.parametrize("d", gaussian.DISTRIBUTIONS)
def test_moments_of_the_tables_are_within_those_of_the_proved_noise_bound(d):
    """docs/bounds/noise.md: E e^2 <= s^2 and E e^4 <= 3 s^4 for s = 1.0001 sigma, exactly."""
    sigma = Fraction(d.sigma) * Fraction(10001, 10000)
    moments = [
        sum(k**power * p for k, p in enumerate(gaussian.table_probabilities(d))) for power in (2, 4)
    ]
    assert moments[0] <= sigma**2
    assert moments[1] <= 3 * sigma**4


@pytest.mark.parametrize("n", [4, 16, 64])
def test_weights_of_a_direction_at_a_root_have_squares_that_add_up_to_half_of_n(n):
    """The variance that the proved bound takes at the roots: sum_j Re(u zeta^j)^2 = n/2."""
    for root in (1, 3, n - 1):
        for direction in range(16):
            angles = [math.pi * (j * root / n - direction / 8) for j in range(n)]
            assert math.isclose(sum(math.cos(a) ** 2 for a in angles), n / 2)


def test_a_ternary_coefficient_is_sub_gaussian_with_parameter_two_thirds():
    """(1 + 2 cosh x) / 3 <= exp(x^2 / 3), term by term: 2 * 3^(k - 1) k! <= (2k)!."""
    for k in range(1, 60):
        assert 2 * 3 ** (k - 1) * math.factorial(k) <= math.factorial(2 * k)


class WordsAtTheLimit:
    """Stands for a stream: position 0 of rounds 0 ... 3 gives these words."""

    def __init__(self, *words):
        self.given = words

    def words(self, lane, first=0):
        assert first == 0
        return iter([self.given[lane & 255]])


@pytest.mark.parametrize("q", [3, 97, 2**61 + 1, 2**64 // 5 + 1])
def test_rejection_at_its_limit(q):
    limit = q * (2**64 // q)
    assert sampling.uniform(WordsAtTheLimit(limit - 1), 0, q, 1) == [q - 1]
    assert sampling.uniform(WordsAtTheLimit(limit, 2**64 - 1, q + 1), 0, q, 1) == [1]
    limit = 2**64 - 1
    assert sampling.ternary(WordsAtTheLimit(limit - 1), 1) == [1]
    assert sampling.ternary(WordsAtTheLimit(limit, 3), 1) == [-1]

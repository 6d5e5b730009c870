# SPDX-License-Identifier: Apache-2.0
"""What users of other libraries complained about, as tests.

Numbers are those of the table of requirements in the issue; each test names a thread in which
somebody had the trouble.
"""

from __future__ import annotations

import numpy as np
import pytest
from devices import gpu_devices
from small_ckks import check, small_set, uniform

from nttforge import ParameterError, PrecisionError, available_targets, ckks, ntt_primes
from nttforge.errors import MissingKeyError

SEED = bytes(range(32))


def _chain(*bits: int, n: int = 8192) -> list[int]:
    """Distinct primes of these sizes."""
    found: list[int] = []
    for size in bits:
        more = ntt_primes(n, size, len(bits))
        found.append(next(q for q in more if q not in found))
    return found


@pytest.fixture(scope="module")
def seal_like() -> ckks.Keys:
    """SEAL's examples: {60, 40, 40, 60} and a scale of 2^40."""
    *q, special = _chain(60, 40, 40, 60)
    parameters = ckks.Parameters.custom(8192, 2.0**40, q, special)
    return ckks.Context(parameters).generate_keys()


def test_1_sums_align_scales_and_levels(seal_like: ckks.Keys) -> None:
    # SEAL 300, 659, 351: "scale mismatch", "encrypted1 and encrypted2 parameter mismatch".
    keys = seal_like
    x, y = keys.encrypt([2.0], bound=16), keys.encrypt([12.0], bound=16)
    cube = ((x * x).relinearize(keys) * x).relinearize(keys)
    assert keys.decrypt(cube + y)[0] == pytest.approx(20, abs=1e-5)
    assert keys.decrypt(y + cube)[0] == pytest.approx(20, abs=1e-5)
    one, two = keys.encrypt([1.0], bound=2), keys.encrypt([2.0], bound=2)
    assert keys.decrypt(one * one + two)[0] == pytest.approx(3, abs=1e-5)
    assert (cube + y).level == 1 and cube.scale == (cube + y).scale


def test_2_exhausted_levels_are_named(seal_like: ckks.Keys) -> None:
    # TenSEAL 78, 300; SEAL 70, 182: "end of modulus switching chain reached".
    x = seal_like.encrypt([0.5])
    square = (x * x).relinearize(seal_like)
    fourth = (square * square).relinearize(seal_like)
    with pytest.raises(ParameterError, match=r"needs 1 level, 0 left: .*more levels"):
        fourth * fourth
    with pytest.raises(ParameterError, match=r"needs 1 level, 0 left.*preset\(2\*\*14\) has 7"):
        fourth * [0.5]
    assert seal_like.decrypt(fourth * 3 + 1)[0] == pytest.approx(1.1875, abs=1e-5)


def test_3_a_scale_too_large_is_refused_with_numbers() -> None:
    # SEAL 406, 182: "scale out of bounds" at an unexpected place.
    q = _chain(30, 24, n=2048)
    parameters = ckks.Parameters.custom(2048, 2.0**20, q, security="insecure_by_request")
    keys = ckks.Context(parameters).generate_keys()
    x = keys.encrypt([1, 0.5], scale=2.0**30)
    with pytest.raises(PrecisionError, match=r"2\^\d+.* need .* bits, and level 2 has"):
        keys.encrypt([1], scale=2.0**54)
    y = x * (1 << 20)
    with pytest.raises(PrecisionError, match=r"at scale 2\^60.0 need .* bits, and level 2 has"):
        x * x
    assert keys.decrypt(y)[0] == pytest.approx(2**20, rel=1e-3)


def test_4_numbers_or_an_error_but_no_garbage() -> None:
    # SEAL 8: NaN from twenty primes of 50 bits; OpenFHE 334, 564, 817.
    parameters = small_set(8192, 18, 50)
    keys = ckks.Context(parameters).generate_keys()
    values, bits = keys.decrypt(keys.encrypt([1.1, 2.2], bound=4), with_precision=True)
    assert np.abs(values[:2] - [1.1, 2.2]).max() <= min(1e-9, 2.0**-bits)
    small = keys.encrypt([1e-12], bound=1e-12)
    with pytest.raises(PrecisionError, match=r"numbers are below 2\^-39\..*no bit is left"):
        keys.decrypt(small)


def test_5_large_negative_and_tiny_numbers() -> None:
    # SEAL 757; Lattigo 395: a scale near 2^64 gave 0.5 for 1; OpenFHE 1257: tiny inputs.
    parameters = small_set(64, 3, 40, 2)
    keys = ckks.Context(parameters).generate_keys()
    encryptor = ckks.Encryptor(keys.secret)

    def back(value: float, scale: float, bound: float) -> np.ndarray:
        plain = ckks.Plaintext(keys.context, value, bound=bound)
        return keys.decrypt(encryptor.encrypt(plain, scale=scale))

    assert back(-(2.0**62), 1, 2.0**62) == pytest.approx(-(2.0**62), rel=1e-15)
    for scale in (2.0**64, 2.0**64 - 2.0**12, 2.0**63, 2.0**90):
        assert back(1, scale, 1) == pytest.approx(1, abs=1e-14)
    assert np.abs(back(1e-300, 2.0**40, 1)).max() < 1e-9
    got = back(14556132.156, 2.0**40, 2.0**24)
    assert np.abs(got / 14556132.156 - 1).max() < 2.0**-30


def test_6_rotations_by_any_step() -> None:
    # HEonGPU 4: -3 gave NaN; Lattigo 329; SEAL 569; OpenFHE 675: keys were missing without a word.
    context = ckks.Context(small_set(128, 1))
    keys = context.generate_keys(rotations=[-3, -2, 1, 4])
    values = np.arange(1, 9) / 8
    x = keys.encrypt(values, slots=8)
    for step in range(-20, 21):
        rotated = x.rotate_rows(step, keys, compose=True)
        assert keys.decrypt(rotated) == pytest.approx(np.roll(values, -step), abs=1e-5), step
    full = keys.encrypt(np.arange(64) / 64)
    for step in (-3, -2, 1, 4):
        expected = np.roll(np.arange(64) / 64, -step)
        assert keys.decrypt(full.rotate_rows(step, keys)) == pytest.approx(expected, abs=1e-5)
    assert full.rotate_rows(0, context.generate_keys()).same_words(full)
    with pytest.raises(MissingKeyError, match=r"step 27.*-3, -2, 1, 4"):
        full.rotate_rows(27, keys)
    wide = ckks.Context(ckks.Parameters.preset(2**13, 36, levels=1))
    owner = wide.generate_keys(rotations=[1 << i for i in range(12)])
    values = uniform(np.random.default_rng(3), 4096, True)
    turned = owner.encrypt(values).rotate_rows(1366, owner, compose=True)
    check(owner, turned, np.roll(values, -1366))


def test_7_operands_stay_as_they_are() -> None:
    # Lattigo 338: Sub(a, b, b) with other scales; 476: an input was changed.
    keys = ckks.Context(small_set(64, 3)).generate_keys(rotations=[1], conjugation=True)
    x = keys.encrypt([0.5, 0.25j])
    y = (x * x).relinearize(keys)
    before = [t.to_bytes() for t in (x, y)]
    made = y
    made -= x
    made *= made
    assert keys.decrypt(y - y)[0] == pytest.approx(0, abs=1e-6)
    for _ in (
        y + x,
        x - y,
        y * x,
        y * 0.5,
        x.conjugate(keys),
        y.multiply_by_i(),
        -y,
        x.power(3, keys),
    ):
        assert [t.to_bytes() for t in (x, y)] == before
    assert keys.decrypt(made)[0] == pytest.approx(0.0625, abs=1e-6)


def test_13_imaginary_parts_count() -> None:
    # Lattigo 578: the L2 norm of an error left its imaginary part out.
    keys = ckks.Context(small_set(64, 2)).generate_keys()
    values = np.zeros(32, dtype=complex)
    got = keys.decrypt(keys.encrypt(values + 1e-3j))
    found = ckks.precision_statistics(got, values)
    assert found.complex.l2 == pytest.approx(9.97, abs=0.01)
    assert found.imaginary.l2 == pytest.approx(9.97, abs=0.01) and found.real.worst > 20
    x = keys.encrypt(values + 1e-3j)
    assert not x.real and np.abs(got.imag - 1e-3).max() <= x.error


def test_14_results_depend_on_no_thread_and_no_device() -> None:
    # SEAL 351; FIDESlib PR 46; OpenFHE 1203.
    parameters = small_set(64, 3, 40, 2)
    values = uniform(np.random.default_rng(5), (2, 32))
    contexts = [ckks.Context(parameters, threads=t) for t in (1, 2, 8)]
    contexts += [ckks.Context(parameters, target=t) for t in available_targets()]
    contexts += [ckks.Context(parameters, device) for device in gpu_devices()]
    transcripts = set()
    for context in contexts:
        matrix = ckks.LinearMap([[1, 0.5], [0.25j, 2]], context)
        steps = [1, 2, *matrix.rotations]
        keys = context.generate_keys(rotations=steps, conjugation=True, seed=SEED)
        plain = ckks.Plaintext(context, values)
        x = ckks.Encryptor(keys.public).encrypt(plain, seed=SEED, index=1)
        y = (x * x + x).relinearize(keys) * plain - 0.25
        made = [x, y, y.rotate_rows(1, keys), y.conjugate(keys), x.multiply_by_i(), x * (2 - 1j)]
        made += [x.matmul(matrix, keys), x.polynomial([1, 0.5, 0, 0.25], keys)]
        transcripts.add(
            (
                b"".join(m.to_bytes() for m in made),
                b"".join(keys.decrypt(m).tobytes() for m in made),
            )
        )
    assert len(transcripts) == 1


def test_15_worst_cases_stay_within_the_error_that_is_carried() -> None:
    # TenSEAL 518 (fhe-oracle): inputs searched for that make (w x + b)^2 wrong; SEAL 362: depth 53.
    keys = ckks.Context(small_set(64, 2)).generate_keys()
    rng = np.random.default_rng(7)
    for _ in range(20):
        w, b = rng.uniform(-8, 8, 32), rng.uniform(-8, 8, 32)
        worst = np.sign(w * b)  # the largest results
        x = keys.encrypt(worst)
        check(keys, (x * w + b).square_relinearize(keys), (w * worst + b) ** 2)
    deep = ckks.Context(small_set(64, 50, 45, 2)).generate_keys()
    x, exact = deep.encrypt(0.999999), 0.999999
    for _ in range(50):
        try:
            check(deep, x, exact)
        except PrecisionError:
            break
        x, exact = x.square_relinearize(deep), exact * exact
    else:
        raise AssertionError("nothing was left of the numbers, and decryption did not say so")
    assert x.levels_left < 35


def test_16_a_predicted_precision_is_what_is_measured() -> None:
    # TenSEAL 205, 310; SEAL 574: parameters were guessed.
    parameters = ckks.Parameters.preset(2**14, 40, levels=6)
    keys = ckks.Context(parameters).generate_keys()
    exact = np.random.default_rng(2).uniform(-1, 1, 8192)
    x = keys.encrypt(exact)
    for depth in range(parameters.depth + 1):
        predicted = -np.log2(parameters.predicted_error(depth))
        measured = -np.log2(np.abs(keys.decrypt(x) - exact).max())
        assert 0 < measured - predicted < 9, (depth, predicted, measured)
        if depth < parameters.depth:
            x, exact = x.square_relinearize(keys), exact**2

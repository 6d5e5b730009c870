# SPDX-License-Identifier: Apache-2.0
"""Answers that leave the house, and the proved bound that they rest on."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from devices import gpu_devices

import nttforge
from nttforge import _core, bfv, bgv

SEED = bytes(range(32))


def _context(scheme: Any, device: str = "cpu") -> Any:
    chain = nttforge.ntt_primes(64, 50, 5)
    parameters = scheme.Parameters.custom(
        64, 257, chain[:4], chain[4], security="insecure_by_request"
    )
    return scheme.Context(parameters, device)


@pytest.mark.parametrize("scheme", [bfv, bgv])
@pytest.mark.parametrize("device", ["cpu", *gpu_devices()])
def test_shared_answers_are_right_on_every_device(scheme: Any, device: str) -> None:
    context = _context(scheme, device)
    keys = context.generate_keys(seed=SEED)
    values = np.arange(64) - 32
    x = keys.encrypt(values)
    decryptor, encoder = scheme.Decryptor(keys.secret), scheme.BatchEncoder(context)
    product = (x * x).relinearize(keys.relinearization)
    assert product.proved_noise_budget_bits > 48
    plain = decryptor.decrypt_shared(product, security_bits=40)
    assert (encoder.decode(plain, signed=False) == values * values % 257).all()
    rows = keys.encrypt(np.stack([values, -values]))
    plain = decryptor.decrypt_shared(rows)
    assert (encoder.decode(plain) == np.stack([values, -values])).all()


def test_what_is_refused() -> None:
    context = _context(bfv)
    keys = context.generate_keys()
    x = keys.encrypt([1, 2])
    decryptor = bfv.Decryptor(keys.secret)
    for bits in (19, 129):
        with pytest.raises(nttforge.ParameterError, match=f"security_bits = {bits}"):
            decryptor.decrypt_shared(x, security_bits=bits)
    with pytest.raises(nttforge.ParameterError, match="bound"):
        decryptor.decrypt_shared(x, bound="measured")  # type: ignore[arg-type]
    while x.proved_noise_budget_bits > 72:
        x = (x * x).relinearize(keys.relinearization)
    left = f"{x.proved_noise_budget_bits:.1f}"
    with pytest.raises(nttforge.NoiseError) as caught:
        decryptor.decrypt_shared(x)
    assert str(caught.value) == (
        f"ciphertext: its proved noise budget is {left} bits and an answer to be shared needs 72.0 "
        "(64 of security_bits, the rest for n = 64); use parameters with more room, fewer "
        'operations or fewer security_bits, or rely on the prediction (bound = "heuristic")'
    )
    loaded = bfv.Ciphertext.from_bytes(context, x.to_bytes())
    assert loaded.proved_noise_budget_bits is None
    with pytest.raises(nttforge.NoiseError) as caught:
        decryptor.decrypt_shared(loaded, security_bits=20)
    assert str(caught.value) == (
        "ciphertext: nothing is proved of its noise, as bytes prove nothing; state the budget that "
        "the computation leaves, from your own run of it (proved_bits = "
        "f(x).proved_noise_budget_bits), or rely on what its maker predicted "
        '(bound = "heuristic")'
    )
    decryptor.decrypt_shared(loaded, security_bits=20, bound="heuristic")
    decryptor.decrypt_shared(loaded, security_bits=20, proved_bits=x.proved_noise_budget_bits)
    with pytest.raises(nttforge.NoiseError, match=r"its stated noise budget is 27\.9 bits and an"):
        decryptor.decrypt_shared(loaded, security_bits=20, proved_bits=27.9)
    with pytest.raises(nttforge.ParameterError, match="proved_bits are both given"):
        decryptor.decrypt_shared(loaded, bound="heuristic", proved_bits=80)


@pytest.mark.parametrize("scheme", [bfv, bgv])
@pytest.mark.parametrize("source", [1, 2])
def test_bytes_that_call_themselves_fresh_prove_nothing(scheme: Any, source: int) -> None:
    context = _context(scheme)
    keys = context.generate_keys()
    data = bytearray((keys.encrypt([3]) * 100).to_bytes())
    data[43:48] = bytes([source, 0, 0, 0, 0])  # noise source and level
    data[-8:] = _core.checksum64(bytes(data[:-8])).to_bytes(8, "little")
    forged = scheme.Ciphertext.from_bytes(context, bytes(data))
    assert forged.proved_noise_budget_bits is None
    with pytest.raises(nttforge.NoiseError, match="as bytes prove nothing"):
        scheme.Decryptor(keys.secret).decrypt_shared(forged)


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_the_proved_bound_travels_with_who_owns_it(scheme: Any) -> None:
    context = _context(scheme)
    keys = context.generate_keys()
    x = keys.encrypt([3])
    fresh = scheme.Ciphertext.from_bytes(context, x.to_bytes())
    assert fresh.noise_log2 == x.noise_log2 and fresh.proved_noise_budget_bits is None
    kept = pickle.loads(pickle.dumps(x))
    assert kept.proved_noise_budget_bits == x.proved_noise_budget_bits
    assert kept.to_bytes() == x.to_bytes()
    assert pickle.loads(pickle.dumps(fresh)).proved_noise_budget_bits is None
    product = x * x
    again = pickle.loads(pickle.dumps(product))
    assert again.proved_noise_budget_bits == product.proved_noise_budget_bits
    assert again.noise_log2 == product.noise_log2
    assert product.proved_noise_budget_bits < product.predicted_noise_budget_bits
    measured = scheme.Decryptor(keys.secret).noise_budget_bits(product)
    assert product.predicted_noise_budget_bits <= measured
    built = scheme.Ciphertext.from_residues(
        context, product.residues, product.noise_log2, encoding="slots", factor=product.factor
    )
    assert built.noise_log2 == product.noise_log2 and built.proved_noise_budget_bits is None


def test_presets_promise_within_two_levels_of_what_is_reached() -> None:
    """t = 2, where a level costs least; n = 2^14 reached 23 and 2^15 reached 47."""
    promised = [bfv.Parameters.preset(n, t=2).promised_depth for n in (4096, 8192, 16384, 32768)]
    assert promised == [3, 9, 21, 45]
    proved = [bfv.Parameters.preset(n).proved_depth for n in (4096, 8192, 16384, 32768)]
    assert proved == [1, 3, 8, 18]

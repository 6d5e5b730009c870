# SPDX-License-Identifier: Apache-2.0
"""Forms of products: what they decrypt to, their words on every device, pickles, misuse."""

import pickle

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import ArgumentTypeError, ParameterError, bfv, ntt_primes

FORMS = ("behz", "hps", "hps_over_q", "hps_levelled")
SEED = bytes(range(32))


def small(limbs=3):
    q = ntt_primes(64, 45, limbs + 1)
    return bfv.Parameters.custom(64, 257, q[1:], q[0], security="insecure_by_request")


def deep(context, fresh):
    """Three levels of products of the ciphertext with these bytes: words and slots."""
    keys = context.generate_keys(seed=SEED)
    x = y = bfv.Ciphertext.from_bytes(context, fresh)
    for _ in range(3):
        y = (y * x).relinearize(keys.relinearization)
    return y.to_bytes(), keys.decrypt(y)


@pytest.mark.parametrize("form", FORMS)
def test_products_of_every_form_are_right_on_every_device(form):
    context = bfv.Context(small(5), product=form)
    assert context.product == form
    values = np.arange(64) % 5 - 2
    fresh = context.generate_keys(seed=SEED).encrypt(values).to_bytes()
    words, slots = deep(context, fresh)
    assert np.array_equal(slots, values**4)
    for device in gpu_devices():
        again = deep(bfv.Context(small(5), device=device, product=form), fresh)
        assert again[0] == words


def test_contexts_of_different_forms_share_keys_and_ciphertexts():
    first, second = (bfv.Context(small(), product=form) for form in ("behz", "hps_over_q"))
    keys = first.generate_keys(seed=SEED)
    x = keys.encrypt([3, -4])
    y = x.to(second)
    assert keys.decrypt((y * y).to(first))[:2].tolist() == [9, 16]
    assert first.fingerprint == second.fingerprint


def test_pickles_keep_the_form():
    for form in ("behz", "hps", "auto"):
        context = bfv.Context(small(), product=form)
        again = pickle.loads(pickle.dumps(context))
        assert again is context
        assert again.product == context.product != "auto"
    assert bfv.Context(small()).product == "behz"


def test_wrong_forms_are_named():
    with pytest.raises(ParameterError, match=r"product = bez is unknown: need one of behz, hps, "):
        bfv.Context(small(), product="bez")
    with pytest.raises(ArgumentTypeError, match="product = 3: need the name of a form"):
        bfv.Context(small(), product=3)

# SPDX-License-Identifier: Apache-2.0
"""Numbers in arrays on GPUs are encoded and decoded there: stated ones, CuPy's and PyTorch's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from devices import KnowsTheHost, Stated, gpu_devices
from small_ckks import small_set

import nttforge
from nttforge import ckks, cuda
from nttforge.typing import DeviceName

SEED = bytes(32)


@pytest.fixture(scope="module", params=gpu_devices())
def keys(request: pytest.FixtureRequest) -> Any:
    return ckks.Context(small_set(256, 2), request.param).generate_keys()


@pytest.fixture
def stated(keys: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    device: DeviceName = keys.context.device
    if device == "cuda:host":
        monkeypatch.setattr("nttforge.cuda._views._core", KnowsTheHost())
    return lambda values: Stated(values, device)


@pytest.mark.parametrize("shape", [(128,), (3, 128), (1, 5), (7,)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("scale", [None, 2.0**80])
def test_the_same_ciphertext_as_from_the_host(
    keys: Any, stated: Any, shape: tuple[int, ...], dtype: Any, scale: float | None
) -> None:
    rng = np.random.default_rng(1)
    values = rng.uniform(-1, 1, (*shape, 2)).view(np.complex128)[..., 0]
    values = values.astype(dtype) if dtype == np.complex128 else values.real.copy()
    encryptor, found = ckks.Encryptor(keys.public), []
    for given in (values, stated(values)):
        plaintext = ckks.Plaintext(keys.context, given)
        assert plaintext.bound == max(np.abs(values.real).max(), np.abs(values.imag).max())
        assert plaintext.real == (dtype == np.float64) and plaintext.batch == np.size(
            values[..., 0]
        )
        found.append(encryptor.encrypt(plaintext, scale=scale, seed=SEED))
    assert found[0].same_words(found[1])
    decryptor = ckks.Decryptor(keys.secret)
    want = decryptor.decrypt(found[0])
    out = stated(np.ones(want.shape, np.complex128))
    assert decryptor.decrypt_on_device(found[1], out) is out
    got = out.kept.to_host().view(np.complex128)
    assert (got == want).all() and got.size == want.size
    assert (got.imag == 0).all() == (dtype == np.float64)


def test_one_call_and_sums_with_what_is_there(keys: Any, stated: Any) -> None:
    values = np.linspace(-1, 1, 128)
    x = keys.encrypt(stated(values))
    weights = ckks.Plaintext(keys.context, stated(values), bound=1)
    assert np.abs(keys.decrypt(x * weights + weights) - (values**2 + values)).max() < 1e-5


def test_what_is_refused(keys: Any, stated: Any) -> None:
    bad = np.ones(128)
    bad[77] = np.nan
    for make in (keys.encrypt, lambda x: ckks.Plaintext(keys.context, x)):
        with pytest.raises(nttforge.ParameterError, match="NaN"):
            make(stated(bad))
    with pytest.raises(nttforge.ParameterError, match=r"values reach 1\.5.* and bound = 1"):
        keys.encrypt(stated(np.full(3, -1.5)))
    for wrong in (np.ones(129), np.ones((1, 1, 1)), np.ones((0, 3)), np.ones((2, 0))):
        with pytest.raises(nttforge.SizeError, match="values has shape"):
            keys.encrypt(stated(wrong))
    with pytest.raises(nttforge.ArgumentTypeError, match="float64 or complex128"):
        keys.encrypt(stated(np.ones(4, np.float32)))
    x, decryptor = keys.encrypt([1]), ckks.Decryptor(keys.secret)
    with pytest.raises(nttforge.SizeError, match=r"out has shape \(127,\): need \(128,\)"):
        decryptor.decrypt_on_device(x, stated(np.ones(127, np.complex128)))
    with pytest.raises(nttforge.ArgumentTypeError, match="need complex128"):
        decryptor.decrypt_on_device(x, stated(np.ones(128)))
    with pytest.raises(nttforge.ArgumentTypeError, match="out is a NumPy array"):
        decryptor.decrypt_on_device(x, np.ones(128, np.complex128))
    with pytest.raises(nttforge.ParameterError, match="has coefficients"):
        coefficients = keys.encrypt([1], encoding="coefficients")
        decryptor.decrypt_on_device(coefficients, stated(np.ones(128, np.complex128)))


def test_plaintexts_of_the_host_are_still_pickled(keys: Any) -> None:
    plaintext = ckks.Plaintext(keys.context, [0.5, 0.25], bound=2, slots=4)
    again = pickle.loads(pickle.dumps(plaintext))
    assert (again.bound, again.slots, again.real) == (2, 4, True)
    assert (
        np.abs(keys.decrypt(keys.encrypt([1, 1], slots=4) * again)[:2] - [0.5, 0.25]).max() < 1e-5
    )


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_arrays_of_libraries(library: str) -> None:
    if not cuda.is_available():
        pytest.skip("no GPU")
    module: Any = pytest.importorskip(library)
    if library == "torch" and not module.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    keys = ckks.Context(small_set(256, 2), "cuda").generate_keys()
    decryptor = ckks.Decryptor(keys.secret)
    for dtype in (np.float32, np.float64, np.int64, np.complex64, np.complex128):
        values = np.arange(-64, 64).astype(dtype)
        given = module.asarray(values) if library == "cupy" else module.from_numpy(values).cuda()
        out = (given * 0).astype(np.complex128) if library == "cupy" else (given * 0).cdouble()
        decryptor.decrypt_on_device(keys.encrypt(given, bound=64), out)
        got = module.asnumpy(out) if library == "cupy" else out.cpu().numpy()
        assert np.abs(got - values).max() < 1e-4

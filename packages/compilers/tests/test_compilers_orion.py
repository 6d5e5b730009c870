# SPDX-License-Identifier: Apache-2.0
"""Orion's backend: its 79 functions on ciphertexts, called as Orion calls them, without PyTorch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import MissingKeyError, ParameterError, SizeError, UnsupportedError
from nttforge_compilers import orion, steps

#: The names of Orion 1.x (orion/backend/lattigo/bindings.py), by its groups.
FUNCTIONS = (
    "NewScheme", "DeleteScheme", "FreeCArray", "DeletePlaintext", "DeleteCiphertext",
    "GetPlaintextScale", "GetCiphertextScale", "SetPlaintextScale", "SetCiphertextScale",
    "GetPlaintextLevel", "GetCiphertextLevel", "GetPlaintextSlots", "GetCiphertextSlots",
    "GetCiphertextDegree", "GetModuliChain", "GetAuxModuliChain", "GetLivePlaintexts",
    "GetLiveCiphertexts", "NewKeyGenerator", "GenerateSecretKey", "GeneratePublicKey",
    "GenerateRelinearizationKey", "GenerateEvaluationKeys", "SerializeSecretKey",
    "LoadSecretKey", "NewEncoder", "Encode", "Decode", "NewEncryptor", "NewDecryptor",
    "Encrypt", "Decrypt", "NewEvaluator", "AddRotationKey", "Negate", "Rotate", "RotateNew",
    "Rescale", "RescaleNew", "AddScalar", "AddScalarNew", "SubScalar", "SubScalarNew",
    "MulScalarInt", "MulScalarIntNew", "MulScalarFloat", "MulScalarFloatNew", "AddPlaintext",
    "AddPlaintextNew", "SubPlaintext", "SubPlaintextNew", "MulPlaintext", "MulPlaintextNew",
    "AddCiphertext", "AddCiphertextNew", "SubCiphertext", "SubCiphertextNew",
    "MulRelinCiphertext", "MulRelinCiphertextNew", "NewPolynomialEvaluator", "GenerateMonomial",
    "GenerateChebyshev", "EvaluatePolynomial", "GenerateMinimaxSignCoeffs",
    "NewLinearTransformEvaluator", "GenerateLinearTransform", "EvaluateLinearTransform",
    "DeleteLinearTransform", "GetLinearTransformRotationKeys",
    "GenerateLinearTransformRotationKey", "GenerateAndSerializeRotationKey", "LoadRotationKey",
    "SerializeDiagonal", "LoadPlaintextDiagonal", "RemovePlaintextDiagonals",
    "RemoveRotationKeys", "NewBootstrapper", "Bootstrap", "DeleteBootstrappers",
)  # fmt: skip
SLOTS, TOP, SCALE = 16, 3, 2**26
KEYS = (
    "NewKeyGenerator", "GenerateSecretKey", "GeneratePublicKey", "GenerateRelinearizationKey",
    "GenerateEvaluationKeys", "NewEncoder", "NewEncryptor", "NewDecryptor", "NewEvaluator",
    "NewPolynomialEvaluator", "NewLinearTransformEvaluator",
)  # fmt: skip
X = np.linspace(-1, 1, SLOTS)
Y = np.cos(np.arange(SLOTS))


def _made(**options: Any) -> orion.Backend:
    backend = orion.Backend(scale_bits=36, **options)
    # 2^4 slots of real numbers, as Orion's smaller networks have them: a ring of their own kind.
    backend.NewScheme(4, [29, 26, 26, 26], [29, 29], 26, 8192, "conjugateinvariant", "", "none")
    for name in KEYS:
        getattr(backend, name)()
    return backend


@pytest.fixture(scope="module")
def backend() -> orion.Backend:
    return _made()


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "backend" in request.fixturenames:
        found = request.getfixturevalue("backend")
        for handle in found.GetLiveCiphertexts():
            found.DeleteCiphertext(handle)
        for handle in found.GetLivePlaintexts():
            found.DeletePlaintext(handle)


def _sealed(backend: orion.Backend, values: Any, level: int = TOP) -> int:
    return backend.Encrypt(backend.Encode(list(values), level, SCALE))


def _opened(backend: orion.Backend, handle: int) -> Any:
    return np.array(backend.Decode(backend.Decrypt(handle)))


def test_all_functions_are_there() -> None:
    assert len(FUNCTIONS) == 79
    for name in (*FUNCTIONS, "GetPolyDepth"):
        assert callable(getattr(orion.Backend, name)), name


def _rescaled(name: str, *more: Any) -> Callable[[Any, int], int]:
    return lambda b, x: int(b.Rescale(getattr(b, name)(x, *more)))


OPERATIONS: list[tuple[str, Callable[[Any, int, int, int], int], Any]] = [
    ("Negate", lambda b, x, y, p: b.Negate(x), -X),
    ("Rotate", lambda b, x, y, p: b.Rotate(x, 3), np.roll(X, -3)),
    ("RotateNew", lambda b, x, y, p: b.RotateNew(x, -5), np.roll(X, 5)),
    ("AddScalar", lambda b, x, y, p: b.AddScalar(x, 0.5), X + 0.5),
    ("AddScalarNew", lambda b, x, y, p: b.AddScalarNew(x, -0.25), X - 0.25),
    ("SubScalar", lambda b, x, y, p: b.SubScalar(x, 0.5), X - 0.5),
    ("SubScalarNew", lambda b, x, y, p: b.SubScalarNew(x, 0.5), X - 0.5),
    ("MulScalarInt", lambda b, x, y, p: b.MulScalarInt(x, -3), -3 * X),
    ("MulScalarIntNew", lambda b, x, y, p: b.MulScalarIntNew(x, 0), 0 * X),
    ("MulScalarFloat", lambda b, x, y, p: b.Rescale(b.MulScalarFloat(x, 0.3)), 0.3 * X),
    ("MulScalarFloatNew", lambda b, x, y, p: b.RescaleNew(b.MulScalarFloatNew(x, 2.5)), 2.5 * X),
    ("AddPlaintext", lambda b, x, y, p: b.AddPlaintext(x, p), X + Y),
    ("AddPlaintextNew", lambda b, x, y, p: b.AddPlaintextNew(x, p), X + Y),
    ("SubPlaintext", lambda b, x, y, p: b.SubPlaintext(x, p), X - Y),
    ("SubPlaintextNew", lambda b, x, y, p: b.SubPlaintextNew(x, p), X - Y),
    ("MulPlaintext", lambda b, x, y, p: b.Rescale(b.MulPlaintext(x, p)), X * Y),
    ("MulPlaintextNew", lambda b, x, y, p: b.Rescale(b.MulPlaintextNew(x, p)), X * Y),
    ("AddCiphertext", lambda b, x, y, p: b.AddCiphertext(x, y), X + Y),
    ("AddCiphertextNew", lambda b, x, y, p: b.AddCiphertextNew(x, y), X + Y),
    ("SubCiphertext", lambda b, x, y, p: b.SubCiphertext(x, y), X - Y),
    ("SubCiphertextNew", lambda b, x, y, p: b.SubCiphertextNew(x, y), X - Y),
    ("MulRelinCiphertext", lambda b, x, y, p: b.Rescale(b.MulRelinCiphertext(x, y)), X * Y),
    ("MulRelinCiphertextNew", lambda b, x, y, p: b.Rescale(b.MulRelinCiphertextNew(x, x)), X * X),
]


@pytest.mark.parametrize("name", [row[0] for row in OPERATIONS])
def test_operations_are_those_of_numpy(backend: orion.Backend, name: str) -> None:
    compute, expected = next(row[1:] for row in OPERATIONS if row[0] == name)
    x, y = _sealed(backend, X), _sealed(backend, Y, 2)
    plain = backend.Encode(list(Y), TOP, SCALE)
    found = compute(backend, x, y, plain)
    assert np.abs(_opened(backend, found) - expected).max() < 1e-5
    in_place = not name.endswith("New") and name != "Negate"
    assert (found == x) is in_place
    if not in_place:
        assert np.abs(_opened(backend, x) - X).max() < 1e-5
    assert backend.GetCiphertextScale(found) == SCALE
    two = "Ciphertext" in name and name != "MulRelinCiphertextNew"
    fewer = name.startswith("Mul") and "Int" not in name
    assert backend.GetCiphertextLevel(found) == (2 if two else TOP) - fewer
    assert backend.GetCiphertextSlots(found) == SLOTS and backend.GetCiphertextDegree(found) == 1


def test_scales_are_free_numbers(backend: orion.Backend) -> None:
    """A scale that is set makes other numbers of the same polynomial, in sums and products too."""
    x, y = _sealed(backend, X), _sealed(backend, Y)
    backend.SetCiphertextScale(x, 4 * SCALE)
    assert backend.GetCiphertextScale(x) == 4 * SCALE
    assert np.abs(_opened(backend, x) - X / 4).max() < 1e-5
    z = backend.AddPlaintextNew(x, backend.Encode(list(Y), TOP, SCALE))
    assert np.abs(_opened(backend, z) - (X / 4 + Y)).max() < 1e-5
    z = backend.AddScalarNew(x, 1.0)
    assert np.abs(_opened(backend, z) - (X / 4 + 1)).max() < 1e-5
    z = backend.Rescale(backend.MulRelinCiphertextNew(x, y))
    assert np.abs(_opened(backend, z) - X * Y / 4).max() < 1e-5
    backend.SetCiphertextScale(z, SCALE)
    assert np.abs(_opened(backend, z) - X * Y).max() < 1e-5
    z = backend.AddCiphertextNew(x, y)
    assert np.abs(_opened(backend, z) - (X / 4 + Y)).max() < 1e-5
    plain = backend.Encode(list(Y), 2, SCALE)
    backend.SetPlaintextScale(plain, 2 * SCALE)
    assert backend.GetPlaintextScale(plain) == 2 * SCALE and backend.GetPlaintextLevel(plain) == 2
    assert np.allclose(backend.Decode(plain), Y / 2) and backend.GetPlaintextSlots(plain) == SLOTS
    with pytest.raises(ParameterError, match="scale = 0 is out of range"):
        backend.SetCiphertextScale(x, 0)


def test_handles_are_the_least_that_are_free(backend: orion.Backend) -> None:
    first = [_sealed(backend, X) for _ in range(3)]
    assert first == [0, 1, 2] == backend.GetLiveCiphertexts()
    backend.DeleteCiphertext(1)
    backend.DeleteCiphertext(1)
    assert backend.GetLiveCiphertexts() == [0, 2] and _sealed(backend, Y) == 1
    backend.DeletePlaintext(0)
    assert 0 not in backend.GetLivePlaintexts()
    with pytest.raises(ParameterError, match="ciphertext 7 does not exist: 3 are there"):
        backend.Negate(7)
    backend.FreeCArray(None)
    assert backend.GetModuliChain() == [2**29, 2**26, 2**26, 2**26]
    assert [q.bit_length() - 1 for q in backend.GetAuxModuliChain()] == [29, 29]


def test_polynomials(backend: orion.Backend) -> None:
    x = _sealed(backend, X)
    square = backend.GenerateMonomial([0.25, -0.5, 1.0])
    found = backend.EvaluatePolynomial(x, square, SCALE)
    assert np.abs(_opened(backend, found) - (0.25 - 0.5 * X + X * X)).max() < 1e-5
    assert backend.GetCiphertextLevel(found) == TOP - 2 == TOP - backend.GetPolyDepth(square)
    cubic = backend.GenerateChebyshev([0.0, 0.5, 0.0, 0.25])
    found = backend.EvaluatePolynomial(x, cubic, 2 * SCALE)
    expected = np.polynomial.chebyshev.chebval(X, [0, 0.5, 0, 0.25])
    assert np.abs(_opened(backend, found) - expected).max() < 1e-5
    assert backend.GetCiphertextScale(found) == 2 * SCALE
    with pytest.raises(ParameterError, match="the polynomial is a constant"):
        backend.EvaluatePolynomial(x, backend.GenerateMonomial([1.0, 0.0]), SCALE)


def test_steps_are_compositions(backend: orion.Backend) -> None:
    degrees = [7, 7, 13]
    row = np.array(backend.GenerateMinimaxSignCoeffs(degrees, 128, 6, 12, 0))
    assert len(row) == sum(degrees) + 3
    values = step = np.concatenate([np.linspace(-1, -1 / 64, 99), np.linspace(1 / 64, 1, 99)])
    for part in np.split(row, np.cumsum([d + 1 for d in degrees])[:-1]):
        step = np.polynomial.chebyshev.chebval(step, part)
    assert np.abs(step - (values > 0)).max() < 2e-3
    with pytest.raises(ParameterError, match="need odd ones"):
        backend.GenerateMinimaxSignCoeffs([4], 128, 6, 12, 0)


def _matrix(random: Any, diagonals: list[int]) -> tuple[list[int], list[float], Any]:
    rows = random.uniform(-1, 1, (len(diagonals), SLOTS))
    matrix = np.zeros((SLOTS, SLOTS))
    for d, row in zip(diagonals, rows, strict=True):
        matrix[np.arange(SLOTS), (np.arange(SLOTS) + d) % SLOTS] = row
    return diagonals, rows.ravel().tolist(), matrix


def test_a_network_of_numpy() -> None:
    """Matrix, bias, square, matrix with sums of rotations: what MLP and LoLA do, step by step."""
    backend, random = _made(), np.random.default_rng(3)
    first, second = (_matrix(random, d) for d in ([0, 1, 2, 5, 15], [0, 3]))
    transforms = []
    for indices, data, level in ((*first[:2], 3), (*second[:2], 1)):
        handle = backend.GenerateLinearTransform(indices, data, level, 2.0, "none")
        for key in backend.GetLinearTransformRotationKeys(handle):
            backend.GenerateLinearTransformRotationKey(key)
        transforms.append(handle)
    bias = backend.Encode(list(Y), 2, SCALE)
    x = _sealed(backend, X)
    y = backend.RescaleNew(backend.EvaluateLinearTransform(transforms[0], x))
    y = backend.AddPlaintext(y, bias)
    inner = first[2] @ X + Y
    assert np.abs(_opened(backend, y) - inner).max() < 1e-5
    before = backend.GetCiphertextScale(y)
    y = backend.Rescale(backend.MulRelinCiphertextNew(y, y))
    backend.SetCiphertextScale(y, before)
    y = backend.RescaleNew(backend.EvaluateLinearTransform(transforms[1], y))
    y = backend.AddCiphertext(y, backend.RotateNew(y, SLOTS // 2))
    expected = second[2] @ inner**2
    assert np.abs(_opened(backend, y) - (expected + np.roll(expected, -8))).max() < 1e-4
    assert backend.GetCiphertextLevel(y) == 0
    backend.DeleteLinearTransform(transforms[0])
    with pytest.raises(ParameterError, match="linear transform 0 does not exist"):
        backend.EvaluateLinearTransform(transforms[0], x)
    with pytest.raises(ParameterError, match="is at level 0"):
        backend.Rescale(y)


@pytest.mark.parametrize("diagonals", [range(SLOTS), (0, 1, 2, 3, 4, 7, 9, 12, 13, 14, 15)])
def test_folded_matrices(monkeypatch: pytest.MonkeyPatch, diagonals: Any) -> None:
    """Two diagonals as one complex one: the same image, real, by fewer products, from files too."""
    monkeypatch.setattr(steps, "_FOLD", -100.0)
    owner, random = _made(), np.random.default_rng(6)
    indices, data, matrix = _matrix(random, list(diagonals))
    folded = owner.GenerateLinearTransform(indices, data, 1, 2.0, "none")
    plan = owner._transforms[folded].plan
    assert plan.fold and len(plan.pairs) < 0.7 * len(indices)
    names = owner.GetLinearTransformRotationKeys(folded)
    assert names[-1] == SLOTS and len(set(names)) == len(names)
    x = _sealed(owner, X, 1)
    with pytest.raises(MissingKeyError):
        owner.EvaluateLinearTransform(folded, x)
    for name in names:
        owner.LoadRotationKey(owner.GenerateAndSerializeRotationKey(name)[0], name)
    y = owner.Rescale(owner.EvaluateLinearTransform(folded, x))
    assert np.abs(_opened(owner, y) - matrix @ X).max() < 1e-5
    assert owner._ciphertexts[y].text.real


def test_plans_of_diagonals() -> None:
    """Every diagonal is in one product, whatever the numbers and the fold."""
    random = np.random.default_rng(8)
    for size in random.integers(1, 65, 40):
        numbers = [int(d) for d in random.choice(64, size, replace=False)]
        rows = {d: random.uniform(-1, 1, 64) for d in numbers}
        for fold in (0, 1, 5, 16, 32):
            firsts = steps._firsts(sorted(numbers), fold, 64) if fold else numbers
            found = steps.Plan(dict.fromkeys(firsts, (0, 0)), fold).diagonals(rows, 64)
            again = {d: 2 * row.real if fold else row for d, row in found.items()}
            for d, row in found.items() if fold else ():
                if row.imag.any():
                    assert (d + fold) % 64 not in again
                    again[(d + fold) % 64] = -2 * row.imag
            assert all(np.array_equal(again[d], rows[d]) for d in rows)


def test_keys_and_diagonals_in_files() -> None:
    """What Orion writes with io_mode "save" another process loads."""
    owner, random = _made(), np.random.default_rng(4)
    indices, data, matrix = _matrix(random, [1, 4, 5])
    kept = owner.GenerateLinearTransform(indices, data, TOP, 2.0, "save")
    keys = {k: owner.GenerateAndSerializeRotationKey(k)[0]
            for k in owner.GetLinearTransformRotationKeys(kept)}  # fmt: skip
    rows = {i: owner.SerializeDiagonal(kept, i)[0] for i in indices}
    secret, _ = owner.SerializeSecretKey()
    assert secret.dtype == np.uint8
    other = _made()
    other.LoadSecretKey(secret)
    other.GeneratePublicKey()
    x = _sealed(other, X)
    loaded = other.GenerateLinearTransform(indices, [], TOP, 2.0, "load")
    with pytest.raises(ParameterError, match=r"diagonals \[1, 4, 5\] .* are not there"):
        other.EvaluateLinearTransform(loaded, x)
    for index, row in rows.items():
        other.LoadPlaintextDiagonal(row, loaded, index)
    other.RemoveRotationKeys()
    with pytest.raises(MissingKeyError, match=r"lacks keys|no rotation keys|rotation"):
        other.EvaluateLinearTransform(loaded, x)
    for key, found in keys.items():
        other.LoadRotationKey(found, key)
    y = other.Rescale(other.EvaluateLinearTransform(loaded, x))
    assert np.abs(_opened(other, y) - matrix @ X).max() < 1e-5
    other.RemovePlaintextDiagonals(loaded)
    with pytest.raises(ParameterError, match="are not there"):
        other.EvaluateLinearTransform(loaded, x)
    with pytest.raises(SizeError, match="diagonal 1 has 1 numbers: need 16"):
        other.LoadPlaintextDiagonal(np.zeros(8, np.uint8), loaded, 1)


def test_bootstraps() -> None:
    backend = orion.Backend(bootstraps=True, insecure_n=2**7)
    backend.NewScheme(7, [55] + [40] * 10, [61] * 3, 40, 192, "standard", "", "none")
    for name in KEYS:
        getattr(backend, name)()
    values = np.linspace(-1, 1, 64)
    backend.NewBootstrapper([61] * 8, 64)
    x = backend.Encrypt(backend.Encode(list(values), 1, 2**40))
    y = backend.Bootstrap(x, 64)
    assert backend.GetCiphertextLevel(y) == 10 and backend.GetCiphertextLevel(x) == 1
    assert np.abs(_opened(backend, y) - values).max() < 1e-4
    backend.DeleteBootstrappers()
    with pytest.raises(ParameterError, match="LogQ has 40 levels"):
        backend.NewScheme(7, [55] + [40] * 40, [61], 40, 192, "standard", "", "none")
    with pytest.raises(UnsupportedError, match="this scheme does not bootstrap"):
        _made().NewBootstrapper([61], 16)


class _Scheme:
    """What Orion has before it is told otherwise."""

    def setup_backend(self, params: Any) -> Any:
        raise NotImplementedError


def _parameters(**more: Any) -> Any:
    found = {
        "logn": 7, "logq": [55, 40, 40], "logp": [61], "logscale": 40, "hamming_weight": 192,
        "ringtype": "standard", "keys_path": "", "io_mode": "none",
    }  # fmt: skip
    calls = {f"get_{name}": (lambda value=value: value) for name, value in found.items()}
    return SimpleNamespace(**calls, params_json=more)


def test_orion_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "orion", None)
    monkeypatch.delitem(sys.modules, "orion.core.orion", raising=False)
    with pytest.raises(UnsupportedError, match="pip install orion-fhe"):
        nttforge.orion.use()
    core = ModuleType("orion.core.orion")
    core.Scheme = _Scheme  # type: ignore[attr-defined]
    for name in ("orion", "orion.core"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "orion.core.orion", core)
    nttforge.orion.use(threads=1, insecure_n=2**7)
    backend = _Scheme().setup_backend(_parameters(boot_params={"LogP": [61]}))
    assert isinstance(backend, nttforge.orion.Backend) and len(backend.GetModuliChain()) == 3
    for name in KEYS:
        getattr(backend, name)()
    backend.NewBootstrapper([61], 64)
    backend.DeleteScheme()
    assert not _Scheme().setup_backend(_parameters()).ring.context.parameters.bootstraps


def test_what_is_wrong_is_named() -> None:
    backend = orion.Backend()
    with pytest.raises(ParameterError, match="there is no scheme: call NewScheme"):
        backend.NewKeyGenerator()
    with pytest.raises(ParameterError, match="ringtype = 'cyclic' is not one of"):
        backend.NewScheme(4, [29], [29], 26, 192, "cyclic", "", "none")
    backend.NewScheme(4, [29, 26], [29], 26, 192, "standard", "", "none")
    with pytest.raises(ParameterError, match="there are no keys: call NewKeyGenerator"):
        backend.GenerateSecretKey()
    backend.NewKeyGenerator()
    with pytest.raises(MissingKeyError, match="there is no secret key"):
        backend.GeneratePublicKey()
    with pytest.raises(MissingKeyError, match="there is no public key"):
        backend.Encrypt(backend.Encode([0.5], 1, SCALE))
    with pytest.raises(ParameterError, match=r"level = 2 is out of range \[0, 1\]"):
        backend.Encode([0.5], 2, SCALE)
    with pytest.raises(SizeError, match="values has 9 numbers: need at most 8"):
        backend.Encode([0.5] * 9, 1, SCALE)
    with pytest.raises(ParameterError, match="values has NaN"):
        backend.Encode([float("nan")], 1, SCALE)
    with pytest.raises(SizeError, match="data has 3 numbers: need 8 for each of 1 diagonals"):
        backend.GenerateLinearTransform([0], [1.0, 2.0, 3.0], 1, 2.0, "none")

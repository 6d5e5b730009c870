# SPDX-License-Identifier: Apache-2.0
"""Fitted models on encrypted records: scikit-learn, modules of PyTorch's kind, lists of layers."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import (
    ArgumentTypeError,
    FormatError,
    MissingKeyError,
    ParameterError,
    SizeError,
    UnsupportedError,
)
from nttforge.typing import DeviceName
from nttforge_compilers import ml

datasets = pytest.importorskip("sklearn.datasets")
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

IMAGES, LABELS = datasets.load_digits(return_X_y=True)
TRAIN, TEST = IMAGES[:600], IMAGES[600:680]
TRAIN_LABELS = LABELS[:600]
GREY = (0, 16)


@pytest.mark.parametrize(
    ("model", "targets"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)), TRAIN_LABELS),
        (
            LogisticRegression(max_iter=2000, tol=1e-3, C=0.01),
            np.where(TRAIN_LABELS > 4, "high", "low"),
        ),
        (make_pipeline(MinMaxScaler(), LinearSVC()), TRAIN_LABELS),
        (Ridge(), TRAIN_LABELS),
        (LinearRegression(), np.stack([TRAIN_LABELS, -TRAIN_LABELS], axis=1)),
    ],
    ids=["softmax", "two classes", "margins", "one number", "two numbers"],
)
def test_linear_models_predict_as_scikit_learn(model: Any, targets: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        model.fit(TRAIN, targets)
    made = ml.compile(model, TRAIN, input_range=GREY)
    expected = model.predict(TEST)
    for mode in ("disable", "simulate", "execute"):
        found = made.predict(TEST, fhe=mode)
        assert found.shape == expected.shape
        if expected.dtype.kind == "f":
            assert np.allclose(found, expected, rtol=0, atol=1e-6)
        else:
            assert (found == expected).all()
    if hasattr(model, "predict_proba"):
        assert np.allclose(
            made.predict_proba(TEST, "execute"), model.predict_proba(TEST), atol=1e-6
        )


@pytest.mark.parametrize("activation", ["tanh", pytest.param("relu", marks=pytest.mark.full)])
def test_perceptrons_and_their_polynomials(activation: str) -> None:
    model = MLPClassifier((16,), activation=activation, max_iter=40, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        model.fit(TRAIN / 16, TRAIN_LABELS)
    made = ml.compile(model, TRAIN / 16, bits=7, input_range=(0, 1))
    assert np.allclose(made.predict_proba(TEST / 16), model.predict_proba(TEST / 16))
    report = made.report()
    exact, simulated = made.scores(TEST / 16), made.scores(TEST / 16, "simulate")
    executed = made.scores(TEST / 16, "execute")
    size = 1 if activation == "tanh" else 8  # of what relu hands on
    assert np.abs(simulated - executed).max() < 16 * report.predicted_noise < size * 1e-6
    # A polynomial is within 2^-7 of the activation, and weights of the last layer add these up.
    reached = np.abs(executed - exact).max()
    largest = np.abs(model.coefs_[-1]).sum(axis=0).max() * size
    assert 1e-4 < reached < 2.0**-7 * largest
    assert (made.predict(TEST / 16, "execute") == model.predict(TEST / 16)).mean() > 0.95
    assert activation in str(report) and report.rotations == len(made.client()._needs["rotations"])


def test_a_regressor_without_activations_is_one_matrix() -> None:
    model = MLPRegressor(
        hidden_layer_sizes=(8,), activation="identity", max_iter=20, random_state=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(TRAIN, TRAIN_LABELS)
    made = ml.compile(model, TRAIN)
    assert made.parameters.depth == 1
    assert np.allclose(made.predict(TRAIN[:5], "simulate"), model.predict(TRAIN[:5]), atol=1e-5)


class Tensor(np.ndarray[Any, Any]):
    """What has PyTorch's way to NumPy."""

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> Any:
        return np.asarray(self)


def _module(kind: str, **attributes: Any) -> Any:
    given = {k: v.view(Tensor) if isinstance(v, np.ndarray) else v for k, v in attributes.items()}
    return type(kind, (), given)()


def _sequential(*modules: Any) -> Any:
    methods = {"children": lambda self: iter(modules), "state_dict": lambda self: {}}
    return type("Sequential", (), methods)()


RANDOM = np.random.default_rng(5)


def _convolution(x: Any, kernel: Any, stride: tuple[int, int], padding: tuple[int, int]) -> Any:
    """By its sum."""
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2:], axis=(2, 3))
    return np.einsum("ncijuv,ocuv->noij", windows[:, :, :: stride[0], :: stride[1]], kernel)


def test_modules_are_read_by_their_names() -> None:
    kernel, bias = RANDOM.normal(size=(4, 1, 3, 2)), RANDOM.normal(size=4)
    grouped = RANDOM.normal(size=(6, 2, 1, 1))
    weights, offset = RANDOM.normal(size=(3, 6 * 2 * 2)), RANDOM.normal(size=3)
    moments = {"running_mean": RANDOM.normal(size=6), "running_var": RANDOM.uniform(1, 2, 6)}
    window = {"padding": 0, "ceil_mode": False}
    net = _sequential(
        _module("Conv2d", weight=kernel, bias=bias, stride=(2, 1), padding=(1, 0), dilation=1,
                groups=1, padding_mode="zeros"),
        _module("Square"),
        _sequential(
            _module("AvgPool2d", kernel_size=2, stride=None, **window), _module("Dropout"),
            _module("Conv2d", weight=grouped, bias=None, stride=1, padding=0, dilation=(1, 1),
                    groups=2, padding_mode="zeros"),
            _module("BatchNorm2d", weight=None, bias=None, eps=1e-5, **moments),
        ),
        _module("Flatten"),
        _module("Linear", weight=weights, bias=offset),
    )  # fmt: skip
    x = RANDOM.uniform(-1, 1, (20, 1, 8, 6))
    y = _convolution(x, kernel, (2, 1), (1, 0)) + bias[:, None, None]
    y = (y**2).reshape(20, 4, 2, 2, 5, 1)[..., :4, :].reshape(20, 4, 2, 2, 2, 2).mean(axis=(3, 5))
    halves = [
        np.einsum("nchw,oc->nohw", y[:, 2 * g : 2 * g + 2], grouped[3 * g : 3 * g + 3, :, 0, 0])
        for g in range(2)
    ]
    y = np.concatenate(halves, axis=1) - moments["running_mean"][:, None, None]
    y = y / np.sqrt(moments["running_var"] + 1e-5)[:, None, None]
    expected = y.reshape(20, -1) @ weights.T + offset
    made = ml.compile(net, x)
    assert np.allclose(made.predict(x), expected)
    assert np.allclose(made.predict(x, "execute"), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("device", gpu_devices())
def test_answers_on_a_gpu_are_those_of_the_cpu(device: DeviceName) -> None:
    x = RANDOM.uniform(-1, 1, (10, 2))
    made = ml.compile([(np.array([[1.0, 2.0]]), np.zeros(1))], x, device=device)
    client = made.client()
    keys = client.generate_keys().evaluation.to_bytes()
    request = client.encrypt(x)
    answer = made.server().run(request, keys)
    assert answer == made.server("cpu").run(request, keys)
    assert np.allclose(client.decrypt(answer), made.predict(x), rtol=0, atol=1e-4)


LAYERS = [(np.array([[0.5, -0.25, 1.0]]), np.array([0.125]))]
RECORDS = np.array([[1.0, 2.0, 0.5], [-1.0, 0.5, 0.5]])


def test_client_and_server_speak_bytes(tmp_path: Path) -> None:
    made = ml.compile(LAYERS, RECORDS)
    made.save(tmp_path / "model")
    server = ml.load(tmp_path / "model").server()
    made.client().save(tmp_path / "client")
    saved = (tmp_path / "client").read_bytes()
    client = ml.Client.from_bytes(saved)
    with pytest.raises(MissingKeyError, match=r"generate_keys\(\)"):
        client.encrypt(RECORDS)
    keys = client.generate_keys()
    many = np.resize(RECORDS, (3 * 1024 * 20 + 1, 3))  # more than a piece of 16 ciphertexts
    request = client.encrypt(many)
    answer = server.run(request, keys.evaluation.to_bytes())
    scores, error = client.decrypt_scores(answer)
    expected = many @ LAYERS[0][0].T + 0.125
    assert np.abs(scores - expected).max() < error < 1e-6
    again = ml.Client.from_bytes(saved)
    again.use(keys.secret)
    assert (again.decrypt(answer) == scores).all()
    assert b"0.25" not in saved and len(saved) < 2000  # no weights
    for broken in (request[:-1], request[:9], b"\0" * 8 + request[8:]):
        with pytest.raises(FormatError):
            server.run(broken, keys.evaluation)
    with pytest.raises(FormatError, match="answer says 5 records"):
        client.decrypt((5).to_bytes(8, "little") + answer[8:])


def test_files_are_taken_as_hostile(tmp_path: Path) -> None:
    made = ml.compile([*LAYERS, "tanh", (np.ones((2, 1)), np.zeros(2))], RECORDS)
    made.save(tmp_path / "model")
    good = (tmp_path / "model").read_bytes()
    assert np.array_equal(ml.load(tmp_path / "model").predict(RECORDS), made.predict(RECORDS))
    assert str(ml.load(tmp_path / "model").report()) == str(made.report())
    for old, new, what in (
        (b"NTTFML", b"NTTFMM", "magic"),
        (b'"tanh"', b'"tang"', "activation = 'tang'"),
        (b"[2, 1]", b"[9, 1]", "shape"),
        (b'"values"', b'"softma"', "client.head"),
        (b"client 1", b"client 2", "client.format"),
    ):
        (tmp_path / "bad").write_bytes(good.replace(old, new))
        with pytest.raises(FormatError, match=what):
            ml.load(tmp_path / "bad")
    (tmp_path / "bad").write_bytes(good[:-8])
    with pytest.raises(FormatError, match="bytes"):
        ml.load(tmp_path / "bad")
    header = json.loads(made.client().to_bytes())
    for field, value in (
        ("layout", [3, 2, 4, 2**15, 0]), ("layout", [3, 2, 3, 4, 0]), ("ranges", [[0], [1]]),
        ("ranges", [[0] * 3, [0] * 3]), ("classes", [1]), ("parameters", "!"), ("rotations", ["x"]),
        ("relinearization", 1),
    ):  # fmt: skip
        with pytest.raises(FormatError, match=f"client.{field}"):
            kind = {"head": "softmax"} if field == "classes" else {}
            ml.Client.from_bytes(json.dumps({**header, **kind, field: value}).encode())


def test_what_is_not_supported_is_named() -> None:
    model = KNeighborsClassifier().fit(TRAIN, TRAIN_LABELS)
    with pytest.raises(UnsupportedError, match="KNeighborsClassifier is not supported"):
        ml.compile(model, TRAIN)
    with pytest.raises(UnsupportedError, match="PolynomialFeatures is not supported before"):
        ml.compile(make_pipeline(PolynomialFeatures(), Ridge()).fit(RECORDS, [1, 2]), RECORDS)
    with pytest.raises(UnsupportedError, match=r"LSTM \(layer 1\) is not supported"):
        ml.compile(_sequential(_module("ReLU"), _module("LSTM")), RECORDS)
    with pytest.raises(UnsupportedError, match="layer 1 is 'sine'"):
        ml.compile([*LAYERS, "sine"], RECORDS)
    with pytest.raises(ArgumentTypeError, match="layer 0 is a float"):
        ml.compile([1.0], RECORDS)
    with pytest.raises(ParameterError, match="Ridge has no coef_: fit it first"):
        ml.compile(Ridge(), RECORDS)
    with pytest.raises(ParameterError, match=r"bits = 15: relu on .* take fewer bits"):
        ml.compile([*LAYERS, "relu"], RECORDS, bits=15)
    with pytest.raises(ParameterError, match="bits"):
        ml.compile(LAYERS, RECORDS, bits=0)
    with pytest.raises(SizeError, match="takes 3 numbers, and what comes before it gives 2"):
        ml.compile(LAYERS, RECORDS[:, :2])
    made = ml.compile(LAYERS, RECORDS)
    with pytest.raises(ParameterError, match="this one gives a values"):
        made.predict_proba(RECORDS)


def test_inputs_outside_of_the_range_are_refused_and_arguments_are_told() -> None:
    made = ml.compile(LAYERS, RECORDS, margin=0.5)
    client = made.client()
    client.generate_keys()
    client.encrypt([[1.4, 0.2, 0.5]])
    with pytest.raises(ParameterError, match=r"record 1, feature 0 is 1\.6: .* -1\.5 \.\.\. 1\.5"):
        client.encrypt([[0, 1, 0.5], [1.6, 1, 0.5]])
    with pytest.raises(ParameterError, match="feature 1 is nan"):
        client.encrypt([[0, np.nan, 0.5]])
    with pytest.raises(ParameterError, match="input_range does not hold X_sample"):
        ml.compile(LAYERS, RECORDS, input_range=(0, 1))
    steep = [(np.array([[1.0, 1.0, 1.0]]), np.zeros(1)), "tanh", (np.ones((1, 1)), np.zeros(1))]
    made = ml.compile(steep, RECORDS, margin=0.0, input_range=(-9, 9))
    with pytest.warns(UserWarning, match="1 of 2 records leave the interval"):
        made.predict([[9, 9, 9], [0, 0, 0]], "simulate")

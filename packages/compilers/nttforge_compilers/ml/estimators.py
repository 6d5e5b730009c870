# SPDX-License-Identifier: Apache-2.0
"""Fitted models read as networks: of scikit-learn, of PyTorch, or a list of layers.

Nothing of either library is imported: models are known by the names of their classes and by the
attributes that fitting gives them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import ArgumentTypeError, ParameterError, SizeError, UnsupportedError

from .networks import ACTIVATIONS, Head, Layer, Network

__all__ = ["read_model"]

Real = NDArray[np.float64]
_REGRESSORS = (
    "LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV",
    "SGDRegressor", "HuberRegressor", "LinearSVR",
)  # fmt: skip
_MARGINS = ("LinearSVC", "RidgeClassifier", "RidgeClassifierCV", "Perceptron", "SGDClassifier")
_LOGISTIC = ("LogisticRegression", "LogisticRegressionCV")
_SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler")
_PERCEPTRONS = ("MLPClassifier", "MLPRegressor")
#: PyTorch's names of activations; ``Square`` is what users write themselves.
_MODULES = {
    "ReLU": "relu", "Sigmoid": "logistic", "Tanh": "tanh", "SiLU": "silu", "GELU": "gelu",
    "Square": "square",
}  # fmt: skip
_NOTHING = ("Flatten", "Identity", "Dropout", "Dropout2d")
_MOST_ENTRIES = 2**27


class _Builder:
    """Layers as they come; affine maps in a row become one."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(shape)
        self._pending: tuple[Real, Real] | None = None
        self._layers: list[Layer] = []

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def affine(self, weights: Any, bias: Any, name: str, shape: Sequence[int] = ()) -> None:
        """A matrix, or factors alone, and what is added."""
        matrix, added = _numbers(weights, name), _numbers(bias, name)
        columns = matrix.shape[-1]
        if columns != self.size:
            raise SizeError(
                f"{name} takes {columns} numbers, and what comes before it gives {self.size}"
            )
        if self._pending is not None:
            before, offset = self._pending
            if matrix.ndim == 1:
                matrix, added = matrix[:, None] * before, matrix * offset + added
            else:
                matrix, added = matrix @ before, matrix @ offset + added
        elif matrix.ndim == 1:
            matrix = np.diag(matrix)
        self._pending = matrix, np.broadcast_to(added, (matrix.shape[0],)).copy()
        self.shape = tuple(shape) or (matrix.shape[0],)

    def activation(self, name: str) -> None:
        if self._pending is None:
            self.affine(np.ones(self.size), np.zeros(self.size), name, self.shape)
        assert self._pending is not None
        self._layers.append(Layer(*self._pending, name))
        self._pending = None

    def network(self, head: Head) -> Network:
        if self._pending is None:
            self.affine(np.ones(self.size), np.zeros(self.size), "the output", self.shape)
        assert self._pending is not None
        return Network((*self._layers, Layer(*self._pending)), head)


def read_model(model: Any, shape: Sequence[int]) -> Network:
    """A model as a network.

    Parameters
    ----------
    model : fitted estimator, Pipeline, module or list
    shape : sequence of int
        Of a record.

    Raises
    ------
    UnsupportedError
        It has a part that is not read; the message names it.
    ParameterError
        An estimator is not fitted.
    """
    builder = _Builder(shape)
    if isinstance(model, (list, tuple)):
        return _of_list(model, builder)
    if hasattr(model, "children") and hasattr(model, "state_dict"):
        return _of_module(model, builder)
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    *before, last = steps
    for step in before:
        _scale(step, builder)
    name = type(last).__name__
    if name in _PERCEPTRONS:
        return _perceptron(last, builder)
    if name in (*_REGRESSORS, *_MARGINS, *_LOGISTIC):
        return _linear(last, builder)
    raise UnsupportedError(
        f"{name} is not supported: the last step must be one of "
        f"{', '.join((*_REGRESSORS, *_MARGINS, *_LOGISTIC, *_PERCEPTRONS))}, a PyTorch Sequential, "
        "or a list of layers; trees and neighbours need comparisons, which CKKS has not"
    )


def _of_list(model: Sequence[Any], builder: _Builder) -> Network:
    """``[(weights, bias), "tanh", (weights, bias)]``."""
    for i, part in enumerate(model):
        if isinstance(part, str):
            if part not in ACTIVATIONS:
                raise UnsupportedError(
                    f"layer {i} is {part!r}: need a pair (weights, bias) or one of "
                    f"{', '.join(ACTIVATIONS)}"
                )
            builder.activation(part)
        elif isinstance(part, (tuple, list)) and len(part) == 2 and np.ndim(part[0]) == 2:
            builder.affine(part[0], part[1], f"layer {i}")
        else:
            raise ArgumentTypeError(
                f"layer {i} is a {type(part).__name__}: need a pair (weights, bias), with a matrix "
                "of shape (outputs, inputs), or the name of an activation"
            )
    return builder.network(Head("values"))


def _fitted(model: Any, name: str) -> Any:
    value = getattr(model, name, None)
    if value is None:
        raise ParameterError(f"{type(model).__name__} has no {name}: fit it first")
    return value


def _scale(step: Any, builder: _Builder) -> None:
    name = type(step).__name__
    if name not in _SCALERS:
        raise UnsupportedError(
            f"{name} is not supported before a model: need one of {', '.join(_SCALERS)}"
        )
    if name == "MinMaxScaler":
        builder.affine(_fitted(step, "scale_"), _fitted(step, "min_"), name)
        return
    factor = np.ones(builder.size) if step.scale_ is None else 1 / np.asarray(step.scale_)
    mean = getattr(step, "mean_", None)
    builder.affine(factor, np.zeros(len(factor)) if mean is None else -mean * factor, name)


def _linear(model: Any, builder: _Builder) -> Network:
    name = type(model).__name__
    weights = np.asarray(_fitted(model, "coef_"), dtype=np.float64)
    bias = np.ravel(model.intercept_)
    builder.affine(np.atleast_2d(weights), bias, name)
    if name in _REGRESSORS:
        return builder.network(Head("value" if weights.ndim == 1 else "values"))
    classes = np.asarray(model.classes_)
    kind = "margin"
    if name in _LOGISTIC:
        rest = getattr(model, "multi_class", "auto") == "ovr" or model.solver == "liblinear"
        kind = "logistic" if len(classes) == 2 else "margin" if rest else "softmax"
    return builder.network(Head(kind, classes))


def _perceptron(model: Any, builder: _Builder) -> Network:
    name = type(model).__name__
    matrices, offsets = _fitted(model, "coefs_"), model.intercepts_
    if model.activation not in ("identity", *ACTIVATIONS):
        raise UnsupportedError(f"{name} has activation = {model.activation!r}, which is not read")
    for i, (matrix, offset) in enumerate(zip(matrices, offsets, strict=True)):
        builder.affine(np.asarray(matrix).T, offset, name)
        if i < len(matrices) - 1 and model.activation != "identity":
            builder.activation(model.activation)
    if name == "MLPRegressor":
        return builder.network(Head("value" if model.n_outputs_ == 1 else "values"))
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        raise UnsupportedError(f"{name} was fitted to several labels a record: need one")
    return builder.network(Head(model.out_activation_, np.asarray(model.classes_)))


def _of_module(model: Any, builder: _Builder) -> Network:
    """A Sequential, and those inside of it."""
    for i, module in enumerate(_flattened(model)):
        name = f"{type(module).__name__} (layer {i})"
        _MODULE_READERS.get(type(module).__name__, _activation)(module, builder, name)
    return builder.network(Head("values"))


def _flattened(model: Any) -> Iterable[Any]:
    if type(model).__name__ != "Sequential":
        yield model
        return
    for child in model.children():
        yield from _flattened(child)


def _activation(module: Any, builder: _Builder, name: str) -> None:
    kind = type(module).__name__
    if kind in _NOTHING:
        if kind == "Flatten":
            builder.shape = (builder.size,)
        return
    if kind not in _MODULES:
        raise UnsupportedError(
            f"{name} is not supported: need {', '.join((*_MODULE_READERS, *_MODULES, *_NOTHING))}"
        )
    builder.activation(_MODULES[kind])


def _dense(module: Any, builder: _Builder, name: str) -> None:
    weights = _array(module.weight)
    bias = np.zeros(len(weights)) if module.bias is None else _array(module.bias)
    builder.affine(weights, bias, name)


def _normalise(module: Any, builder: _Builder, name: str) -> None:
    channels = len(_array(module.running_mean))
    factor = 1 / np.sqrt(_array(module.running_var) + module.eps)
    offset = -_array(module.running_mean) * factor
    if module.weight is not None:
        factor, offset = factor * _array(module.weight), offset * _array(module.weight)
        offset = offset + _array(module.bias)
    repeat = builder.size // channels
    builder.affine(np.repeat(factor, repeat), np.repeat(offset, repeat), name, builder.shape)


def _convolve(module: Any, builder: _Builder, name: str) -> None:
    kernel = _array(module.weight)
    if isinstance(module.padding, str) or getattr(module, "padding_mode", "zeros") != "zeros":
        raise UnsupportedError(f"{name} has padding by name or of another kind: state integers")
    bias = np.zeros(len(kernel)) if module.bias is None else _array(module.bias)
    groups, (rows, columns) = int(module.groups), kernel.shape[:2]
    dense = np.zeros((rows, columns * groups, *kernel.shape[2:]))
    for row in range(rows):  # a group of rows sees its own channels
        first = row * groups // rows * columns
        dense[row, first : first + columns] = kernel[row]
    steps = (_pair(module.stride), _pair(module.padding), _pair(module.dilation))
    _correlate(builder, dense, bias, *steps, name)


def _average(module: Any, builder: _Builder, name: str) -> None:
    size = _pair(module.kernel_size)
    stride = _pair(module.stride) if module.stride is not None else size
    if _pair(module.padding) != (0, 0) or getattr(module, "ceil_mode", False):
        raise UnsupportedError(f"{name} has padding or ceil_mode: need neither")
    channels = builder.shape[0]
    kernel = np.zeros((channels, channels, *size))
    kernel[np.arange(channels), np.arange(channels)] = 1 / math.prod(size)
    _correlate(builder, kernel, np.zeros(channels), stride, (0, 0), (1, 1), name)


def _correlate(
    builder: _Builder, kernel: Real, bias: Real, stride: Any, padding: Any, dilation: Any, name: str
) -> None:
    """A convolution as the matrix that it is."""
    rows, columns, *size = kernel.shape
    if len(builder.shape) != 3 or builder.shape[0] != columns:
        raise SizeError(
            f"{name} takes records of shape ({columns}, height, width): they are {builder.shape}"
        )
    image = builder.shape[1:]
    made = [
        (image[k] + 2 * padding[k] - dilation[k] * (size[k] - 1) - 1) // stride[k] + 1
        for k in range(2)
    ]
    if min(made) < 1 or rows * math.prod(made) * builder.size > _MOST_ENTRIES:
        raise SizeError(f"{name} makes {rows} images of {made}: too small, or too large a matrix")
    matrix = np.zeros((rows, *made, columns, *image))
    for u in range(size[0]):
        for v in range(size[1]):
            at = [np.arange(made[k]) * stride[k] + (u, v)[k] * dilation[k] - padding[k]
                  for k in range(2)]  # fmt: skip
            inside = [(a >= 0) & (a < image[k]) for k, a in enumerate(at)]
            outputs = np.ix_(*(np.flatnonzero(part) for part in inside))
            inputs = np.ix_(*(a[part] for a, part in zip(at, inside, strict=True)))
            view = np.moveaxis(matrix, 3, 1)  # rows, columns, output, input
            view[:, :, outputs[0], outputs[1], inputs[0], inputs[1]] += kernel[:, :, u, v][
                :, :, None, None
            ]
    offset = np.repeat(bias, math.prod(made))
    builder.affine(
        matrix.reshape(rows * math.prod(made), builder.size), offset, name, (rows, *made)
    )


_MODULE_READERS: dict[str, Callable[[Any, _Builder, str], None]] = {
    "Linear": _dense,
    "Conv2d": _convolve,
    "AvgPool2d": _average,
    "BatchNorm1d": _normalise,
    "BatchNorm2d": _normalise,
}


def _pair(value: Any) -> tuple[int, int]:
    first, second = value if isinstance(value, (tuple, list)) else (value, value)
    return int(first), int(second)


def _array(tensor: Any) -> Real:
    """A tensor's numbers, wherever it is."""
    for method in ("detach", "cpu", "numpy"):
        tensor = getattr(tensor, method)() if hasattr(tensor, method) else tensor
    return np.asarray(tensor, dtype=np.float64)


def _numbers(values: Any, name: str) -> Real:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} has weights that are NaN or infinite")
    return array

# SPDX-License-Identifier: Apache-2.0
"""Compiling a fitted model, running it in three ways, and keeping it in a file."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nttforge import FormatError, ParameterError, ckks
from nttforge import _arguments as arguments
from nttforge.typing import DeviceName

from ..container import Field, open_container, write_container
from ..demand import output_size, real_parameters
from .circuit import Layout, graph_of, simulated_scores
from .estimators import read_model
from .networks import ACTIVATIONS, Curve, Layer, Network, fitted_curves
from .parties import (
    Client,
    Server,
    _flat_records,
    _normalised,
    program_of,
)

__all__ = ["Compiled", "Report", "compile", "load"]

Real = NDArray[np.float64]
Mode = Literal["disable", "simulate", "execute"]
_MAGIC, _MODES = b"NTTFML\0\1", ("disable", "simulate", "execute")
_ROOM = 4  # bits of scores above 1, which every set has room for
_SIMULATED = 2**22  # numbers in the slots of records that are simulated at once


@dataclass(frozen=True)
class Report:
    """What a compiled model takes and how near it is; ``print`` shows it."""

    n: int
    scale_bits: int
    levels: int
    records: int
    rotations: int
    activations: tuple[str, ...]
    keys_bytes: int
    request_bytes: int
    answer_bytes: int
    approximation_error: float
    predicted_noise: float
    same_predictions: float
    seconds: float | None

    def __str__(self) -> str:
        curves = "; ".join(self.activations) or "none"
        took = (
            "not run yet" if self.seconds is None else f"{self.seconds * 1e3:.3g} ms, the last run"
        )
        return "\n".join(
            [
                f"n = {self.n}, scale 2^{self.scale_bits}, {self.levels} levels, "
                f"{self.records} records in a ciphertext",
                f"Activations: {curves}",
                f"Evaluation keys: {self.rotations} rotations, {self.keys_bytes / 1e6:.1f} MB; a "
                f"ciphertext {self.request_bytes / 1e6:.2f} MB, its answer "
                f"{self.answer_bytes / 1e6:.2f} MB",
                f"Scores of the sample: off by {self.approximation_error:.2g} through polynomials, "
                f"by {self.predicted_noise:.2g} through noise (simulated); "
                f"{self.same_predictions:.1%} of its predictions are those of the model",
                f"Time of a ciphertext: {took}",
            ]
        )


class Compiled:
    """A model for encrypted records; made by :func:`compile` or :func:`load`."""

    def __init__(
        self,
        network: Network,
        curves: list[Curve | None],
        ranges: Real,
        layout: Layout,
        parameters: ckks.Parameters,
        device: DeviceName,
        threads: int,
        sample: Real | None,
    ) -> None:
        self._network, self._curves, self._ranges = network, curves, ranges
        self._layout, self.parameters = layout, parameters
        self._device, self._threads, self._sample = device, threads, sample
        self._figures: tuple[float, ...] = ()
        self._graph = graph_of(network, curves, ranges, layout)
        self._own: tuple[Client, Server, ckks.EvaluationKeys] | None = None
        self._seconds: float | None = None

    def predict(self, records: ArrayLike, fhe: Mode = "disable") -> NDArray[Any]:
        """Numbers, or labels of classes.

        Parameters
        ----------
        records : array, (records, ...)
        fhe : {"disable", "simulate", "execute"}
            The model itself in the clear; what decryption would give, with simulated noise, in the
            clear; or all of it: encryption, the server's computation, decryption, with keys that
            are made at the first call.
        """
        return self._network.head.labels(self.scores(records, fhe))

    def predict_proba(self, records: ArrayLike, fhe: Mode = "disable") -> Real:
        """Probabilities of classes."""
        return self._network.head.probabilities(self.scores(records, fhe))

    def scores(self, records: ArrayLike, fhe: Mode = "disable") -> Real:
        """What the last layer gives, (records, outputs)."""
        arguments.choice("fhe", fhe, _MODES)
        x = _flat_records(records, self._network.features)
        if fhe == "disable":
            return self._network.scores(x)
        return self._simulated(x)[0] if fhe == "simulate" else self._executed(x)

    def client(self) -> Client:
        """Who holds the key: a new one at each call."""
        program = program_of(self._graph)
        needs = program.required_keys()
        return Client(self.parameters, self._layout, self._ranges, self._network.head, **needs)

    def server(self, device: DeviceName | None = None) -> Server:
        """Who computes, on the device of :func:`compile` or another one."""
        where: Any = device or self._device
        return Server(self._graph, self.parameters, self._layout, where, self._threads)

    def report(self) -> Report:
        """Set, levels, bytes, and errors on the sample that it was compiled with."""
        p, program = self.parameters, program_of(self._graph)
        needs, sizes = program.required_keys(), p.serialized_sizes()
        rotations = len(needs["rotations"])
        keys = rotations * sizes["rotation_key"]
        keys += sizes["relinearization_key"] if needs["relinearization"] else 0
        approximation, noise, same = self._of_sample()
        return Report(
            n=p.n,
            scale_bits=round(np.log2(p.scale)),
            levels=p.depth,
            records=self._layout.records,
            rotations=rotations,
            activations=tuple(
                f"{layer.activation} on [-{curve.limit:.3g}, {curve.limit:.3g}], degree "
                f"{len(curve.coefficients) - 1}, error {curve.error:.2g}"
                for layer, curve in zip(self._network.layers, self._curves, strict=True)
                if curve is not None
            ),
            keys_bytes=keys,
            request_bytes=sizes["ciphertext"] // 2,
            answer_bytes=p.serialized_sizes(level=1)["ciphertext"],
            approximation_error=approximation,
            predicted_noise=noise,
            same_predictions=same,
            seconds=self._seconds,
        )

    def save(self, path: str | Path) -> None:
        """Weights, polynomials, ranges and parameters in a file; no keys.

        Nothing of the sample is in it but the errors that :meth:`report` says. Who shall only
        encrypt gets :meth:`Client.to_bytes` of :meth:`client`, without weights.
        """
        blobs: list[bytes] = [self.client().to_bytes()]
        layers = []
        for layer, curve in zip(self._network.layers, self._curves, strict=True):
            blobs += [_blob(layer.weights), _blob(layer.bias)]
            layers.append(
                {
                    "shape": layer.weights.shape,
                    "activation": layer.activation,
                    "curve": curve and [curve.limit, curve.error, *curve.coefficients],
                }
            )
        header = {
            "layers": layers,
            "device": self._device,
            "threads": self._threads,
            "sample": self._of_sample(),
        }
        Path(path).write_bytes(write_container(_MAGIC, header, blobs))

    def _of_sample(self) -> tuple[float, ...]:
        """Errors by polynomials and by noise, and the share of predictions that stay the same."""
        if self._sample is not None and not self._figures:
            x, network = self._sample, self._network
            plain, near = network.scores(x), network.scores(x, self._curves)
            noise = self._simulated(x[: self._layout.records])[1]
            same = 1.0
            if network.head.classes is not None:
                same = float(np.mean(network.head.labels(near) == network.head.labels(plain)))
            largest = (float(np.max(np.abs(each))) for each in (near - plain, noise))
            self._figures = (*largest, same)
        return self._figures

    def _simulated(self, x: Real) -> tuple[Real, Real]:
        outside = sum(
            int(np.any(np.abs(step) > curve.limit, axis=1).sum())
            for step, curve in zip(self._network.steps(x, self._curves), self._curves, strict=True)
            if curve is not None
        )
        if outside:
            warnings.warn(
                f"{outside} of {len(x)} records leave the interval of an activation's polynomial: "
                "compile with more of them in X_sample, or with a larger margin",
                stacklevel=4,
            )
        rows = self._layout.pack(_normalised(x, self._ranges))
        rows = np.tile(rows, (1, self.parameters.slots // self._layout.slots))
        step, found = max(1, _SIMULATED // self.parameters.slots), []
        for begin in range(0, len(rows), step):
            part = rows[begin : begin + step]
            found.append(simulated_scores(self._graph, self.parameters, part))
        values, noise = (np.concatenate(parts) for parts in zip(*found, strict=True))
        slots, unpack = self._layout.slots, self._layout.unpack
        return unpack(values[:, :slots], len(x)), unpack(noise[:, :slots], len(x))

    def _executed(self, x: Real) -> Real:
        if self._own is None:
            client, server = self.client(), self.server()
            keys = server.load_keys(client.generate_keys().evaluation.to_bytes())
            self._own = client, server, keys
        client, server, keys = self._own
        request = client.encrypt(x)
        begun = time.perf_counter()
        answer = server.run(request, keys)
        self._seconds = (time.perf_counter() - begun) / -(-len(x) // self._layout.records)
        return client.decrypt_scores(answer)[0]

    def __repr__(self) -> str:
        shapes = " -> ".join(
            str(k) for k in [self._network.features, *(len(x.bias) for x in self._network.layers)]
        )
        return (
            f"<Compiled {shapes}, {self._layout.records} records a ciphertext, {self.parameters!r}>"
        )


def compile(
    model: Any,
    X_sample: ArrayLike,
    *,
    bits: int = 8,
    device: DeviceName = "cpu",
    threads: int = 0,
    margin: float = 0.25,
    input_range: tuple[ArrayLike, ArrayLike] | None = None,
    scale_bits: int | None = None,
    security: str = "classical128",
) -> Compiled:
    """Makes a fitted model ready for encrypted records.

    Parameters
    ----------
    model : fitted estimator, Pipeline, module, or list
        Linear models, ``MLPClassifier`` and ``MLPRegressor`` of scikit-learn, behind scalers in a
        Pipeline if wanted; a PyTorch ``Sequential`` of Linear, Conv2d, AvgPool2d, batch
        normalisation and activations; ``[(weights, bias), "tanh", (weights, bias)]``. It is trained
        as usual: nothing is trained here.
    X_sample : array, (records, ...)
        Records like those to come: where activations are needed follows from them.
    bits : int
        1 ... 20: polynomials are within 2^-bits of activations, relative to the largest value of
        the activation on its interval.
    device : str
        Where the server computes; it also decides between words of 64 and of 32 bits.
    threads : int
        Of the server; 0: as many as there are cores.
    margin : number
        0 ... 10: how much larger than in the sample inputs and arguments of activations may be.
    input_range : (low, high), optional
        Of all features, or of each; by default what the sample reaches, with the margin.
    scale_bits, security
        As :meth:`Program.parameters` takes them.

    Raises
    ------
    UnsupportedError
        A layer or estimator is not read; the message names it.
    ParameterError
        No recommended set has the levels, or an activation needs too high a degree.

    Examples
    --------
    >>> import numpy as np
    >>> from nttforge_compilers import ml
    >>> weights, bias = np.array([[0.5, -0.25]]), np.array([0.125])
    >>> records = np.array([[1.0, 2.0], [-1.0, 0.5]])
    >>> model = ml.compile([(weights, bias)], records)
    >>> model.predict(records, fhe="execute").round(3)
    array([[ 0.125],
           [-0.5  ]])
    """
    arguments.integer("bits", bits, 1, 20)
    arguments.number("margin", margin, 0, 10, "")
    x = np.asarray(X_sample, dtype=np.float64)
    network = read_model(model, x.shape[1:])
    x = _flat_records(x, network.features)
    if not np.isfinite(x).all():
        raise ParameterError("X_sample has NaN or infinity: need finite numbers")
    ranges = _ranges(x, margin, input_range)
    curves = fitted_curves(network, x, bits, margin)
    word_bits, width = 32 if device.startswith("cuda") else 64, Layout.width_of(network)
    sizes = network.features, network.outputs, width
    layout = Layout(*sizes, 1)
    largest = output_size(graph_of(network, curves, ranges, layout), 1.0)
    layout.shift = max(0, math.ceil(largest) - _ROOM)
    graph = graph_of(network, curves, ranges, layout)
    parameters = real_parameters(graph, 1.0, scale_bits, security, word_bits)
    layout = Layout(*sizes, parameters.slots // width, layout.shift)
    kept = x[: max(64, layout.records)]
    return Compiled(network, curves, ranges, layout, parameters, device, threads, kept)


def load(path: str | Path, *, device: DeviceName | None = None) -> Compiled:
    """A model that :meth:`Compiled.save` wrote, on its device or another one.

    Raises
    ------
    FormatError
        The file is damaged; the message names the field.
    """
    file = open_container(Path(path).read_bytes(), _MAGIC, "a model of nttforge.ml")
    if not file.blobs:
        raise FormatError("file has no blobs: need one at least")
    client = Client.from_bytes(bytes(file.blobs[0]))
    layout, layers, curves = client._layout, [], []
    size = layout.features
    for i, field in enumerate(file.header["layers"].items(2**10)):
        rows, columns = (f.integer(1, layout.width) for f in field["shape"].items(2))
        if columns != size:
            raise FormatError(f"{field.place}.shape takes {columns} numbers of {size}")
        weights, bias = (_numbers(file, 1 + 2 * i + k, (rows, columns)[: 2 - k]) for k in (0, 1))
        name = field["activation"]
        kind = None if name.value is None else name.text(*ACTIVATIONS)
        layers.append(Layer(weights, bias, kind))
        curves.append(_curve(field["curve"]) if kind else None)
        size = rows
    if not layers or layers[-1].activation or size != layout.outputs:
        raise FormatError(f"header.layers end with {size} numbers: need {layout.outputs} scores")
    threads = file.header["threads"].integer(0, 2**12)
    where: Any = device or file.header["device"].text()
    figures = tuple(part.number() for part in file.header["sample"].items(3))
    if len(figures) != 3:
        raise FormatError(f"header.sample has {len(figures)} numbers: need 3")
    network = Network(tuple(layers), client._head)
    parameters = client.context.parameters
    made = Compiled(network, curves, client._ranges, layout, parameters, where, threads, None)
    made._figures = figures
    return made


def _ranges(x: Real, margin: float, given: tuple[ArrayLike, ArrayLike] | None) -> Real:
    """Low and high of each feature."""
    if given is not None:
        low, high = (np.broadcast_to(np.asarray(end, np.float64), x.shape[1:]) for end in given)
        ranges = np.stack([low, high])
        if not np.isfinite(ranges).all() or not (low < high).all():
            raise ParameterError("input_range: need finite numbers, low < high for each feature")
        if (x < low).any() or (x > high).any():
            raise ParameterError("input_range does not hold X_sample: need low <= X_sample <= high")
        return ranges
    low, high = x.min(axis=0), x.max(axis=0)
    # A feature that is the same in the whole sample gets a range all the same.
    more = np.where(high > low, margin / 2 * (high - low), np.maximum(np.abs(high), 1) * 1e-3)
    return np.stack([low - more, high + more])


def _blob(values: Real) -> bytes:
    return np.ascontiguousarray(values, "<f8").tobytes()


def _numbers(file: Any, index: int, shape: tuple[int, ...]) -> Real:
    if index >= len(file.blobs):
        raise FormatError(f"blob {index} is missing")
    size = int(np.prod(shape))
    return np.asarray(file.vector(Field(index, f"blob {index}"), size)).reshape(shape).copy()


def _curve(field: Field) -> Curve:
    limit, error, *row = (part.number() for part in field.items(2**8))
    if not limit > 0 or not row:
        raise FormatError(f"{field.place}: need a limit above 0, an error and coefficients")
    return Curve(limit, tuple(row), error)

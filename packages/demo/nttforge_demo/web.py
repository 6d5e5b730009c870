# SPDX-License-Identifier: Apache-2.0
"""The demonstration in a browser: the page is the client, ``nttforge serve`` computes the score.

The page gets means and deviations, with which it makes integers of measurements; weights stay with
the server, and the secret key stays in the page.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from nttforge.encrypted import ArraySpec, EncryptedArray
from nttforge.errors import ParameterError
from nttforge_serve import Circuit, circuit, command

from .model import CLIP, FEATURE_LIMIT, REFINED_SCALE, Model, Patients, load_patients, train

__all__ = ["patient_circuit", "run", "write_page"]

_NPM_FILES = ("index.js", "nttforge.wasm")  # and the modules beside them


def patient_circuit(model: Model) -> Circuit:
    """The score of one patient's features, and 2^32 times the probability of cancer."""
    a, b, c = model.quadratic

    @circuit(shrink=False, x=ArraySpec((len(model.weights),), -FEATURE_LIMIT, FEATURE_LIMIT))
    def patient_risk(x: EncryptedArray) -> tuple[EncryptedArray, EncryptedArray]:
        """The score s = w x + bias of a logistic regression, and (a s + b) s + c."""
        s = x @ model.weights + model.bias
        return s, s.polynomial([c, b, a])

    return patient_risk


def description(model: Model, patients: Patients) -> dict[str, Any]:
    """What the page has to know: how measurements become integers, and three patients."""
    scores = model.scores(model.quantise(patients.features))
    order = np.argsort(scores)
    chosen = {
        "a benign sample": order[len(order) // 4],
        "one near the border": order[np.abs(scores[order]).argmin()],
        "a malignant sample": order[-len(order) // 8],
    }
    return {
        "names": list(model.names),
        "mean": model.mean.tolist(),
        "deviation": model.deviation.tolist(),
        "limit": FEATURE_LIMIT,
        "clip": CLIP,
        "refined_scale": REFINED_SCALE,
        "examples": [
            {"name": name, "values": patients.features[i].tolist()} for name, i in chosen.items()
        ],
    }


def write_page(folder: Path, model: Model, patients: Patients, npm: Path | None) -> None:
    """The page of nttforge_serve with this model, and the npm package where there is one."""
    pages = resources.files("nttforge_serve").joinpath("page")
    with resources.as_file(pages) as source:
        shutil.copytree(source, folder, dirs_exist_ok=True)
    (folder / "model.json").write_text(json.dumps(description(model, patients)), "utf-8")
    if npm is not None:
        (folder / "nttforge").mkdir(exist_ok=True)
        for path in npm.iterdir():
            if path.suffix in (".js", ".wasm"):
                shutil.copyfile(path, folder / "nttforge" / path.name)


def npm_folder(given: str | None) -> Path | None:
    """Where the npm package nttforge lies: as stated, or built in a clone; None where it is not."""
    places = [Path("web"), Path("node_modules/nttforge")] if given is None else [Path(given)]
    for place in places:
        if all((place / name).is_file() for name in _NPM_FILES):
            return place
    if given is not None:
        raise ParameterError(
            f"--npm {given} has not all of {', '.join(_NPM_FILES)}: give the folder of the npm "
            "package nttforge"
        )
    return None


def run(options: argparse.Namespace) -> int:
    """Serves the page and the score until Ctrl-C."""
    patients = load_patients()
    model, npm = train(patients), npm_folder(options.npm)
    parser = argparse.ArgumentParser()
    command.add_server_arguments(parser)
    port = "8100" if options.port is None else str(options.port)
    served = parser.parse_args(["--port", port, "--device", options.device])
    with tempfile.TemporaryDirectory(prefix="nttforge-page-") as folder:
        write_page(Path(folder), model, patients, npm)
        if npm is None:
            print("The npm package nttforge is not here: the page will say so, and cannot encrypt.")
        print("Open the address behind 'serving' in a browser; Ctrl-C ends the demonstration.")
        return command.start(served, [patient_circuit(model)], Path(folder))

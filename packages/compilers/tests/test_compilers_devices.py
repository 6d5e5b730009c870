# SPDX-License-Identifier: Apache-2.0
"""Programs on a GPU, and on the host's run of the GPU's kernels: the words of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from devices import gpu_devices
from heir_programs import PROGRAMS, text

from nttforge.typing import DeviceName
from nttforge_compilers import heir


@pytest.mark.parametrize("device", gpu_devices())
@pytest.mark.parametrize(
    ("name", "scheme"),
    [("box_blur", "bgv"), ("dot_product", "bfv"), ("real_matrix_vector", "ckks")],
)
def test_words_are_those_of_the_cpu(name: str, scheme: str, device: DeviceName) -> None:
    pytest.importorskip("xdsl")
    program, random = heir.load(text(name, scheme)), np.random.default_rng(8)
    values: list[Any] = [random.integers(0, 2, shape) for shape in PROGRAMS[name].shapes]
    context = program.context(device)
    keys = context.generate_keys(**program.required_keys())
    texts = program.encrypt(*values, keys=keys)
    answer = program.run(*texts, keys=keys)
    assert np.allclose(program.decrypt(answer, keys), program.run_plain(*values), atol=1e-6)
    host = context.on("cpu")
    moved = program.run(*(x.to(host) for x in texts), keys=keys.evaluation.to(host))
    assert moved.to_bytes() == answer.to_bytes()

# SPDX-License-Identifier: Apache-2.0
"""Errors that C++ raises name what Python has."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nttforge
from nttforge import bfv
from nttforge.integer_encoding import Keys

ROOT = Path(__file__).resolve().parents[3]
#: Parts of the library whose errors are C++'s or C's alone: steps between bases are not in Python.
NOT_PYTHON = (
    "nttforge/hexl/",
    "nttforge/c/",
    "nttforge/cuda/plan/",
    "nttforge/cuda/step/",
    "nttforge/base/system/page_wasm.cpp",
)
#: What Python checks before C++ does, or what it never leaves out: these texts are not seen there.
NOT_SEEN = {
    "Context::create": "a context is always there",
    "make_cpu_device()": "a device is always there",
    "folded()": "steps between bases are no part of the package",
    "kAllTargets": "targets are names",
    "Ring::": "rings are names",
    "Transform::": "transforms are names",
    "Order::": "orders are names",
    "key.purpose()": "keys come whole from generators and bytes",
    "load()": "Keys.load has this name",
}


@pytest.fixture(scope="module")
def keys() -> Keys:
    return bfv.Context(bfv.Parameters.preset(4096)).generate_keys(rotations=[2])


CASES: list[tuple[str, Callable[[Keys], object], str]] = [
    ("inner sum", lambda k: k.encrypt([1]).inner_sum(8, k), "generate_keys(inner_sum=8)"),
    (
        "many",
        lambda k: k.encrypt([1]).rotate_many([3, 5], k),
        "make them with generate_keys(rotations=[...], swap_columns=...)",
    ),
    (
        "one",
        lambda k: k.encrypt([1]).rotate_rows(1, k),
        "make it with generate_keys(rotations=[...], swap_columns=...)",
    ),
    ("columns", lambda k: k.encrypt([1]).swap_columns(k), "generate_keys(rotations="),
    ("preset", lambda k: bfv.Parameters.preset(5000), "or Parameters.custom"),
    ("signed", lambda k: k.encrypt([40000]), "or encode unsigned values in [0, t) (signed=False)"),
    (
        "unsigned",
        lambda k: k.encrypt([65537], signed=False),
        "or encode signed values in [-t/2, t/2) (signed=True)",
    ),
    (
        "unsigned array",
        lambda k: k.encrypt(np.array([2**63], dtype=np.uint64)),
        "or encode unsigned values in [0, t) (signed=False)",
    ),
]


@pytest.mark.parametrize(("call", "text"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_remedy_is_in_python(keys: Keys, call: Callable[[Keys], object], text: str) -> None:
    with pytest.raises(nttforge.NttforgeError) as caught:
        call(keys)
    assert text in str(caught.value)
    for part in ("::", "KeyGenerator", "int64_t", "()"):
        assert part not in str(caught.value)


def test_every_name_of_cpp_in_an_error_has_one_in_python() -> None:
    """A text that names a C++ function is in the table of the bindings, or says why not here."""
    table = (ROOT / "python/bindings/base.cpp").read_text("utf-8").partition("kPythonNames")[2]
    known = re.findall(r'\{"((?:[^"\\]|\\.)*)", "', table.partition("};")[0])
    assert len(known) > 5
    unknown = []
    for path in sorted((ROOT / "nttforge").rglob("*.?pp")):
        name = path.relative_to(ROOT).as_posix()
        if "_test." in name or "testing" in name or name.startswith(NOT_PYTHON):
            continue
        for line in path.read_text("utf-8").splitlines():
            if line.lstrip().startswith(("//", "#include")):
                continue
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                named = re.search(r"[A-Za-z]\w*::\w*|\w+\(\)|\.size\(\)|\bk[A-Z]\w+", text)
                if named and not any(part in text for part in (*known, *NOT_SEEN)):
                    unknown.append(f"{name}: {text}")
    assert unknown == []

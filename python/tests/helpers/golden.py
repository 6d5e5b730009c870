# SPDX-License-Identifier: Apache-2.0
"""The programs beside the golden files: what writes them, and the reader made from the page."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"golden_{name}", GOLDEN / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITE, READER = _module("write"), _module("reader")
CURRENT = GOLDEN / f"v{WRITE.VERSION}"
#: Every set of every version that was ever written and is still read.
SETS = [path.parent for path in sorted(GOLDEN.glob("v*/*/parameters.bin"))]

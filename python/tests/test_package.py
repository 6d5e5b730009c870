# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: imports, documentation, types."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nttforge
from nttforge import bfv, errors


def _modules() -> list[str]:
    names = [m.name for m in pkgutil.walk_packages(nttforge.__path__, "nttforge.")]
    tested_elsewhere = ("__main__", "._core")
    return sorted(n for n in names if not n.endswith(tested_elsewhere) and ".spec" not in n)


@pytest.mark.parametrize("name", ["nttforge", *_modules()])
def test_doctests(name: str) -> None:
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0


def test_there_are_doctests_where_users_look() -> None:
    finder = doctest.DocTestFinder()
    for thing in (
        nttforge.NttPlan,
        bfv.Parameters,
        bfv.Context,
        bfv.Ciphertext,
        nttforge.ntt_primes,
    ):
        assert any(t.examples for t in finder.find(thing)), thing


def test_everything_public_is_documented() -> None:
    for module in (nttforge, bfv):
        for name in module.__all__:
            thing = getattr(module, name)
            if name == "__version__":
                continue
            assert inspect.getdoc(thing), name
            if inspect.isclass(thing) and thing.__module__.startswith("nttforge"):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (
                        callable(value) or isinstance(value, property)
                    ):
                        assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


def test_the_oracle_needs_neither_core_nor_numpy() -> None:
    code = (
        "import sys; sys.modules['nttforge._core'] = None; sys.modules['numpy'] = None\n"
        "from nttforge.spec import transform\n"
        "print(transform.forward([1, 0], 5))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[1, 1]\n"


def test_version_is_that_of_the_build() -> None:
    assert nttforge.__version__.count(".") == 2


def test_types_are_shipped() -> None:
    package = Path(nttforge.__file__).parent
    assert (package / "py.typed").exists()
    core = importlib.import_module("nttforge._core")
    stubs = Path(core.__file__).with_name("_core")
    assert "class NttPlan" in (stubs / "__init__.pyi").read_text()
    assert "def multiply_relinearize" in (stubs / "bfv.pyi").read_text()


def test_type_checkers_see_every_name() -> None:
    tree = ast.parse(Path(nttforge.__file__).read_text())
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in nodes for alias in node.names}
    assert set(nttforge.__all__) <= imported


def test_unknown_attributes_are_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        nttforge.nonsense  # noqa: B018


def test_errors_are_also_what_python_users_catch() -> None:
    with pytest.raises(ValueError):
        nttforge.NttPlan(3, 17)
    with pytest.raises(TypeError):
        nttforge.NttPlan(4, 17).forward(np.zeros(4))
    assert issubclass(nttforge.MissingKeyError, KeyError)
    assert str(nttforge.MissingKeyError("no key for step 3")) == "no key for step 3"
    for name in errors.__all__:
        assert issubclass(getattr(nttforge, name), nttforge.NttforgeError)

# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: imports, documentation, types."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest
from nttforge._core import cuda as core

import nttforge
import nttforge.targets
import nttforge_cluster
import nttforge_compilers
import nttforge_demo
import nttforge_he
import nttforge_seal
import nttforge_serve
from nttforge import bfv, cuda, errors
from nttforge import typing as types

OTHERS = (
    nttforge_cluster,
    nttforge_compilers,
    nttforge_demo,
    nttforge_he,
    nttforge_seal,
    nttforge_serve,
)


def _modules() -> list[str]:
    names = [m.name for m in pkgutil.walk_packages(nttforge.__path__, "nttforge.")]
    tested_elsewhere = ("__main__", "._core")
    return sorted(n for n in names if not n.endswith(tested_elsewhere) and ".spec" not in n)


def _doctested() -> list[Any]:
    """Every module; what needs the kernels of papers is left to builds that have them."""
    of_papers = "nttforge.cuda._explorer"
    full = pytest.param(of_papers, marks=pytest.mark.full)
    found = [full if name == of_papers else name for name in _modules()]
    for package in OTHERS:
        path, prefix = package.__path__, f"{package.__name__}."
        found += [module.name for module in pkgutil.walk_packages(path, prefix)]
    return ["nttforge", *found]


@pytest.mark.parametrize("name", _doctested())
def test_doctests(name: str) -> None:
    if name.startswith("nttforge.cuda") and not core.host_in_this_build():
        pytest.skip("needs a build with NTTFORGE_CUDA_HOST=ON")
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
    assert "def multiply_relinearize" in (stubs / "rlwe.pyi").read_text()
    assert "def mod_switch" in (stubs / "rlwe.pyi").read_text()
    assert "class Evaluator" in (stubs / "bgv.pyi").read_text()


def test_type_checkers_see_every_name() -> None:
    tree = ast.parse(Path(nttforge.__file__).read_text())
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in nodes for alias in node.names}
    assert set(nttforge.__all__) <= imported


@pytest.mark.parametrize("module", [nttforge, bfv, cuda, errors, types])
def test_tab_completion_of_modules_shows_what_is_public(module: ModuleType) -> None:
    more = {"bfv", "cuda", "spec", "typing"} if module is nttforge else set()
    assert set(dir(module)) == {*module.__all__, *more}
    for name in dir(module):
        assert getattr(module, name) is not None


def test_tab_completion_of_objects_shows_what_is_documented() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1)
    keys = context.generate_keys(rotations=[1])
    plan = nttforge.NttPlan(8, 17, algorithm="dit")
    objects = [
        plan,
        nttforge.Wisdom(),
        context,
        context.parameters,
        keys.secret,
        keys.rotations,
        keys.encrypt([1]),
        bfv.BatchEncoder(context),
        cuda.to_device(np.zeros(4, dtype=np.uint64), "cuda:host"),
    ]
    for thing in objects:
        for name in dir(thing):
            if not name.startswith("_"):
                assert inspect.getdoc(getattr(type(thing), name)), f"{type(thing).__name__}.{name}"


def test_names_in_types_are_those_of_the_program() -> None:
    assert list(get_args(types.Target)) == nttforge.targets.all_targets()
    known = ["merged", *(a.name for a in nttforge.algorithms())]
    assert list(get_args(types.AlgorithmName)) == known


@pytest.mark.parametrize("module", [nttforge, bfv, cuda])
def test_results_of_public_functions_have_types(module: ModuleType) -> None:
    """Each says what it returns, and not that it may be anything."""
    for name in module.__all__:
        thing = getattr(module, name)
        functions = [thing] if inspect.isfunction(thing) else []
        if inspect.isclass(thing):
            functions = [
                f
                for cls in thing.__mro__
                if cls.__module__.startswith("nttforge")
                for key, f in vars(cls).items()
                if not key.startswith("_")
            ]
        for f in functions:
            f = f.fget if isinstance(f, property) else getattr(f, "__func__", f)
            if not inspect.isfunction(f):
                continue
            said = f.__annotations__.get("return")
            source = inspect.getsource(inspect.getmodule(f))
            if not re.search(rf"@overload\n *def {f.__name__}\(", source):
                assert said not in (None, "Any", "NDArray[Any]", "tuple[Any, ...]"), f.__qualname__


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


@pytest.mark.parametrize("asked", [False, True])
def test_objects_that_outlive_the_interpreter_are_reported_to_tests_alone(asked: bool) -> None:
    program = (
        "import ctypes, nttforge\n"
        "plan = nttforge.NttPlan(16, 97)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(plan._plan.core))\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "NTTFORGE_TEST_LEAKS"}
    if asked:
        environment["NTTFORGE_TEST_LEAKS"] = "1"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and ("nanobind: leaked" in done.stderr) == asked, done.stderr

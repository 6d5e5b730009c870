# SPDX-License-Identifier: Apache-2.0
"""Check that sources use only what their layer stands on (layers.py), and nothing in a circle.

C++: includes of the library, the bindings and the benchmarks. Python: imports of the packages, at
the head of a module, within functions and for types. Circles are looked for among
includes and among imports that run: one within a function that only dodges a circle is one too.
--self-test shows that each rule can fail.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from layers import CPP, PYTHON, Layer, allowed
from python_imports import imports, loads, modules

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "python/nttforge"
#: The package, and those of the repository that stand on it.
PACKAGES = (PACKAGE, "bench/nttforge_bench", "papers/nttforge_papers")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".h")
#: Packages whose modules still import each other in a circle.
KNOWN_CIRCLES: tuple[str, ...] = ()


def check_cpp(root: pathlib.Path, layers: Sequence[Layer]) -> tuple[int, list[str]]:
    """How many C++ files there are, and what is wrong with their includes."""
    may = allowed(layers)
    tops = sorted({name.split("/")[0] for name in may})
    paths = [path for top in tops for path in sorted((root / top).rglob("*"))]
    files = {str(path.relative_to(root)): path for path in paths if path.suffix in SOURCES}
    problems: list[str] = []
    graph: dict[str, list[str]] = {}
    seen = set()
    for name, path in files.items():
        layer = _folder(name, may)
        if not layer:
            problems.append(f"{name}: its folder is in no layer of tools/layers.py")
            continue
        seen.add(layer)
        text = path.read_text(encoding="utf-8")
        graph[name] = []
        for said in INCLUDE.findall(text):
            beside = str((path.parent / said).relative_to(root))
            included = beside if said not in files and beside in files else said
            if layer.startswith("nttforge/") and not _folder(said, may):
                problems.append(f"{name}: include {said!r} by its full path")
            elif _folder(included, may) and included not in files:
                problems.append(f"{name}: {included} does not exist")
            elif included in files:
                graph[name].append(included)
                if _folder(included, may) not in may[layer]:
                    problems.append(f"{name}: {layer} may not include {included}")
        if path.suffix in (".hpp", ".cuh") and "#pragma once" not in text:
            problems.append(f"{name}: header without #pragma once")
    problems += [f"tools/layers.py: {n} has no sources" for n in may if n not in seen]
    problems += [f"includes go in a circle: {' -> '.join(c)}" for c in circles(graph)]
    return len(files), problems


def _folder(name: str, layers: Iterable[str]) -> str:
    """The layer that a file is in, or is itself, by the longest name; empty if there is none."""
    return max((f for f in layers if f"{name}/".startswith(f"{f}/")), key=len, default="")


def check_python(
    packages: Sequence[pathlib.Path], layers: Sequence[Layer], known_circles: Sequence[str] = ()
) -> tuple[int, list[str]]:
    """How many modules the packages have, the first of them the library's, and what is wrong with
    their imports."""
    may = allowed(layers)
    top = packages[0].name
    tops = {package.name for package in packages}
    known = {name: path for package in packages for name, path in modules(package).items()}
    names = {*known, f"{top}._core"}
    problems: list[str] = []
    graph: dict[str, list[str]] = {}
    seen = {"_core"}
    for name in known:
        layer = _part(name, top, may)
        seen.add(layer)
        if not layer:
            problems.append(f"{name} is in no layer of tools/layers.py")
            continue
        graph[name] = []
        for found in imports(name, known[name], names):
            if not found.types:
                graph[name] += [
                    m for m in loads(name, found.module) if m in known and m not in tops
                ]
            other = _part(found.module, top, may)
            if not other:
                problems.append(f"{name}:{found.line}: {found.module} is in no layer")
            elif other not in may[layer]:
                problems.append(f"{name}:{found.line}: {layer} may not import {found.module}")
    problems += [f"tools/layers.py: {n} has no modules" for n in may if n not in seen]
    stale = set(known_circles)
    for circle in circles(graph):
        within = [p for p in known_circles if all(m.startswith(f"{p}.") for m in circle)]
        stale -= set(within)
        if not within:
            problems.append(f"imports go in a circle: {' -> '.join(circle)}")
    problems += [f"{p} has no circle any more: take it out of KNOWN_CIRCLES" for p in stale]
    return len(known), problems


def _part(module: str, top: str, layers: Iterable[str]) -> str:
    """The layer that a module is in, by the longest name, in which the library's is left out.

    Programs of the library are its topmost layer's.
    """
    name = "__init__" if module == top else module.removeprefix(f"{top}.")
    if name != module and name.endswith("__main__"):
        return "__main__"
    return max((p for p in layers if f"{name}.".startswith(f"{p}.")), key=len, default="")


def circles(graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """A shortest circle through every node that is on one, each circle once.

    Examples
    --------
    >>> circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]})
    [['b', 'c', 'b']]
    """
    found: dict[frozenset[str], list[str]] = {}
    for start in graph:
        before: dict[str, str] = {}
        waiting = deque([start])
        while waiting and start not in before:
            node = waiting.popleft()
            for below in graph.get(node, ()):
                if below not in before:
                    before[below] = node
                    waiting.append(below)
        if start in before:
            circle = [start]
            while len(circle) == 1 or circle[-1] != start:
                circle.append(before[circle[-1]])
            found.setdefault(frozenset(circle), circle[::-1])
    return list(found.values())


def self_test() -> list[str]:
    """Each rule is broken once, in a small house of its own."""
    cpp = (Layer("nttforge/base"), Layer("nttforge/arith", ("nttforge/base",)), Layer("bench"))
    python = (Layer("spec"), Layer("_core"), Layer("ntt", ("_core",)), Layer("__init__", ("ntt",)))
    once = "#pragma once\n"
    sound = {
        "nttforge/base/a.hpp": once,
        "nttforge/arith/b.hpp": f'{once}#include "nttforge/base/a.hpp"\n',
        "bench/c.cpp": '#include "d.h"\n#include "peer.h"\n',
        "bench/d.h": "",
        f"{PACKAGE}/__init__.py": "from typing import TYPE_CHECKING\n",
        f"{PACKAGE}/spec/__init__.py": "",
        f"{PACKAGE}/spec/rns.py": "",
        f"{PACKAGE}/ntt/__init__.py": "",
        f"{PACKAGE}/ntt/plan.py": "from .. import _core\ndef f():\n    from . import spec\n",
        f"{PACKAGE}/ntt/spec.py": "",
    }
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .plan import Plan\n"
    upward = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..ntt import Plan\n"
    cases = [
        ("nttforge/base/a.hpp", sound["nttforge/base/a.hpp"], ""),
        ("nttforge/base/a.hpp", f'{once}#include "nttforge/arith/b.hpp"\n', "may not include"),
        ("nttforge/base/a.hpp", f'{once}#include "bench/d.h"\n', "may not include"),
        ("nttforge/base/a.hpp", f'{once}#include "b.hpp"\n', "by its full path"),
        ("nttforge/base/a.hpp", f'{once}#include "nttforge/base/gone.hpp"\n', "does not exist"),
        ("nttforge/base/a.hpp", "", "without #pragma once"),
        ("nttforge/base/a.hpp", f'{once}#include "nttforge/base/a.hpp"\n', "in a circle"),
        ("bench/c.cpp", '#include "nttforge/base/a.hpp"\n', "may not include"),
        ("nttforge/new/a.cpp", "", "in no layer"),
        (f"{PACKAGE}/spec/rns.py", "from .. import _core\n", "may not import nttforge._core"),
        (f"{PACKAGE}/spec/rns.py", "import nttforge.ntt\n", "may not import nttforge.ntt"),
        (f"{PACKAGE}/spec/rns.py", "def f():\n    from .. import ntt\n", "may not import"),
        (f"{PACKAGE}/spec/rns.py", upward, "may not import"),
        (f"{PACKAGE}/new.py", "", "in no layer"),
        (f"{PACKAGE}/ntt/spec.py", "from .plan import Plan\n", "in a circle"),
        (f"{PACKAGE}/ntt/spec.py", "def f():\n    from .plan import Plan\n", "in a circle"),
        (f"{PACKAGE}/ntt/spec.py", types, ""),
    ]
    problems = []
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, content in {**sound, name: text}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content, encoding="utf-8")
            found = "\n".join(check_cpp(root, cpp)[1] + check_python([root / PACKAGE], python)[1])
            if (expected not in found) if expected else found:
                problems.append(f"self-test of {name}, {text!r}: {found or 'nothing was found'}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    options = parser.parse_args()
    files, problems = check_cpp(ROOT, CPP)
    count, more = check_python([ROOT / p for p in PACKAGES], PYTHON, KNOWN_CIRCLES)
    problems += more + (self_test() if options.self_test else [])
    if min(files, count) < 10:
        problems.append(f"only {files} C++ files and {count} modules under {ROOT}: wrong folder?")
    said = f"layers hold over {files} C++ files and {count} Python modules, without circles"
    print("\n".join(problems) or said)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

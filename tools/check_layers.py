# SPDX-License-Identifier: Apache-2.0
"""Check that sources use only what their layer stands on (layers.py), and nothing in a circle.

C++: includes of the library, the bindings and the benchmarks. Python: imports of the package, those
at the head of a module, those within functions and those for types. Circles are looked for among
includes and among all imports: one within a function or for types only dodges a circle. A package's
__init__ may name for types what it loads when it is asked for.
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

from layers import CPP, HARDWARE, PYTHON, Layer, allowed
from python_imports import imports, loads, modules

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "python/nttforge"
ORACLE = "packages/oracle/nttforge_oracle"
#: The package, and those of the repository that stand on it.
PACKAGES = (
    PACKAGE,
    ORACLE,
    "packages/cluster/nttforge_cluster",
    "packages/compilers/nttforge_compilers",
    "packages/he/nttforge_he",
    "packages/seal/nttforge_seal",
    "packages/serve/nttforge_serve",
    "packages/demo/nttforge_demo",
    "bench/nttforge_bench",
    "papers/nttforge_papers",
)
GENERATOR = "packages/hardware/nttforge_hardware"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".h")


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
    packages: Sequence[pathlib.Path], layers: Sequence[Layer], others: Sequence[pathlib.Path] = ()
) -> tuple[int, list[str]]:
    """How many modules the packages have, and what is wrong with their imports, of others too.

    The first is the one that the layers name parts of; the others stand in them by full names.
    """
    may = allowed(layers)
    top = packages[0].name
    tops = {package.name for package in packages}
    known = {name: path for package in packages for name, path in modules(package).items()}
    names = {*known, "nttforge._core", *(name for other in others for name in modules(other))}
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
            elif known[name].name != "__init__.py" and found.module in known:
                graph[name].append(found.module)
            below = _part(found.module, top, may)
            if found.module not in known:
                seen.add(below)
            if not below:
                problems.append(f"{name}:{found.line}: {found.module} is in no layer")
            elif below not in may[layer]:
                problems.append(f"{name}:{found.line}: {layer} may not import {found.module}")
    problems += [f"tools/layers.py: {n} of {top} has no modules" for n in may if n not in seen]
    problems += [f"imports go in a circle: {' -> '.join(c)}" for c in circles(graph)]
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
    python = (
        Layer("spec"),
        Layer("_core"),
        Layer("ntt", ("_core",)),
        Layer("__init__", ("ntt",)),
        Layer("nttforge_hardware"),
        Layer("report", ("nttforge_hardware",)),
    )
    generator = (
        Layer("nttforge.spec"),
        Layer("nttforge.ntt"),
        Layer("__init__"),
        Layer("plan", ("nttforge.spec",)),
        Layer("driver", ("plan", "nttforge.ntt")),
    )
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
        f"{PACKAGE}/report.py": "from nttforge_hardware import plan\n",
        f"{GENERATOR}/__init__.py": "",
        f"{GENERATOR}/plan.py": "from nttforge import spec\nfrom nttforge.spec.rns import x\n",
        f"{GENERATOR}/driver.py": "from nttforge import ntt\nfrom . import plan\n",
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
        (f"{PACKAGE}/ntt/spec.py", "import nttforge_hardware.plan\n", "may not import nttforge_h"),
        (f"{GENERATOR}/plan.py", "from nttforge import ntt\n", "plan may not import nttforge.ntt"),
        (f"{GENERATOR}/plan.py", "from nttforge import rlwe\n", "nttforge is in no layer"),
        (f"{PACKAGE}/ntt/spec.py", "from .plan import Plan\n", "in a circle"),
        (f"{PACKAGE}/ntt/spec.py", "def f():\n    from .plan import Plan\n", "in a circle"),
        (f"{PACKAGE}/ntt/spec.py", types, "in a circle"),
        (f"{PACKAGE}/ntt/__init__.py", types, ""),
    ]
    problems = []
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, content in {**sound, name: text}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content, encoding="utf-8")
            package, other = root / PACKAGE, root / GENERATOR
            problems_found = check_cpp(root, cpp)[1] + check_python([package], python, [other])[1]
            problems_found += check_python([other], generator, [package])[1]
            found = "\n".join(problems_found)
            if (expected not in found) if expected else found:
                problems.append(f"self-test of {name}, {text!r}: {found or 'nothing was found'}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    options = parser.parse_args()
    files, problems = check_cpp(ROOT, CPP)
    count, more = check_python([ROOT / p for p in PACKAGES], PYTHON, [ROOT / GENERATOR])
    used = [ROOT / PACKAGE, ROOT / ORACLE]
    generator, its = check_python([ROOT / GENERATOR], HARDWARE, used)
    problems += more + its + (self_test() if options.self_test else [])
    if min(files, count, generator) < 10:
        problems.append(f"only {files} C++ files and {count} modules under {ROOT}: wrong folder?")
    count += generator
    said = f"layers hold over {files} C++ files and {count} Python modules, without circles"
    print("\n".join(problems) or said)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

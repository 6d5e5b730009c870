# SPDX-License-Identifier: Apache-2.0
"""The imports of Python packages, read from its sources without running them."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Import:
    """One module that another names, and whether the import is for types only."""

    module: str
    line: int
    types: bool


def modules(package: pathlib.Path) -> dict[str, pathlib.Path]:
    """Every module of a package by its full name; a package has the name of its folder."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: pathlib.Path, known: Collection[str]) -> list[Import]:
    """What module ``name`` imports of known packages: at its head, within functions, for types.

    ``from .. import x`` is the module ``x`` if it is among ``known``, and otherwise the package,
    which then has a thing of this name. ``__version__`` is no import: each reads it as it can.
    """
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tops = {module.split(".")[0] for module in known}
    found = []
    for node, types in _statements(ast.parse(path.read_text(encoding="utf-8")), False):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        else:
            source = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1])
                source = f"{base}.{source}" if source else base
            names = [alias.name for alias in node.names if alias.name != "__version__"]
            wanted = [f"{source}.{n}" if f"{source}.{n}" in known else source for n in names]
        inside = [w for w in dict.fromkeys(wanted) if w.split(".")[0] in tops]
        found += [Import(module, node.lineno, types) for module in inside]
    return found


def _statements(node: ast.AST, types: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, types
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for statement in child.body:
                yield from _statements(ast.Module([statement], []), True)
            for statement in child.orelse:
                yield from _statements(ast.Module([statement], []), types)
        else:
            yield from _statements(child, types)


def loads(name: str, imported: str) -> list[str]:
    """The modules that run when ``name`` imports another: it, and the packages that it is in.

    Packages that ``name`` is in itself run before it in any case and are left out.

    Examples
    --------
    >>> loads("p.a.x", "p.b.y"), loads("p.a.x", "p.a.y")
    (['p.b', 'p.b.y'], ['p.a.y'])
    """
    parts = imported.split(".")
    found = [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
    return [m for m in found if m == imported or not f"{name}.".startswith(f"{m}.")]

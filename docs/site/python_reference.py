# SPDX-License-Identifier: Apache-2.0
"""Pages of the Python reference: every public name of every public module, once.

A name that several modules have is described where it is defined; the others link there. Texts are
the docstrings, which Sphinx reads from the installed package.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

#: Public modules: name, title, and what a reader is told first.
MODULES = (
    ("nttforge", "Transforms, primes, choices", "What ``import nttforge`` has, beside modules."),
    ("nttforge.bfv", "BFV",
     "What it shares with BGV is described on :doc:`nttforge.integer_encoding` and "
     ":doc:`nttforge.rlwe`."),
    ("nttforge.bgv", "BGV",
     "What it shares with BFV is described on :doc:`nttforge.integer_encoding` and "
     ":doc:`nttforge.rlwe`."),
    ("nttforge.ckks", "CKKS",
     "The guide is :doc:`/real-numbers`; what it shares with other schemes is described on "
     ":doc:`nttforge.rlwe`."),
    ("nttforge.integer_encoding", "Encrypted integers",
     "Import these names from :doc:`nttforge.bfv` or :doc:`nttforge.bgv`."),
    ("nttforge.rlwe", "What every scheme has",
     "Import these names from :doc:`nttforge.bfv` or :doc:`nttforge.bgv`."),
    ("nttforge.circuits", "Linear maps and polynomials", "For ciphertexts of every scheme."),
    ("nttforge.ckks.functions", "Functions of real numbers",
     "The guide is :doc:`/functions-of-real-numbers`."),
    ("nttforge.encrypted", "Encrypted arrays",
     "``ArraySpec`` and ``EncryptedArray`` are in ``nttforge`` itself. The guide to the functions "
     "is :doc:`/can-i`."),
    ("nttforge.choosing", "Choosing parameters", "``choose`` and ``Choice`` are in ``nttforge``."),
    ("nttforge.cuda", "NVIDIA GPUs", "The guide is :doc:`/gpu`."),
    ("nttforge.multi", "Several devices", "The guide is :doc:`/gpu`."),
    ("nttforge_cluster", "Several processes and machines", "The guide is :doc:`/cluster`."),
    ("nttforge_compilers", "Programs of compilers", "The guide is :doc:`/compilers`."),
    ("nttforge_compilers.heir", "Programs of HEIR", "``nttforge.heir``."),
    ("nttforge_compilers.ml", "Fitted models", "``nttforge.ml``. The guide is :doc:`/ml`."),
    ("nttforge_compilers.models", "Networks of .orion files", "``nttforge.models``."),
    ("nttforge_serve", "Circuits over HTTP", "The guide is :doc:`/serving`."),
    ("nttforge_serve.remote", "The client of a server", "``nttforge.remote``."),
    ("nttforge_seal", "Objects of Microsoft SEAL",
     "``nttforge.seal``. The guide is :doc:`/coming-from`."),
    ("nttforge_hardware", "The Verilog generator", "The guide is :doc:`/hardware`."),
    ("nttforge.errors", "Exceptions", "All of them are in ``nttforge`` itself."),
    ("nttforge.typing", "Types of arguments", "For annotations in programs of your own."),
    ("nttforge.spec", "Definitions of transforms", "In plain Python integers."),
    ("nttforge_oracle", "The oracle", "Definitions of everything else."),
)  # fmt: skip
#: Packages whose modules are described one below the other.
DEFINITIONS = ("nttforge.spec", "nttforge_oracle")
#: Parts of the package without a page, and why.
WITHOUT_PAGE = {
    "arrays": "its names are in nttforge",
    "cli": "the command line has a page of its own",
    "console": "shared by commands",
    "ntt": "its names are in nttforge",
    "number_theory": "its names are in nttforge",
    "selftest": "the command nttforge selftest",
    "targets": "its names are in nttforge",
}


@dataclass(frozen=True)
class Entry:
    """A public name: where it is described, and as what."""

    module: str
    name: str
    home: str  # the module whose page describes it
    directive: str  # autoclass, autofunction, autodata, autoexception, or module


def public_names(module: ModuleType) -> list[str]:
    """``__all__``, or what a module without it defines."""
    if hasattr(module, "__all__"):
        return [str(name) for name in module.__all__]
    return sorted(
        name for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value)
        and (getattr(value, "__module__", module.__name__) == module.__name__)
        and name != "annotations"
    )  # fmt: skip


def _directive(value: object) -> str:
    if isinstance(value, type):
        return "autoexception" if issubclass(value, BaseException) else "autoclass"
    return "autofunction" if callable(value) and hasattr(value, "__code__") else "autodata"


def _home(name: str, value: object, module: str, pages: tuple[str, ...]) -> str:
    """The deepest page whose module defines the value; a value without a module stays."""
    own = getattr(value, "__module__", None)
    if not isinstance(own, str) or not hasattr(value, "__doc__"):
        return module
    fitting = [page for page in pages if page != "nttforge" and (own + ".").startswith(page + ".")]
    fitting = [page for page in fitting if name in public_names(importlib.import_module(page))]
    return max(fitting, key=len) if fitting else module


def entries() -> list[Entry]:
    """Every public name of every public module, in the order of the modules."""
    pages = tuple(name for name, *_ in MODULES if name not in DEFINITIONS)
    found = []
    for page in pages:
        module = importlib.import_module(page)
        for name in public_names(module):
            value = getattr(module, name)
            if inspect.ismodule(value):
                found.append(Entry(page, name, value.__name__, "module"))
            elif not name.startswith("__"):
                home = _home(name, value, page, pages)
                found.append(Entry(page, name, home, _directive(value)))
    return found


def definition_modules(package: str) -> list[str]:
    """The modules of a package of definitions."""
    path = importlib.import_module(package).__path__
    names = [info.name for info in pkgutil.walk_packages(path, f"{package}.")]
    return sorted(n for n in names if "._" not in n and "__main__" not in n)


def _underlined(text: str, sign: str) -> list[str]:
    return [text, sign * len(text), ""]


def _options(entry: Entry) -> list[str]:
    if entry.directive != "autoclass":
        return []
    value = getattr(importlib.import_module(entry.module), entry.name)
    shown = [b for b in value.__bases__ if b.__name__[0] != "_" and "nttforge" in b.__module__]
    return [
        "   :members:",
        "   :inherited-members: Exception, tuple, object, str, int, Enum",
        *(["   :show-inheritance:"] if shown else []),
    ]


def _module_page(name: str, title: str, intro: str, all_entries: list[Entry]) -> str:
    own = [entry for entry in all_entries if entry.module == name]
    lines = [*_underlined(f"{name}: {title}", "="), intro, "", f".. automodule:: {name}",
             "   :no-members:", "", f".. currentmodule:: {name}", ""]  # fmt: skip
    elsewhere = [entry for entry in own if entry.home != name]
    for entry in own:
        if entry.home == name and entry.directive != "module":
            lines += [f".. {entry.directive}:: {entry.name}", *_options(entry), ""]
    if elsewhere:
        lines += _underlined("Described elsewhere", "-")
        for entry in elsewhere:
            if entry.directive == "module":
                lines.append(f"* :doc:`{entry.home}`, a module")
            else:
                lines.append(f"* ``{entry.name}``: :any:`{entry.home}.{entry.name}`")
    return "\n".join([*lines, ""])


def _definitions_page(package: str, title: str) -> str:
    lines = [*_underlined(f"{package}: {title}", "="), f".. automodule:: {package}", ""]
    for name in definition_modules(package):
        lines += [*_underlined(name, "-"), f".. automodule:: {name}", "   :members:", ""]
    return "\n".join(lines)


def _alphabet(all_entries: list[Entry]) -> Iterator[str]:
    for entry in sorted(all_entries, key=lambda e: (e.name.lower(), e.module)):
        if entry.directive != "module" and entry.home == entry.module:
            yield f"* :any:`{entry.home}.{entry.name}`"


def pages() -> dict[str, str]:
    """Path in the site's source and text of every page of the Python reference."""
    all_entries = entries()
    found = {
        f"reference/python/{name}.rst": _definitions_page(name, title)
        if name in DEFINITIONS
        else _module_page(name, title, intro, all_entries)
        for name, title, intro in MODULES
    }
    names = "\n   ".join(f"python/{name}" for name, *_ in MODULES)
    head = f"""Python
======

Every public name, by module. ``import nttforge`` loads nothing else before it is used.

.. toctree::
   :maxdepth: 1

   {names}

All names
---------

"""
    found["reference/python.rst"] = head + "\n".join(_alphabet(all_entries)) + "\n"
    return found


def _members(value: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(value).items():
        if not name.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod))
        ):
            yield name, member


def undocumented() -> list[str]:
    """Public names, and public methods of public classes, that have no docstring."""
    found = []
    for entry in entries():
        if entry.directive in ("module", "autodata") or entry.home != entry.module:
            continue
        value = getattr(importlib.import_module(entry.module), entry.name)
        if not (inspect.getdoc(value) or "").strip():
            found.append(f"{entry.module}.{entry.name}")
        if isinstance(value, type):
            found += [
                f"{entry.module}.{entry.name}.{name}"
                for name, _ in _members(value)
                if not (inspect.getdoc(getattr(value, name)) or "").strip()
            ]
    return found


def without_page() -> list[str]:
    """Parts of the package that have neither a page nor a reason for having none."""
    package = importlib.import_module("nttforge")
    known = {name.partition(".")[2] for name, *_ in MODULES} | WITHOUT_PAGE.keys()
    parts = {info.name for info in pkgutil.iter_modules(package.__path__)}
    return sorted(name for name in parts - known if not name.startswith("_"))

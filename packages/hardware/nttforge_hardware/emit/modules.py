# SPDX-License-Identifier: Apache-2.0
"""The hand-written modules: where they are, and which of them a design reaches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from string import Template

from nttforge.errors import UnsupportedError

#: Folder of a design with models of a family's blocks, for simulation only.
MODELS = "models"

#: First line of every hand-written file, and part of the headers of a design's files.
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def module_folder(kind: str) -> Path:
    """Where hand-written files are (``rtl``, ``testbench``, ``host``): installed, or in the clone.

    Raises
    ------
    UnsupportedError
        If they are not there.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / kind, package.parents[2] / "hardware" / kind):
        if folder.is_dir():
            return folder
    raise UnsupportedError(f"the Verilog modules ({kind}) are missing: reinstall nttforge")


def general_modules() -> list[Path]:
    """The hand-written modules for devices of any family, by name."""
    source = module_folder("rtl")
    folders = ("", "axi/", "burst/", "keyswitch/")
    found = [path for folder in folders for path in source.glob(f"{folder}*.sv")]
    return sorted(found, key=lambda p: p.name)


def module_text(path: Path) -> str:
    """The text of a hand-written file without its licence line, which a design's headers have."""
    text = path.read_text(encoding="utf-8")
    return text.removeprefix(LICENCE).removeprefix(LICENCE.replace("//", "#"))


def template(name: str) -> Template:
    """A module's text in ``templates/``, where ``${word}`` stands for what a design gives."""
    path = Path(__file__).parent / "templates" / f"{name}.sv"
    return Template(module_text(path))


@dataclass(frozen=True)
class Library:
    """The hand-written modules as one design has them.

    ``texts`` has them by their names in the design, ``names`` their names there by those that they
    have here.
    """

    texts: dict[str, str]
    names: dict[str, str]

    def renamed(self, text: str) -> str:
        """A text that uses modules by these names; its comments stay, as they do in all designs."""

        def name(found: re.Match[str]) -> str:
            return self.names.get(found[0], found[0])

        return re.sub(r"//.*|\bnttf_\w+", name, text)


def hand_written(family: str = "", prefix: str = "") -> Library:
    """All modules, under names that say what is in them.

    Where ``family`` has a module of its own, that one and all modules above it have the family in
    their names, so that a name stands for one text in all designs. ``prefix`` stands before all
    names. What else a family has are models of its blocks, whose names are the vendor's.
    """
    source = module_folder("rtl")
    general = {path.stem: module_text(path) for path in general_modules()}
    found = sorted((source / family).glob("*.sv")) if family else []
    theirs = {path.stem: module_text(path) for path in found}
    instead = {stem.removesuffix(f"_{family}"): stem for stem in theirs}
    special = {stem: new for stem, new in instead.items() if stem in general}
    above = _above(special, general)
    names = {stem: f"{stem}_{family}" if stem in above else stem for stem in general}
    names = {stem: f"{prefix}{name}" for stem, name in (names | special).items()}
    names |= {new: names[stem] for stem, new in special.items()}
    library = Library({}, names)
    for stem, text in general.items():
        body = theirs[special[stem]] if stem in special else text
        library.texts[f"rtl/{names[stem]}.sv"] = library.renamed(body)
    models = {stem: text for stem, text in theirs.items() if stem not in special.values()}
    library.texts.update({f"{MODELS}/{stem}.sv": text for stem, text in models.items()})
    return library


def _above(special: Iterable[str], texts: Mapping[str, str]) -> set[str]:
    """The modules that have one of ``special`` below them."""
    words = {stem: set(re.findall(r"\w+", _code(text))) for stem, text in texts.items()}
    above: set[str] = set()
    new = set(special)
    while new:
        new = {stem for stem in texts if words[stem] & new} - above - set(special)
        above |= new
    return above


def _code(text: str) -> str:
    return re.sub(r"//.*", "", text)


def reached(tops: Sequence[str], sources: Mapping[str, str]) -> list[str]:
    """The files of ``tops`` and of every module and image below them, each after those it uses.

    Parameters
    ----------
    tops : sequence of str
        Names of modules.
    sources : mapping
        Texts by file name; a file is named after its module, an image is named in a module.

    Examples
    --------
    >>> reached(["a"], {"a.sv": "b u_b (); // c", "b.sv": "", "c.sv": ""})
    ['b.sv', 'a.sv']
    """
    files = {PurePosixPath(name).stem: name for name in sources}
    order: list[str] = []

    def visit(name: str) -> None:
        file = files.pop(name, "")
        if file:
            code = _code(sources[file]) if file.endswith(".sv") else ""
            for word in sorted(set(re.findall(r"\w+", code)) & set(files)):
                visit(word)
            order.append(file)

    for top in tops:
        visit(top)
    return order


def leading_comment(text: str) -> str:
    """The comment with which a module's file begins, without its marks."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" ").rstrip())
    return "\n".join(lines)

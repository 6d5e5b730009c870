# SPDX-License-Identifier: Apache-2.0
"""The hand-written modules: where they are, and which of them a design reaches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from ...errors import UnsupportedError

#: Folder of a design with models of a family's blocks, for simulation only.
MODELS = "models"

#: First line of every hand-written file, and part of the headers of a design's files.
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def module_folder(kind: str) -> Path:
    """Where the hand-written files are (``rtl`` or ``testbench``): installed, or in the repository.

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


def module_text(path: Path) -> str:
    """The text of a hand-written file without its licence line, which a design's headers have."""
    text = path.read_text(encoding="utf-8")
    return text.removeprefix(LICENCE).removeprefix(LICENCE.replace("//", "#"))


def hand_written(family: str = "") -> dict[str, str]:
    """All modules by their names in a design.

    Modules that ``family`` has of its own take the place of the general ones; what else it has are
    models of its blocks.
    """
    source = module_folder("rtl")
    found = {f"rtl/{path.name}": module_text(path) for path in sorted(source.glob("*.sv"))}
    for path in sorted((source / family).glob("*.sv")) if family else ():
        kind = "rtl" if f"rtl/{path.name}" in found else MODELS
        found[f"{kind}/{path.name}"] = module_text(path)
    return found


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
            code = re.sub(r"//.*", "", sources[file]) if file.endswith(".sv") else ""
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

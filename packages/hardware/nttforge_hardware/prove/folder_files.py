# SPDX-License-Identifier: Apache-2.0
"""Constants, tables and images in a design's folder; anybody may have changed these files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge.errors import FormatError

from ..emit.core_parameter import field_places

_MOST_BYTES = 1 << 28
_IMAGE = re.compile(r"(twiddles|tables)/[A-Za-z0-9_]+\.hex")
_NUMBER = re.compile(r"(-?)(?:(\d+)'([hd]))?([0-9a-fA-F_]+)")


@dataclass(frozen=True)
class Finding:
    """A table or constant: how many entries were compared, and the first ones that are wrong."""

    name: str
    entries: int
    problems: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return not self.problems


@dataclass(frozen=True)
class Limb:
    """A limb's module as it stands in its file."""

    name: str
    q: int
    constant: int
    core: dict[str, int]
    super_pipelines: tuple[dict[str, Any], ...]  # numbers, and texts between quotes


class Reader:
    """Files of a design, read as untrusted input."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self.parameters: dict[str, Any] = manifest["parameters"]
        self.prefix = manifest.get("image_folder", "")

    def integer(self, name: str, low: int, high: int) -> int:
        """A parameter of the manifest."""
        value = self.parameters.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise FormatError(f"design.json: {name} = {value!r} must be in {low} ... {high}")
        return value

    def sizes(self, lanes: str) -> tuple[int, int]:
        """n and the lanes of a word, by the name that these have."""
        n, dp = self.integer("n", 4, 1 << 17), self.integer(lanes, 2, 1 << 16)
        if n & (n - 1) or dp & (dp - 1) or n % dp or n == dp:
            raise FormatError(
                f"design.json: n = {n}, {lanes} = {dp} must be powers of two, {lanes} below n"
            )
        return n, dp

    def ring(self) -> str:
        ring = self.parameters.get("ring")
        if ring not in ("negacyclic", "cyclic"):
            raise FormatError(f"design.json: ring = {ring!r} must be negacyclic or cyclic")
        return str(ring)

    def moduli(self) -> list[int]:
        values = self.parameters.get("moduli")
        good = isinstance(values, list) and all(
            isinstance(q, int) and 2 < q < 1 << 63 for q in values
        )
        if not good or not values:
            raise FormatError(f"design.json: moduli = {values!r} must be a list of primes")
        return list(values)

    def text(self, name: str) -> str:
        path = self.folder / name
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise FormatError(f"{path} is missing or too large: generate the design again")
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise FormatError(f"{path} is no text") from None

    def limbs(self) -> list[Limb]:
        """The modules of limbs, by their names."""
        paths = sorted((self.folder / "rtl").glob("*_limb_*.sv"))
        if not 0 < len(paths) <= 256:
            raise FormatError(f"{self.folder / 'rtl'} has {len(paths)} modules of limbs")
        return [read_limb(path.stem, self.text(f"rtl/{path.name}")) for path in paths]

    def only(self, pattern: str) -> tuple[str, str]:
        """Name and text of the one file below the folder whose name is of this form."""
        paths = sorted(self.folder.glob(pattern))
        if len(paths) != 1:
            raise FormatError(f"{self.folder} has {len(paths)} files {pattern}, a design one")
        name = paths[0].relative_to(self.folder).as_posix()
        return paths[0].stem, self.text(name)

    def image(self, name: str, rows: int, width: int) -> list[int]:
        """Words of an image, as $readmemh reads them."""
        name = name.removeprefix(self.prefix)
        if not _IMAGE.fullmatch(name):
            raise FormatError(f"image {name!r} does not lie in twiddles or tables of the design")
        words = self.words(name, width)
        if len(words) != rows:
            raise FormatError(f"{name} has {len(words)} words, the memory {rows}")
        return words

    def words(self, name: str, width: int) -> list[int]:
        """Words of a file of the design, a line each."""
        words = []
        for number, line in enumerate(self.text(name).split("\n")):
            digits = line.strip()
            if not digits:
                continue
            if not re.fullmatch(r"[0-9a-fA-F]{1,20000}", digits):
                raise FormatError(f"{name}, line {number + 1}: {digits[:40]!r} is no word")
            words.append(int(digits, 16))
        for number, word in enumerate(words):
            if word >> width:
                raise FormatError(f"{name}, word {number}: more than {width} bits")
        return words


def number_of(text: str) -> int:
    """A Verilog constant: decimal, or sized hexadecimal or decimal.

    Examples
    --------
    >>> number_of("12'hff"), number_of("-32'd1"), number_of("7")
    (255, -1, 7)
    """
    found = _NUMBER.fullmatch(text.strip())
    base = 16 if found and found[3] == "h" else 10
    try:
        assert found is not None and len(text) < 1 << 20
        value = int(found[4].replace("_", ""), base)
    except (AssertionError, ValueError):
        raise FormatError(f"{text[:40]!r} is no number") from None
    if found[2] and value >> int(found[2][:9]):
        raise FormatError(f"{text[:40]!r} takes more than its {found[2]} bits")
    return -value if found[1] else value


def read_core(name: str, text: str) -> dict[str, int]:
    """The fields of CORE in the text of a module."""
    core = re.search(r"localparam logic \[[^\]]*\] CORE = \{(.*?)\};", text, re.S)
    if core is None:
        raise FormatError(f"{name}: no constant CORE")
    lines = re.findall(r"(-?\d+'[hd][0-9a-f]+),? +// (\w+)", core[1])
    fields = {field: number_of(value) for value, field in lines}
    if set(fields) != set(field_places()):
        raise FormatError(f"{name}: CORE has not the fields of nttf_core_pkg.sv")
    return fields


def read_parameters(text: str) -> dict[str, Any]:
    """Numbers, and texts between quotes, of an instance."""
    values: dict[str, Any] = {}
    for key, value in re.findall(r"\.(\w+)\(([^()]*)\)", text):
        quoted = value.startswith('"')
        values[key] = value.strip('"') if quoted else value if key == "CORE" else number_of(value)
    return values


def read_instance(name: str, text: str, module: str) -> dict[str, Any]:
    """The parameters of the one instance of a hand-written module."""
    found = re.findall(rf"\b\w*{module} #\((.*?)\n  \) u_\w+ \(", text, re.S)
    if len(found) != 1:
        raise FormatError(f"{name}: {len(found)} instances of {module}, a design has one")
    return read_parameters(found[0])


def read_super_pipelines(name: str, text: str) -> tuple[dict[str, Any], ...]:
    """The parameters of all super pipelines in the text of a module, in their order."""
    places: list[dict[str, Any]] = []
    pattern = r"nttf_super_pipeline(?:_\w+)? #\((.*?)\n  \) u_super_pipeline_(\d+) \("
    for parameters, which in re.findall(pattern, text, re.S):
        if int(which) != len(places):
            raise FormatError(f"{name}: super pipeline {which} comes out of order")
        places.append(read_parameters(parameters))
    if not places:
        raise FormatError(f"{name}: no super pipelines")
    return tuple(places)


def read_limb(name: str, text: str) -> Limb:
    """The constants and tables in the text of a limb's module."""
    q, constant = (_constant(name, text, which) for which in ("Q", "CONSTANT"))
    return Limb(name, q, constant, read_core(name, text), read_super_pipelines(name, text))


def _constant(name: str, text: str, which: str) -> int:
    found = re.search(rf"localparam logic \[[^\]]*\] {which} = ([^;]+);", text)
    if found is None:
        raise FormatError(f"{name}: no constant {which}")
    return number_of(found[1])

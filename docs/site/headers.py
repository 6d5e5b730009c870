# SPDX-License-Identifier: Apache-2.0
"""The declarations of C and C++ headers with their comments, as plain data.

libclang (a wheel) reads the headers; the text of a declaration is the header's own, so that default
arguments, concepts and names of types stand on the page as the header has them.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex

Kind = cindex.CursorKind
_SPACES = (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL)
_CLASSES = (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE, Kind.UNION_DECL)
_FUNCTIONS = (
    Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.FUNCTION_TEMPLATE,
    Kind.CONVERSION_FUNCTION,
)  # fmt: skip
_ALIASES = (Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL, Kind.TYPE_ALIAS_TEMPLATE_DECL)


@dataclass
class Declaration:
    """What a header declares. ``grouped``: it stands directly below one that has the comment."""

    kind: str  # class, struct, function, member, enum, enum-class, enumerator, type, macro
    name: str
    text: str
    comment: str
    line: int
    last_line: int
    space: str = ""
    parameters: tuple[str, ...] = ()
    members: list[Declaration] = field(default_factory=list)
    grouped: bool = False


def system_folders(language: str = "c++") -> list[str]:
    """Where this machine's compiler has its own headers."""
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-E", "-v", "-x", language, os.devnull]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.search(r"#include <\.\.\.>[^\n]*\n(.*?)End of search list", said, re.DOTALL)
    return [] if found is None else [line.strip() for line in found[1].splitlines()]


class _Text:
    """The lines of a header, and what its comments say of a place."""

    def __init__(self, path: Path) -> None:
        self.lines = path.read_text(encoding="utf-8").splitlines()

    def above(self, line: int) -> str:
        """The comment that ends directly above a line (counted from one)."""
        at, found = line - 2, []
        while at >= 0 and re.match(r"\s*///(?!<)", self.lines[at]):
            found.append(re.sub(r"^\s*/// ?", "", self.lines[at]))
            at -= 1
        if not found and at >= 0 and self.lines[at].rstrip().endswith("*/"):
            while at >= 0:
                found.append(self.lines[at])
                if self.lines[at].lstrip().startswith("/*"):
                    break
                if "/*" in self.lines[at]:
                    return ""  # it belongs to what stands before it on its line
                at -= 1
            text = "\n".join(reversed(found)).strip().removeprefix("/*").removesuffix("*/")
            return "\n".join(re.sub(r"^\s*\* ?", "", part) for part in text.splitlines()).strip()
        return "\n".join(reversed(found))

    def behind(self, line: int) -> str:
        """The comment behind a declaration that ends on a line, with the lines that go on."""
        found = re.search(r"(?:///<|/\*) ?(.*?)(?: ?\*/)?$", self.lines[line - 1])
        if found is None:
            return ""
        words = [found[1]]
        while line < len(self.lines) and (more := re.match(r"\s*///<\s*(.*)", self.lines[line])):
            words.append(more[1])
            line += 1
        return " ".join(words).strip()

    def comment(self, first: int, last: int) -> str:
        parts = [self.above(first), self.behind(last) if last > 0 else ""]
        return "\n\n".join(part for part in parts if part)


def _declared(tokens: list[str]) -> str:
    """The declaration without body, initialisers of a constructor, and words for the compiler."""
    depth, kept = 0, []
    for i, token in enumerate(tokens):
        if depth == 0 and (token == ";" or (token == "{" and i)):
            break
        if depth == 0 and token == ":" and ")" in kept:
            break
        depth += (token in "([" and token != "") - (token in ")]" and token != "")
        kept.append(token)
    text = " ".join(token for token in kept if token not in ("inline", "extern", "friend"))
    for pattern, to in (
        (r" ?(::|->|<|\.) ?", r"\1"), (r" ([>,)\];])", r"\1"), (r"([(\[~]) ", r"\1"),
        (r"(\w|>) \(", r"\1("), (r"(\w|>) \[", r"\1["), (r"> ?([*&])", r"> \1"),
        (r" ([*&]+) ?(?=\w|\))", r"\1 "), (r"([*&]) ([,)>])", r"\1\2"),
        (r"(\boperator) ?(\S+?) ?\(", r"\1\2("), (r"\btemplate<", "template <"),
        (r">(?=\w)", "> "), (r">=", "> ="), (r"=(default|delete)", r"= \1"), (r" ?=$", ""),
        (r" \.\.\. ?", "... "), (r"\bdecltype \(", "decltype("), (r" \{ ?\}$", ""),
    ):  # fmt: skip
        text = re.sub(pattern, to, text)
    return text.strip()


def _one_of_several(text: str, name: str) -> str:
    """The part of ``int a = 1, b = 2`` that declares ``name``."""
    depth, starts = 0, [0]
    for i, letter in enumerate(text):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            starts.append(i + 1)
    if len(starts) == 1:
        return text
    ends = [*[start - 1 for start in starts[1:]], None]
    parts = [text[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    first = re.match(r"(.*?)\b\w+(?: ?=.*|\{.*)?$", parts[0])
    for part in parts[1:]:
        if re.match(rf"{name}\b", part) and first:
            return first[1] + part
    return parts[0]


class Reader:
    """Reads headers that one translation unit includes."""

    def __init__(self, root: Path, names: Iterable[str], language: str = "c++") -> None:
        self.root, self.names = root, list(names)
        standard = "-std=c++20" if language == "c++" else "-std=c99"
        arguments = ["-x", language, standard, f"-I{root}", "-DNTTFORGE_DOCUMENTATION"]
        arguments += [f"-isystem{folder}" for folder in system_folders(language)]
        main = "".join(f'#include "nttforge/{name}"\n' for name in self.names)
        self.unit = cindex.Index.create().parse(
            "all.hpp" if language == "c++" else "all.h",
            args=arguments,
            unsaved_files=[("all.hpp" if language == "c++" else "all.h", main)],
        )
        own = str(root / "nttforge")
        for problem in self.unit.diagnostics:
            file = problem.location.file
            if problem.severity >= cindex.Diagnostic.Error and file and file.name.startswith(own):
                raise SystemExit(f"{file.name}:{problem.location.line}: {problem.spelling}")
        self.texts = {name: _Text(root / "nttforge" / name) for name in self.names}
        self.found: dict[str, list[Declaration]] = {name: [] for name in self.names}
        for cursor in self.unit.cursor.get_children():
            self._walk(cursor, ())

    def _header(self, cursor: cindex.Cursor) -> str | None:
        file = cursor.location.file
        if file is None:
            return None
        name = os.path.relpath(file.name, self.root / "nttforge")
        return name if name in self.texts else None

    def _walk(self, cursor: cindex.Cursor, space: tuple[str, ...]) -> None:
        header = self._header(cursor)
        if header is None:
            return
        if cursor.kind in _SPACES:
            inner = space
            if cursor.kind == Kind.NAMESPACE:
                if cursor.spelling in ("detail", "internal", ""):
                    return
                inner = (*space, cursor.spelling)
            for child in cursor.get_children():
                self._walk(child, inner)
            return
        parent = cursor.semantic_parent
        if parent is not None and parent.kind in _CLASSES:
            return  # a member that is defined outside its class
        made = self._declaration(cursor, header)
        if made is not None:
            made.space = "::".join(space)
            self._append(self.found[header], made, self.texts[header])

    def _append(self, to: list[Declaration], made: Declaration, text: _Text) -> None:
        if to and to[-1].line == made.line and to[-1].name == made.name:
            return  # a typedef of what it defines
        if to and not made.comment:
            before = to[-1]
            between = text.lines[before.last_line : made.line - 1]
            above = bool(before.comment) and bool(text.above(before.line))
            made.grouped = (
                made.kind == before.kind == "function"
                and (above or before.grouped)
                and not any(not line.strip() or line.lstrip().startswith("//") for line in between)
            )
        to.append(made)

    def _declaration(self, cursor: cindex.Cursor, header: str) -> Declaration | None:
        text = self.texts[header]
        first, last = cursor.extent.start.line, cursor.extent.end.line
        tokens = self._tokens(cursor, first)
        kind = cursor.kind
        if kind in _CLASSES:
            if not cursor.is_definition() or "(unnamed" in cursor.spelling or not tokens:
                return None
            made = self._made("class", cursor, tokens, text.above(first), first, last)
            made.kind = "struct" if "struct" in tokens[: tokens.index("{")] else "class"
            made.members = list(self._members(cursor, header))
            return made
        if kind == Kind.ENUM_DECL and cursor.is_definition():
            made = self._made("enum", cursor, tokens, text.comment(first, 0), first, last)
            made.kind = "enum-class" if cursor.is_scoped_enum() else "enum"
            if first == last and not made.comment:
                made.comment = text.behind(last)
            made.members = [
                Declaration("enumerator", child.spelling, child.spelling,
                            text.behind(child.extent.end.line) if first != last else "",
                            child.extent.start.line, child.extent.end.line)
                for child in cursor.get_children() if child.kind == Kind.ENUM_CONSTANT_DECL
            ]  # fmt: skip
            return made
        comment = text.comment(first, last)
        if kind in _FUNCTIONS:
            made = self._made("function", cursor, tokens, comment, first, last)
            made.parameters = tuple(
                child.spelling for child in cursor.get_children()
                if child.kind == Kind.PARM_DECL and child.spelling
            )  # fmt: skip
            return made
        if kind in (Kind.FIELD_DECL, Kind.VAR_DECL):
            made = self._made("member", cursor, tokens, comment, first, last)
            made.text = _one_of_several(made.text, cursor.spelling)
            return made
        if kind in _ALIASES:
            return self._made("type", cursor, tokens, comment, first, last)
        return None

    def _tokens(self, cursor: cindex.Cursor, line: int) -> list[str]:
        """The words of a declaration, also where it begins with a macro."""
        found = cursor.get_tokens()
        if next(cursor.get_tokens(), None) is None:
            begin = cindex.SourceLocation.from_position(
                self.unit, cursor.extent.start.file, line, 1
            )
            extent = cindex.SourceRange.from_locations(begin, cursor.extent.end)
            found = self.unit.get_tokens(extent=extent)
        words = [t.spelling for t in found if t.kind != cindex.TokenKind.COMMENT]
        return [word for word in words if not re.fullmatch(r"NTTF_[A-Z_]+", word)]

    def _made(self, kind: str, cursor: cindex.Cursor, tokens: list[str], comment: str,
              first: int, last: int) -> Declaration:  # fmt: skip
        name = cursor.spelling.partition("<")[0]
        return Declaration(kind, name, _declared(tokens), comment, first, last)

    def _members(self, cursor: cindex.Cursor, header: str) -> Iterator[Declaration]:
        found: list[Declaration] = []
        for child in cursor.get_children():
            public = child.access_specifier == cindex.AccessSpecifier.PUBLIC
            if public and (made := self._declaration(child, header)) is not None:
                self._append(found, made, self.texts[header])
        yield from found

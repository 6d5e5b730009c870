# SPDX-License-Identifier: Apache-2.0
"""Comments of sources as reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

INDENT = "   "


def escaped(text: str) -> str:
    """Words of a comment as reStructuredText; `code` stays code, documents become links."""
    out = []
    for part in re.split(r"(`[^`]+`|docs/[\w/-]+\.md)", text):
        if part.startswith("`") and part.endswith("`") and len(part) > 2:
            out.append(f"``{part[1:-1]}``")
        elif part.startswith("docs/") and part.endswith(".md"):
            out.append(f":doc:`/{part[5:-3]}`")
        else:
            out.append(re.sub(r"([\\*_|`])", r"\\\1", part))
    return "".join(out)


def comment_lines(comment: str) -> list[str]:
    """A comment as reStructuredText: prose, aligned lists of names, and formulas as they stand."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", comment):
        prose: list[str] = []
        for line in paragraph.splitlines():
            named = re.match(r"(\w+|\.\.\.) {2,}(\S.*)", line)
            if line.startswith("  ") and lines and lines[-1].startswith("| "):
                lines[-1] += " " + escaped(line.strip())
            elif line.startswith("  "):
                lines += [*_prose(prose), *([] if lines[-2:-1] == ["::"] or
                          (lines and lines[-1].startswith(INDENT)) else ["::", ""])]  # fmt: skip
                prose = []
                lines.append(INDENT + line[2:])
            elif named:
                lines += _prose(prose)
                prose = []
                lines.append(f"| **{escaped(named[1])}** {escaped(named[2])}")
            else:
                prose.append(line)
                if lines and lines[-1].startswith(("| ", INDENT)):
                    lines.append("")
        lines += ["", *_prose(prose), ""]
    return without_double_blanks(lines)


def _prose(lines: Sequence[str]) -> list[str]:
    """A paragraph; what it says of exceptions begins one of its own."""
    text = " ".join(line.strip() for line in lines)
    parts = re.split(r"(?:(?<=[.:;])\s+|^)(?=throws )", text)
    out: list[str] = []
    for part in parts:
        if part.startswith("throws "):
            out += [f"*Throws* {escaped(part[7:])}", ""]
        elif part.strip():
            out += [escaped(part.strip()), ""]
    return out


def without_double_blanks(lines: Iterable[str]) -> list[str]:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return out

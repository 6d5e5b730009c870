# SPDX-License-Identifier: Apache-2.0
"""Pages of the C++ and C reference, from the declarations and comments of the public headers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from headers import Declaration, Reader

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from test_consumer import listed_headers  # noqa: E402

#: Pages: name, title, what they begin with, and whose headers they have (folders or files).
PAGES = (
    ("ntt", "Transforms", "Specs, recipes, plans, the explorer and the collection of algorithms.",
     ("ntt/",)),
    ("arith", "Primes, roots, moduli", "Arithmetic modulo one number of up to 62 bits.", ("arith/",)),
    ("rns", "Several primes", "CRT and Garner, and every conversion between bases as plain data.",
     ("rns/",)),
    ("bfv", "BFV", "The scheme BFV; what it shares with BGV is on :doc:`integers` and :doc:`rlwe`.",
     ("bfv/",)),
    ("bgv", "BGV", "The scheme BGV; what it shares with BFV is on :doc:`integers` and :doc:`rlwe`.",
     ("bgv/",)),
    ("integers", "Integers as messages", "Encoders, encryption and operations that BFV and BGV share.",
     ("integer_encoding/",)),
    ("rlwe", "Keys and ciphertexts", "What every scheme on RLWE shares: parameters, keys, bytes.",
     ("rlwe/",)),
    ("cuda", "NVIDIA GPUs", "Plans, memory and recipes on NVIDIA GPUs: :doc:`/gpu` is the guide.",
     ("cuda/",)),
    ("random", "Random numbers", "ChaCha20 streams by name, and samples from them.", ("random/",)),
    ("base", "Errors, targets, interruption", "What every part uses.", ("base/",)),
    ("hexl", "Intel HEXL's interface", "For programs written for HEXL: :doc:`/hexl` is the guide.",
     ("hexl/", "hexl_compat.hpp")),
    ("cxx17", "C++17", "Transforms from C++17, header only: :doc:`/c` is the guide.", ("cxx17.hpp",)),
)  # fmt: skip
#: Folders whose headers a user of a scheme sees though only bfv.hpp, bgv.hpp or hexl_compat.hpp is public.
SEEN = ("bfv/", "bgv/", "integer_encoding/", "rlwe/", "hexl/")
C_HEADER = "nttforge.h"
INDENT = "   "


def documented_headers() -> list[str]:
    """The C++ headers that have a place in the reference, as cmake/install.cmake lists them."""
    public, included = listed_headers()
    return sorted((public - {C_HEADER}) | {name for name in included if name.startswith(SEEN)})


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
                lines.append(INDENT + line)
            elif named:
                lines += _prose(prose)
                prose = []
                lines.append(f"| **{escaped(named[1])}** {escaped(named[2])}")
            else:
                prose.append(line)
                if lines and lines[-1].startswith(("| ", INDENT)):
                    lines.append("")
        lines += ["", *_prose(prose), ""]
    return _without_double_blanks(lines)


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


def _without_double_blanks(lines: Iterable[str]) -> list[str]:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return out


def _signature(item: Declaration, domain: str) -> str:
    """What stands behind the directive."""
    text = item.text
    if item.kind in ("class", "struct"):
        text = re.sub(r"\b(?:typedef )?(?:class|struct) (?=\w+(?: final)?(?: :|$))", "", text)
    elif item.kind.startswith("enum") and item.kind != "enumerator":
        text = re.sub(r"^(?:typedef )?enum (?:class )?", "", text)
    elif item.kind == "type":
        text = re.sub(r"\busing ", "", text)
        text = re.sub(r"^typedef (?:struct|enum) (\w+) \1$", r"\1", text)
        if domain == "cpp":
            text = re.sub(r"^typedef ", "", text)
    return text


def directive_lines(items: Sequence[Declaration], domain: str, depth: int = 0) -> list[str]:
    """Directives for declarations that stand together; overloads share one."""
    pad, out, at = INDENT * depth, [], 0
    while at < len(items):
        item, together = items[at], [items[at]]
        while at + len(together) < len(items) and items[at + len(together)].grouped:
            together.append(items[at + len(together)])
        at += len(together)
        head = f".. {domain}:{item.kind}:: "
        signatures = [_signature(each, domain) for each in together]
        out += ["", pad + head + signatures[0]]
        out += [pad + " " * len(head) + signature for signature in signatures[1:]]
        body = comment_lines(item.comment) if item.comment else []
        out += ["", *[pad + INDENT + line if line else "" for line in body]]
        if item.members:
            out += directive_lines(item.members, domain, depth + 1)
    return out


def _page(title: str, intro: str, reader: Reader, names: Sequence[str]) -> str:
    lines = [title, "=" * len(title), "", intro, ""]
    for name in names:
        items = reader.found[name]
        if not items:
            continue
        head = f"``nttforge/{name}``"
        lines += ["", head, "-" * len(head), ""]
        space = None
        for item in _grouped_by_space(items):
            if item[0].space != space:
                space = item[0].space
                lines += ["", f".. cpp:namespace:: {space or 'NULL'}", ""]
                if space:
                    lines += [f"In namespace ``{space}``:", ""]
            lines += directive_lines(item, "cpp")
    return "\n".join([*_without_double_blanks(lines), "", ".. cpp:namespace:: NULL", ""])


def _grouped_by_space(items: Sequence[Declaration]) -> list[list[Declaration]]:
    out: list[list[Declaration]] = []
    for item in items:
        if out and out[-1][-1].space == item.space:
            out[-1].append(item)
        else:
            out.append([item])
    return out


def cpp_pages() -> dict[str, str]:
    """Path in the site's source and text of every page of the C++ reference."""
    names = documented_headers()
    reader = Reader(ROOT, names)
    pages, listed = {}, set()
    for name, title, intro, whose in PAGES:
        own = [header for header in names if header.startswith(whose)]
        listed |= set(own)
        own.sort(key=lambda header: (header.count("/"), header))
        pages[f"reference/cpp/{name}.rst"] = _page(title, intro, reader, own)
    if left := set(names) - listed:
        raise SystemExit(f"no page of the C++ reference has {sorted(left)}: see PAGES")
    titles = "\n   ".join(f"cpp/{name}" for name, *_ in PAGES)
    pages["reference/cpp.rst"] = f"""C++
===

The public headers, by what they are for; :doc:`/overview` says which header to start with. Everything is in
namespace ``nttforge`` and needs C++20, but for ``cxx17.hpp`` and ``hexl_compat.hpp``, which take C++17. Headers that
are not listed here may change without notice. Getters without a comment return what the constructor was given.

.. toctree::
   :maxdepth: 1

   {titles}
"""
    return pages


def c_page() -> dict[str, str]:
    """The page of nttforge.h."""
    reader = Reader(ROOT, [C_HEADER], "c")
    items = reader.found[C_HEADER]
    source = (ROOT / "nttforge" / C_HEADER).read_text(encoding="utf-8")
    macros = [
        Declaration("macro", name, name, "The value a spec begins with.", 0, 0)
        for name in re.findall(r"^#define (NTTFORGE_\w+) \\$", source, re.MULTILINE)
    ]
    title = "C"
    first = re.search(r"/\* (.*?)\*/", source, re.DOTALL)
    intro = re.sub(r"\n \* ?", "\n", first[1]) if first else ""
    lines = [title, "=" * len(title), "", "``nttforge/nttforge.h``, for C99.", "",
             *comment_lines(intro), *directive_lines(items, "c"),
             *directive_lines(macros, "c")]  # fmt: skip
    return {"reference/c.rst": "\n".join(_without_double_blanks(lines)) + "\n"}


def undocumented() -> list[str]:
    """Names at namespace level of the documented headers that have no comment, as header: name."""
    found = []
    for reader in (Reader(ROOT, documented_headers()), Reader(ROOT, [C_HEADER], "c")):
        for header, items in reader.found.items():
            found += [f"{header}: {i.name}" for i in items if not (i.comment or i.grouped)]
    return found

# SPDX-License-Identifier: Apache-2.0
"""Pages of the C++ and C reference, from the declarations and comments of the public headers."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from headers import Declaration, Reader
from prose import INDENT, comment_lines, without_double_blanks

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from test_consumer import listed_headers  # noqa: E402

#: Pages: name, title, what they begin with, and whose headers they have (folders or files).
PAGES = (
    ("ntt", "Transforms", "Specs, recipes, plans, the explorer and the collection of algorithms.",
     ("ntt/",)),
    ("arith", "Primes, roots, moduli", "Arithmetic modulo one number of up to 62 bits.",
     ("arith/",)),
    ("rns", "Several primes", "CRT and Garner, and every conversion between bases as plain data.",
     ("rns/",)),
    ("bfv", "BFV", "The scheme BFV; what it shares with BGV is on :doc:`integers` and :doc:`rlwe`.",
     ("bfv/",)),
    ("bgv", "BGV", "The scheme BGV; what it shares with BFV is on :doc:`integers` and :doc:`rlwe`.",
     ("bgv/",)),
    ("ckks", "CKKS", "Real and complex numbers; what schemes share is on :doc:`rlwe`.", ("ckks/",)),
    ("exact", "Integers without end", "Bootstraps of BFV and BGV: :doc:`/integers-without-end` is "
     "the guide.", ("exact_bootstrap/",)),
    ("integers", "Integers as messages", "Encoders, encryption and operations of BFV and BGV.",
     ("integer_encoding/",)),
    ("rlwe", "Keys and ciphertexts", "What every scheme on RLWE shares: parameters, keys, bytes.",
     ("rlwe/",)),
    ("cuda", "NVIDIA GPUs", "Plans, memory and recipes on NVIDIA GPUs: :doc:`/gpu` is the guide.",
     ("cuda/",)),
    ("random", "Random numbers", "ChaCha20 streams by name, and samples from them.", ("random/",)),
    ("base", "Errors, targets, interruption", "What every part uses.", ("base/",)),
    ("hexl", "Intel HEXL's interface", "For programs written for HEXL: :doc:`/hexl` is the guide.",
     ("hexl/", "hexl_compat.hpp")),
    ("cxx17", "C++17", "Transforms from C++17, header only: :doc:`/c` is the guide.",
     ("cxx17.hpp",)),
)  # fmt: skip
#: Folders whose headers users see, though only bfv.hpp, bgv.hpp, ckks.hpp or hexl_compat.hpp is
#: public.
SEEN = ("bfv/", "bgv/", "ckks/", "exact_bootstrap/", "integer_encoding/", "rlwe/", "hexl/")
C_HEADER = "nttforge.h"


def documented_headers() -> list[str]:
    """The C++ headers that have a place in the reference, as cmake/install.cmake lists them."""
    public, included = listed_headers()
    return sorted((public - {C_HEADER}) | {name for name in included if name.startswith(SEEN)})


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
    return "\n".join([*without_double_blanks(lines), "", ".. cpp:namespace:: NULL", ""])


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

The public headers, by what they are for; :doc:`/overview` says which header to start with.
Everything is in namespace ``nttforge`` and needs C++20, but for ``cxx17.hpp`` and
``hexl_compat.hpp``, which take C++17. Headers that are not listed here may change without notice.
Getters without a comment return what the constructor was given.

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
    return {"reference/c.rst": "\n".join(without_double_blanks(lines)) + "\n"}


def undocumented() -> list[str]:
    """Names at namespace level of the documented headers that have no comment, as header: name."""
    found = []
    for reader in (Reader(ROOT, documented_headers()), Reader(ROOT, [C_HEADER], "c")):
        for header, items in reader.found.items():
            found += [f"{header}: {i.name}" for i in items if not (i.comment or i.grouped)]
    return found

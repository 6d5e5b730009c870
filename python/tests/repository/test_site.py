# SPDX-License-Identifier: Apache-2.0
"""The documentation site's sources: blocks that are run, pages and names that are listed.

make docs builds the site and looks at it; this is what holds without Sphinx.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
for _folder in ("docs/site", "tools"):
    sys.path.append(str(ROOT / _folder))

import code_blocks  # noqa: E402
import command_reference  # noqa: E402
import help_examples  # noqa: E402
import prose  # noqa: E402
import python_reference  # noqa: E402
import stage  # noqa: E402
import verilog_reference  # noqa: E402


def test_every_block_of_every_page_is_run_or_says_why_not() -> None:
    blocks = [block for page in code_blocks.documents() for block in code_blocks.blocks_of(page)]
    run = [b for b in blocks if b.language in code_blocks.RUN and not b.reason]
    never = [b for b in blocks if b.reason and not b.reason.startswith("needs an NVIDIA")]
    assert {b.language for b in run} == set(code_blocks.RUN)
    assert len(run) > 2 * len(never), "most blocks must run"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```\nx\n```\n", "no language"),
        ("```rust\nx\n```\n", "rust"),
        ("```console\nmake\n```\n", "no line that begins with"),
        ("a\n\n    x = 1\n", "indented block"),
        ("<!-- not run: a reason -->\n\n```python\nx\n```\n", "directly before"),
        ("<!-- run with: a wish -->\n```python\nx\n```\n", "not in NEEDED"),
        ("  ```python\nx\n  ```\n", "beginning of a line"),
    ],
)
def test_blocks_that_could_be_overlooked_are_errors(text: str, said: str) -> None:
    with pytest.raises(code_blocks.BlockError, match=said):
        code_blocks.blocks_of("docs/gpu.md", text)


def test_blocks_are_found_with_their_lines_and_reasons() -> None:
    text = "a\n\n```python\nx = 1\n```\n\n<!-- not run: needs a Mac -->\n```console\n$ y\n```\n"
    first, second = code_blocks.blocks_of("docs/gpu.md", text)
    assert (first.line, first.code, first.reason) == (3, "x = 1\n", "")
    assert (second.language, second.reason) == ("console", "needs a Mac")
    (later,) = code_blocks.blocks_of("docs/gpu.md", "<!-- long: builds -->\n```console\n$ y\n```\n")
    assert (later.reason, later.long) == ("", "builds")
    assert code_blocks.blocks_of("docs/bounds/noise.md", "a\n\n    x < 2 q\n") == []


def test_every_example_of_the_help_is_taken_by_its_command() -> None:
    root = help_examples.root_parser()
    lines = [line for p in help_examples.commands(root) for line in help_examples.lines_of(p)]
    assert len(lines) > 50
    for line in lines:
        words = re.sub(r" [>|] .*", "", line).split()
        if words[0] == "nttforge":
            plain = [word.strip("'\"") for word in words[1:]]
            if not re.search(r"['\"]", line):
                root.parse_args(plain)
    assert any(block.reason for block in help_examples.examples())


def test_every_public_name_has_a_docstring_and_a_place() -> None:
    assert python_reference.undocumented() == []
    assert python_reference.without_page() == []
    pages = python_reference.pages()
    text = "\n".join(pages.values())
    for entry in python_reference.entries():
        described = f".. {entry.directive}:: {entry.name}\n" in pages.get(
            f"reference/python/{entry.module}.rst", ""
        )
        elsewhere = entry.home != entry.module and entry.home in text
        assert described or elsewhere, entry
    for package in python_reference.DEFINITIONS:
        for name in python_reference.definition_modules(package):
            assert f".. automodule:: {name}\n" in text


def test_a_name_without_docstring_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import nttforge

    def bare() -> None: ...

    bare.__module__ = "nttforge.errors"
    monkeypatch.setattr(nttforge, "bare", bare, raising=False)
    monkeypatch.setattr(nttforge, "__all__", [*nttforge.__all__, "bare"])
    assert python_reference.undocumented() == ["nttforge.bare"]
    monkeypatch.setattr(python_reference, "WITHOUT_PAGE", {})
    assert "selftest" in python_reference.without_page()


def test_commands_and_modules_are_on_their_pages() -> None:
    commands = command_reference.page()["reference/command-line.rst"]
    parsers = list(help_examples.commands(help_examples.root_parser()))
    assert len(parsers) > 40
    assert [p.prog for p in parsers if f"``{p.prog}``" not in commands] == []
    verilog = verilog_reference.page()["reference/verilog.rst"]
    files = [path.name for path in (ROOT / "hardware/rtl").rglob("nttf_*.sv")]
    missing = [name for name in files if f"{name}``" not in verilog]
    assert missing == []


def test_a_page_that_opens_a_folder_lists_all_of_it() -> None:
    for opening in stage.FOLDERS:
        page = ROOT / "docs" / f"{opening}.md"
        text = page.read_text(encoding="utf-8")
        others = [path.name for path in page.parent.glob("*.md") if path != page]
        assert [name for name in others if f"({name})" not in text] == [], page


def test_links_hold_in_the_site() -> None:
    where = stage.places()

    def linked(text: str, name: str = "docs/bounds/README.md") -> str:
        return stage.linked(text, name, where)

    assert linked("[a](../gpu.md#x)") == "[a](../gpu.md#x)"
    assert linked("[a](../../SECURITY.md)") == "[a](../project/security.md)"
    assert linked("[a](../../examples/gpu_encryption.py)").startswith(f"[a]({stage.REPOSITORY}ex")
    assert linked("[a]: ../gpu.md") == "[a]: ../gpu.md"
    assert linked(f"[a]({stage.REPOSITORY}docs/gpu.md)") == "[a](../gpu.md)"
    assert linked("see `docs/gpu.md`, docs/bounds/hps.md") == (
        "see [`docs/gpu.md`](../gpu.md), [docs/bounds/hps.md](hps.md)"
    )
    assert linked("[docs/gpu.md](../gpu.md)") == "[docs/gpu.md](../gpu.md)"
    assert linked("```text\n[a](b)\n```\n") == "```text\n[a](b)\n```\n"
    with pytest.raises(SystemExit, match="leads nowhere"):
        linked("[a](gone.md)")


def test_what_was_seen_of_a_platform_is_the_table_s() -> None:
    said = stage.seen_of("Linux, x86-64")
    assert said.startswith("* Python 3.10: ") or "* Python 3.10: " in said
    with pytest.raises(SystemExit, match="no row"):
        stage.seen_of("Plan 9")


def test_comments_become_prose_lists_and_formulas() -> None:
    comment = "The sum of `x`_i. throws SizeError.\nn  a power of two\n\n  a < 2 q\n"
    assert prose.comment_lines(comment) == [
        "The sum of ``x``\\_i.", "", "*Throws* SizeError.", "", "| **n** a power of two", "", "::",
        "", "   a < 2 q", "",
    ]  # fmt: skip


def test_the_module_that_reads_headers_is_not_needed_here() -> None:
    loaded: ModuleType | None = sys.modules.get("clang")
    assert loaded is None

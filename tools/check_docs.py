# SPDX-License-Identifier: Apache-2.0
"""Check the documents: links lead somewhere, named files exist, lines and pages are not too long,
every folder is in a table.

``--wrap`` breaks paragraphs with a line past the limit; ``--self-test`` shows that each rule can
fail.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 120
#: The most lines of a page: a decision is half a page, a lab note what one reads at a time.
LONGEST = {"docs/decisions": 40, "docs/lab": 180}
#: What every decision answers, in this order.
QUESTIONS = ("Question.", "Choice.", "Reason.", "Figure.", "What would change it.")
FOLDERS = (
    r"(?:docs|nttforge|python|bench|papers|hardware|tests|tools|cmake|examples|fuzz|packaging"
    r"|\.github)"
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
#: ``[name]: address`` somewhere, and what uses it: ``[text][name]``, or ``[name]`` of a file.
DEFINITION = re.compile(r"^\[([^\]]+)\]:\s+(\S+)", re.MULTILINE)
USE = re.compile(r"\]\[([^\]]*[./ ][^\]]*)\]|(?<![\]\w])\[([\w./-]+(?:/|\.md|\.txt))\](?![(\[:])")
#: A link to a file of this repository by its address, as the package's page needs it.
OWN = re.compile(r"https://github\.com/[^/]+/nttforge/(?:blob|tree|raw)/[^/]+/(.+)")
CODE = re.compile(r"`([^`]+)`")
NAMED = re.compile(rf"{FOLDERS}/[\w./*{{}},+-]*\w/?")
#: A comment or docstring that begins in the middle of a sentence.
TELEGRAM = re.compile(r'^\s*(?:///?<?|#:?|""")\s?Of\b', re.MULTILINE)
DOCUMENT = re.compile(r"docs/[\w/-]+\.(?:md|svg)")
#: Folders of data, whose parents say what is in them.
DATA = ("bench/results/", "docs/lab/", "tests/golden/", "packaging/debian/", ".")
LIST = re.compile(r"(\s*(?:[*+-]|\d+\.)\s+|\s*)")


def rendered(line: str, address: str = "https?://[^)]*") -> str:
    """``line`` without those addresses of its links, which no reader sees."""
    return re.sub(rf"\]\({address}\)|(?<=\])\[[^\]]*\]", "]", line)


def prose(text: str):
    """Yield (number, line, where) of each line; where is "text", "table", "code" or "heading"."""
    fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
            yield number, line, "code"
        elif fence or line.startswith("    "):
            yield number, line, "code"
        elif line.lstrip().startswith("|"):
            yield number, line, "table"
        else:
            yield number, line, "heading" if line.startswith("#") else "text"


def exists(root: pathlib.Path, beside: pathlib.Path, name: str) -> bool:
    """Whether ``name``, in which ``*``, ``{a,b}`` and CAPITALS are patterns, is a file or folder.

    It may be named from ``root``, from ``beside``, from python/ or, a program, without its suffix.
    """
    name = re.sub(r"(?<=/)[A-Z]{3,}(?=/)", "*", name)
    braces = re.search(r"\{([^{}]*)\}", name)
    if braces:
        return all(
            exists(root, beside, name[: braces.start()] + part + name[braces.end() :])
            for part in braces.group(1).split(",")
        )
    folders = (root, beside, root / "python")
    names = (name.rstrip("/"), name + ".cpp")
    return any(any(folder.glob(each)) for folder in folders for each in names)


def check_document(root: pathlib.Path, name: str) -> list[str]:
    """What is wrong with one Markdown document."""
    path = root / name
    text = path.read_text(encoding="utf-8")
    problems = []
    defined = dict(DEFINITION.findall(text))
    for number, line, where in prose(text):
        at = f"{name}:{number}"
        definition = DEFINITION.match(line)
        if name == "README.md" and where == "table" and len(rendered(line, "[^)]*")) > COLUMNS:
            problems.append(f"{at}: a row of README's table has at most {COLUMNS} columns")
        if (
            where == "text"
            and not definition
            and len(rendered(line)) > COLUMNS
            and " " in line.strip()
        ):
            columns = len(rendered(line))
            problems.append(f"{at}: {columns} columns, at most {COLUMNS} (--wrap mends)")
        if where == "code":
            continue
        problems += [
            f"{at}: [{use[0] or use[1]}] is defined nowhere"
            for use in USE.findall(re.sub("`[^`]*`", "", line))
            if (use[0] or use[1]) not in defined
        ]
        for target in [*LINK.findall(line), *([definition.group(2)] if definition else [])]:
            own = OWN.fullmatch(target)
            if not own and re.match(r"[a-z]+:|#", target):
                continue
            file = re.split("[?#]", own.group(1) if own else target)[0]
            if not (root / file if own else path.parent / file).exists():
                problems.append(f"{at}: the link to {target} leads nowhere")
        for code in CODE.findall(line):
            for found in NAMED.finditer(code):
                begins = found.start() == 0 or code[found.start() - 1] in " ="
                ends = code[found.end() : found.end() + 1] in ("", " ", ":", ",", ")", '"')
                if begins and ends and not exists(root, path.parent, found.group()):
                    problems.append(f"{at}: there is no {found.group()}")
    for folder, most in LONGEST.items():
        lines = len(text.splitlines())
        if name.startswith(folder + "/") and path.name != "README.md" and lines > most:
            problems.append(f"{name}: {lines} lines, at most {most} in {folder}/")
    if name.startswith("docs/decisions/") and path.name != "README.md":
        places = [text.find(f"**{question}**") for question in QUESTIONS]
        if -1 in places or places != sorted(places):
            problems.append(
                f"{name}: a decision has, bold and in this order: {' '.join(QUESTIONS)}"
            )
    return problems


def check_source(root: pathlib.Path, name: str) -> list[str]:
    """Documents that a source file names and that do not exist; comments without a subject."""
    text = (root / name).read_text(encoding="utf-8", errors="ignore")
    problems = [
        (found.start(), f"there is no {found.group()}")
        for found in DOCUMENT.finditer(text)
        if not (root / found.group()).exists()
    ]
    problems += [
        (found.end(), 'a comment begins with "Of": name what it is about')
        for found in TELEGRAM.finditer(text)
    ]
    return [f"{name}:{text[:at].count(chr(10)) + 1}: {problem}" for at, problem in problems]


def check(root: pathlib.Path, names: list[str]) -> list[str]:
    problems = []
    for name in names:
        if name.endswith(".md"):
            problems += check_document(root, name)
        elif pathlib.Path(name).suffix not in {
            ".json",
            ".png",
            ".bin",
            ".enc",
            ".seal",
            ".hex",
            ".svg",
            ".lock",
        }:
            problems += check_source(root, name)
    return problems


def unlisted(root: pathlib.Path, names: list[str]) -> list[str]:
    """Folders that no table lists: of the overview, or of a README of their own or further up.

    A row names a folder with a stroke behind, from any place: ``cpu/lanes/`` or ``lanes/``, also as
    a part of a longer name.
    """
    rows: dict[pathlib.PurePath, str] = {}
    for name in names:
        path = pathlib.PurePath(name)
        if path.name == "README.md" or name == "docs/overview.md":
            lines = prose((root / name).read_text(encoding="utf-8"))
            table = "\n".join(line for _, line, where in lines if where == "table")
            place = path.parent if path.name == "README.md" else pathlib.PurePath()
            rows[place] = rows.get(place, "") + table
    folders = {folder for name in names for folder in pathlib.PurePath(name).parents}
    problems = []
    for folder in sorted(folders - {pathlib.PurePath()}):
        ways = [re.escape("/".join(folder.parts[i:])) for i in range(len(folder.parts))]
        named = re.compile(rf"(?<![\w/])(?:{'|'.join(ways)})/")
        above = (rows.get(parent, "") for parent in (folder, *folder.parents))
        if not f"{folder}/".startswith(DATA) and not any(map(named.search, above)):
            problems.append(f"{folder}/ is in no table of docs/overview.md or a README above it")
    return problems


def wrap_line(text: str, first: str, rest: str) -> list[str]:
    """Break ``text`` into lines of at most ``COLUMNS`` columns; a link or short code is a word."""

    def word_of(found: re.Match[str]) -> str:
        return found.group().replace(" ", "\0") if len(found.group()) < 60 else found.group()

    words = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", word_of, text).split()
    lines, line = [], [words[0]]
    for word in words[1:]:
        indent = rest if lines else first
        if len(rendered(indent + " ".join([*line, word]))) <= COLUMNS:
            line.append(word)
            continue
        # A line that began with one of these would become a list, a heading or a table.
        begins = re.fullmatch(r"[-+*|=]|#+|\d+\.", word) and len(line) > 1
        carried = [line.pop()] if begins else []
        lines.append(indent + " ".join(line))
        line = [*carried, word]
    lines.append((rest if lines else first) + " ".join(line))
    return [line.replace("\0", " ") for line in lines]


def wrap(text: str) -> str:
    """``text`` with every paragraph or list item broken anew that has a line past the limit."""
    out: list[str] = []
    block: list[str] = []

    def flush() -> None:
        if any(len(rendered(line)) > COLUMNS for line in block):
            indent = LIST.match(block[0]).group()
            words = " ".join(line.strip() for line in block)[len(indent.lstrip()) :]
            out.extend(wrap_line(words, indent, " " * len(indent)))
        else:
            out.extend(block)
        block.clear()

    for _, line, where in prose(text):
        if where != "text" or not line.strip():
            flush()
            out.append(line)
        else:
            if re.match(r"\s*(?:[*+-]|\d+\.)\s", line):
                flush()
            block.append(line)
    flush()
    return "\n".join(out) + "\n"


def self_test() -> list[str]:
    """Every rule on documents made for it: what is right passes, what is wrong is found."""
    decision = "\n".join(f"**{question}** a" for question in QUESTIONS)
    long = "word " * 40
    cases = [
        ("docs/a.md", "[a](b.md) `docs/b.md` `nttforge/*.hpp`", ""),
        ("docs/a.md", "[a](gone.md)", "leads nowhere"),
        ("docs/a.md", "[a](https://github.com/x/nttforge/blob/main/docs/b.md)", ""),
        ("docs/a.md", "[a](https://github.com/x/nttforge/blob/main/docs/gone.md)", "leads nowhere"),
        ("docs/a.md", "![a](https://github.com/x/nttforge/blob/main/docs/b.md?raw=true)", ""),
        ("docs/a.md", "[b.md] and [a][b.md]\n\n[b.md]: b.md", ""),
        ("docs/a.md", "[a][b.md]\n\n[b.md]: gone.md", "leads nowhere"),
        ("docs/a.md", "[a][gone.md] x[n1][n2]", "[gone.md] is defined nowhere"),
        ("docs/a.md", "[gone.md] [Din24] v[0][1]", "[gone.md] is defined nowhere"),
        ("README.md", f"| {long} |", "a row of README's table"),
        ("docs/a.md", "`docs/gone.md` says so", "there is no docs/gone.md"),
        ("docs/a.md", "`nttforge/{x,gone}.hpp`", "there is no nttforge"),
        ("docs/a.md", long, "columns"),
        ("docs/a.md", f"| {long} |\n\n```\n{long}\n```\n", ""),
        ("docs/a.md", wrap(f"* {long}\n* `{long}`\n"), ""),
        ("docs/decisions/a.md", decision, ""),
        ("docs/decisions/a.md", decision.replace("Reason", "Why"), "a decision has"),
        ("docs/decisions/a.md", decision + "\n" * 50, "lines, at most"),
        ("docs/lab/a.md", "a\n" * 200, "lines, at most"),
        ("nttforge/x.cpp", "// docs/b.md", ""),
        ("nttforge/x.cpp", "// docs/gone.md", "there is no docs/gone.md"),
        ("nttforge/x.cpp", "int a;  ///< Of b\n/// Offset of b\n", ""),
        ("nttforge/x.cpp", "int a;\n  /// Of b\n", "begins with"),
        ("tools/x.py", '    """Of b."""\n', "begins with"),
    ]
    problems = []
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file in (name, "docs/b.md", "nttforge/x.hpp"):
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text if file == name else "", encoding="utf-8")
            found = "\n".join(check(root, [name]))
            if (expected not in found) if expected else found:
                problems.append(f"self-test of {text[:40]!r}: {found or 'nothing was found'}")
    files = {"a/b/x.py": "", "README.md": "", "a/README.md": "| `c/` |", "docs/overview.md": ""}
    for where, row, expected in (
        ("README.md", "| `a/b/` |\n| `a/`, `docs/` |", []),
        ("docs/overview.md", "| `a/`, `b/`, `docs/` |", []),
        ("README.md", "| `a/` |\n| `docs/` |\n`a/b/`", ["a/b/"]),
        ("a/README.md", "| `b/`, `xa/` |", ["a/", "docs/"]),
    ):
        with tempfile.TemporaryDirectory() as folder:
            for file, content in {**files, where: row}.items():
                path = pathlib.Path(folder, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            found_folders = [line.split()[0] for line in unlisted(pathlib.Path(folder), [*files])]
            if found_folders != expected:
                problems.append(f"self-test of {row!r} in {where}: {found_folders}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrap", action="store_true", help="break long lines of prose first")
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    parser.add_argument("files", nargs="*", help="default: every file that git knows")
    options = parser.parse_args()
    command = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        *options.files,
    ]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    names = [name for name in names if name != "tools/check_docs.py"]  # it names files that are not
    for name in names if options.wrap else []:
        if name.endswith(".md"):
            text = (ROOT / name).read_text(encoding="utf-8")
            if wrap(text) != text and any("columns" in line for line in check_document(ROOT, name)):
                (ROOT / name).write_text(wrap(text), encoding="utf-8")
    problems = check(ROOT, names) + (self_test() if options.self_test else [])
    problems += [] if options.files else unlisted(ROOT, names)
    print("\n".join(problems) or f"{len(names)} files: links, names and lengths hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

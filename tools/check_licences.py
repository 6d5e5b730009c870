# SPDX-License-Identifier: Apache-2.0
"""Check that every source file says its licence in its first line, or after its #! line.

``--add`` writes the line into the files that lack it. Data, documents and empty files have none;
a file of an unknown kind is an error, so that somebody decides which of the two it is.
"""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE = "SPDX-License-Identifier: Apache-2.0"
#: The comment with the licence, by a file's suffix or whole name.
COMMENTS = {
    **dict.fromkeys(
        (".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".js", ".mlir", ".rs", ".sv", ".ts"),
        f"// {LICENCE}",
    ),
    **dict.fromkeys(
        (".cff", ".cmake", ".in", ".map", ".py", ".sh", ".toml", ".yaml", ".yml"), f"# {LICENCE}"
    ),
    **dict.fromkeys(("CMakeLists.txt", "Makefile", "rules", "run"), f"# {LICENCE}"),
    "library": f"# {LICENCE}",  # a test of the Debian packages
    **dict.fromkeys((".html", ".svg"), f"<!-- {LICENCE} -->"),
    ".css": f"/* {LICENCE} */",
    ".go": f"// {LICENCE}",
    ".js": f"// {LICENCE}",
}
WITHOUT = {
    *(
        ".bin",
        ".enc",
        ".hex",
        ".ipynb",
        ".gz",
        ".json",
        ".jsonl",
        ".lock",
        ".md",
        ".png",
        ".mod",
        ".sha256",
        ".sum",
        ".seal",
        ".txt",
        ".typed",
    ),
    *(".clang-format", ".gitignore", "CODEOWNERS", "LICENSE", "NOTICE"),
    # Recipes of packages whose kind has no room for it, or one of its own.
    *("changelog", "clean", "control", "copyright", "format", "usage", "watch"),
    *(".docs", ".lintian-overrides", ".manpages"),
}


def comment_of(path: pathlib.Path) -> str | None:
    """The first line that ``path`` needs; "" where it needs none, None where nobody has decided."""
    known = COMMENTS.get(path.name) or COMMENTS.get(path.suffix)
    return known or ("" if {path.name, path.suffix} & WITHOUT else None)


def with_licence(text: str, comment: str) -> str:
    """``text`` with the comment as its first line, or as its second after a #! line."""
    shebang, rest = "", text
    if text.startswith("#!"):
        shebang, _, rest = text.partition("\n")
        shebang += "\n"
    return text if rest.startswith(comment + "\n") else f"{shebang}{comment}\n{rest}"


def problems_of(root: pathlib.Path, names: list[str], add: bool) -> list[str]:
    """What is wrong with files below ``root``, after ``add`` has mended what it can."""
    problems = []
    for name in names:
        path = root / name
        comment = comment_of(path)
        if comment is None:
            problems.append(f"{name}: say in tools/check_licences.py how this kind of file begins")
        elif comment and path.stat().st_size:
            text = path.read_text(encoding="utf-8")
            mended = with_licence(text, comment)
            if add and mended != text:
                path.write_text(mended, encoding="utf-8")
            elif mended != text:
                problems.append(f"{name}: the first line must be {comment!r}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--add", action="store_true", help="write the line where it is missing")
    add = parser.parse_args().add
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    names = [name for name in listed if (ROOT / name).is_file()]
    problems = problems_of(ROOT, names, add)
    if problems:
        problems.append("python tools/check_licences.py --add writes the line where it is missing")
    print("\n".join(problems) or f"{len(names)} files say their licence or need not")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

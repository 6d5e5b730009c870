# SPDX-License-Identifier: Apache-2.0
"""A further distribution of secrets changes few files, those that CONTRIBUTING names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
NAMED = {
    "nttforge/random/secret_distribution.hpp",
    "nttforge/random/secret_distribution.cpp",
    "python/nttforge/typing.py",
    "packages/oracle/nttforge_oracle/secrets.py",
}


def test_only_the_named_files_know_the_kinds():
    """Sources that tell the sparse kind from others: by its value, by its name, by its class."""
    kind = re.compile(r"Kind::sparse|[=!]= ?\"sparse\"|\"sparse\"\]")
    sources = [
        path
        for folder, suffixes in (
            ("nttforge", {".cpp", ".hpp", ".cu"}),
            ("python/bindings", {".cpp", ".hpp"}),
            ("python/nttforge", {".py"}),
            ("packages/oracle/nttforge_oracle", {".py"}),
        )
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and "_test" not in path.name and "testing" not in path.name
    ]
    assert len(sources) > 500
    found = {str(path.relative_to(ROOT)) for path in sources if kind.search(path.read_text())}
    assert found == NAMED
    row = next(
        line
        for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines()
        if line.startswith("| a distribution of secrets |")
    )
    for path in NAMED:
        assert path in row or path.rsplit("/", 1)[1] in row

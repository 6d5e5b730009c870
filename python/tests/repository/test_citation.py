# SPDX-License-Identifier: Apache-2.0
"""CITATION.cff says the version of CMakeLists.txt and names the five papers of docs/papers."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_version_and_papers() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(nttforge VERSION ([0-9.]+)", cmake)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in citation
    references = (ROOT / "docs/references.md").read_text(encoding="utf-8")
    flat = " ".join(citation.split())
    for key in ("Kim20", "Din24", "Bad18a", "Bad18b", "Yan22"):
        row = next(line for line in references.splitlines() if line.startswith(f"| [{key}]"))
        assert any(part.strip() in flat for part in re.split(r"\. |\|", row) if len(part) > 40)

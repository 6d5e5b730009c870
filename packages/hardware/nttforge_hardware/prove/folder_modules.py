# SPDX-License-Identifier: Apache-2.0
"""The hand-written modules in a design's folder: the very texts that hardware/formal is about."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from ..emit.modules import MODELS, hand_written
from ..plan.pipeline import BLOCKS
from .folder_constants import SHOWN
from .folder_files import Finding, Reader

_OURS = re.compile(r"(?P<prefix>[a-z0-9_]*?)nttf_\w+")


def module_findings(reader: Reader) -> list[Finding]:
    """Compares each ``nttf_*`` module and each model with this version's text, comments left out.

    The theorems of ``nttforge rtl prove`` are about these texts, under names that a design may
    begin with a prefix.
    """
    names = sorted(
        path.relative_to(reader.folder).as_posix()
        for kind in ("rtl", MODELS)
        for path in (reader.folder / kind).glob("*.sv")
    )
    found = {name: _OURS.fullmatch(PurePosixPath(name).stem) for name in names}
    prefixes = {match["prefix"] for match in found.values() if match}
    families = {tile.family for tile in BLOCKS.values()}
    family = next((f for f in families if f and any(f"_{f}." in n for n in names)), "")
    texts = {
        name: text
        for prefix in prefixes
        for name, text in hand_written(family, prefix).texts.items()
    }
    said, count = [], 0
    for name in names:
        if not found[name] and not name.startswith(f"{MODELS}/"):
            continue  # generated: its constants and tables are compared elsewhere
        count += 1
        if name not in texts:
            said.append(f"{name} is no module of this version")
        elif _digest(reader.text(name)) != _digest(texts[name]):
            said.append(f"{name} differs from the text that was proved")
    listed = set(reader.text("design.f").split())
    said += [f"design.f names {name}, which is missing" for name in sorted(listed - set(names))]
    return [Finding("modules written by hand", count, tuple(said[:SHOWN]))]


def _digest(text: str) -> str:
    """Digest of a text's code, without the comments and blank lines that a design's header adds."""
    code = (re.sub(r"\s*//.*", "", line).rstrip() for line in text.splitlines())
    return hashlib.sha256("\n".join(line for line in code if line).encode()).hexdigest()

# SPDX-License-Identifier: Apache-2.0
"""The results that the report reads: kept ones of a clone, or measured here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge.errors import FormatError, ParameterError
from nttforge_bench.documents import read as read_json

from .._traced import traced

#: Document -> where it is kept below bench/results, compressed or not, the newest folder last.
KEPT = {
    "yan22": "yan22/results.json",
    "kim20": "*/kim20.json*",
    "bad18a": "*/bad18a.json*",
    "bad18b": "*/bad18b.json*",
    "bad18b-depth": "*bad18b-depth/results.json",
    "nttsuite-cpu": "*/nttsuite/results.json",
    "nttsuite-hardware": "nttsuite-hardware/hardware.json",
    "nttsuite-gpu": "*/nttsuite.json*",
}


@dataclass(frozen=True)
class Source:
    """A document of results: where it is, and what made it where and when."""

    name: str
    path: str
    machine: str
    date: str
    tool: str
    kept: bool
    content: Any

    @property
    def sentence(self) -> str:
        """For a reader."""
        how = "kept results" if self.kept else "measured on this machine for this report"
        parts = [part for part in (self.machine, self.date, self.tool) if part]
        return f"{'; '.join(parts)}; {how}: {self.path}"

    def to_json(self) -> dict[str, Any]:
        """Without the content."""
        return {
            "path": self.path,
            "machine": self.machine,
            "date": self.date,
            "tool": self.tool,
            "kept": self.kept,
        }


def kept_sources(folder: Path | None) -> dict[str, Source]:
    """The newest kept document of each name in a folder like ``bench/results``; none if None.

    Raises
    ------
    ParameterError
        If the folder holds none of them.
    FormatError
        If one is no JSON object.
    """
    found: dict[str, Source] = {}
    if folder is None:
        return found
    for name, pattern in KEPT.items():
        paths = sorted(folder.glob(pattern))
        if paths:
            shown = f"bench/results/{paths[-1].relative_to(folder).as_posix()}"
            found[name] = read(name, paths[-1], shown, kept=True)
    if not found:
        wanted = ", ".join(sorted(set(KEPT.values())))
        raise ParameterError(f"--results {folder} has no results: it must hold one of {wanted}")
    return found


def read(name: str, path: Path, shown: str, kept: bool) -> Source:
    """A document from a file; ``shown`` is the path that the report names."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise FormatError(f"{path} must hold a JSON object")
    dated = re.search(r"\d{4}-\d\d-\d\d", shown)
    date = str(content.get("date") or (dated[0] if dated else ""))
    return Source(name, shown, _machine(content), date, _tool(content), kept, content)


def _machine(content: Mapping[str, Any]) -> str:
    names = [(content.get("gpu") or {}).get("name"), content.get("cpu")]
    named = " and ".join(str(name) for name in names if name)
    return named or "the same on every machine"


def _tool(content: Mapping[str, Any]) -> str:
    parts = []
    if content.get("nvcc"):
        parts.append(f"nvcc {content['nvcc']}")
    if content.get("compiler"):
        text = str(content["compiler"])
        parts.append(f"g++ {text}" if text[0].isdigit() else text)
    if content.get("version"):
        parts.append(f"nttforge {content['version']}")
    tools = sorted(set(re.findall(r"(?:Yosys|Verilator) [\d.]+", json.dumps(content))))
    return ", ".join(parts + tools)


def trace(sources: Mapping[str, Source]) -> dict[str, Any]:
    """The documents with numbers that know their places; the CPU's part measured here goes first.

    ``bad18b-here``, this machine's CPU, takes the place of the rows of the other CPU in ``bad18b``.
    """
    documents = {name: traced(source.content, name) for name, source in sources.items()}
    here = documents.pop("bad18b-here", None)
    if here is not None:
        kept = documents.get("bad18b", {"rows": [], "peers": [], "load": None})
        rows = here["rows"] + [row for row in kept["rows"] if row["where"] != "cpu"]
        documents["bad18b"] = {**kept, "rows": rows, "cpu": here["cpu"]}
    return documents

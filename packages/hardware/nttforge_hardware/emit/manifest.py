# SPDX-License-Identifier: Apache-2.0
"""A design's folder as tools read it: its manifest, and where its memory images are found."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nttforge.errors import FormatError

from .modules import MODELS

#: Folder of a design with the copy of ``local_design``.
COPY = "build_local"

#: The manifest's format: 2 since testbenches run by themselves.
FORMAT = 2


def read_manifest(folder: Path) -> dict[str, Any]:
    """``design.json`` of an emitted design.

    Raises
    ------
    FormatError
        If there is none, or it is of another format.
    """
    path = folder / "design.json"
    if not path.is_file():
        raise FormatError(f"{path} is missing: give a folder that nttforge rtl generate made")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is not JSON: {error}") from None
    if not isinstance(manifest, dict):
        raise FormatError(f"{path} is no manifest of a design")
    if manifest.get("format") != FORMAT:
        raise FormatError(
            f"{path} has format {manifest.get('format')!r}, this version reads {FORMAT}: generate "
            "the design again"
        )
    missing = {"command", "parameters", "predicted", "testbench", "top"} - set(manifest)
    if missing:
        raise FormatError(f"{path} lacks {', '.join(sorted(missing))}: generate the design again")
    return manifest


def text_digest(text: str) -> str:
    """What the manifest says of a file's text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def changed_files(folder: Path) -> list[str]:
    """Files of the design in ``folder`` that are there, but not as they were written.

    A folder without a manifest, or with one that names no digests, has none.
    """
    try:
        digests = json.loads((folder / "design.json").read_text(encoding="utf-8"))["digests"]
        wanted = {str(name): str(digest) for name, digest in digests.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [
        name
        for name, digest in wanted.items()
        if (folder / name).is_file()
        and hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest
    ]


def bench_tops(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The testbenches of a design, modules by the kind of ports that they drive."""
    stem = manifest["top"].removesuffix("_top")
    tops = {"": f"{stem}_testbench"}
    return tops | {
        kind: f"{stem}_{kind}_testbench" for kind in ("axi", "burst") if manifest.get(kind)
    }


def local_design(folder: Path) -> Path:
    """The folder, or where images are looked for elsewhere, a copy in it that finds its own.

    Only the beginnings of the names of images and vectors differ.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    """
    prefix = read_manifest(folder).get("image_folder", "")
    if not prefix:
        return folder
    copy = folder / COPY
    for kind in ("rtl", MODELS, "testbench", "twiddles", "tables"):
        shutil.rmtree(copy / kind, ignore_errors=True)
        for path in sorted((folder / kind).glob("*.*")):
            target = copy / kind / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            target.write_text(_without(prefix, text) if path.suffix == ".sv" else text, "utf-8")
    for name in ("design.json", "design.f", "testbench.f"):
        shutil.copy(folder / name, copy)
    return copy


def _without(prefix: str, text: str) -> str:
    for kind in ("twiddles", "tables", "testbench"):
        text = text.replace(f'"{prefix}{kind}/', f'"{kind}/')
    return text

# SPDX-License-Identifier: Apache-2.0
"""What a design's folder holds, compared with the definition of its transform, word by word.

Nothing here asks the planner: constants and tables are read from the emitted Verilog and images,
and followed as hardware/rtl says that hardware follows them.
"""

from __future__ import annotations

from pathlib import Path

from ...errors import ParameterError
from ..emit.manifest import read_manifest
from .folder_files import Finding, Reader
from .folder_transform import transform_findings


def prove_folder(folder: Path) -> list[Finding]:
    """Compares every constant, table and image of the design in ``folder`` with its definition.

    Raises
    ------
    FormatError
        If the folder holds no design, or a file of it cannot be read as what it must be.
    ParameterError
        If it is a design of another kind.
    """
    manifest = read_manifest(folder)
    kinds = ("transform", "dgt", "product")
    parameters = manifest["parameters"]
    kind = parameters.get("kind") if isinstance(parameters, dict) else None
    if kind not in kinds:
        raise ParameterError(
            f"{folder} holds a design of kind {kind!r}, and constants and tables are compared for "
            f"{', '.join(kinds)}: use nttforge rtl simulate"
        )
    return transform_findings(Reader(folder, manifest))

# SPDX-License-Identifier: Apache-2.0
"""What a design's folder holds, compared with the definition of its transform, word by word.

Nothing here asks the planner: constants and tables are read from the emitted Verilog and images,
and followed as hardware/rtl says that hardware follows them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nttforge.errors import ParameterError

from ..emit.manifest import read_manifest
from .folder_engines import engine_findings
from .folder_files import Finding, Reader
from .folder_keyswitch import keyswitch_findings
from .folder_modules import module_findings
from .folder_streams import dataflow_findings, permutation_findings
from .folder_transform import transform_findings

_OTHERS = "handshakes, and wires between ports and lanes"
#: What is compared of a kind of design, and what is not.
KINDS: dict[str, tuple[Callable[[Reader], list[Finding]], str]] = {
    "transform": (transform_findings, _OTHERS),
    "dgt": (transform_findings, _OTHERS),
    "product": (transform_findings, f"{_OTHERS}, and the multipliers between the transforms"),
    "engines": (
        engine_findings,
        "tables that software loads: those of the test vectors and the driver's layout were "
        f"compared; buffers, dispatch and loading; {_OTHERS}",
    ),
    "keyswitch": (
        keyswitch_findings,
        f"the control's table of launches, digits, keys and sums on their way; {_OTHERS}",
    ),
    "permutation": (permutation_findings, _OTHERS),
    "dataflow": (dataflow_findings, f"{_OTHERS}, and the distance of one transform to the next"),
}


def kind_of(folder: Path) -> str:
    """The kind of the design in ``folder``, a key of ``KINDS``.

    Raises
    ------
    FormatError
        If the folder holds no design.
    ParameterError
        If it is a design of another kind.
    """
    parameters = read_manifest(folder)["parameters"]
    kind = parameters.get("kind") if isinstance(parameters, dict) else None
    if kind not in KINDS:
        raise ParameterError(
            f"{folder} holds a design of kind {kind!r}, and constants and tables are compared for "
            f"{', '.join(KINDS)}: use nttforge rtl simulate"
        )
    return str(kind)


def prove_folder(folder: Path) -> list[Finding]:
    """Compares every constant, table and image of the design in ``folder`` with its definition.

    Its hand-written modules are compared with those of this version, which theorems are about.

    Raises
    ------
    FormatError
        If the folder holds no design, or a file of it cannot be read as what it must be.
    ParameterError
        If it is a design of another kind.
    """
    findings, _ = KINDS[kind_of(folder)]
    reader = Reader(folder, read_manifest(folder))
    return [*module_findings(reader), *findings(reader)]

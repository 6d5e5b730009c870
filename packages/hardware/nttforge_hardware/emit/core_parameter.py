# SPDX-License-Identifier: Apache-2.0
"""The packed parameter CORE of a core's modules: nttf_core_pkg.sv says where its fields are."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from nttforge.errors import ParameterError

from ..plan.cores import CoreDesign
from .modules import module_folder

PACKAGE = "nttf_core_pkg"


@functools.cache
def field_places() -> dict[str, tuple[int, int]]:
    """Lowest bit and width of each field, from the lowest, as the package has them.

    Examples
    --------
    >>> field_places()["DATA_BITS"], sum(width for _, width in field_places().values())
    ((32, 32), 14848)
    """
    text = (module_folder("rtl") / f"{PACKAGE}.sv").read_text(encoding="utf-8")
    found = re.findall(r"localparam int (\w+) += (\d+) \* 32;", text)
    starts = {name: 32 * int(count) for name, count in found}
    ends = [*starts.values()][1:]
    return {name: (low, end - low) for (name, low), end in zip(starts.items(), ends, strict=False)}


def core_literal(fields: Mapping[str, int]) -> str:
    """CORE as one number; fields that are not named are 0.

    Raises
    ------
    ParameterError
        If the package has no such field, or the field is too narrow for its value.

    Examples
    --------
    >>> core_literal({"KIND": 1, "DATA_BITS": 30})
    "14848'h1e00000001"
    """
    places = field_places()
    word = 0
    for name, value in fields.items():
        if name not in places:
            raise ParameterError(f"{PACKAGE}.sv has no field {name}: it has {', '.join(places)}")
        low, width = places[name]
        if not -(1 << width - 1) <= value < 1 << width:
            raise ParameterError(f"CORE: {name} = {value} takes more than its {width} bits")
        word |= value % (1 << width) << low
    return f"{_bits()}'h{word:x}"


def core_declaration(core: CoreDesign, name: str = "CORE") -> str:
    """The constant ``name`` of a module that was written for ``core``, a line for each field."""
    fields = core.module_parameters
    core_literal(fields)  # checks them
    lines = []
    for field, (low, width) in reversed(field_places().items()):
        value = fields[field]
        sign, digits = "-" if value < 0 else "", f"h{value:x}" if width > 32 else f"d{abs(value)}"
        lines.append(f"    {sign}{width}'{digits}{',' if low else ''}  // {field}\n")
    return f"  localparam logic [{PACKAGE}::BITS-1:0] {name} = {{\n{''.join(lines)}  }};\n"


def _bits() -> int:
    return sum(width for _, width in field_places().values())

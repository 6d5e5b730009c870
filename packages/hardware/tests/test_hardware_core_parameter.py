# SPDX-License-Identifier: Apache-2.0
"""The packed parameter CORE: one list of fields, in the package, for modules and generator."""

from __future__ import annotations

import re

import pytest

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.core_parameter import (
    core_declaration,
    core_literal,
    field_places,
)
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.plan.cores import KINDS, CoreDesign, choose_cores
from nttforge_hardware.plan.parameters import MAX_BITS
from nttforge_hardware.plan.pipeline import Pipeline
from nttforge_hardware.plan.solinas import Solinas, solinas_problem

SOLINAS_PRIME = 2**30 - 2**18 + 1


def _read(literal: str) -> dict[str, int]:
    """The fields of a literal, read as the modules read them: signed where 32 bits are."""
    word = int(literal.split("'h")[1], 16)
    fields = {}
    for name, (low, width) in field_places().items():
        value = word >> low & (1 << width) - 1
        signed = width == 32 and name != "SIGNS" and value >> 31
        fields[name] = value - (1 << 32) if signed else value
    return fields


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_comes_back(kind: str) -> None:
    pipeline = Pipeline.named("fast")
    core = choose_cores(kind, (SOLINAS_PRIME,), pipeline)[0]
    assert set(core.module_parameters) == set(field_places())
    assert _read(core_literal(core.module_parameters)) == core.module_parameters


def test_a_declaration_has_the_bits_of_the_literal() -> None:
    fields = choose_cores("solinas", (SOLINAS_PRIME,), Pipeline())[0]
    declared = re.findall(r"(-?)(\d+)'([hd])(\w+),?  // (\w+)", core_declaration(fields))
    assert [name for *_, name in declared] == [*field_places()][::-1]
    word = 0
    for sign, width, base, digits, _ in declared:
        value = int(digits, 16 if base == "h" else 10) * (-1 if sign else 1)
        word = word << int(width) | value % (1 << int(width))
    assert word == int(core_literal(fields.module_parameters).split("'h")[1], 16)


def test_every_solinas_core_fits() -> None:
    for i in range(4, MAX_BITS + 1):
        for j in range(1, i):
            for sign_j, sign_0 in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                form = Solinas(i, j, sign_j, sign_0)
                q = form.value
                if 4 <= q.bit_length() <= MAX_BITS and solinas_problem(form) is None:
                    core = CoreDesign("solinas", q, q.bit_length(), Pipeline(), 1, form)
                    core_literal(core.module_parameters)


def test_the_default_is_a_core() -> None:
    text = (module_folder("rtl") / "nttf_core_pkg.sv").read_text()
    default = re.findall(r"(-?)32'd(\d+)", text[text.index("DEFAULT") :])
    values = [-int(v) if sign else int(v) for sign, v in default][::-1]
    given = dict(zip(field_places(), values, strict=False))
    core = CoreDesign("montgomery", 3 * 2**28 + 1, 30, Pipeline(), 13)
    wanted = core.module_parameters
    of_solinas = {"I", "J", "SIGN_J", "SIGN_0", "TREE_REGS", "OPERANDS"}
    assert {k: v for k, v in given.items() if k not in of_solinas} == {
        k: v for k, v in wanted.items() if k not in of_solinas | {"SOURCES"}
    }
    assert 2 ** given["I"] + given["SIGN_J"] * 2 ** given["J"] + given["SIGN_0"] == SOLINAS_PRIME


def test_no_module_lists_the_fields_again() -> None:
    # parameters of adders, multipliers and tiles
    own = {"DATA_BITS", "INPUT_REGS", "SUM_REGS", "PRODUCT_REGS", "CARRY_BITS"}
    fields = "|".join(set(field_places()) - own)
    for kind in ("rtl", "formal", "testbench"):
        for path in sorted(module_folder(kind).glob("*.sv")):
            assert not re.search(rf"parameter [^,]*\b({fields})\b *=", path.read_text()), path


def test_a_design_names_the_package_before_its_readers() -> None:
    p = HardwareParameters(16, (97, 193), dp=4, pp=2)
    files = design_files(plan_design(p))
    listed = files["design.f"].split()
    package = listed.index("rtl/nttf_core_pkg.sv")
    readers = {i for i, name in enumerate(listed) if "nttf_core_pkg::" in files[name]} - {package}
    assert len(readers) > 8 and package < min(readers)


def test_values_that_do_not_fit() -> None:
    with pytest.raises(ParameterError, match=r"has no field WIDTH: it has KIND, DATA_BITS"):
        core_literal({"WIDTH": 1})
    with pytest.raises(ParameterError, match=r"CORE: TILE_A = 4294967296 takes more than its 32"):
        core_literal({"TILE_A": 2**32})

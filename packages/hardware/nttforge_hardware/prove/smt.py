# SPDX-License-Identifier: Apache-2.0
"""Proofs about Verilog: Yosys writes the transition relation, Bitwuzla seeks a counterexample."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nttforge.errors import FormatError, UnsupportedError

from ..tools.programs import INSTALL, run_yosys, tool_version


@dataclass(frozen=True)
class Model:
    """A flattened module as SMT-LIB functions of a state and its successor."""

    top: str
    text: str

    @property
    def inputs(self) -> dict[str, int]:
        """Bits of each input but clocks."""
        found = re.findall(r"^; yosys-smt2-input (\S+) (\d+)$", self.text, re.M)
        clocks = set(re.findall(r"^; yosys-smt2-clock (\S+) ", self.text, re.M))
        return {name: int(bits) for name, bits in found if name not in clocks}

    @property
    def state_functions(self) -> list[str]:
        """The functions that give a state's registers and memories (not its inputs)."""
        kinds = re.findall(r'^; yosys-smt2-witness .*"smtname": ("[^"]*"|\d+).*"type": "(reg|mem)"',
                           self.text, re.M)  # fmt: skip
        return [
            f"|{self.top}#{name}|" if kind == "reg" else f"|{self.top}_m {name.strip(chr(34))}|"
            for name, kind in kinds
        ]

    def wire(self, name: str) -> str:
        return f"|{self.top}_n {name}|"


_WIRES = """(* techmap_celltype = "$dff $dffe" *)
module wire_for_register #(parameter WIDTH = 1, CLK_POLARITY = 1, EN_POLARITY = 1)
  (input CLK, EN, input [WIDTH-1:0] D, output [WIDTH-1:0] Q);
  assign Q = D;
endmodule
"""


def read_model(
    top: str,
    sources: Mapping[str, str],
    parameters: Mapping[str, object] | None = None,
    cut: Sequence[str] = (),
    shown: Iterable[str] = (),
    registers: bool = True,
) -> Model:
    """The model of ``top`` with its assertions and assumptions.

    Parameters
    ----------
    top : str
    sources : mapping of file name to text
        Names that end in .sv are read as Verilog, others are there for $readmemh.
    parameters : mapping, optional
        Of ``top``.
    cut : sequence of str
        Cells (``module/cell``) whose outputs become free.
    shown : iterable of str
        Inner wires that are to keep their names.
    registers : bool
        False: every register becomes a wire, so that a pipeline is one expression of its inputs.

    Raises
    ------
    UnsupportedError
        If Yosys is missing or refuses the sources.
    """
    values = " ".join(f"-G {name}={value}" for name, value in (parameters or {}).items())
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in sources.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        files = " ".join(sorted(name for name in sources if name.endswith(".sv")))
        keep = "--keep-hierarchy" if cut else ""
        commands = [f"read_slang {keep} --top {top} {values} {files}", f"hierarchy -top {top}"]
        for cell in cut:
            commands += [f"select -assert-min 1 {cell}", f"cutpoint {cell}"]
        commands += ["proc", "flatten"]
        # Brackets are patterns in a selection.
        commands += [f"setattr -set keep 1 w:{re.sub(r'[][]', '?', name)}" for name in shown]
        if registers:
            commands += ["opt -full", "memory_dff", "memory_collect", "memory_map", "opt -full"]
        else:  # and sums whole, not without the bits that are zero
            (folder / "wires.v").write_text(_WIRES, "utf-8")
            commands += ["techmap -map wires.v", "opt"]
        commands += ["async2sync", "dffunmap", "chformal -lower", f"rename {top} proof"]
        commands += ["setundef -undriven -anyseq", "write_smt2 -wires model.smt2"]
        run_yosys(commands, folder)
        return Model("proof", (folder / "model.smt2").read_text("utf-8"))


@dataclass(frozen=True)
class Counterexample:
    """Values of the inputs, cycle by cycle."""

    trace: tuple[dict[str, int], ...]

    def __str__(self) -> str:
        return "\n".join(
            f"cycle {k}: " + ", ".join(f"{name} = {value:#x}" for name, value in values.items())
            for k, values in enumerate(self.trace)
        )


def find_counterexample(
    model: Model,
    cycles: int,
    links: Mapping[str, str] | None = None,
    initial: bool = True,
) -> Counterexample | None:
    """A run of ``cycles`` cycles that breaks an assertion in one of them, or None: there is none.

    Registers without an initial value start with any value, so a result for a module without any
    holds from every state.

    Parameters
    ----------
    model : Model
    cycles : int
    links : mapping of str to str, optional
        Inputs that show, in every cycle, an inner wire.
    initial : bool
        Whether registers start with their initial values.
    """
    steps = [_step(model, k, links or {}, k == 0 and initial) for k in range(cycles)]
    broken = " ".join(f"(not (|{model.top}_a| s{k}))" for k in range(cycles))
    return _solve(model, [*steps, f"(assert (or false {broken}))"], cycles)


def find_step(
    model: Model, steps: int, links: Mapping[str, str] | None = None
) -> Counterexample | None:
    """A run from any state that keeps the assertions for ``steps`` cycles and breaks one next.

    None is the step of a proof by induction.
    """
    text = [_step(model, k, links or {}, False) for k in range(steps + 1)]
    text += [f"(assert (|{model.top}_a| s{k}))" for k in range(steps)]
    return _solve(model, [*text, f"(assert (not (|{model.top}_a| s{steps})))"], steps + 1)


def find_moving_state(model: Model, *enables: str) -> Counterexample | None:
    """A state and inputs in which a register changes although ``enables`` are low, or None."""
    held = " ".join(f"(not (= ({f} s0) ({f} s1)))" for f in model.state_functions)
    text = [_step(model, 0, {}, False), _step(model, 1, {}, False)]
    text += [f"(assert (not ({model.wire(enable)} s0)))" for enable in enables]
    text.append(f"(assert (or false {held}))")
    return _solve(model, text, 1)


def _step(model: Model, k: int, links: Mapping[str, str], initial: bool) -> str:
    m, s = model.top, f"s{k}"
    lines = [f"(declare-fun {s} () |{m}_s|)", f"(assert (|{m}_u| {s}))", f"(assert (|{m}_h| {s}))"]
    lines += [f"(assert (= ({model.wire(a)} {s}) ({model.wire(b)} {s})))" for a, b in links.items()]
    if initial:
        lines.append(f"(assert (|{m}_i| {s}))")
    if k:
        lines.append(f"(assert (|{m}_t| s{k - 1} {s}))")
    return "\n".join(lines)


def solver_version() -> str:
    """The solver's name and version, for reports."""
    return tool_version("bitwuzla", "Bitwuzla")


def _solve(model: Model, query: list[str], cycles: int) -> Counterexample | None:
    if importlib.util.find_spec("bitwuzla") is None:
        raise UnsupportedError(f"proofs need the bitwuzla package: {INSTALL}")
    import bitwuzla

    terms, options = bitwuzla.TermManager(), bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    parser = bitwuzla.Parser(terms, options)
    parser.parse("\n".join(["(set-logic ALL)", model.text, *query]), True, False)
    solver = parser.bitwuzla()
    said = solver.check_sat()
    if said == bitwuzla.Result.UNSAT:
        return None
    if said != bitwuzla.Result.SAT:
        raise FormatError("the solver gave up: it neither proved nor refuted the property")

    def value(name: str, k: int) -> int:
        term = solver.get_value(parser.parse_term(f"({model.wire(name)} s{k})"))
        return int(term.value(10)) if term.sort().is_bv() else int(bool(term.value()))

    trace = ({name: value(name, k) for name in model.inputs} for k in range(cycles))
    return Counterexample(tuple(trace))

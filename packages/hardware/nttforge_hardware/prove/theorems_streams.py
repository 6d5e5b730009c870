# SPDX-License-Identifier: Apache-2.0
"""What is proved of permutations, handshakes and memories."""

from __future__ import annotations

from collections.abc import Iterator

from nttforge_oracle.number_theory import ntt_primes

from ..emit.files import limb_files
from ..emit.permutation import permutation_files
from ..emit.verilog import spn_parameters, width_of
from ..plan.design import Design, plan_design
from ..plan.parameters import HardwareParameters
from ..plan.permutation import PermutationDesign, PermutationParameters, bit_reversal, stride
from ..plan.pipeline import Choice
from .theorem import Fault, Theorem


def stream_theorems() -> list[Theorem]:
    return [*_permutations(), *_networks(), *_control()]


def _small(n: int, dp: int, pp: int, direction: str, registers: Choice = "balanced") -> Design:
    q = ntt_primes(n, 12, 1)[0]
    return plan_design(HardwareParameters(n, (q,), direction, dp=dp, pp=pp, pipeline=registers))


_NETWORK_DESIGNS = ((16, 4, 1, "forward"), (16, 2, 2, "inverse"), (32, 8, 1, "both"),
                    (32, 4, 2, "both"))  # fmt: skip
_NETWORK_FAULTS = (
    Fault("a switch joined to the wrong lane", "nttf_lane_switches.sv",
          "gen_lane[l^(LANES>>e)]", "gen_lane[l ^ (l == 0 ? LANES >> e : 0)]"),
    Fault("a read address off by one", "nttf_stage_spn.sv",
          "read_address  = read_slot;", "read_address  = read_slot + 1'b1;"),
)  # fmt: skip


def _networks() -> Iterator[Theorem]:
    plain = [(*shape, 0, 0) for shape in _NETWORK_DESIGNS]
    for n, dp, pp, direction, front, behind in (*plain, (*_NETWORK_DESIGNS[0], 2, 1)):
        design = _small(n, dp, pp, direction)
        p = design.parameters
        rows = p.passes * len(p.directions)
        for place in range(pp):
            if not design.has_memory(place):
                continue
            delays = [
                s.delay for schedule in design.schedules.values() for s in schedule.stages
                if s.super_pipeline == place
            ]  # fmt: skip
            cycles = 2 * max(p.words, *delays) + p.words + 4 + front + behind
            yield Theorem(
                f"permutation of a stage, n = {n}, dp = {dp}, pp = {pp}, {direction}, "
                f"super pipeline {place}" + (", all registers" if front else ""),
                f"every word of every frame leaves where and when it must, in {cycles} cycles from "
                "any state between frames, which holds two whole frames and all their distances",
                "spn_proof",
                spn_parameters(design, place)
                | {"DATA_BITS": 1, "LANES": dp, "WORDS": p.words, "ROWS": rows,
                   "ENTRY_ROW": 0 if place == p.entry else rows, "FRONT": front, "BEHIND": behind},
                cycles,
                links={"pending": "u_spn.pending", "active": "u_spn.active"},
                faults=_NETWORK_FAULTS,
                quick=n == 16 and dp == 4 and not front,
            )  # fmt: skip


def _permutations() -> Iterator[Theorem]:
    for n, dp in ((8, 2), (16, 4)):
        sources = (tuple(bit_reversal(n)), tuple(stride(n, 4)), tuple(reversed(range(n))))
        design = PermutationDesign(PermutationParameters(n, dp, 1, sources))
        words, count = n // dp, len(sources)
        tables = {k: v for k, v in permutation_files(design).items() if k.startswith("tables/")}
        destination, bits = 0, width_of(n)
        for which, source in enumerate(sources):
            for output, place in enumerate(source):
                destination |= output << ((which * n + place) * bits)
        wrong = destination ^ 1
        yield Theorem(
            f"streaming permutation, n = {n}, dp = {dp}",
            f"every word of every frame leaves where and when it must, for {count} permutations in "
            "any order, three frames from reset",
            "permutation_proof",
            {"LANES": dp, "WORDS": words, "PERMUTATIONS": count,
             "DELAY": design.delay, "DESTINATION": f"{count * n * bits}'h{destination:x}"},
            1 + 3 * words + design.delay + words,
            sources=tables,
            faults=(
                Fault("a crossing switch", "nttf_benes.sv",
                      "settings[SWITCH]", "(settings[SWITCH] ^ (j == 1 && l < 2))"),
                Fault("a read address off by one", "nttf_permutation.sv",
                      "addresses[l*SLOT_BITS+:SLOT_BITS]}",
                      "SLOT_BITS'(addresses[l*SLOT_BITS+:SLOT_BITS] + 1'b1)}"),
                Fault("another permutation",
                      parameters={"DESTINATION": f"{count * n * bits}'h{wrong:x}"}),
            ),
            quick=n == 8,
        )  # fmt: skip


def _control() -> Iterator[Theorem]:
    cases = ((2, 3, 4, True), (2, 5, 5, False), (4, 7, 9, False))
    for words, interval, depth, quick in cases:
        cycles = 3 * max(words, interval) + depth + 6
        yield Theorem(
            f"handshakes, {words} words, interval {interval}, {depth} stages",
            f"offers stay, no word is lost, transforms keep their distance: {cycles} cycles of any "
            "traffic from reset",
            "control_proof",
            {"WORDS": words, "INTERVAL": interval, "DEPTH": depth,
             "TO_INVERSE": words, "TO_FORWARD": interval + 1},
            cycles,
            faults=(
                Fault("a stalled receiver ignored", "nttf_control.sv",
                      "!stall_in && !stall_out", "!stall_in"),
                Fault("last word one early", "nttf_control.sv",
                      "out_slot == LAST", "out_slot == LAST - 1'b1"),
                Fault("interval one short", "nttf_control.sv", "(INTERVAL - 1)", "(INTERVAL - 2)"),
                Fault("an inverse followed too soon", "nttf_control.sv",
                      "WAIT_BITS'(TO_FORWARD - 1)", "WAIT_BITS'(TO_INVERSE - 1)"),
            ),
            quick=quick,
        )  # fmt: skip
    for words, interval, depth, quick in ((2, 3, 4, True), (2, 8, 3, False), (4, 7, 6, False)):
        cycles = 2 * max(words, interval) + depth + 6
        yield Theorem(
            f"registered handshakes, {words} words, interval {interval}, {depth} stages",
            "offers stay, words keep their order and none is lost, transforms come whole, keep "
            f"their distance and are not taken early: {cycles} cycles of any traffic from reset",
            "control_registered_proof",
            {"WORDS": words, "INTERVAL": interval, "DEPTH": depth,
             "TO_INVERSE": words, "TO_FORWARD": interval + 1},
            cycles,
            faults=(
                Fault("room for one word too few", "nttf_control_registered.sv",
                      "out_count <= 3'd2", "out_count <= 3'd3"),
                Fault("interval one short", "nttf_distance.sv", "(CYCLES - 1)", "(CYCLES - 2)"),
                Fault("an inverse followed too soon", "nttf_control_registered.sv",
                      ".CYCLES_INVERSE(TO_FORWARD)", ".CYCLES_INVERSE(TO_INVERSE)"),
                Fault("the direction of another transform", "nttf_control_registered.sv",
                      "{starts ? s_inverse : port_inverse,", "{s_inverse,"),
                # Two words are there before a transform begins: only one of two can be followed by
                # another one before, only a longer one can lack a word.
                *((Fault("a transform taken before the last one has begun",
                         "nttf_control_registered.sv", "(soon || ahead == '0)", "1'b1"),)
                  if words == 2 else ()),
                *((Fault("the next word not waited for", "nttf_control_registered.sv",
                         "enable ? at_last || in_count >= 3'd2 :", "enable ? 1'b1 :"),)
                  if words > 2 else ()),
            ),
            quick=quick,
        )  # fmt: skip
    axi, port = "nttf_axi_lite.sv", "nttf_lite_port.sv"
    yield Theorem(
        "registers behind AXI4-Lite",
        "responses stay and answer one request each, flushes, choice and error bits are those "
        "written: 8 cycles of any master from reset",
        "axi_lite_proof",
        {},
        8,
        links={"errors": "u_axi.errors", "busy": "u_axi.busy"},
        faults=(
            Fault("a response is not waited for", port, "aw_held && w_held && !bvalid",
                  "aw_held && w_held"),
            Fault("ready follows valid", port, "awready = !aw_held",
                  "awready = awvalid && !aw_held"),
            Fault("data change after they were taken", port, "if (!w_held) {", "{"),
            Fault("any write flushes", axi, "strobes[0] && written[0]", "strobes[0]"),
            Fault("a bit of the choice is not kept", axi, "written[CHOICE_BITS:1]", "written[1:1]"),
            Fault("a flush clears the errors", axi, "errors & ~cleared",
                  "errors & ~cleared & ~{2{flush}}"),
        ),
        quick=True,
    )  # fmt: skip
    for n, dp, pp, direction in _NETWORK_DESIGNS[:3]:
        yield _conflicts(n, dp, pp, direction)


def _conflicts(n: int, dp: int, pp: int, direction: str) -> Theorem:
    """Reads and writes of every permutation's memories in a whole limb, whatever the traffic."""
    # A registered enable would have copies here that begin as anything.
    design = _small(n, dp, pp, direction, "small")
    p, interval = design.parameters, design.interval_cycles
    places = [i for i in range(pp) if design.has_memory(i)]
    names = ("enter_now", "start_now", "start", "pending", "active", "in_valid", "in_first")
    ports = [f"  input logic {name}_{i}," for i in places for name in names]
    delay_bits = int(spn_parameters(design, 0)["DELAY_BITS"])
    ports += [f"  input logic [{delay_bits - 1}:0] wait_cycles_{i}," for i in places]
    claims = [
        # One frame at a time is begun, none before the last word of another or on a waiting one.
        f"    assert (!(enter_now_{i} && start_now_{i}));\n"
        f"    assert (!(start_{i} && active_{i}));\n"
        f"    assert (!(enter_now_{i} && pending_{i} && wait_cycles_{i} == '0));\n"
        f"    assert (!(in_valid_{i} && in_first_{i} && pending_{i} && wait_cycles_{i} != '0));\n"
        f"    assert (!(in_valid_{i} && in_first_{i} && came_{i} % {p.words} != 0));\n"
        for i in places
    ]
    counts = [
        f"  logic [7:0] came_{i} = '0;\n"
        "  always_ff @(posedge clk)\n"
        f"    if (cycle != '0 && in_valid_{i}) came_{i} <= came_{i} + 1'b1;\n"
        for i in places
    ]
    both = direction == "both"
    text = (
        "// Written for a proof: a limb under any traffic that keeps the interval.\n"
        "module conflict_proof (\n  input logic clk,\n" + "\n".join(ports)
        + "\n  input logic go,\n  input logic inverse\n);\n"
        + f"  logic [7:0] cycle = '0, left = '0, since = 8'd{interval};\n"
        + "  logic first, valid, exit_valid, inverse_held, inverse_now;\n"
        + f"  logic [{dp * p.bits - 1}:0] exit_data;\n"
        + f"  assign first = go && cycle != '0 && since >= 8'd{interval};\n"
        + "  assign valid = first || left != '0;\n"
        + "  always_ff @(posedge clk) begin\n    if (cycle != '1) cycle <= cycle + 1'b1;\n"
        + f"    left <= first ? 8'd{p.words - 1} : left == '0 ? '0 : left - 1'b1;\n"
        + "    since <= first ? 8'd1 : since == '1 ? since : since + 1'b1;\n"
        + "    inverse_held <= inverse_now;\n  end\n"
        + f"  assign inverse_now = {'(cycle == 0) ? inverse : inverse_held' if both else 0};\n"
        + "".join(counts)
        + "  ntt_limb_0 u_limb (\n    .clk(clk), .reset(cycle == '0), .enable(1'b1),\n"
        + "    .inverse(inverse_now), .entry_valid(valid), .entry_first(first),\n"
        + f"    .entry_data({dp * p.bits}'d0), .exit_valid(exit_valid), .exit_data(exit_data));\n"
        + "  always_comb if (cycle != '0) begin\n" + "".join(claims) + "  end\nendmodule\n"
    )  # fmt: skip
    links: dict[str, str] = {}
    for i in places:
        spn = f"u_limb.u_super_pipeline_{i}.u_spn"
        links |= {f"{name}_{i}": f"{spn}.{name}" for name in names}
        links[f"wait_cycles_{i}"] = f"{spn}.wait_cycles"
    latency = max(s.latency for s in design.schedules.values())
    return Theorem(
        f"memories of a limb, n = {n}, dp = {dp}, pp = {pp}, {direction}",
        "no memory is read for two frames at once or written for a frame before the one there is "
        f"read, {latency + 2 * interval} cycles of any traffic from reset",
        "conflict_proof",
        {},
        latency + 2 * interval,
        links=links,
        cut=("nttf_super_pipeline*/*u_core", "nttf_super_pipeline*/u_twiddles",
             "nttf_stage_spn*/*u_memory"),
        sources=limb_files(design, "ntt", "") | {"conflict_proof.sv": text},
        faults=(Fault("interval one short", "conflict_proof.sv", f"since >= 8'd{interval}",
                      f"since >= 8'd{interval - 1}"),),
        quick=direction == "forward",
    )  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""The report of a design: one HTML page and one JSON file from what the tools have said so far."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nttforge import _html

from ..emit.manifest import read_manifest
from ..emit.readme import parameter_lines, predicted_rows
from ..plan.cost import interval
from ..plan.devices import DEVICES
from .figures import block_diagram, cell_chart, resource_chart

RESULTS = "results"


def record(folder: Path, name: str, result: dict[str, Any]) -> None:
    """Keeps a tool's result beside the design it was said of, for the report."""
    path = folder / RESULTS / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    kept = {"design_sha256": _fingerprint(folder), **result}
    path.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def recorded(folder: Path) -> dict[str, dict[str, Any]]:
    """Every recorded result by name that was said of the design as it is now."""
    paths = sorted((folder / RESULTS).glob("*.json"))
    said = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in paths}
    now = _fingerprint(folder)
    return {name: r for name, r in said.items() if r.pop("design_sha256", "") == now}


def _fingerprint(folder: Path) -> str:
    """Digest of everything that a tool reads."""
    total = hashlib.sha256()
    kinds = ("design.json", "*/*.sv", "*/*.hex")
    paths = (p for kind in kinds for p in folder.glob(kind))
    for path in sorted(p for p in paths if not p.parent.name.startswith("build")):
        name = path.relative_to(folder).as_posix()
        total.update(f"\0{name}\0".encode() + path.read_bytes())
    return total.hexdigest()


def write_report(folder: Path) -> Path:
    """Writes ``report.json`` and ``report.html``; returns the latter.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    """
    manifest = read_manifest(folder)
    said = recorded(folder)
    whole = {"parameters": manifest["parameters"], "command": manifest["command"]}
    whole |= {"predicted": manifest["predicted"], "results": said}
    (folder / "report.json").write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    page = folder / "report.html"
    page.write_text(_page(manifest, said), encoding="utf-8")
    return page


def _page(manifest: dict[str, Any], said: dict[str, dict[str, Any]]) -> str:
    p, predicted = manifest["parameters"], manifest["predicted"]
    title = _title(p)
    simulation = said.get("simulation")
    resources = {k: v for k, v in said.items() if k.startswith("synthesis_")}
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{html.escape(parameter_lines(p)[-1])}</p>" if "pipeline" in p else "",
        _verdicts(predicted, simulation, resources),
        "<h2>Block diagram</h2>" + block_diagram(p),
        "<h2>Predicted by the generator</h2>" + _predicted(predicted, p),
        "<h2>Simulation</h2>" + _simulation(simulation),
        "<h2>Resources</h2>" + _resource_part(manifest, resources),
        "<h2>Clock</h2>" + _clock(said.get("placement_ecp5"), predicted),
        _cells(said.get("paths_xc7")),
        f"<h2>Made by</h2><p><code>{html.escape(manifest['command'])}</code></p>",
    ]
    style = (
        "body{font:16px/1.45 sans-serif;color:#222;max-width:60em;margin:2em auto;padding:0 1em}"
        "h1{font-size:1.6em}h2{font-size:1.15em;margin-top:1.6em;border-bottom:2px solid #9db8d9}"
        "h4{margin:.8em 0 0}.number{text-align:right}"
        "table{border-collapse:collapse}code{background:#f2f2f2;padding:.1em .3em}"
        "code{overflow-wrap:anywhere}"
        "td,th{padding:.25em .8em;text-align:left;border-bottom:1px solid #ccc}"
        ".good,.bad,.none{border-radius:4px;padding:.15em .6em;margin:0 .6em .3em 0}"
        ".good,.bad,.none{display:inline-block}"
        ".good{background:#2a7348;color:#fff}.bad{background:#b03030;color:#fff}"
        ".none{background:#666;color:#fff}"
    )
    head = "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
    head += "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    head += f"<title>{html.escape(title)}</title><style>{style}{_html.STYLE}</style></head>"
    return f"{head}<body>{''.join(parts)}</body></html>\n"


def _title(p: dict[str, Any]) -> str:
    names = {"transform": "NTT", "dgt": "DGT", "product": "Product pipeline"}
    names |= {"keyswitch": "Key switching"}
    kind = p.get("kind", "transform")
    size = [f"n = {p['n']}"]
    if "moduli" in p:
        limbs, bits = len(p["moduli"]), max(p["moduli"]).bit_length()
        size.append(f"{bits} bits" if limbs == 1 else f"{limbs} limbs of {bits} bits")
    shown = ("algorithm", "units", "dp", "pp", "core", "named")
    named = [f"{k} = {p[k]}" for k in shown if k in p]
    return f"{names.get(kind, kind.capitalize())}, {', '.join([*size, *named])}"


def _verdicts(
    predicted: dict[str, Any], simulation: dict[str, Any] | None, resources: dict[str, Any]
) -> str:
    """What holds and what was not looked at, at a glance."""

    def badge(good: bool | None, text: str) -> str:
        return f"<span class='{ {True: 'good', False: 'bad', None: 'none'}[good] }'>{text}</span>"

    if simulation is None:
        parts = [badge(None, "not simulated")]
    else:
        agrees = simulation["runs"]["streaming"]["latency_cycles"] == predicted["latency_cycles"]
        good = simulation["passed"]
        parts = [
            badge(good, "simulation passed" if good else "simulation FAILED"),
            badge(agrees, "cycles as predicted" if agrees else "cycles NOT as predicted"),
        ]
    for result in resources.values():
        wanted = result.get("predicted", {})
        if "dsps" in wanted:
            same = result["dsps"] == wanted["dsps"]
            text = "DSPs as predicted" if same else "DSPs NOT as predicted"
            parts.append(badge(same, f"{text}, {html.escape(result['family'])}"))
    if not resources:
        parts.append(badge(None, "not synthesised"))
    return f"<p>{''.join(parts)}</p>"


def _device(manifest: dict[str, Any]) -> str:
    """The device that the design was made for, or one of its family."""
    chosen = re.search(r" --device (\S+)", manifest["command"])
    if chosen and chosen[1] in DEVICES:
        return chosen[1]
    block = manifest["predicted"].get("dsp_block", "dsp48e2")
    return next(name for name, device in DEVICES.items() if device.block == block)


def _resource_part(manifest: dict[str, Any], resources: dict[str, Any]) -> str:
    predicted, name = manifest["predicted"], _device(manifest)
    device = DEVICES[name]
    mine: dict[str, int] = {
        key: predicted[key] for key in ("dsps", "ramb18", "uram") if key in predicted
    }
    mine |= {key: predicted[f"{key}_estimated"] for key in ("luts", "ffs")
             if f"{key}_estimated" in predicted}  # fmt: skip
    series = {"predicted": mine}
    series |= {f"synthesised, {r['family']}": r for r in resources.values()}
    available = {key: getattr(device, key) for key in ("dsps", "ramb18", "uram", "luts", "ffs")}
    parts = [resource_chart(series, available, name)]
    beside = bool(predicted.get("memory_bits", {}).get("buffers"))
    off = interval(predicted.get("dsp_block", ""), beside)
    if "luts" in mine and off:
        parts.append(
            "<p>Predicted DSPs and block memories are what Yosys 0.70 counts. LUTs and flip-flops "
            f"are a fitted estimate: of nine in ten designs, LUTs were within {off['luts']:.0%} of "
            f"it and flip-flops within {off['ffs']:.0%}.</p>"
        )
    parts.append(f"<p>{html.escape(name)}: {html.escape(device.source)}.</p>")
    for result in resources.values():
        parts.append(f"<h3>{html.escape(result['family'])}</h3>" + _resources(result))
        parts.append(cell_chart(result["cells"]))
    if not resources:
        parts.append("<p>Not synthesised: <code>nttforge rtl synthesise</code>.</p>")
    return "".join(parts)


def _table(rows: Sequence[tuple[object, ...]], header: tuple[str, ...], label: str) -> str:
    def text(cell: object) -> str:
        said = str(cell)
        number = re.match(r"\d+(?= cycles$|$)", said)
        return html.escape(f"{int(number[0]):,}{said[number.end() :]}" if number else said)

    numbers = {i for i in range(len(header)) if any(isinstance(row[i], int) for row in rows)}
    least = 580 if len(header) > 3 else None
    return _html.table(header, [[*map(text, row)] for row in rows], label, numbers, least)


def _predicted(predicted: dict[str, Any], p: dict[str, Any]) -> str:
    rows = [*predicted_rows(predicted)]
    if "interval_cycles" in predicted and p.get("kind") in ("transform", "dgt", "product"):
        each = p["n"] * len(p["moduli"]) / predicted["interval_cycles"]
        meaning = "coefficients a cycle of all limbs, back to back; no clock is in it"
        rows.append(("throughput", f"{each:.2f}", meaning))
    return _table(rows, ("what", "value", "meaning"), "Predicted figures")


def _simulation(said: dict[str, Any] | None) -> str:
    if said is None:
        return "<p>Not run: <code>nttforge rtl simulate</code>.</p>"
    rows = [
        (
            name,
            "passed" if run["passed"] else f"{run['errors']} errors",
            run.get("interval_cycles", "-"),
            ", ".join(f"{d} {cycles}" for d, cycles in run["latency_cycles"].items()),
        )
        for name, run in said["runs"].items()
    ]
    second = said.get("icarus", {})
    other = ""
    if "tool" in second:
        other = f"; {second['tool']}: {'; '.join(second['disagreements']) or 'the same'}"
    tool = html.escape(said["tool"] + other)
    return f"<p>By {tool}.</p>" + _table(
        rows, ("traffic", "verdict", "interval in cycles", "latency in cycles"), "Simulation"
    )


def _resources(result: dict[str, Any]) -> str:
    predicted = result.get("predicted", {})
    names = ("dsps", "ramb18", "uram", "luts", "ffs")
    rows = [(name, result[name], predicted.get(name, "-")) for name in names if name in result]
    note = "Nothing is placed; synthesis gives no clock."
    return f"<p>By {html.escape(result['tool'])}. {note}</p>" + _table(
        rows, ("resource", "synthesised", "predicted"), "Resources"
    )


def _cells(paths: dict[str, Any] | None) -> str:
    """The slowest path of cells, which is no clock."""
    if paths is None:
        return ""
    passed = ", ".join(f"{n} {cell}" for cell, n in paths["cells"].items()) or "nothing"
    return (
        f"<p>Slowest path of cells by {html.escape(paths['tool'])}, sta, {paths['family']}: "
        f"{paths['worst_ns']:.2f} ns, from {html.escape(paths['begins'])} through "
        f"{html.escape(passed)} to {html.escape(paths['ends'])}. This is no clock: it leaves out "
        f"{html.escape(paths['left_out'])}.</p>"
    )


def _clock(placement: dict[str, Any] | None, predicted: dict[str, Any]) -> str:
    if placement is None:
        return "<p>No tool has placed this design, so there is no clock and no time in µs.</p>"
    fmax = placement["fmax_mhz"]
    best = max(fmax.values())
    cycles = max(predicted["latency_cycles"].values())
    rows: list[tuple[object, ...]] = []
    for seed, mhz in fmax.items():
        path = placement["critical_path"][seed]
        delays = f"{path['logic_ns']} ns", f"{path['routing_ns']} ns"
        rows.append((seed, f"{mhz:.1f} MHz", f"{path['from']} → {path['to']}", *delays))
    used = [(name, n, placement["available"][name]) for name, n in placement["used"].items()]
    return (
        f"<p>{html.escape(placement['tool'])}, {html.escape(placement['device'])}: at the best "
        f"seed {cycles} cycles take {cycles / best:.2f} µs, and there is a result every "
        f"{predicted['interval_cycles'] / best:.2f} µs.</p>"
        + _table(rows, ("placement", "clock", "slowest path", "logic", "routing"), "Clock")
        + _table(used, ("resource", "used", "of"), "Resources used")
    )

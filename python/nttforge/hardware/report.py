"""The report of a design: one HTML page and one JSON file from what the tools have said so far."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from .simulate import read_manifest

RESULTS = "results"


def record(folder: Path, name: str, result: dict[str, Any]) -> None:
    """Keeps a tool's result beside the design, for the report."""
    path = folder / RESULTS / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def recorded(folder: Path) -> dict[str, dict[str, Any]]:
    """Every recorded result by name."""
    paths = sorted((folder / RESULTS).glob("*.json"))
    return {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in paths}


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
    p = manifest["parameters"]
    named = [f"{k} = {p[k]}" for k in ("n", "algorithm", "units", "dp", "pp", "core") if k in p]
    title = f"{p.get('kind', 'transform')}, {', '.join(named)}"
    streams = p.get("kind", "transform") in ("transform", "dgt")
    parts = [
        f"<h1>Design: {title}</h1>",
        f"<p>Made by <code>{html.escape(manifest['command'])}</code></p>",
        "<h2>Block diagram</h2>" + block_diagram(p) if streams else "",
        "<h2>Predicted by the generator</h2>" + _predicted(manifest["predicted"]),
    ]
    simulation = said.get("simulation")
    parts.append("<h2>Simulation</h2>" + _simulation(simulation))
    resources = {k: v for k, v in said.items() if k.startswith("synthesis_")}
    for name, result in resources.items():
        parts.append(f"<h2>Synthesis, {html.escape(result['family'])}</h2>" + _resources(result))
        parts.append(_chart(result) if name else "")
    if not resources:
        parts.append("<h2>Synthesis</h2><p>Not run: <code>nttforge rtl synthesise</code>.</p>")
    placement = said.get("placement_ecp5")
    parts.append("<h2>Clock</h2>" + _clock(placement, manifest["predicted"]))
    style = (
        "body{font:16px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ccc}"
    )
    head = f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>{title}</title>"
    return f"{head}<style>{style}</style><body>{''.join(parts)}</body></html>\n"


def _table(rows: list[tuple[object, ...]], header: tuple[str, ...]) -> str:
    def cells(row: tuple[object, ...], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{cells(header, 'th')}</tr>{body}</table>"


def _predicted(predicted: dict[str, Any]) -> str:
    rows: list[tuple[object, ...]] = [
        (f"latency, {d}", f"{c} cycles", "first word in to last word out")
        for d, c in predicted["latency_cycles"].items()
    ]
    others = (
        ("interval_cycles", "interval", " cycles", "between two transforms"),
        ("compute_cycles", "computation", " cycles", "first operands to last result"),
        ("core_latency_cycles", "NTT core", " cycles", "one butterfly"),
        ("dsps", "DSP blocks", "", predicted.get("dsp_block", "").upper()),
        ("ramb18", "block memories", "", "RAMB18, a RAMB36 being two"),
    )
    for key, name, unit, meaning in others:
        if key in predicted:
            rows.append((name, f"{predicted[key]}{unit}", meaning))
    return _table(rows, ("what", "value", "meaning"))


def _simulation(said: dict[str, Any] | None) -> str:
    if said is None:
        return "<p>Not run: <code>nttforge rtl simulate</code>.</p>"
    rows = [
        (
            name,
            "passed" if run["passed"] else f"{run['errors']} errors",
            ", ".join(f"{d} {cycles}" for d, cycles in run["latency_cycles"].items()),
        )
        for name, run in said["runs"].items()
    ]
    second = said.get("icarus", {})
    other = ""
    if "tool" in second:
        other = f"; {second['tool']}: {'; '.join(second['disagreements']) or 'the same'}"
    tool = html.escape(said["tool"] + other)
    return f"<p>By {tool}.</p>" + _table(rows, ("traffic", "verdict", "latency in cycles"))


def _resources(result: dict[str, Any]) -> str:
    predicted = result.get("predicted", {})
    rows = [
        (name, result[name], predicted.get(name, "-")) for name in ("dsps", "ramb18", "luts", "ffs")
    ]
    note = "LUTs and FFs are estimates of the tool; synthesis gives no clock."
    return f"<p>By {html.escape(result['tool'])}. {note}</p>" + _table(
        rows, ("resource", "synthesised", "predicted")
    )


def _chart(result: dict[str, Any]) -> str:
    """Cells by kind, as bars on a scale that is linear in their number."""
    cells = sorted(result["cells"].items(), key=lambda c: -c[1])[:12]
    largest = max((n for _, n in cells), default=1)
    bars = []
    for i, (name, count) in enumerate(cells):
        y, width = 4 + 22 * i, max(1, 420 * count // largest)
        bars.append(
            f"<text x='0' y='{y + 13}'>{html.escape(name)}</text>"
            f"<rect x='110' y='{y}' width='{width}' height='16' fill='#4a78b0'/>"
            f"<text x='{116 + width}' y='{y + 13}'>{count}</text>"
        )
    height = 22 * len(cells) + 8
    return f"<svg width='640' height='{height}' font-size='13'>{''.join(bars)}</svg>"


def _clock(placement: dict[str, Any] | None, predicted: dict[str, Any]) -> str:
    if placement is None:
        return "<p>No tool has placed this design, so there is no clock and no time in µs.</p>"
    fmax = placement["fmax_mhz"]
    best = max(fmax.values())
    cycles = max(predicted["latency_cycles"].values())
    rows: list[tuple[object, ...]] = [(seed, f"{mhz:.1f} MHz") for seed, mhz in fmax.items()]
    used = [(name, n, placement["available"][name]) for name, n in placement["used"].items()]
    path = placement["critical_path"]
    slowest = html.escape(f"{path['from']} → {path['to']}")
    return (
        f"<p>{html.escape(placement['tool'])}, {html.escape(placement['device'])}: at the best "
        f"seed {cycles} cycles take {cycles / best:.2f} µs.</p>"
        + _table(rows, ("placement", "clock"))
        + f"<p>Slowest path: {slowest}, {path['logic_ns']} ns of logic and {path['routing_ns']} ns "
        "of routing.</p>" + _table(used, ("resource", "used", "of"))
    )


def block_diagram(p: dict[str, Any]) -> str:
    """Super pipelines of one limb with the way back, as SVG."""
    shown = min(p["pp"], 6)
    boxes, x = [], 110
    for i in range(shown):
        last = i == shown - 1 and p["pp"] > shown
        name = f"super pipeline {i if not last else p['pp'] - 1}"
        boxes.append(
            f"<rect x='{x}' y='30' width='150' height='92' fill='none' stroke='#333'/>"
            f"<text x='{x + 8}' y='48'>{name}</text>"
            f"<rect x='{x + 8}' y='56' width='62' height='56' fill='#dde8f5' stroke='#333'/>"
            f"<text x='{x + 22}' y='88'>SPN</text>"
            f"<rect x='{x + 80}' y='56' width='62' height='26' fill='#f5e8dd' stroke='#333'/>"
            f"<text x='{x + 84}' y='73'>{p['dp'] // 2} cores</text>"
            f"<rect x='{x + 80}' y='88' width='62' height='24' fill='#e3f0df' stroke='#333'/>"
            f"<text x='{x + 84}' y='104'>twiddles</text>"
        )
        gap = " …" if last else ""
        boxes.append(f"<text x='{x - 26}' y='80'>→{gap}</text>")
        x += 180
    passes = -(-(p["n"].bit_length() - 1) // p["pp"])
    back = f"<path d='M{x - 40} 122 V150 H150 V122' fill='none' stroke='#b04a4a'/>"
    back += f"<text x='170' y='166'>back, {passes} passes in all</text>"
    return (
        f"<svg width='{x + 90}' height='176' font-size='13'>"
        f"<text x='0' y='80'>{p['dp']} words</text>{''.join(boxes)}{back if passes > 1 else ''}"
        f"<text x='{x - 22}' y='80'>→ out</text></svg>"
        f"<p>{len(p['moduli'])} such instance(s), one per limb, under one control unit.</p>"
    )

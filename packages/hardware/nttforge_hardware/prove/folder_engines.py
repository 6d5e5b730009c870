# SPDX-License-Identifier: Apache-2.0
"""Engines with loaded moduli: what is constant in them, and the tables of their test vectors.

A table that software loads is in no file of the design. What every table must hold follows from the
constants: each entry of a twiddle memory is read for one stage, group and direction. The tables of
the test vectors, and the layout by which the driver in C makes others, are compared with that.
"""

from __future__ import annotations

import re
from typing import Any

from nttforge.errors import FormatError

from .folder_constants import BARRETT, MONTGOMERY, SHOWN, Twiddle, constants, definition
from .folder_files import (
    Finding,
    Limb,
    Reader,
    number_of,
    read_core,
    read_instance,
    read_super_pipelines,
)
from .folder_transform import Images, Walk, in_range, unread

_HEADER = 5  # words of a table before its twiddles


class _Loaded(Images):
    """One set of a loaded twiddle memory, which holds ``rows`` rows for each set."""

    def __init__(self, words: list[int], bits: int, banks: int, start: int, rows: int) -> None:
        self.words, self.bits, self.banks = words, bits, banks
        self.start, self.rows, self.fine = start, rows, list[int]()
        self.used, self.used_fine = {}, set()


class _EngineWalk(Walk):
    """A frame in an engine, with a buffer at both ports and a control between them."""

    def port_cycles(self) -> int | None:
        _, text = self.reader.only("rtl/*_engine.sv")
        found = re.search(r"\.BEGIN\((\d{1,9})\)(, \.BEHIND\(1\))?\n  \) u_in \(", text)
        begin, each = (number_of(found[1]), 3 + bool(found[2])) if found else (0, 3)
        return (1 if "nttf_control_free" in text else 3) + max(each, begin) + each


def engine_findings(reader: Reader) -> list[Finding]:
    """A finding for the constants, for each table of the test vectors, and for the layout."""
    n, dp = reader.sizes("dp")
    order = n * (2 if reader.ring() == "negacyclic" else 1)
    bits, log_n = reader.integer("bits", 8, 62), n.bit_length() - 1
    given = "layers" in reader.parameters
    fewest = reader.integer("layers", log_n - 1, log_n) if given else log_n
    engines, sets = reader.integer("engines", 1, 64), reader.integer("sets", 1, 64)
    name, text = reader.only("rtl/*_engine.sv")
    core, places = read_core(name, text), read_super_pipelines(name, text)
    engine = Limb(name, 0, 0, core, places)
    rows = [in_range(engine, place, "TWIDDLE_ROWS", 1 << 20) for place in places]
    findings = [_common(reader, engine, (bits, dp // 2, engines, sets, order), rows)]
    if not findings[0].proved:
        return findings
    memories = [[[0] * (sets * count) for count in rows] for _ in range(engines)]
    tables, problem = _tables(reader, bits, dp // 2, engines, sets, memories)
    findings.append(
        Finding("tables of the test vectors: places and moduli", 3 * len(tables), problem)
    )
    uses: list[_Loaded] = []
    for which, number, q, constant in tables:
        limb = Limb(f"engine {which}, set {number}, q = {q}", q, constant, core, places)
        early = fewest < log_n and (q - 1) % order != 0
        findings.append(constants(limb, order >> early, 1))
        if not findings[-1].proved:
            continue
        uses = [
            _Loaded(words, bits, dp // 2, number * count, count)
            for words, count in zip(memories[which], rows, strict=True)
        ]
        values = definition(limb, n >> early, reader.ring(), 1)
        if early:
            values = _ones_behind(values, log_n - 1, limb)
        for direction in ("forward", "inverse"):
            if places[0].get(direction.upper()):
                walk = _EngineWalk(reader, limb, n, dp, 1, direction)
                findings += walk.findings(values, list(uses))
        findings.append(unread(limb, list(uses)))
    if uses and (reader.folder / "driver").is_dir():
        findings.append(_layout(reader, engine, uses, n))
    return findings


def _ones_behind(values: Twiddle, layers: int, limb: Limb) -> Twiddle:
    """Twiddles of so many layers, and of 1 in the next."""
    q, montgomery = limb.q, limb.core["KIND"] == MONTGOMERY
    one = pow(2, limb.core["STEPS"] * limb.core["DIGIT_BITS"], q) if montgomery else 1
    last = {"forward": one, "inverse": one * pow(2, -1, q) % q}

    def twiddle(stage: int, group: int, direction: str) -> int:
        return values(stage, group, direction) if stage < layers else last[direction]

    return twiddle


def _common(
    reader: Reader, engine: Limb, sizes: tuple[int, int, int, int, int], rows: list[int]
) -> Finding:
    """What all moduli share: the core, and where the loader writes."""
    bits, banks, engines, sets, order = sizes
    core, said = engine.core, []
    if core["DATA_BITS"] != bits or core["MOVING"] != 1:
        said.append(f"CORE is not one of {bits} bits with moduli that move")
    if core["KIND"] == MONTGOMERY:
        digit, steps, two = core["DIGIT_BITS"], core["STEPS"], core["TWO_ADICITY"]
        if not (0 < digit <= 32 and bits <= steps * digit < 256):
            said.append(f"{steps} digits of {digit} bits are less than DATA_BITS = {bits}")
        if not 0 < two < 64 or order % (1 << two):
            said.append(f"2^TWO_ADICITY = 2^{two} does not divide {order}, as of all moduli")
    elif core["KIND"] != BARRETT:
        said.append(f"KIND = {core['KIND']} is no core for loaded moduli")
    name, text = reader.only("rtl/*_top.sv")
    loader = read_instance(name, text, "nttf_table_loader")
    wanted = {
        "BITS": bits,
        "BANKS": banks,
        "ENGINES": engines,
        "SETS": sets,
        "PIPELINES": len(rows),
        "ROWS": sum(count << 32 * i for i, count in enumerate(rows)),
    }
    said += [
        f"nttf_table_loader: {key} = {loader.get(key)} must be {value}"
        for key, value in wanted.items()
        if loader.get(key) != value
    ]
    for which, place in enumerate(engine.super_pipelines):
        if place.get("SETS") != sets:
            said.append(f"super pipeline {which}: SETS = {place.get('SETS')} must be {sets}")
    entries = 5 + len(wanted) + len(rows)
    return Finding(f"{engine.name}: constants of all moduli", entries, tuple(said[:SHOWN]))


def _tables(
    reader: Reader, bits: int, banks: int, engines: int, sets: int, memories: list[list[list[int]]]
) -> tuple[list[tuple[int, int, int, int]], tuple[str, ...]]:
    """Engine, set, q and constant of each table; their rows are written as the loader does."""
    rows = [len(memory) // sets for memory in memories[0]]
    size = _HEADER + sum(rows)
    words = reader.words("testbench/tables.hex", banks * bits)
    if not words or len(words) % size:
        raise FormatError(f"testbench/tables.hex has {len(words)} words: tables have {size}")
    found, said = [], []
    for at in range(0, len(words), size):
        which, number, q, low, high = words[at : at + _HEADER]
        if which >= engines or number >= sets:
            raise FormatError(f"testbench/tables.hex: no engine {which} with a set {number}")
        found.append((which, number, q, low | high << bits))
        place = at + _HEADER
        for memory, count in zip(memories[which], rows, strict=True):
            memory[number * count : (number + 1) * count] = words[place : place + count]
            place += count
    moduli = reader.moduli()
    if [q for _, _, q, _ in found] != moduli:
        said.append(f"tables are of {[q for _, _, q, _ in found]}, design.json says {moduli}")
    if len({(e, s) for e, s, _, _ in found}) != len(found):
        said.append("two tables are loaded into the same set")
    return found, tuple(said)


def _layout(reader: Reader, engine: Limb, uses: list[_Loaded], n: int) -> Finding:
    """The driver's layout: which twiddle each entry of a table is, and the sizes."""
    name, text = reader.only("driver/*_layout.h")
    found = re.search(r"_table\[(\d+)\] = \{([^}]*)\};", text)
    if found is None:
        raise FormatError(f"{name}: no table")
    entries = [number_of(word) for word in found[2].split(",")]
    wanted = []
    for image in uses:
        for at in range(image.start * image.banks, (image.start + image.rows) * image.banks):
            use = image.used.get(at)
            index = -1 if use is None else (1 << use[0]) + use[1]
            wanted.append(index + n if use and use[2] == "inverse" else index)
    said = [] if len(entries) == len(wanted) == int(found[1]) else ["the table has a wrong length"]
    said += [
        f"entry {at} of the table is {entry}, hardware reads {right} there"
        for at, (entry, right) in enumerate(zip(entries, wanted, strict=False))
        if entry != right
    ]
    core, p = engine.core, reader.parameters
    barrett = core["KIND"] == BARRETT
    sizes: dict[str, Any] = {
        "n": n,
        "lanes": 2 * uses[0].banks,
        "engines": p["engines"],
        "sets": p["sets"],
        "bits": p["bits"],
        "element": 4 if p["bits"] <= 32 else 8,
        "rows": sum(image.rows for image in uses),
        "barrett": int(barrett),
        "negacyclic": int(p["ring"] == "negacyclic"),
    }
    if not barrett:
        sizes |= {"digit_bits": core["DIGIT_BITS"], "steps": core["STEPS"]}
    fields = {key: number_of(value) for key, value in re.findall(r"\.(\w+) = (\d+),", text)}
    said += [
        f"{key} = {fields.get(key)} must be {value}"
        for key, value in sizes.items()
        if fields.get(key) != value
    ]
    return Finding(f"{name}.h", len(wanted) + len(sizes), tuple(said[:SHOWN]))

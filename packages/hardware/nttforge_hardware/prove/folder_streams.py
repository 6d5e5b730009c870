# SPDX-License-Identifier: Apache-2.0
"""Images of stand-alone permutations and of dataflows, followed word by word."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nttforge.errors import FormatError
from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import bit_reverse, powers

from .folder_constants import MONTGOMERY, SHOWN, constants
from .folder_files import Finding, Limb, Reader, number_of, read_core, read_instance

_REGISTERED_CYCLES = 3  # of buffers and a registered enable


def _settings_bits(lanes: int) -> int:
    return (2 * (lanes.bit_length() - 1) - 1) * lanes // 2


def _switched(settings: int, values: Sequence[Any]) -> list[Any]:
    """What nttf_benes makes of a value in each lane."""
    out, half = list(values), len(values) // 2
    top = half.bit_length() - 1
    for layer in range(2 * top + 1):
        bit = 1 << abs(top - layer)
        for switch in range(half):
            low = (switch // bit * 2 * bit) | switch % bit
            if settings >> (layer * half + switch) & 1:
                out[low], out[low | bit] = out[low | bit], out[low]
    return out


def _number(place: dict[str, Any], name: str, wanted: int) -> str:
    return "" if place.get(name) == wanted else f"{name} = {place.get(name)} must be {wanted}"


def _latency(reader: Reader, text: str, cycles: int) -> str:
    """Whether a frame takes the cycles that design.json says."""
    cycles += _REGISTERED_CYCLES if "nttf_control_registered" in text else 0
    said = reader.manifest["predicted"].get("latency_cycles", {}).get("forward")
    return "" if said == cycles else f"a frame takes {cycles} cycles, design.json says {said}"


def permutation_findings(reader: Reader) -> list[Finding]:
    """A finding for the sizes, and one for each permutation."""
    n, lanes = reader.sizes("dp")
    words, count = n // lanes, reader.integer("permutations", 1, 128)
    name, text = reader.only("rtl/*_top.sv")
    place = read_instance(name, text, "nttf_permutation")
    width, slot_bits = _settings_bits(lanes), max(1, (words - 1).bit_length())
    images = [
        reader.image(str(place.get(which)), count * words, bits)
        for which, bits in (
            ("IMAGE_IN", width),
            ("IMAGE_READ", lanes * slot_bits),
            ("IMAGE_OUT", width),
        )
    ]
    delay = place.get("DELAY")
    if not isinstance(delay, int):
        raise FormatError(f"{name}: DELAY = {delay!r} is no number")
    sizes = {"LANES": lanes, "WORDS": words, "PERMUTATIONS": count, "DATA_BITS": 0}
    sizes["DATA_BITS"] = reader.integer("bits", 1, 256)
    said = [_number(place, key, value) for key, value in sizes.items()]
    said.append(_latency(reader, text, delay + 2 + words))
    findings = [Finding("sizes and cycles", len(said), tuple(s for s in said if s)[:SHOWN])]
    for which, (title, source) in enumerate(_wanted(reader, n, count)):
        rows = slice(which * words, (which + 1) * words)
        settings_in, addresses, settings_out = (image[rows] for image in images)
        problems = []
        written = [
            _switched(row, range(t * lanes, (t + 1) * lanes)) for t, row in enumerate(settings_in)
        ]
        for t in range(words):
            read = []
            for lane in range(lanes):
                slot = addresses[t] >> (lane * slot_bits) & ((1 << slot_bits) - 1)
                if slot >= words:
                    problems.append(f"word {t}, lane {lane}: no slot {slot}")
                    slot = 0
                # A word is in the memory three cycles after it came.
                if slot + 3 > t + delay:
                    problems.append(
                        f"word {t} is read before number {written[slot][lane]} is there"
                    )
                read.append(written[slot][lane])
            given = _switched(settings_out[t], read)
            wanted = source[t * lanes : (t + 1) * lanes]
            if given != wanted:
                problems.append(f"word {t} gives numbers {given}, and should give {wanted}")
        entries = words * (2 * width + lanes)
        findings.append(Finding(title, entries, tuple(problems[:SHOWN])))
    return findings


def _wanted(reader: Reader, n: int, count: int) -> list[tuple[str, list[int]]]:
    """The permutations, as sources of outputs: those of the command, or of the test vectors."""
    try:
        words = shlex.split(str(reader.manifest.get("command", "")))
    except ValueError:
        words = []
    names = [b for a, b in itertools.pairwise(words) if a == "--permutation"]
    if len(names) == count:
        return [(f"permutation {k}, {name}", _named(n, name)) for k, name in enumerate(names)]
    bits = reader.integer("bits", 1, 256)
    if n > 1 << bits:
        raise FormatError(
            f"design.json has no command with {count} permutations, and the test vectors of {bits} "
            f"bits do not number {n} words: generate the design by nttforge rtl permute"
        )
    # The first frames of the vectors hold the number of each word.
    frames = reader.words("testbench/output.hex", bits * reader.integer("dp", 2, n))
    lanes = reader.integer("dp", 2, n)
    if len(frames) < count * n // lanes:
        raise FormatError(f"testbench/output.hex has fewer than {count} frames")
    found = []
    for k in range(count):
        rows = frames[k * n // lanes : (k + 1) * n // lanes]
        source = [w >> (lane * bits) & ((1 << bits) - 1) for w in rows for lane in range(lanes)]
        found.append((f"permutation {k}, as the test vectors have it", source))
    return found


def _named(n: int, name: str) -> list[int]:
    """Sources of outputs: stride S takes every S-th word, then from the next one on."""
    kind, _, argument = name.partition(":")
    if name == "bit-reversal":
        return [bit_reverse(k, n.bit_length() - 1) for k in range(n)]
    step = number_of(argument) if argument.isdigit() else 0
    if kind == "transpose" and step:
        step = n // step
    if kind not in ("stride", "transpose") or not 0 < step <= n or n % step:
        raise FormatError(f"design.json: permutation {name!r} is none of {n} words")
    return [k for first in range(step) for k in range(first, n, step)]


@dataclass(frozen=True)
class _Sum:
    """Sum over some inputs j of omega^(exponent of j) a[j].

    Bits of j that are ``free`` take both values; a bit that is 1 adds its own exponent. The others
    are those of ``base``, for which alone the exponent is ``start``.
    """

    base: int
    start: int
    free: tuple[tuple[int, int], ...] = ()  # bit of j, exponent

    def times(self, exponent: int, n: int) -> _Sum:
        return _Sum(self.base, (self.start + exponent) % n, self.free)


def _plus(a: _Sum | None, b: _Sum | None, n: int) -> _Sum | None:
    """The sum of two, if it is one again: they differ in one bit of j, and agree in all others."""
    if a is None or b is None or a.free != b.free:
        return None
    if a.base > b.base:
        a, b = b, a
    bit = a.base ^ b.base
    if bit == 0 or bit & (bit - 1):
        return None
    free = tuple(sorted((*a.free, (bit, (b.start - a.start) % n))))
    return _Sum(a.base, a.start, free)


_Place = tuple[int, int]  # a bank and its address


class _Dataflow:
    """An engine of nttf_dataflow, whose words are sums of the inputs."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        units = reader.integer("units", 2, 1 << 14)
        reader.parameters.setdefault("banks", 2 * units)
        self.n, self.banks = reader.sizes("banks")
        self.name, self.text = reader.only("rtl/*_top.sv")
        self.place = read_instance(self.name, self.text, "nttf_dataflow")
        self.core = read_core(self.name, self.text)
        self.words, self.units, bits = self.n // self.banks, units, self.core["DATA_BITS"]
        if self.place.get("UNITS") != units or self.place.get("WORDS") != self.words:
            raise FormatError(f"{self.name}: UNITS and WORDS are not those of n and units")
        self.depth = self._get("DEPTH", 1 << 20)
        self.rows = self._get("COMPUTE_ROWS", 1 << 20)
        self.start = self._get("READ_START", 1 << 20)
        self.address_bits = max(1, (self.depth - 1).bit_length())
        self.settings = _settings_bits(self.banks)
        write_bits = self.banks * self.address_bits + self.settings + self.banks
        read_bits = self.banks * self.address_bits + self.settings + 1 + units * bits
        total = self.rows + self.words
        self.read = reader.image(str(self.place.get("IMAGE_READ")), total, read_bits)
        self.write = reader.image(str(self.place.get("IMAGE_WRITE")), total, write_bits)
        self.entries = total * (2 * self.banks + 2 * self.settings + units + self.banks + 1)
        (q,) = [*reader.moduli(), 0][:1]
        self.limb = Limb(self.name, q, self._port("constant", bits + 4), self.core, ())
        self.said: list[str] = []
        if self._port("q", bits) != q:
            self.said.append(f"port q is not the modulus {q} of design.json")

    def _get(self, name: str, most: int) -> int:
        value = self.place.get(name)
        if not isinstance(value, int) or not 0 < value <= most:
            raise FormatError(f"{self.name}: {name} = {value!r} must be in 1 ... {most}")
        return value

    def _port(self, name: str, bits: int) -> int:
        found = re.search(rf"u_dataflow \(.*?\.{name}\(({bits}'d\d+)\)", self.text, re.S)
        if found is None:
            raise FormatError(f"{self.name}: port {name} of u_dataflow is no constant")
        return number_of(found[1])

    def _order(self, port: str) -> list[list[int]]:
        """The numbers in each word, as the comment above the module says."""
        found = re.search(rf"{port}: lane l of word t is number ([lt]) \* (\d+) \+", self.text)
        if found is None:
            raise FormatError(f"{self.name}: no comment says in which order words go {port}")
        step = number_of(found[2])
        lane, word = (step, 1) if found[1] == "l" else (1, step)
        return [[l * lane + t * word for l in range(self.banks)] for t in range(self.words)]

    def findings(self) -> list[Finding]:
        said = [constants(self.limb, self.n, 1)]
        if not said[0].proved:
            return said
        q, order = self.limb.q, self._order("In")
        # The core's latency: product, then sum and difference.
        core_cycles = self.core["PRODUCT_LATENCY"] + 1 + self.core["ADD_REGS"]
        factor = pow(2, self.core["STEPS"] * self.core["DIGIT_BITS"], q)
        factor = factor if self.core["KIND"] == MONTGOMERY else 1
        roots = powers(smallest_root_of_unity(self.n, q), self.n, q)
        exponents = {root * factor % q: e for e, root in enumerate(roots)}
        memory: dict[_Place, _Sum | None] = {}
        waiting: list[tuple[int, dict[_Place, _Sum | None]]] = []
        for t in range(self.words):  # visible to rows from cycle t + 2 on
            loaded = [_Sum(number, 0) for number in order[t]]
            waiting.append((t + 2, self._stored(t, loaded)))
        out: list[list[_Sum | None]] = []
        for row in range(self.rows + self.words):
            now = self.start + row
            while waiting and waiting[0][0] <= now:
                memory |= waiting.pop(0)[1]
            given = self._fetched(row, memory)
            if row >= self.rows:
                out.append(given)
                continue
            results = self._computed(row, given, exponents)
            stored = self._stored(self.words + row, results)
            if any(value is None for value in stored.values()):
                self.said.append(f"row {row} stores what is no sum of inputs: wrong operands")
            waiting.append((now + core_cycles + 4, stored))
        bits = [1 << i for i in range(self.n.bit_length() - 1)]
        for t, (given, numbers) in enumerate(zip(out, self._order("Out"), strict=True)):
            for lane, (value, k) in enumerate(zip(given, numbers, strict=True)):
                wanted = _Sum(0, 0, tuple((bit, bit * k % self.n) for bit in bits))
                if value != wanted:
                    self.said.append(f"word {t}, lane {lane} is not value {k} of the transform")
        cycles = self.start + self.rows + 3 + self.words
        sizes = [s for s in (_latency(self.reader, self.text, cycles),) if s]
        return [
            *said,
            Finding("sizes and cycles", 5, tuple(sizes)),
            Finding("addresses, settings and twiddles", self.entries, tuple(self.said[:SHOWN])),
        ]

    def _fields(self, word: int) -> tuple[list[int], int, int]:
        """Addresses of the banks, settings of the network, and what lies above them."""
        width = self.address_bits
        addresses = [word >> (b * width) & ((1 << width) - 1) for b in range(self.banks)]
        above = word >> (self.banks * width)
        return addresses, above & ((1 << self.settings) - 1), above >> self.settings

    def _stored(self, row: int, values: Sequence[_Sum | None]) -> dict[_Place, _Sum | None]:
        addresses, settings, enables = self._fields(self.write[row])
        placed = _switched(settings, values)
        return {(b, addresses[b]): placed[b] for b in range(self.banks) if enables >> b & 1}

    def _fetched(self, row: int, memory: dict[_Place, _Sum | None]) -> list[_Sum | None]:
        addresses, settings, _ = self._fields(self.read[row])
        found = [memory.get((b, addresses[b])) for b in range(self.banks)]
        return _switched(settings, found)

    def _computed(
        self, row: int, given: list[_Sum | None], exponents: dict[int, int]
    ) -> list[_Sum | None]:
        """What the cores make of a row (nttf_butterfly without the half)."""
        n, bits = self.n, self.core["DATA_BITS"]
        _, _, rest = self._fields(self.read[row])
        bypass, out = rest & 1, list[_Sum | None]()
        for u in range(self.units):
            a, b = given[2 * u], given[2 * u + 1]
            exponent = exponents.get(rest >> (1 + u * bits) & ((1 << bits) - 1))
            if self.place.get("GENTLEMAN_SANDE"):
                total = a if bypass else _plus(a, b, n)
                less = a if bypass else _plus(a, b.times(n // 2, n), n) if b else None
                out += [total, less.times(exponent, n) if less and exponent is not None else None]
            elif bypass:
                out += [a, a]
            else:
                moved = b.times(exponent, n) if b and exponent is not None else None
                out += [_plus(a, moved, n), _plus(a, moved.times(n // 2, n), n) if moved else None]
        return out


def dataflow_findings(reader: Reader) -> list[Finding]:
    """Findings for the constants, for the cycles, and for the rows of both images."""
    return _Dataflow(reader).findings()

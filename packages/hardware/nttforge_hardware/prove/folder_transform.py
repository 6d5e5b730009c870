# SPDX-License-Identifier: Apache-2.0
"""The constants, routing tables and twiddle images of transforms, followed from port to port."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from nttforge.errors import FormatError
from nttforge.spec.transform import bit_reverse
from nttforge_oracle.dgt import multiply

from .folder_constants import MONTGOMERY, SHOWN, Twiddle, constants, definition
from .folder_files import Finding, Limb, Reader


def transform_findings(reader: Reader) -> list[Finding]:
    """A finding for each limb's constants, and for each direction's routing and twiddles."""
    p = reader.parameters
    parts = 2 if p.get("kind") == "dgt" else 1
    n, dp = (total // parts for total in reader.sizes("dp"))
    if dp < 2:
        raise FormatError(f"design.json: dp = {dp * parts} leaves no lanes")
    ring = reader.ring()
    moduli, findings = reader.moduli(), []
    limbs = reader.limbs()
    if {limb.q for limb in limbs} != set(moduli):
        found = sorted({limb.q for limb in limbs})
        return [Finding("moduli", len(limbs), (f"Q of the limbs are {found}, moduli {moduli}",))]
    for limb in limbs:
        findings.append(constants(limb, n * (1 if ring == "cyclic" or parts == 2 else 2), parts))
        values = definition(limb, n, ring, parts)
        images = [Images(reader, place, limb, dp // 2, parts) for place in limb.super_pipelines]
        for direction in ("forward", "inverse"):
            if limb.super_pipelines[0].get(direction.upper()):
                walk = Walk(reader, limb, n, dp, parts, direction)
                findings += walk.findings(values, images)
        findings.append(unread(limb, images))
    return findings


def _field(table: int, width: int, row: int) -> int:
    return table >> (width * row) & ((1 << width) - 1)


def _width(values: int) -> int:
    return max(1, (values - 1).bit_length())


class Images:
    """The twiddle images of a super pipeline, and which of their entries are read."""

    def __init__(
        self, reader: Reader, place: dict[str, Any], limb: Limb, banks: int, parts: int
    ) -> None:
        self.bits, self.banks = limb.core["DATA_BITS"] * parts, banks
        rows = in_range(limb, place, "TWIDDLE_ROWS", 1 << 20)
        image = str(place.get("TWIDDLE_IMAGE"))
        self.words, self.fine = reader.image(image, rows, banks * self.bits), list[int]()
        if place.get("FINE_BITS"):
            count = in_range(limb, place, "FINE_ROWS", 1 << 20)
            self.fine = reader.image(str(place.get("FINE_IMAGE")), count, self.bits)
        self.start, self.rows = 0, rows
        #: Stage, group and direction by entry.
        self.used: dict[int, tuple[int, int, str]] = {}
        self.used_fine: set[int] = set()

    def entry(self, row: int, bank: int, use: tuple[int, int, str]) -> int:
        self.used[row * self.banks + bank] = use
        return self.words[row] >> (bank * self.bits) & ((1 << self.bits) - 1)


def unread(limb: Limb, images: list[Images]) -> Finding:
    """Entries that no butterfly reads are zero."""
    said, entries = [], 0
    for which, image in enumerate(images):
        entries += image.rows * image.banks + len(image.fine)
        for row in range(image.start, image.start + image.rows):
            for bank in range(image.banks):
                unread = row * image.banks + bank not in image.used
                if unread and image.words[row] >> (bank * image.bits) & ((1 << image.bits) - 1):
                    said.append(f"super pipeline {which}: row {row}, bank {bank} is never read")
        if len(image.used_fine) != len(image.fine):
            said.append(f"super pipeline {which}: not all factors are read")
    return Finding(f"{limb.name}: every entry of the images", entries, tuple(said[:SHOWN]))


def in_range(limb: Limb, place: dict[str, Any], name: str, most: int) -> int:
    """A parameter of a super pipeline."""
    value = place.get(name)
    if not isinstance(value, int) or not 0 <= value <= most:
        raise FormatError(f"{limb.name}: {name} = {value!r} must be in 0 ... {most}")
    return value


class Walk:
    """A frame of one direction on its way through a limb, by the tables that the limb has."""

    def __init__(
        self, reader: Reader, limb: Limb, n: int, dp: int, parts: int, direction: str
    ) -> None:
        self.reader, self.limb, self.direction = reader, limb, direction
        self.n, self.dp, self.parts = n, dp, parts
        self.log, self.lanes, self.words = n.bit_length() - 1, dp.bit_length() - 1, n // dp
        self.bits = limb.core["DATA_BITS"] * parts
        self.places = limb.super_pipelines
        first = self.places[0]
        self.passes, self.rows = self._get(first, "PASSES", 64), self._get(first, "ROWS", 128)
        both = bool(first.get("FORWARD")) and bool(first.get("INVERSE"))
        self.offset = self.passes if both and direction == "inverse" else 0
        self.core_cycles = limb.core["PRODUCT_LATENCY"] + (1 + both) * (1 + limb.core["ADD_REGS"])
        self.routing: list[str] = []
        self.wrong: list[str] = []
        self.compared = 0
        for place in self.places:
            if place.get("LANES") != dp or place.get("WORDS") != self.words:
                raise FormatError(f"{limb.name}: LANES and WORDS are not those of n and dp")

    def _get(self, place: dict[str, Any], name: str, most: int) -> int:
        return in_range(self.limb, place, name, most)

    def findings(self, definition: Twiddle, images: list[Images]) -> list[Finding]:
        pp, entry = len(self.places), -self.log % len(self.places)
        if self.passes != -(-self.log // pp):
            raise FormatError(
                f"{self.limb.name}: {self.passes} passes of {pp} stages, not {self.log}"
            )
        frame = self._entering()
        times: list[list[tuple[int, int, int]]] = [[] for _ in self.places]
        start, at = 0, 0
        for stage in range(self.log):
            which, row = (stage + entry) % pp, (stage + entry) // pp + self.offset
            place = self.places[which]
            masks = self._masks(place, row)
            delay = _field(place["DELAY"], self._get(place, "DELAY_BITS", 64), row)
            what = f"super pipeline {which}, row {row}"
            if stage == 0:
                delay = 0
                if any(masks):
                    self.routing.append(f"{what}: the first stage exchanges bits")
            else:
                start = at + delay
                if any(masks) and delay <= sum(masks):
                    self.routing.append(f"{what}: a delay of {delay} is too short")
                frame = self._exchanged(frame, masks, what)
            times[which].append((at if stage else -1, delay, start))
            frame = self._computed(frame, stage, row, place, images[which], definition, what)
            fixed = 2 + self._get(place, "MEMORY_REGS", 4) + self.core_cycles
            fine = place.get("FINE_BITS", 0)
            at = start + fixed + (self.limb.core["PRODUCT_LATENCY"] if fine else 0)
        self._leaving(frame)
        self._timing(times, at)
        count = len(self.places) * self.passes
        name = f"{self.limb.name}, {self.direction}"
        return [
            Finding(f"{name}: routing tables", 2 * count, tuple(self.routing[:SHOWN])),
            Finding(f"{name}: twiddles as read", self.compared, tuple(self.wrong[:SHOWN])),
        ]

    def _entering(self) -> list[list[int]]:
        """Index of the number in each lane of each word, behind the wires of the port."""
        if self.direction == "forward":
            order = [bit_reverse(lane, self.lanes) * self.words for lane in range(self.dp)]
            return [[low + t for low in order] for t in range(self.words)]
        return [[t * self.dp + lane for lane in range(self.dp)] for t in range(self.words)]

    def _leaving(self, frame: list[list[int]]) -> None:
        if self.direction == "forward":
            order = [bit_reverse(lane, self.lanes) for lane in range(self.dp)]
            wanted = [[t * self.dp + low for low in order] for t in range(self.words)]
        else:
            wanted = [[lane * self.words + t for lane in range(self.dp)] for t in range(self.words)]
        if frame != wanted:
            self.routing.append("numbers leave at other places than those of the port")

    def _masks(self, place: dict[str, Any], row: int) -> list[int]:
        exchanges, width = self._get(place, "EXCHANGES", 16), _width(self.words)
        return [_field(place["EXCHANGE"], width, row * exchanges + e) for e in range(exchanges)]

    def _exchanged(self, frame: list[list[int]], masks: list[int], what: str) -> list[list[int]]:
        """Slot bits change places with the highest lane bits (nttf_stage_spn)."""
        used = [m for m in masks if m]
        if any(m & (m - 1) or m >= self.words for m in used) or len(set(used)) != len(used):
            self.routing.append(f"{what}: exchanges {masks} are not of one slot bit each")
            return frame
        moves = [(1 << (self.lanes - 1 - e), m) for e, m in enumerate(masks) if m]
        out = [[0] * self.dp for _ in range(self.words)]
        for t, word in enumerate(frame):
            for lane, index in enumerate(word):
                to_t, to_lane = t, lane
                for lane_bit, slot_bit in moves:
                    if bool(t & slot_bit) != bool(lane & lane_bit):
                        to_t, to_lane = to_t ^ slot_bit, to_lane ^ lane_bit
                out[to_t][to_lane] = index
        return out

    def _computed(
        self,
        frame: list[list[int]],
        stage: int,
        row: int,
        place: dict[str, Any],
        images: Images,
        definition: Twiddle,
        what: str,
    ) -> list[list[int]]:
        """Checks pairs and twiddles of a stage, and turns the lanes."""
        words, fine = images.words, images.fine
        banks, bank_bits = self.dp // 2, max(1, self.lanes - 1)
        forward = self.direction == "forward"
        level = stage if forward else self.log - 1 - stage  # 2^level groups
        half = self.n >> (level + 1)
        depth = len(words)
        index_bit = _field(place["INDEX_BIT"], self._get(place, "INDEX_BITS", 8), row)
        base = _field(place["TWIDDLE_BASE"], _width(depth), row)
        lane_bits = _field(place["FROM_LANE"], bank_bits, row)
        fixed = _field(place["FIXED"], bank_bits, row)
        fine_bits = place.get("FINE_BITS", 0)
        fine_base = _field(place.get("FINE_BASE", 0), _width(max(1, len(fine))), row)
        known: dict[tuple[int, int, int], int] = {}
        for t, word in enumerate(frame):
            position = (t << bank_bits) >> index_bit
            address = base + images.start + (position >> (bank_bits + fine_bits))
            address %= 1 << _width(depth)
            choice = position % (1 << bank_bits)
            choice = (bit_reverse(choice, bank_bits) if forward else choice) | fixed
            low = (position >> bank_bits) % (1 << fine_bits) if fine_bits else 0
            low = (fine_base + low) % (1 << _width(max(1, len(fine))))
            for c in range(banks):
                a, b = word[2 * c], word[2 * c + 1]
                if b != a + half or a % (2 * half) >= half:
                    self.routing.append(f"{what}, slot {t}: butterfly {c} is given {a} and {b}")
                    continue
                bank = (c & lane_bits) | (choice & ~lane_bits) if banks > 1 else 0
                self.compared += 1
                here = images.start <= address < images.start + images.rows
                if not here or (fine_bits and low >= len(fine)):
                    self.wrong.append(f"{what}, slot {t}: row {address} is not in the memory")
                    continue
                use = (level, a // (2 * half), self.direction)
                given = images.entry(address, bank, use)
                if fine_bits:
                    images.used_fine.add(low)
                    key = (address, bank, low)
                    if key not in known:
                        known[key] = self._product(given, fine[low])
                    given = known[key]
                wanted = definition(*use)
                if given != wanted:
                    self.wrong.append(
                        f"{what}, slot {t}, butterfly {c}: row {address}, bank {bank} gives "
                        f"{given}, the definition {wanted}"
                    )
        out = []
        for word in frame:
            turned = [0] * self.dp
            for lane, index in enumerate(word):
                turned[lane // 2 + lane % 2 * banks] = index
            out.append(turned)
        return out

    def _product(self, a: int, b: int) -> int:
        """What the core makes of two stored numbers."""
        q, core = self.limb.q, self.limb.core
        factor = 1
        if core["KIND"] == MONTGOMERY:
            factor = pow(2, -core["STEPS"] * core["DIGIT_BITS"], q)
        if self.parts == 1:
            return a * b * factor % q
        width, mask = core["DATA_BITS"], (1 << core["DATA_BITS"]) - 1
        x, y = multiply((a & mask, a >> width), (b & mask, b >> width), q)
        return x * factor % q | (y * factor % q) << width

    def port_cycles(self) -> int | None:
        """Cycles between the ports and the super pipelines; None where no latency is compared."""
        p = self.reader.parameters
        if p.get("kind") in ("product", "keyswitch") or p.get("buffers", "none") != "none":
            return None
        return 3 if self.places[0].get("ENABLE_REGS") else 0

    def _timing(self, times: list[list[tuple[int, int, int]]], first_out: int) -> None:
        """Frames neither meet in a permutation nor at its read side, and the latency is as said."""
        predicted = self.reader.manifest["predicted"]
        for which, stages in enumerate(times):
            for one, other in pairwise(stages):
                if other[2] - one[2] < self.words:
                    self.routing.append(f"super pipeline {which}: reads overlap")
                # The next frame overwrites what this one leaves: not before it is read there.
                if one[0] >= 0 and other[0] - one[0] < max(self.words, one[1]):
                    self.routing.append(f"super pipeline {which}: frames come too close")
        ports = self.port_cycles()
        if ports is not None:
            said = predicted.get("latency_cycles", {}).get(self.direction)
            cycles = first_out + self.words + ports
            if said != cycles:
                self.routing.append(f"the tables take {cycles} cycles, design.json says {said}")

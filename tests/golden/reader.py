# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: B905
"""A reader of the byte format written from docs/format.md alone, with the standard library only.

`python reader.py FOLDER` prints what the ciphertexts of a folder decrypt to. It is slow and checks
little: for bytes of strangers use the library's loaders.
"""

import json
import struct
import sys
from cmath import exp
from fractions import Fraction
from math import floor, inf, log2, pi, prod
from pathlib import Path

KINDS = [
    "parameters",
    "secret",
    "public",
    "relinearization",
    "rotations",
    "plaintext",
    "ciphertext",
    "evaluation",
    "switching",
    "bootstrap",
]


def mix(x):
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x = (x ^ x >> 33) * factor % 2**64
    return x ^ x >> 33


def checksum64(data):
    lanes = [1, 2, 3, 4]
    for i, (word,) in enumerate(struct.iter_unpack("<Q", data + bytes(-len(data) % 32))):
        lanes[i % 4] = mix(lanes[i % 4] ^ word)
    result = len(data)
    for lane in lanes:
        result = mix(result ^ lane)
    return result


ROUND = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)]
ROUND += [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]


def block(seed, counter, nonce):  # RFC 8439, section 2.3
    start = [*struct.unpack("<12I", b"expand 32-byte k" + seed), counter, *nonce]
    x = list(start)
    for a, b, c, d in ROUND * 10:
        for to, by, turned, left in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] = (x[to] + x[by]) % 2**32
            mixed = x[turned] ^ x[to]
            x[turned] = (mixed << left | mixed >> (32 - left)) % 2**32
    return struct.pack("<16I", *((u + v) % 2**32 for u, v in zip(x, start)))


def uniform(seed, domain, index, limb, m, n):
    samples, blocks = [], {}
    for i in range(n):
        for lane in range(256 * limb, 256 * limb + 256):  # one for each round
            at = i // 8, lane
            words = blocks[at] = blocks.get(at) or block(seed, i // 8, (domain, index, lane))
            word = int.from_bytes(words[i % 8 * 8 :][:8], "little")
            if word < m * (2**64 // m):
                samples.append(word % m)
                break
    return samples


def root_of_unity(n, q):  # the smallest primitive 2n-th one
    some = next(r for x in range(2, q) if pow(r := pow(x, (q - 1) // (2 * n), q), n, q) == q - 1)
    return min(pow(some, e, q) for e in range(1, 2 * n, 2))


def coefficients(row, q):  # of a row in transformed form
    n, bits = len(row), len(row).bit_length() - 1
    back = pow(root_of_unity(n, q), -1, q)
    points = [pow(back, 2 * int(f"{i:0{bits}b}"[::-1], 2) + 1, q) for i in range(n)]
    terms, found = [v * pow(n, -1, q) for v in row], []
    for _ in range(n):
        found.append(sum(terms) % q)
        terms = [v * x % q for v, x in zip(terms, points)]
    return found


def product(a, b):  # modulo X^n + 1
    n, out = len(a), [0] * len(a)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[(i + j) % n] += x * y if i + j < n else -x * y
    return out


def centred(x, q):
    return (x + q // 2) % q - q // 2


class Reader:
    """Objects of one parameter set. Polynomials are lists of integers modulo Q or Q P."""

    def __init__(self, data):
        self.payload = self.open(data, "parameters")
        self.n, self.t = self.take("QQ")
        scheme, bits, *self.security, digit, self.k, special, zero = self.take("HBBBBBBHHI")
        assert scheme in (1, 2, 3) and zero == 0 and bits in (32, 64) and special <= 24
        self.scheme = scheme
        assert 1 <= digit <= min(24, self.k) and (special or digit == 1)
        self.digit_primes = digit
        self.q = self.take(f"{self.k}Q")
        self.p = self.take(f"{special}Q")
        self.windows = [(0, level) for level in range(1, self.k + 1)]
        if scheme == 3:
            (count,) = self.take("H")
            stated = [self.take("BB") for _ in range(count)]
            self.windows = stated or self.windows
            (count,) = self.take("H")
            self.scales = self.take(f"{count}d")
        self.fingerprint = checksum64(data[32:-8])

    def open(self, data, kind):
        head = struct.unpack("<8sHHHHQQ", data[:32])
        expected = checksum64(data[32:-8]) if kind == "parameters" else self.fingerprint
        number = 1 + KINDS.index(kind)
        scheme = head[2] if kind == "parameters" else self.scheme
        assert head == (b"nttforge", 1, scheme, number, 0, expected, len(data) - 40)
        assert int.from_bytes(data[-8:], "little") == checksum64(data[:-8])
        return data[32:-8]

    def take(self, fields):
        values = struct.unpack_from("<" + fields, self.payload)
        self.payload = self.payload[struct.calcsize("<" + fields) :]
        return values

    def row(self, m):
        b = (m - 1).bit_length()
        size = (self.n * b + 7) // 8
        bits, self.payload = int.from_bytes(self.payload[:size], "little"), self.payload[size:]
        values = [bits >> i * b & (1 << b) - 1 for i in range(self.n)]
        assert max(values) < m and bits >> self.n * b == 0
        return values

    def compose(self, rows, primes):
        q = prod(primes)
        return [
            sum(r * (q // m) * pow(q // m, -1, m) for r, m in zip(c, primes)) % q
            for c in zip(*rows)
        ]

    def pair(self, domain, index, level, special=0):
        """(b, a) of a key, as coefficients modulo Q P of the level; the payload is at b."""
        numbered = list(enumerate(self.q + self.p))
        first, last = self.key_window(level)
        numbered = numbered[first:last] + numbered[self.k :]
        if special:  # fewer than all: primes are numbered as they stand
            numbered = list(enumerate(self.q[first:last] + self.p[:special]))
        primes = [m for _, m in numbered]
        b = [coefficients(self.row(m), m) for m in primes]
        a = [coefficients(uniform(self.seed, domain, index, j, m, self.n), m) for j, m in numbered]
        return self.compose(b, primes), self.compose(a, primes)

    def shape(self):
        """The level of evaluation keys, and their number."""
        primes, digits, count = self.take("HHI")
        level = primes - len(self.p)
        assert 1 <= level <= len(self.windows) and digits == len(self.digit_numbers(level))
        return level, count

    def key_window(self, level):
        """The primes of a key: those of its level and all below."""
        firsts, lasts = zip(*self.windows[:level])
        return min(firsts), max(lasts)

    def digit_numbers(self, level):
        first, last = self.key_window(level)
        return range(first // self.digit_primes, (last - 1) // self.digit_primes + 1)

    def digits(self, element, level, special=0):
        (self.seed,) = self.take("32s")
        numbers = self.digit_numbers(level)
        if special:
            numbers = range(len(numbers))
        return [self.pair(4, 256 * element + d, level, special) for d in numbers]

    def read_secret(self, data):
        codes = self.open(data, "secret")
        return [(0, 1, None, -1)[codes[i // 4] >> 2 * (i % 4) & 3] for i in range(self.n)]

    def read_public(self, data):
        self.payload = self.open(data, "public")
        *shape, self.seed = self.take("HHI32s")
        assert shape == [len(self.q + self.p), 0, 1]
        return self.pair(2, 0, len(self.windows))

    def read_relinearization(self, data):
        self.payload = self.open(data, "relinearization")
        return self.take_relinearization()

    def take_relinearization(self):
        level, count = self.shape()
        assert count == 1
        return self.digits(0, level)

    def read_rotations(self, data):
        self.payload = self.open(data, "rotations")
        return self.take_rotations()

    def take_rotations(self):
        level, count = self.shape()
        keys = {}
        for _ in range(count):
            element, primes, zero = self.take("IHH")
            assert zero == 0
            keys[element] = self.digits(element, primes - len(self.p) if primes else level)
        return keys

    def read_switching(self, data):
        self.payload = self.open(data, "switching")
        return self.take_switching()

    def take_switching(self):
        """A key from one secret to another, its level, and its special primes: 0 for all."""
        level, count = self.shape()
        purpose, special = self.take("II")
        assert count == 1 and purpose % 2 == 0 and purpose >= 4 and special < max(1, len(self.p))
        return self.digits(purpose, level, special), level, special

    def chain_of_bootstrap(self, data):
        """BFV, BGV: the set with primes above q whose keys these are; its payload is at options."""
        chain = object.__new__(Reader)
        chain.__dict__.update(self.__dict__)
        chain.payload = self.open(data, "bootstrap")
        above, special, chain.digit_primes = chain.take("BBH")
        chain.q, chain.p = self.q + chain.take(f"{above}Q"), chain.take(f"{special}Q")
        chain.k = len(chain.q)
        chain.windows = [(0, level) for level in range(1, chain.k + 1)]
        return chain

    def read_bootstrap(self, data):
        """Options; keys to the sparse and the dense secret, for products and for rotations."""
        self.payload = self.open(data, "bootstrap")
        keys = self.take_options(), self.take_switching(), self.take_switching()
        return *keys, self.take_relinearization(), self.take_rotations()

    def take_options(self):
        names = ("slots", "weight", "first", "sine levels", "small keys")
        *values, to_slots, to_coefficients = self.take("IIBBBBB")
        options = dict(zip(names, values))
        options["to slots"] = self.take(f"{to_slots}B")
        options["to coefficients"] = self.take(f"{to_coefficients}B")
        return options

    def read_evaluation(self, data):
        """The relinearization key and the rotation keys, each None if it is not there."""
        self.payload = self.open(data, "evaluation")
        parts, zero = self.take("II")
        assert 1 <= parts <= 3 and zero == 0
        relinearization = self.take_relinearization() if parts & 1 else None
        return relinearization, self.take_rotations() if parts & 2 else None

    def read_plaintext(self, data):
        self.payload = self.open(data, "plaintext")
        encoding, form, zero, batch = self.take("BBHI")
        assert (form, zero) == (0, 0) and 1 <= batch <= 2**20
        values = [self.decode(self.row(self.t), encoding) for _ in range(batch)]
        return values[0] if batch == 1 else values

    def read_ciphertext(self, data):
        """Parts as coefficients modulo Q (a list of them for a batch), encoding, predicted bits.

        `self.level` and `self.factor` are those of the ciphertext read last, for `decrypt`.
        """
        self.payload = self.open(data, "ciphertext")
        parts, limbs, batch, form, encoding, flags, noise, level, factor = self.take("HHIBBBBiQ")
        assert form < 2 and flags < 3 and 1 <= batch <= 2**20 and 1 <= limbs <= len(self.windows)
        assert (self.scheme == 2 or factor == 1) and (form == 0 or flags != 2)
        self.level, self.factor, primes = limbs, factor, self.q[slice(*self.windows[limbs - 1])]
        if self.scheme == 3:
            high, low, self.bound, self.slots, self.real, zero = self.take("dddIB3s")
            assert zero == bytes(3) and self.real < 2 and self.n // 2 % self.slots == 0
            self.scale = Fraction(high) + Fraction(low)
        (self.seed,) = self.take("32s") if flags == 1 else (None,)
        texts = []
        if flags == 2:
            *self.stored_bits, zero = self.take("BBB5s")
            assert zero == bytes(5) and (parts == 3 or self.stored_bits[2] == 0)
            texts = [self.restored(parts, prod(primes)) for _ in range(batch)]
            batch = 0
        for b in range(batch):
            stored = [[self.row(m) for m in primes] for _ in range(1 if flags else parts)]
            if form == 1:
                stored = [[coefficients(*row) for row in zip(rows, primes)] for rows in stored]
            if flags:
                a = [uniform(self.seed, 9, b, j, m, self.n) for j, m in enumerate(primes)]
                stored.append(a)
            texts.append([self.compose(rows, primes) for rows in stored])
        if self.scheme == 3:  # log2 of the error
            level = (floor(64 * (log2(prod(primes)) - 1)) - level) / 64
            self.error = 2**level / float(self.scale) if noise == 3 else inf
        bits = 16 * level if noise == 3 else None
        return texts[0] if len(texts) == 1 else texts, encoding, bits

    def read_array(self, data, secret):
        """The numbers of an encrypted array: a list of rows; one of numbers where there is one."""
        (size,) = struct.unpack_from("<I", data, 8)
        (checksum,) = struct.unpack_from("<Q", data, 12 + size)
        assert data[:8] == b"NTTFARR1" and checksum == checksum64(data[: 12 + size])
        header = json.loads(data[12 : 12 + size])
        texts, encoding, _ = self.read_ciphertext(data[20 + size :])
        texts = texts if isinstance(texts[0][0], list) else [texts]
        assert encoding == 1
        slots = [self.decode(self.decrypt(parts, secret)[0], 1) for parts in texts]
        flat = [centred(v, self.t) for text in slots for v in text]
        length, scale = header["length"] or 1, header["scale"]
        scales = scale if isinstance(scale, list) else [scale] * length
        half, lanes = self.n // 2, self.n // 2 // header["block"]
        rows = [
            [flat[r // lanes * half + j * lanes + r % lanes] / scales[j] for j in range(length)]
            for r in range(header["rows"] or 1)
        ]
        return rows if header["rows"] else rows[0]

    def restored(self, parts, q):
        """Rounded parts modulo Q of the level: round(Q h / 2^b), in BGV times t."""
        scale = self.t if self.scheme == 2 else 1
        return [
            [(q * h + 2 ** (b - 1)) // 2**b * scale % q for h in self.row(2**b)]
            for b in self.stored_bits[:parts]
        ]

    def decrypt(self, parts, secret):
        """The polynomial modulo t, and max |t v| of the noise v (BGV, CKKS: of the phase)."""
        q = prod(self.q[slice(*self.windows[self.level - 1])])
        power, phase = [1] + [0] * (self.n - 1), [0] * self.n
        for part in parts:
            phase = [x + y for x, y in zip(phase, product(part, power))]
            power = product(power, secret)
        if self.scheme == 3:
            small = [centred(x, q) for x in phase]
            return [float(x / self.scale) for x in small], max(map(abs, small))
        if self.scheme == 2:
            small = [centred(x, q) for x in phase]
            inverse = pow(self.factor, -1, self.t)
            return [x * inverse % self.t for x in small], max(map(abs, small))
        message = [(2 * self.t * (x % q) + q) // (2 * q) % self.t for x in phase]
        return message, max(abs(centred(self.t * x, q)) for x in phase)

    def decode(self, message, encoding):
        if encoding == 2:
            return message
        if self.scheme == 3:
            exponents = [pow(5, i, 2 * self.n) for i in range(self.slots)]
            roots = [exp(1j * pi * e / self.n) for e in exponents]
            values = [sum(c * z**j for j, c in enumerate(message)) for z in roots]
            return [z.real for z in values] if self.real else values
        n, t, psi = self.n, self.t, root_of_unity(self.n, self.t)
        exponents = [sign * pow(3, i, 2 * n) % (2 * n) for sign in (1, -1) for i in range(n // 2)]
        return [sum(c * pow(psi, e * j, t) for j, c in enumerate(message)) % t for e in exponents]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    reader = Reader((folder / "parameters.bin").read_bytes())
    key = reader.read_secret((folder / "secret.bin").read_bytes())
    for path in sorted(folder.glob("ciphertext*.bin")):
        polynomials, encoding, _ = reader.read_ciphertext(path.read_bytes())
        print(path.name, reader.decode(reader.decrypt(polynomials, key)[0], encoding))

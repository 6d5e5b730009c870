# SPDX-License-Identifier: Apache-2.0
"""Which of a client's items a server has: polynomials in slots, items in bins [CLR17].

Both sides hash an item to a number modulo t and to three of n bins, a slot each. The client puts
every item into one of its bins, one item a bin (cuckoo hashing); the server puts every item into
all of its bins, and has for each the polynomial whose roots are the numbers there::

    bin (slot)           0        1                  2          3
    client's item        a        -                  b          c
    server's items       d        b, e               b          -
    polynomial           X - d    (X - b) (X - e)    X - b      1
    answer, times r      r (a-d)  random             0          r

A slot is 0 where the item is among the server's, and elsewhere a random number that is not 0.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _arguments as arguments
from ...errors import ArgumentTypeError, ParameterError, SizeError
from ...integer_encoding import BatchEncoder, Ciphertext, Context, Decryptor, Encryptor, Keys
from ...number_theory import ntt_primes
from ...rlwe import EvaluationKeys, PublicKey, SecretKey, stack
from ...rlwe.key_set import secret_of

if TYPE_CHECKING:
    from typing import TypeAlias

    Item: TypeAlias = int | str | bytes

_HASHES = 3
_FILLED = 0.7  # of the bins, at most: three hashes place items until 0.91
_MOST_MOVES = 1000
_MOST_T_BITS = 59
_LARGEST_N = 2**15


@dataclass(frozen=True)
class ServerSet:
    """A server's items as polynomials in bins; made by :meth:`SetIntersection.prepare`.

    Parameters
    ----------
    n : int
        Bins.
    answers : int
        Ciphertexts of an answer; the client sees them, and so about how full the fullest bin is.
    """

    n: int
    answers: int
    _coefficients: NDArray[Any] = field(repr=False, compare=False)  # (answers, degree + 1, n)


@dataclass(frozen=True)
class SetIntersection:
    """Which of a client's items are in a server's set; what both sides have to agree on.

    Parameters
    ----------
    client_items, server_items : int
        At most so many on each side; public.
    salt : bytes
        At most 64 bytes that both sides hash with. A fresh one for each run, such as
        ``secrets.token_bytes(16)``.
    error_bits : int
        An item of the client passes wrongly for one of the server's with a probability of about
        2^-error_bits, all of the client's items together. None is missed.
    degree : int
        Of the polynomials: their products have a depth of log2 degree, and fuller bins take several
        polynomials, a ciphertext of the answer each.

    Notes
    -----
    Depth log2 degree and a product with an array; degree - 1 products of ciphertexts for up to n
    items, and degree products with arrays for each ciphertext of the answer. Keys: relinearization.

    The server sees how many ciphertexts there are, nothing of the items. The client sees which of
    its items the server has, and how many ciphertexts the answer takes. It may ask for any items,
    guesses too: where they can be guessed, the number of questions has to be limited. The noise of
    the answer depends on the server's set and is not drowned: a client that studies it with its
    secret key may learn more. Neither side is kept from lying.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import SetIntersection
    >>> run = SetIntersection(client_items=3, server_items=100, salt=b"of this run")
    >>> choice = nttforge.choose(run.circuit, **run.needs)
    >>> context = bfv.Context(choice.parameters)
    >>> keys = choice.generate_keys(context)
    >>> question = run.encrypt(["ann", "bob", "eve"], keys)
    >>> server_set = run.prepare((f"user {i}" for i in range(98)), context.n)
    >>> answer = run.answer(question, server_set, keys.evaluation)
    >>> run.decrypt(answer, ["ann", "bob", "eve"], keys)
    [False, False, False]
    """

    client_items: int
    server_items: int
    salt: bytes
    error_bits: int = 30
    degree: int = 8

    def __post_init__(self) -> None:
        most = int(_FILLED * _LARGEST_N)
        remedy = "ask in several runs"
        arguments.integer("client_items", self.client_items, 1, most, remedy)
        arguments.integer("server_items", self.server_items, 1, 2**24)
        arguments.integer("error_bits", self.error_bits, 1, _MOST_T_BITS)
        arguments.integer("degree", self.degree, 1, 64)
        if not isinstance(self.salt, bytes) or len(self.salt) > 64:
            raise ArgumentTypeError("salt: need at most 64 bytes, the same on both sides")
        if self._t_bits > _MOST_T_BITS:
            raise ParameterError(
                f"error_bits = {self.error_bits} needs t of {self._t_bits} bits for so many items, "
                f"and {_MOST_T_BITS} are possible: take at most "
                f"{self.error_bits - (self._t_bits - _MOST_T_BITS)}, or ask in several runs"
            )

    @property
    def slots(self) -> int:
        """Bins that the client's items need: the least power of two that they fill to 70 %."""
        least = int(self.client_items / _FILLED)
        return max(1024, 1 << least.bit_length())

    @property
    def _t_bits(self) -> int:
        """Every item of the client meets _HASHES * server_items / slots numbers of the server."""
        meetings = -(-self.client_items * _HASHES * self.server_items // self.slots)
        return self.error_bits + meetings.bit_length() + 1

    @property
    def t(self) -> int:
        """The plaintext modulus: a prime with slots at every n."""
        return ntt_primes(_LARGEST_N, max(self._t_bits, 18))[0]

    @property
    def needs(self) -> dict[str, Any]:
        """What :func:`nttforge.choose` is told beside :attr:`circuit`."""
        half = self.t // 2
        inputs = {"question": (-half, half)}
        return {"inputs": inputs, "t": self.t, "modular": True, "slots": self.slots}

    def circuit(self, question: Any, keys: Any) -> Any:
        """What a server does for one ciphertext of the answer, with any coefficients."""
        half = self.t // 2
        any_row = np.array([-half, half])
        return self._combined(self._powers(question, keys), [any_row] * (self.degree + 1))

    def _powers(self, x: Any, keys: Any) -> list[Any]:
        """x, x^2, ..., each of the least depth."""
        found = [x]
        for k in range(2, self.degree + 1):
            half = 1 << ((k - 1).bit_length() - 1)
            found.append((found[half - 1] * found[k - half - 1]).relinearize(keys))
        return found

    @staticmethod
    def _combined(powers: Sequence[Any], coefficients: Sequence[Any]) -> Any:
        total = powers[0] * coefficients[1]
        for power, row in zip(powers[1:], coefficients[2:], strict=True):
            total = total + power * row
        return (total + coefficients[0]).shrink(1)

    # The client's half

    def encrypt(self, items: Iterable[Item], keys: Keys | PublicKey | SecretKey) -> Ciphertext:
        """The question: by the client.

        Parameters
        ----------
        items : iterable of int, str or bytes
            At most ``client_items``; those that occur twice count once.
        keys : Keys, PublicKey or SecretKey
            With the secret key the question has half the bytes.

        Raises
        ------
        SizeError, ParameterError, ArgumentTypeError
            Too many items or none, t or n of the keys do not fit, or an item is of another type.
        """
        encryptor = Encryptor(keys.secret if isinstance(keys, Keys) else keys)
        context = encryptor.context
        numbers = np.zeros(context.n, dtype=np.uint64)
        for place, number in self._places(list(items), context).values():
            numbers[place] = number
        plain = BatchEncoder(context).encode(numbers, signed=False)
        return encryptor.encrypt(plain)

    def decrypt(
        self, answer: Ciphertext, items: Iterable[Item], keys: Keys | SecretKey
    ) -> list[bool]:
        """Whether each item is in the server's set: by the client, of the items it asked for.

        Raises
        ------
        NoiseError, SizeError, ParameterError, ArgumentTypeError
            As :meth:`Decryptor.decrypt` and :meth:`encrypt`.
        """
        decryptor = Decryptor(secret_of(keys))
        context = answer.context
        values = BatchEncoder(context).decode(decryptor.decrypt(answer), signed=False)
        hit = (values.reshape(-1, context.n) == 0).any(axis=0)
        asked = list(items)
        places = self._places(asked, context)
        return [bool(hit[places[_bytes_of(item)][0]]) for item in asked]

    def _places(self, items: Sequence[Item], context: Context) -> dict[bytes, tuple[int, int]]:
        """Bin and number of each item, one item a bin: cuckoo hashing, the same at every call."""
        self._require(context)
        hashed = {_bytes_of(item): self._hashed(item, context.n) for item in items}
        if not 1 <= len(hashed) <= self.client_items:
            raise SizeError(
                f"items has {len(hashed)} different entries: need 1 to client_items = "
                f"{self.client_items}"
            )
        chance = random.Random(0)  # where an item goes is no secret of the client
        held: dict[int, bytes] = {}
        for name in hashed:
            for _ in range(_MOST_MOVES):
                bins = hashed[name][1]
                free = [b for b in bins if b not in held]
                if free:
                    held[free[0]] = name
                    break
                place = chance.choice(bins)
                held[place], name = name, held[place]
            else:
                raise ParameterError(
                    "items do not fit the bins by three hashes, which happens rarely: agree on "
                    "another salt"
                )
        return {name: (place, hashed[name][0]) for place, name in held.items()}

    # The server's half

    def prepare(self, items: Iterable[Item], n: int) -> ServerSet:
        """The polynomials of a set: by the server, once.

        Parameters
        ----------
        items : iterable of int, str or bytes
            At most ``server_items`` different ones.
        n : int
            That of the parameters.

        Raises
        ------
        SizeError, ArgumentTypeError
            Too many items, or one of another type.
        """
        n = arguments.integer("n", n, self.slots, _LARGEST_N, "as of the chosen parameters")
        entries = set()
        for count, name in enumerate({_bytes_of(item): item for item in items}.values()):
            if count == self.server_items:
                raise SizeError(f"items has more than server_items = {self.server_items} entries")
            number, bins = self._hashed(name, n)
            entries |= {(place, number) for place in bins}
        if not entries:
            raise SizeError("items is empty: need at least one")
        # Which polynomial of a bin is 0 tells the client nothing of the numbers beside its own.
        mixed = list(entries)
        secrets.SystemRandom().shuffle(mixed)
        mixed.sort(key=lambda entry: entry[0])
        places, numbers = (list(column) for column in zip(*mixed, strict=True))
        filled = np.array(places)
        first = np.searchsorted(filled, filled)  # among the entries of the same bin
        rank = np.arange(len(filled)) - first
        answers = int(rank.max()) // self.degree + 1
        roots = np.zeros((self.degree, answers, n), dtype=object)
        roots[rank % self.degree, rank // self.degree, filled] = np.array(numbers, dtype=object)
        return ServerSet(n, answers, _polynomials(roots, self.t))

    def answer(
        self, question: Ciphertext, server_set: ServerSet, keys: Keys | EvaluationKeys
    ) -> Ciphertext:
        """The answer, a batch of :attr:`ServerSet.answers`: by the server, random at each call.

        Raises
        ------
        ParameterError
            The set was prepared for another n, or the question has another t.
        MissingKeyError, NoiseError
            The relinearization key is not there, or the parameters are too small.
        """
        self._require(question.context)
        if server_set.n != question.context.n:
            raise ParameterError(
                f"server_set has n = {server_set.n} and question {question.context.n}: prepare the "
                "set for the n of the question"
            )
        powers = self._powers(question, keys)
        found: list[Ciphertext] = []
        for polynomials in server_set._coefficients:
            factor = _nonzero(server_set.n, self.t)
            words = polynomials * factor % self.t
            signed = np.where(words > self.t // 2, words - self.t, words).astype(np.int64)
            found.append(self._combined(powers, list(signed)))
        return stack(found)

    # Both

    def _require(self, context: Context) -> None:
        if context.t != self.t or context.n < self.slots:
            raise ParameterError(
                f"the context has n = {context.n}, t = {context.t}: need n from {self.slots} and "
                f"t = {self.t}, which nttforge.choose(run.circuit, **run.needs) gives"
            )

    def _hashed(self, item: Item, n: int) -> tuple[int, list[int]]:
        """The number of an item, not 0, which is that of no item; and its bins."""
        digest = hashlib.blake2b(_bytes_of(item), key=self.salt, digest_size=64).digest()
        words = [int.from_bytes(digest[i : i + 16], "little") for i in range(0, 64, 16)]
        return 1 + words[0] % (self.t - 1), sorted({word % n for word in words[1:]})


def _bytes_of(item: Item) -> bytes:
    """The item and its type."""
    if isinstance(item, (bool, np.bool_)):
        raise ArgumentTypeError(f"items: {item!r} is a bool: need int, str or bytes")
    if isinstance(item, (int, np.integer)):
        return b"i" + str(int(item)).encode()
    if isinstance(item, str):
        return b"s" + item.encode()
    if isinstance(item, bytes):
        return b"b" + item
    raise ArgumentTypeError(f"items: {item!r} is a {type(item).__name__}: need int, str or bytes")


def _polynomials(roots: NDArray[Any], t: int) -> NDArray[Any]:
    """Coefficients modulo t, constants first, of the products of X - root; 0 is no root."""
    degree, answers, n = roots.shape
    found = np.zeros((answers, degree + 1, n), dtype=object)
    found[:, 0] = 1
    for column in roots:
        shifted = np.concatenate([np.zeros((answers, 1, n), dtype=object), found[:, :-1]], axis=1)
        product = (shifted - found * column[:, None]) % t
        found = np.where(column[:, None] != 0, product, found)
    return found


def _nonzero(count: int, t: int) -> NDArray[Any]:
    """Random numbers in 1 ... t - 1."""
    data = secrets.token_bytes(16 * count)
    words = [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]
    return np.array([1 + word % (t - 1) for word in words], dtype=object)

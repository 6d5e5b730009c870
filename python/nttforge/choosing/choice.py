# SPDX-License-Identifier: Apache-2.0
"""Parameters of BFV or BGV from the computation they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from .. import _arguments as arguments
from .. import bfv, bgv
from ..errors import NttforgeError, ParameterError, SizeError, UnsupportedError
from ..integer_encoding import Parameters
from .chosen import BgvChoice, Choice, IntegerChoice, keys_bytes
from .made import choice_of, with_bootstraps
from .moduli import largest_of, plain_modulus, plain_modulus_argument, require_t
from .real import SIZES as REAL_SIZES
from .real import RealChoice, choose_real
from .recording import has_arrays, record
from .traced import Recorder, Traced, rotation_steps
from .trimming import lack, trimmed

if TYPE_CHECKING:
    from ..typing import SecurityLevel, WordBits

_SECURITY: dict[int, SecurityLevel] = {
    128: "classical128",
    192: "classical192",
    256: "classical256",
}
_SIZES = [2**i for i in range(10, 16)]


@overload
def choose(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    scheme: Literal["ckks"],
    precision: float | None = None,
    **options: Any,
) -> RealChoice: ...


@overload
def choose(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    security: Literal[128, 192, 256] = 128,
    slots: int = 1,
    device: str = "cpu",
    keys_for: Literal["size", "speed"] | None = None,
    t: int | None = None,
    modular: bool = False,
    scheme: Literal["bfv"] | None = None,
    precision: None = None,
    insecure_n: int | None = None,
) -> Choice: ...


@overload
def choose(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    scheme: Literal["bgv"],
    **options: Any,
) -> BgvChoice: ...


@overload
def choose(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    precision: float,
    scheme: None = None,
    **options: Any,
) -> Choice | RealChoice: ...


def choose(  # type: ignore[misc]
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    security: Literal[128, 192, 256] = 128,
    slots: int = 1,
    device: str = "cpu",
    keys_for: Literal["size", "speed"] | None = None,
    t: int | None = None,
    modular: bool = False,
    scheme: Literal["bfv", "bgv", "ckks"] | None = None,
    precision: float | None = None,
    insecure_n: int | None = None,
) -> IntegerChoice | RealChoice:
    """The smallest recommended parameters with which a computation decrypts.

    The function is called with objects that stand for ciphertexts of slots and record what it
    does: ``+``, ``-``, ``*`` with each other, with integers and with arrays of integers, and the
    methods of :class:`Ciphertext` that compute. Ranges of inputs become ranges of results, and t is
    the smallest prime with slots above all of them: intermediate results may wrap around. Among
    the presets the smallest n is taken, of its chain the fewest primes, and for those as many of
    fewer bits where that is enough. The noise of each step
    is the bound that ciphertexts carry. Products with arrays count as those with any array.

    Where no recommended set is enough and inputs are encrypted arrays, or where the function calls
    ``bootstrap`` itself, the set is one that bootstraps, and :attr:`Choice.bootstraps` says where:
    the fewest places that are found, of which the cost is stated; :meth:`Choice.run` follows it.
    So it is with CKKS, of 128 bits of security and on CPUs.

    Parameters
    ----------
    circuit : callable
        Takes one ciphertext for each input and returns one, or a tuple or list of them. A parameter
        called ``keys`` gets None here; operations take it in place of a key.
    inputs : mapping or sequence
        Name or position of each argument and its values: (lowest, highest), a range, or an array of
        integers. Slots that are not used hold 0, which every range therefore contains. An
        :class:`ArraySpec` stands for an :class:`EncryptedArray`; the function is then called for
        each n that is tried.
    security : {128, 192, 256}
        Bits of security, by the guidelines of 2024.
    slots : int
        Slots that are needed at least; a ciphertext has n.
    device : str
        "cpu" takes primes for words of 64 bits, "cuda" those for 32.
    keys_for : {"size", "speed"}, optional
        Digits of several primes make keys smaller and key switching faster, and leave fewer levels.
        Of the sets of the smallest n that are enough, with digits of 1 to 4 primes, the one with
        the fewest bytes of keys, or the fewest rows in a key switching. Without it the primes that
        leave most levels are taken.
    t : int, optional
        The plaintext modulus, a prime = 1 (mod 2n), instead of the smallest that is enough: for
        data that stay encrypted for several computations, or for arithmetic modulo t.
    modular : bool
        True: results are meant modulo ``t``, which has to be given, and may wrap around it; inputs
        and constants lie in its signed range. A product that passes t/2 is then no error. For
        ciphertexts; an :class:`EncryptedArray` holds numbers and refuses to wrap.
    scheme : {"bfv", "bgv", "ckks"}, optional
        Integers, exact, of either scheme, or real numbers. By default BFV; with ``precision`` CKKS
        where BFV has no set or not the functions, or needs a larger n. The choice says what the
        other would do. BGV is taken where it is asked for; no times of it are predicted.
    precision : float, optional
        For CKKS: bits behind the point that results need, -log2 of the largest error; 10 unless
        stated. The circuit is run on numbers drawn from the ranges, with the noise of every
        operation, so it is what is seen, not the bound that ciphertexts promise. Ranges may be of
        real numbers; ciphertexts have the methods of :class:`nttforge.ckks.Ciphertext`.
    insecure_n : int, optional
        Plans bootstraps for a ring of this size, 2^7 or more, without security: to try out what
        needs them. No other set is looked at.

    Returns
    -------
    Choice, BgvChoice or RealChoice
        Of BFV or BGV: parameters, keys and their sizes, ranges and noise after each step, and why
        the next smaller set is not enough. Of CKKS: predicted precision and operations in place of
        noise.

    Raises
    ------
    ParameterError
        No set is enough; the message says why the largest is not. An operation is refused as it
        would be with ciphertexts.
    ArgumentTypeError, SizeError
        An input or what the function returns is none of the above.

    Examples
    --------
    >>> import nttforge
    >>> def score(age, smokes, keys):
    ...     return (2 * age + age * smokes).relinearize(keys).inner_sum(8, keys)
    >>> choice = nttforge.choose(score, {"age": (0, 110), "smokes": (0, 60)}, slots=8192)
    >>> choice.parameters.n, choice.rotations, choice.relinearization
    (8192, (1, 2, 4), True)
    >>> choice.steps[-1].high
    54560
    >>> cube = nttforge.choose(lambda x: x * x.square().relinearize(None), [(0, 65536 // 2)],
    ...                        t=65537, modular=True)
    >>> cube.parameters.t, cube.steps[-1].high
    (65537, 32768)

    A function of real numbers needs CKKS, deep products take less of it:

    >>> from nttforge.ckks import functions
    >>> logistic = functions.sigmoid((-4, 4))
    >>> spec = nttforge.ArraySpec((8,), -4, 4)
    >>> real = nttforge.choose(lambda x: x.apply(logistic), [spec], precision=9)
    >>> real.parameters.n, real.depth, real.precision_bits > 9
    (16384, 5, True)
    """
    if security not in _SECURITY:
        raise ParameterError(f"security = {security!r} is not one of 128, 192, 256 (bits)")
    kind = str(device).partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise ParameterError(f"device = {device!r} is not one of 'cpu', 'cuda', 'cuda:1', ...")
    if keys_for not in (None, "size", "speed"):
        raise ParameterError(f"keys_for = {keys_for!r} is not one of 'size', 'speed', None")
    if scheme not in (None, "bfv", "bgv", "ckks"):
        raise ParameterError(f"scheme = {scheme!r} is not one of 'bfv', 'bgv', 'ckks', None")
    slots = arguments.integer("slots", slots, 1, 2**15)
    if scheme == "ckks" or precision is not None:
        if scheme in ("bfv", "bgv") or t is not None or modular:
            raise ParameterError(
                "t, modular and scheme = 'bfv' or 'bgv' are for exact integers, precision and "
                "scheme = 'ckks' for real numbers: leave one of them out"
            )
        bits = (
            10.0 if precision is None else arguments.number("precision", precision, 1, 50, "bits")
        )
        level, words = _SECURITY[security], 64 if kind == "cpu" else 32
        if scheme == "ckks":
            return choose_real(circuit, inputs, bits, level, slots, words, insecure_n=insecure_n)
        options = {"security": security, "slots": slots, "device": device, "keys_for": keys_for}
        return _either(circuit, inputs, bits, level, words, options)
    if t is not None:
        t = plain_modulus_argument(t)
    module = bgv if scheme == "bgv" else bfv
    depends_on_n = has_arrays(inputs)
    if modular and (t is None or depends_on_n):
        raise ParameterError(
            "modular = True is for ciphertexts modulo a given t: add t=..., and write inputs as "
            "ranges, (lowest, highest)"
        )
    recorder: Recorder | None = None
    results: list[Traced] = []
    largest = 1
    refused: list[str] = []
    for n in _SIZES if insecure_n is None else ():
        if recorder is not None and recorder.bootstraps:
            refused = ["The function bootstraps, for which no recommended set is."]
            break
        if recorder is None or depends_on_n:
            recorder = Recorder(modulus=t if modular else None)
            recorder.need_slots(slots, f"slots = {slots}")
            try:
                results = record(circuit, inputs, recorder, n)
            except SizeError as error:
                if not depends_on_n or n == _SIZES[-1]:
                    raise
                refused.append(f"n = {n}: {error}.")
                continue
            largest = largest_of(recorder, results)
        require_t(t, largest, recorder, modular)
        wanted = _Wanted(module.Parameters, kind, _SECURITY[security], keys_for, t)
        found = _smallest(n, wanted, recorder, results, largest, refused)
        if found is not None:
            return choice_of(found, recorder, results, refused)
    if depends_on_n or insecure_n is not None or (recorder is not None and recorder.bootstraps):
        return with_bootstraps(
            module, circuit, inputs, t, slots, kind, security, insecure_n, refused
        )
    raise ParameterError(
        f"no recommended set is enough. {refused[-1]} Split the computation, lower its depth or "
        "its values, bootstrap in it, or decrypt and encrypt again in between"
    )


def _either(
    circuit: Callable[..., Any],
    inputs: Any,
    bits: float,
    level: SecurityLevel,
    words: int,
    options: dict[str, Any],
) -> Choice | RealChoice:
    """The scheme of the smaller n, BFV where both need the same."""
    slots: int = options["slots"]
    try:
        exact: Choice = choose(circuit, inputs, scheme="bfv", **options)
    except (NttforgeError, AttributeError) as error:  # CKKS has more methods
        found = choose_real(circuit, inputs, bits, level, slots, words)
        return replace(found, exact=f"BFV, which is exact, would not do: {error}.")
    p = exact.parameters
    try:
        sizes = [n for n in REAL_SIZES if n < p.n]
        found = choose_real(circuit, inputs, bits, level, slots, words, sizes)
    except NttforgeError as error:
        return replace(exact, refused=(*exact.refused, f"CKKS below n = {p.n}: {error}."))
    said = (
        f"BFV would do, exactly: n = {p.n}, t = {p.t}, log2 Q = {p.q_bits}, "
        f"{exact.evaluation_keys_bytes} bytes of evaluation keys; take scheme='bfv'."
    )
    return replace(found, exact=said)


@dataclass(frozen=True)
class _Wanted:
    """What a choice is to be for."""

    of: type[Parameters]  # the scheme's
    kind: str  # "cpu" or "cuda"
    security: SecurityLevel
    keys_for: str | None
    t: int | None  # None: the smallest

    def digit_primes(self) -> tuple[int, ...]:
        """Primes of a digit in the presets to try, in order; 0: as each has them."""
        if self.keys_for is not None:
            return (0, 1, 2, 3, 4)
        return (0,) if self.kind == "cpu" else (0, 4, 2, 1)

    def price(self, parameters: Parameters, recorder: Recorder) -> int:
        """What is to be small: bytes of keys, or rows that a key switching transforms."""
        if self.keys_for == "speed":
            limbs = len(parameters.q)
            digits = -(-limbs // parameters.digit_primes)
            return digits * (limbs + len(parameters.special))
        count = len(rotation_steps(recorder, parameters.n))
        count += any(swap(parameters.n // 2) for swap in recorder.swaps)
        return keys_bytes(parameters, count, recorder.relinearization)


def _smallest(
    n: int,
    wanted: _Wanted,
    recorder: Recorder,
    results: list[Traced],
    largest: int,
    refused: list[str],
) -> Parameters | None:
    """The set of fewest primes for n; or None, with the reason appended."""
    if n < recorder.slots:
        refused.append(f"n = {n} has {n} slots, and {recorder.slots_for} needs {recorder.slots}.")
        return None
    t = wanted.t or plain_modulus(n, largest)
    if (t - 1) % (2 * n):
        refused.append(f"n = {n}: t = {t} has no slots, since t - 1 is no multiple of 2n.")
        return None
    needs_keys = bool(recorder.relinearization or recorder.rotations or recorder.swaps)
    reason = ""
    enough: list[Parameters] = []
    for parameters in _presets(n, t, wanted):
        if isinstance(parameters, str):
            reason = reason or parameters
            continue
        if needs_keys and not parameters.has_evaluation_keys:
            reason = f"n = {n} has no room for the special prime that evaluation keys need."
            continue
        lacking = lack(parameters, recorder, results)
        if lacking:
            reason = f"n = {n}, log2 Q = {parameters.q_bits}: {lacking}"
            continue
        enough.append(trimmed(parameters, recorder, results, refused))
        if wanted.keys_for is None or not needs_keys:
            return enough[0]
    if enough:
        return min(enough, key=lambda parameters: wanted.price(parameters, recorder))
    refused.append(reason)
    return None


def _presets(n: int, t: int, wanted: _Wanted) -> Iterator[Parameters | str]:
    """The presets for n, the fastest first; or why there is none."""
    bits: WordBits = 64 if wanted.kind == "cpu" else 32
    for digit_primes in wanted.digit_primes():
        try:
            yield wanted.of.preset(n, t, wanted.security, word_bits=bits, digit_primes=digit_primes)
        except (ParameterError, UnsupportedError) as error:
            yield f"n = {n}: {error}."

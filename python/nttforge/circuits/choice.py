# SPDX-License-Identifier: Apache-2.0
"""Parameters of BFV from the computation they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .. import _arguments as arguments
from ..bfv import Parameters
from ..errors import ParameterError, SizeError, UnsupportedError
from ..number_theory import is_prime
from .recording import has_arrays, record
from .times import predicted_seconds, reference_machine
from .traced import Recorder, Traced, rotation_steps
from .trimming import budgets_of, lack, trimmed

if TYPE_CHECKING:
    from ..bfv import Context
    from ..rlwe import Keys
    from ..typing import SecurityLevel, WordBits

__all__ = ["Choice", "ChosenStep", "choose"]

_SECURITY: dict[int, SecurityLevel] = {
    128: "classical128",
    192: "classical192",
    256: "classical256",
}
_SIZES = [2**i for i in range(10, 16)]
_MOST_T_BITS = 59


@dataclass(frozen=True)
class ChosenStep:
    """One operation of the computation and its result with the chosen parameters.

    Parameters
    ----------
    name : str
        What was computed.
    low, high : int
        No value is below or above.
    parts : int
        2, or 3 after a product.
    noise_budget_bits : float
        Noise budget left, by the bound that ciphertexts carry.
    """

    name: str
    low: int
    high: int
    parts: int
    noise_budget_bits: float


@dataclass(frozen=True)
class Choice:
    """Parameters for a computation, and why these; made by :func:`choose`.

    Parameters
    ----------
    parameters : Parameters
    steps : tuple of ChosenStep
        Inputs first, in the order in which they were computed.
    rotations : tuple of int
        Steps that need a rotation key.
    columns : bool
        Whether the key of the column swap is needed.
    relinearization : bool
        Whether the relinearization key is needed.
    noise_budget_bits : float
        The least noise budget of a result; above 0.
    predicted_seconds : float, optional
        Time of the computation on one core of the machine of the table in ``times.json``, without
        encryption and decryption; None for sets of 32-bit words, which are for GPUs.
    refused : tuple of str
        Why each smaller set is not enough, the largest of them last.
    """

    parameters: Parameters
    steps: tuple[ChosenStep, ...]
    rotations: tuple[int, ...]
    columns: bool
    relinearization: bool
    noise_budget_bits: float
    predicted_seconds: float | None
    refused: tuple[str, ...]

    @property
    def evaluation_keys_bytes(self) -> int:
        """Bytes of the evaluation keys that are needed; 0 if none are."""
        count = len(self.rotations) + self.columns
        return _keys_bytes(self.parameters, count, self.relinearization)

    @property
    def evaluation_keys_memory_bytes(self) -> int:
        """What they take on a device."""
        sizes = self.parameters.memory_sizes()
        count = len(self.rotations) + self.columns + self.relinearization
        return count * sizes["rotation_key"]

    def generate_keys(self, context: Context, **options: Any) -> Keys:
        """The keys that the computation needs, no more, in a context of :attr:`parameters`.

        ``options`` go to :meth:`Context.generate_keys`.
        """
        return context.generate_keys(self.relinearization, self.rotations, self.columns, **options)

    def explain(self) -> str:
        """The choice in sentences, with the range and the budget after each step."""
        p, sizes = self.parameters, self.parameters.serialized_sizes()
        lines = [
            f"n = {p.n} slots, t = {p.t}, log2 Q = {p.q_bits} in {len(p.q)} primes, "
            f"{len(p.special_primes)} special; {p.security} by the {p.security_source}.",
            f"Each ciphertext has {sizes['ciphertext']} bytes. Evaluation keys: "
            + self._keys_text(),
        ]
        lines += [f"Not enough: {reason}" for reason in self.refused]
        lines.append("After each step: values, and bits of noise budget left.")
        width = max(len(step.name) for step in self.steps)
        for step in self.steps:
            lines.append(
                f"  {step.name:{width}}  [{step.low}, {step.high}]  {step.noise_budget_bits:.1f}"
                f"{'  (3 parts)' if step.parts == 3 else ''}"
            )
        lines.append(f"Results keep {self.noise_budget_bits:.1f} bits. {self._time_text()}")
        return "\n".join(lines)

    def _time_text(self) -> str:
        if self.predicted_seconds is None:
            return "No time is predicted for GPUs."
        return (
            f"Predicted time: {self.predicted_seconds * 1e3:.3g} ms on {reference_machine()}, from "
            "a table of measured operations."
        )

    def _keys_text(self) -> str:
        if not self.evaluation_keys_bytes:
            return "none are needed."
        needs = ["relinearization"] if self.relinearization else []
        if self.rotations:
            needs.append(f"rotations {list(self.rotations)}")
        if self.columns:
            needs.append("the column swap")
        return (
            f"{', '.join(needs)}; {self.evaluation_keys_bytes} bytes, "
            f"{self.evaluation_keys_memory_bytes} in memory."
        )

    def __repr__(self) -> str:
        return f"<Choice of {self.parameters!r}, {self.noise_budget_bits:.1f} bits of budget left>"


def choose(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    *,
    security: Literal[128, 192, 256] = 128,
    slots: int = 1,
    device: str = "cpu",
    keys_for: Literal["size", "speed"] | None = None,
) -> Choice:
    """The smallest recommended parameters of BFV with which a computation decrypts.

    The function is called with objects that stand for ciphertexts of slots and record what it
    does: ``+``, ``-``, ``*`` with each other, with integers and with arrays of integers, and the
    methods of :class:`Ciphertext` that compute. Ranges of inputs become ranges of results, and t is
    the smallest prime with slots above all of them: intermediate results may wrap around. Among
    the presets the smallest n is taken, of its chain the fewest primes, and for those as many of
    fewer bits where that is enough. The noise of each step
    is the bound that ciphertexts carry. Products with arrays count as those with any array.

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

    Returns
    -------
    Choice
        Parameters, keys and their sizes, ranges and noise after each step, and why the next smaller
        set is not enough.

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
    """
    if security not in _SECURITY:
        raise ParameterError(f"security = {security!r} is not one of 128, 192, 256 (bits)")
    kind = str(device).partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise ParameterError(f"device = {device!r} is not one of 'cpu', 'cuda', 'cuda:1', ...")
    if keys_for not in (None, "size", "speed"):
        raise ParameterError(f"keys_for = {keys_for!r} is not one of 'size', 'speed', None")
    slots = arguments.integer("slots", slots, 1, 2**15)
    depends_on_n = has_arrays(inputs)
    recorder: Recorder | None = None
    results: list[Traced] = []
    largest = 1
    refused: list[str] = []
    for n in _SIZES:
        if recorder is None or depends_on_n:
            recorder = Recorder()
            recorder.need_slots(slots, f"slots = {slots}")
            try:
                results = record(circuit, inputs, recorder, n)
            except SizeError as error:
                if not depends_on_n or n == _SIZES[-1]:
                    raise
                refused.append(f"n = {n}: {error}.")
                continue
            bounds = [abs(x) for result in results for x in (result.low, result.high)]
            largest = max(recorder.largest, *bounds)
        wanted = _Wanted(kind, _SECURITY[security], keys_for)
        found = _smallest(n, wanted, recorder, results, largest, refused)
        if found is not None:
            return _choice(found, recorder, results, refused)
    raise ParameterError(
        f"no recommended set is enough. {refused[-1]} Split the computation, lower its depth or "
        "its values, or decrypt and encrypt again in between"
    )


def _keys_bytes(parameters: Parameters, rotations: int, relinearization: bool) -> int:
    """Bytes of evaluation keys, the swap of columns among the rotations; 0 if none are needed."""
    if not rotations and not relinearization:
        return 0
    return parameters.evaluation_keys_bytes(rotations, relinearization)


@dataclass(frozen=True)
class _Wanted:
    """What a choice is to be for."""

    kind: str  # "cpu" or "cuda"
    security: SecurityLevel
    keys_for: str | None

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
            return digits * (limbs + len(parameters.special_primes))
        count = len(rotation_steps(recorder, parameters.n))
        count += any(swap(parameters.n // 2) for swap in recorder.swaps)
        return _keys_bytes(parameters, count, recorder.relinearization)


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
    t = _plain_modulus(n, largest)
    if t is None:
        refused.append(f"n = {n}: values up to {largest} need t of more than {_MOST_T_BITS} bits.")
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
            yield Parameters.preset(
                n, t, wanted.security, word_bits=bits, digit_primes=digit_primes
            )
        except (ParameterError, UnsupportedError) as error:
            yield f"n = {n}: {error}."


def _plain_modulus(n: int, largest: int) -> int | None:
    """The smallest prime t = 1 (mod 2n) with -largest and largest in its signed range."""
    t = 2 * largest + 1
    t += -(t - 1) % (2 * n)
    while t == 1 or not is_prime(t):
        t += 2 * n
        if t.bit_length() > _MOST_T_BITS:
            return None
    return t if t.bit_length() <= _MOST_T_BITS else None


def _seconds(parameters: Parameters, recorder: Recorder) -> float | None:
    if parameters.word_bits != 64:
        return None
    row, primes = parameters.n // 2, len(parameters.q)
    work = [step.work(row) for step in recorder.steps]
    return recorder.ciphertexts * sum(predicted_seconds(parameters.n, primes, w) for w in work)


def _choice(
    parameters: Parameters, recorder: Recorder, results: list[Traced], refused: list[str]
) -> Choice:
    budgets = budgets_of(parameters, recorder)
    steps = tuple(
        ChosenStep(step.name, step.low, step.high, step.parts, bits)
        for step, bits in zip(recorder.steps, budgets, strict=True)
    )
    row = parameters.n // 2
    return Choice(
        parameters,
        steps,
        tuple(rotation_steps(recorder, parameters.n)),
        any(swap(row) for swap in recorder.swaps),
        recorder.relinearization,
        min(budgets[result._index] for result in results),
        _seconds(parameters, recorder),
        tuple(refused),
    )

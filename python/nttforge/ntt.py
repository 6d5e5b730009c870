"""Transforms: a specification, a recipe for this machine, and the plan that runs it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _arguments as arguments
from . import _core
from .algorithm_collection import NttTrace, trace_of
from .errors import ParameterError, SizeError

if TYPE_CHECKING:
    from .cuda._plan import DevicePlan
    from .explorer import Wisdom

__all__ = ["NttPlan", "NttSpec", "RecipeCandidate", "candidate_recipes"]

_RINGS = ("negacyclic", "cyclic")
_TRANSFORMS = ("ntt", "dgt", "any")
_ORDERS = ("natural", "bit_reversed")
_WORD = 2**64 - 1
_MERGED = "merged"


@dataclass(frozen=True)
class NttSpec:
    """What a plan transforms; says nothing about how.

    ``forward``, negacyclic: ``X[k] = sum_j a[j] psi^(j (2k + 1))``, psi a primitive 2n-th root of
    unity modulo q; cyclic: ``X[k] = sum_j a[j] omega^(j k)``, omega a primitive n-th root.

    ``transform="dgt"`` (negacyclic, n >= 2), i^2 = -1 and h^(n/2) = i:
    ``A[k] = sum_{j < n/2} (a[j] + i a[j + n/2]) h^(j (4k + 1))``, k < n/2; real parts in the first
    half of the values, imaginary parts in the second, each half in ``output_order``. ``roots``
    holds real and imaginary part of h per limb.
    """

    n: int
    moduli: tuple[int, ...]
    ring: str
    input_order: str
    output_order: str
    word_bits: int
    roots: tuple[int, ...]
    transform: str = "ntt"


class NttPlan:
    """An executable number theoretic transform: immutable, thread-safe, picklable.

    Parameters
    ----------
    n : int
        Transform size, a power of two in 1 ... 2^24.
    moduli : int or iterable of int
        One prime per limb, below 2^62 (or 2^64 - 2^32 + 1). An int means arrays without a limb
        axis, shape ``(..., n)``; an iterable, even of length one, means ``(..., limbs, n)``.
    ring : {"negacyclic", "cyclic"}
        Polynomials modulo X^n + 1 or X^n - 1.
    input_order, output_order : {"natural", "bit_reversed"}
        Order of the coefficients, and of the values.
    word_bits : {64, 32}
        Arrays are ``uint64``, or ``uint32`` when every prime is below 2^32.
    roots : int or iterable of int, optional
        psi (or omega) per limb; the smallest primitive root if not given, as in SEAL and HEXL.
        For a DGT real and imaginary part of h per limb.
    transform : {"ntt", "dgt", "any"}
        "dgt" has values in GF(q)[i] and multiplies modulo X^n + 1 and primes without a
        power-of-two root too, see :class:`NttSpec`; "any" is "ntt" where every modulus carries
        one, else "dgt", and ``spec.transform`` says which.
    threads : int
        Threads over batch and limbs, or over one large row; 0 for ``NTTFORGE_THREADS``, or all this
        process may use. More threads than CPUs are never started.
    target : str, optional
        Instruction set, one of :func:`nttforge.available_targets`; the active one if not given.
    recipe : mapping, optional
        Exactly how to compute, as given by :attr:`recipe`; excludes the others of this kind.
    algorithm : str, optional
        A member of the algorithm collection, :func:`nttforge.algorithms`; runs scalar code. The
        engine's own kernels, "merged", if not given.
    radix : int, optional
        Of the algorithm, where it has several.
    wisdom : Wisdom, optional
        Measured choices; without an entry for this use, the explorer's choice. Excludes ``recipe``.
    batch : int
        What to look up in the wisdom: how many polynomials a call will have.
    device : str
        "cpu", or "cuda" ("cuda:1" ...) for an NVIDIA GPU: then arrays are in its memory (CuPy,
        PyTorch, DLPack, :class:`nttforge.cuda.DeviceArray`), see :mod:`nttforge.cuda`; ``recipe``
        is one of :func:`nttforge.cuda.candidate_recipes`, and threads, target and algorithm do not
        apply.

    Raises
    ------
    ParameterError
        A field is invalid; the message names it, its value, what is allowed and a remedy.
    UnsupportedError
        The target or recipe cannot run on this machine.

    Notes
    -----
    Arrays are used in place, never copied: NumPy arrays or objects with ``__dlpack__`` or
    ``__array_interface__`` in CPU memory, C-contiguous, of exactly the word's dtype. Lists of
    integers are converted. All methods release the GIL and may be called from several threads.

    On a GPU results are arrays of the library that the input came from, calls enqueue and return,
    and ``stream=`` (a stream object or address) says where; by default the current stream of that
    library. ``check`` is off there unless asked for, because it waits.

    Definitions: :mod:`nttforge.spec`. Every target gives the same words.

    Examples
    --------
    >>> import numpy as np
    >>> plan = NttPlan(n=4, moduli=17, output_order="natural")
    >>> plan.forward([1, 0, 0, 0])
    array([1, 1, 1, 1], dtype=uint64)
    >>> plan.polynomial_product([0, 1, 0, 0], [0, 0, 0, 1])  # X * X^3 = -1
    array([16,  0,  0,  0], dtype=uint64)
    >>> folded = NttPlan(n=4, moduli=7, transform="dgt")  # 7 - 1 is divisible by 2 only once
    >>> folded.polynomial_product([0, 1, 0, 0], [0, 0, 0, 1])
    array([6, 0, 0, 0], dtype=uint64)
    """

    __slots__ = ("_arguments", "_device", "_dtype", "_limb_axis", "_plan", "_spec")

    def __init__(
        self,
        n: int,
        moduli: int | Iterable[int],
        ring: str = "negacyclic",
        input_order: str = "natural",
        output_order: str = "bit_reversed",
        word_bits: int = 64,
        *,
        roots: int | Iterable[int] | None = None,
        threads: int = 1,
        target: str | None = None,
        recipe: Mapping[str, Any] | None = None,
        algorithm: str | None = None,
        radix: int | None = None,
        wisdom: Wisdom | None = None,
        batch: int = 1,
        transform: str = "ntt",
        device: str = "cpu",
    ) -> None:
        self._limb_axis = not isinstance(moduli, (int, np.integer))
        n = arguments.integer("n", n, 1, _core.MAX_TRANSFORM_SIZE, "n is a power of two")
        values = _one_or_more("moduli", moduli, self._limb_axis)
        arguments.choice("transform", transform, _TRANSFORMS)
        several = self._limb_axis or transform == "dgt"
        given = [] if roots is None else _one_or_more("roots", roots, several)
        arguments.choice("ring", ring, _RINGS)
        arguments.choice("input_order", input_order, _ORDERS)
        arguments.choice("output_order", output_order, _ORDERS)
        word_bits = arguments.integer("word_bits", word_bits, 0, 64, "word_bits is 32 or 64")
        threads = arguments.integer("threads", threads, 0, 1024, "0 means all this process may use")
        batch = arguments.integer("batch", batch, 1, 2**20)
        spec = _core.NttSpec(
            n, values, ring, input_order, output_order, word_bits, given, transform
        )
        self._device: DevicePlan | None = None
        if device == "cpu":
            self._plan = _make_plan(spec, threads, target, recipe, algorithm, radix, wisdom, batch)
        else:
            given_for_cpu = {"target": target, "algorithm": algorithm, "radix": radix}
            self._plan = self._device = _make_device_plan(
                spec, device, threads, recipe, wisdom, batch, self._limb_axis, given_for_cpu
            )
        core = self._plan.spec
        self._spec = NttSpec(
            n,
            tuple(core.moduli),
            core.ring,
            core.input_order,
            core.output_order,
            core.word_bits,
            tuple(core.roots),
            core.transform,
        )
        self._dtype = np.dtype(np.uint64 if core.word_bits == 64 else np.uint32)
        self._arguments = {
            "n": n,
            "moduli": values if self._limb_axis else values[0],
            "ring": ring,
            "input_order": input_order,
            "output_order": output_order,
            "word_bits": word_bits,
            "roots": None if roots is None else (given if several else given[0]),
            "threads": threads,
            "target": target,
            "recipe": None if recipe is None else dict(recipe),
            "algorithm": algorithm,
            "radix": radix or None,
            "transform": transform,
            "device": device,
        }

    @property
    def spec(self) -> NttSpec:
        """What is transformed, with the roots filled in."""
        return self._spec

    @property
    def recipe(self) -> dict[str, Any]:
        """How it is computed on this machine: target, arithmetic per limb, radix, threads."""
        return dict(json.loads(self._plan.recipe_json))

    @property
    def n(self) -> int:
        """Transform size."""
        return self._spec.n

    @property
    def limbs(self) -> int:
        """Number of moduli."""
        return len(self._spec.moduli)

    @property
    def dtype(self) -> np.dtype[Any]:
        """dtype of every array: uint64 or uint32."""
        return self._dtype

    @property
    def device(self) -> str:
        """Where it runs and where arrays are: "cpu", or the name of a GPU, "cuda:0"."""
        return "cpu" if self._device is None else self._device.name

    def forward(
        self, x: Any, out: Any = None, check: bool | None = None, stream: Any = None
    ) -> Any:
        """Transform of each row.

        Parameters
        ----------
        x : array, shape (..., limbs, n) or (..., n)
            Residues in [0, q), in ``input_order``.
        out : array, optional
            Where the result goes, same shape; ``out=x`` works in place. A new array if not given.
        check : bool
            Verify that every residue is below its modulus; if not, such input gives wrong output.
            By default done on the CPU and not on a GPU, where it waits for the stream.
        stream : optional
            GPU only: a stream object or its address.

        Returns
        -------
        array
            ``out``, residues in [0, q), in ``output_order``.

        Raises
        ------
        ArgumentTypeError, SizeError
            Wrong dtype; wrong shape, layout, overlap, or a read-only ``out``.
        ParameterError
            A residue is not below its modulus; the message says which.
        """
        if self._device is not None:
            return self._device.unary("forward", x, out, check, stream)
        source, result = self._unary(x, out, check, stream)
        self._plan.forward(source, result)
        return result

    def inverse(
        self, x: Any, out: Any = None, check: bool | None = None, stream: Any = None
    ) -> Any:
        """Inverse transform of each row: undoes :meth:`forward` exactly, factor 1/n included.

        Parameters, result and errors as for :meth:`forward`, with the two orders exchanged.
        """
        if self._device is not None:
            return self._device.unary("inverse", x, out, check, stream)
        source, result = self._unary(x, out, check, stream)
        self._plan.inverse(source, result)
        return result

    def multiply(
        self, a: Any, b: Any, out: Any = None, check: bool | None = None, stream: Any = None
    ) -> Any:
        """``a * b`` residue by residue: the product of transformed polynomials.

        ``out`` may be ``a`` or ``b``. Shapes and errors as for :meth:`forward`.
        """
        if self._device is not None:
            return self._device.binary("multiply", a, b, out, check, stream)
        left, right, result = self._binary(a, b, out, check, stream)
        self._plan.multiply(left, right, result)
        return result

    def multiply_accumulate(
        self, a: Any, b: Any, accumulator: Any, check: bool | None = None, stream: Any = None
    ) -> Any:
        """``accumulator += a * b`` residue by residue; returns ``accumulator``.

        Shapes and errors as for :meth:`forward`.
        """
        if self._device is not None:
            return self._device.binary("multiply_accumulate", a, b, accumulator, check, stream)
        left, right, result = self._binary(a, b, accumulator, check, stream, name="accumulator")
        if check is not False:
            self._require_reduced("accumulator", result)
        self._plan.multiply_accumulate(left, right, result)
        return result

    def polynomial_product(
        self,
        a: Any,
        b: Any,
        out: Any = None,
        check: bool | None = None,
        stream: Any = None,
        workspace: Any = None,
    ) -> Any:
        """``a * b`` in the ring, all in coefficient form (``input_order``).

        ``out`` may be ``a`` or ``b``. Shapes and errors as for :meth:`forward`. On a GPU
        ``workspace`` is an array like ``out``, allocated if not given; a stream that is being
        captured needs both.
        """
        if self._device is not None:
            operation = "polynomial_product"
            return self._device.binary(operation, a, b, out, check, stream, workspace)
        left, right, result = self._binary(a, b, out, check, stream)
        self._plan.polynomial_product(left, right, result, np.empty_like(result))
        return result

    def trace(self, x: Any, direction: str = "forward") -> NttTrace:
        """The values after each step of one transform, to check other implementations against.

        Parameters
        ----------
        x : array, shape (n,) or (1, n)
            Residues in [0, q), in the order that ``direction`` reads.
        direction : {"forward", "inverse"}

        Raises
        ------
        ParameterError
            The plan runs the merged kernels (give ``algorithm``), has several limbs, or n > 2^17.
        """
        if self._device is not None:
            raise ParameterError("a plan on a GPU has no trace: make one with device='cpu'")
        array = self._input("x", x, True)
        flat = np.ascontiguousarray(array.reshape(-1), dtype=np.uint64)
        return trace_of(self._plan.spec, self._plan.recipe_json, direction, flat)

    def _input(self, name: str, x: Any, check: bool | None) -> NDArray[Any]:
        array: NDArray[Any] = arguments.words(name, x, self._dtype)
        tail = (self.limbs, self.n) if self._limb_axis else (self.n,)
        if array.shape[-len(tail) :] != tail:
            text = ", ".join(map(str, tail))
            hint = "limbs, n" if self._limb_axis else "n"
            raise SizeError(f"{name} has shape {array.shape}: need (..., {text}) = (..., {hint})")
        if check is not False:
            self._require_reduced(name, array)
        return array

    def _require_reduced(self, name: str, x: NDArray[Any]) -> None:
        try:
            self._plan.require_reduced(x)
        except ParameterError:
            # Say it in the words and indices of the caller's array.
            moduli = np.array(self._spec.moduli, dtype=np.uint64)
            limits = moduli[:, None] if self._limb_axis else moduli
            index = tuple(int(i) for i in np.argwhere(x >= limits)[0])
            q = self._spec.moduli[index[-2] if self._limb_axis else 0]
            raise ParameterError(
                f"{name}[{', '.join(map(str, index))}] = {x[index]} is not in [0, q) with q = {q}: "
                f"reduce {name} modulo q first"
            ) from None

    def _unary(
        self, x: Any, out: Any, check: bool | None, stream: Any
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        _require_no_stream(stream)
        source = self._input("x", x, check)
        if out is None:
            return source, np.empty_like(source)
        result = arguments.output("out", out, self._dtype, source.shape)
        arguments.require_same_or_disjoint("x", source, "out", result)
        return source, result

    def _binary(
        self, a: Any, b: Any, out: Any, check: bool | None, stream: Any, name: str = "out"
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        _require_no_stream(stream)
        left = self._input("a", a, check)
        right = self._input("b", b, check)
        if left.shape != right.shape:
            raise SizeError(
                f"a has shape {left.shape} and b has shape {right.shape}: need equal shapes"
            )
        if out is None and name == "out":
            return left, right, np.empty_like(left)
        result = arguments.output(name, out, self._dtype, left.shape)
        arguments.require_same_or_disjoint("a", left, name, result)
        arguments.require_same_or_disjoint("b", right, name, result)
        return left, right, result

    def __repr__(self) -> str:
        s = self._spec
        moduli = list(s.moduli) if self._limb_axis else s.moduli[0]
        where = f"device={self.device!r}" if self._device else f"target={self.recipe['target']!r}"
        return (
            f"NttPlan(n={s.n}, moduli={moduli}, ring={s.ring!r}, input_order={s.input_order!r}, "
            f"output_order={s.output_order!r}, word_bits={s.word_bits}, {where})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The recipe is chosen anew on the machine that loads the pickle, unless it was given.
        return _rebuild, (self._arguments,)


@dataclass(frozen=True)
class RecipeCandidate:
    """One way to compute a transform, and what the model predicts for it."""

    recipe: dict[str, Any]
    predicted_ns: float


def candidate_recipes(
    spec: NttSpec, targets: Iterable[str] | None = None, threads: int = 1
) -> list[RecipeCandidate]:
    """Every recipe that can do a spec on the given targets, cheapest prediction first.

    Parameters
    ----------
    spec : NttSpec
        As in :attr:`NttPlan.spec`.
    targets : iterable of str, optional
        By default those this machine can run.
    threads : int
        Threads the recipes use, 1 ... 1024.

    Returns
    -------
    list of RecipeCandidate
        Predictions are nanoseconds for one forward transform of all limbs. They rank the recipes
        of one spec and promise nothing.

    Examples
    --------
    >>> plan = NttPlan(1024, 12289)
    >>> best = candidate_recipes(plan.spec)[0]
    >>> NttPlan(1024, 12289, recipe=best.recipe).recipe == best.recipe
    True
    """
    names = _core.available_targets() if targets is None else list(targets)
    threads = arguments.integer("threads", threads, 1, 1024)
    return [
        RecipeCandidate(dict(json.loads(text)), float(ns))
        for text, ns in _core.candidate_recipes(core_spec(spec), names, threads)
    ]


def core_spec(spec: NttSpec) -> Any:
    """The compiled core's form of a spec."""
    return _core.NttSpec(
        spec.n,
        list(spec.moduli),
        spec.ring,
        spec.input_order,
        spec.output_order,
        spec.word_bits,
        list(spec.roots),
        spec.transform,
    )


def _make_plan(
    spec: Any,
    threads: int,
    target: str | None,
    recipe: Mapping[str, Any] | None,
    algorithm: str | None,
    radix: int | None,
    wisdom: Wisdom | None,
    batch: int,
) -> Any:
    collected = algorithm not in (None, _MERGED)
    if radix is not None and not collected:
        raise ParameterError(f"radix = {radix} goes with an algorithm of the collection only")
    if wisdom is not None and (collected or recipe is not None):
        raise ParameterError("wisdom is given together with recipe or algorithm: give one of them")
    if recipe is not None:
        if target is not None or threads != 1 or algorithm is not None:
            raise ParameterError(
                "recipe is given together with target, threads or algorithm: "
                "set them inside the recipe"
            )
        return _core.NttPlan(spec, json.dumps(dict(recipe)))
    threads = threads or _core.default_threads()
    if collected:
        if target not in (None, "scalar"):
            raise ParameterError(f"target = {target!r}: the algorithm collection is scalar")
        radix = arguments.integer("radix", 0 if radix is None else radix, 0, 2**16)
        chosen = json.loads(_core.algorithm_recipe(spec, str(algorithm), radix))
        return _core.NttPlan(spec, json.dumps(chosen | {"threads": threads}))
    known = None if wisdom is None else wisdom._core.find(spec, threads, batch, target)
    if known is not None:
        return _core.NttPlan(spec, known)
    if target is not None:
        # Exactly this target, even where the explorer would predict a lower one to be faster.
        _core.require_target(str(target))
        return _core.NttPlan(spec, _core.candidate_recipes(spec, [str(target)], threads)[0][0])
    return _core.NttPlan(spec, threads)


def _make_device_plan(
    spec: Any,
    device: str,
    threads: int,
    recipe: Mapping[str, Any] | None,
    wisdom: Wisdom | None,
    batch: int,
    limb_axis: bool,
    given_for_cpu: dict[str, Any],
) -> DevicePlan:
    from .cuda._plan import DevicePlan

    for name, value in given_for_cpu.items():
        if value is not None:
            raise ParameterError(f"{name} = {value!r} goes with device = 'cpu' only")
    if threads != 1:
        raise ParameterError(f"threads = {threads} goes with device = 'cpu' only")
    if wisdom is not None and recipe is not None:
        raise ParameterError("wisdom is given together with recipe: give one of them")
    return DevicePlan(spec, str(device), recipe, limb_axis, wisdom, batch)


def _require_no_stream(stream: Any) -> None:
    if stream is not None:
        raise ParameterError("stream is given and the plan runs on the CPU: leave it out")


def _rebuild(keywords: dict[str, Any]) -> NttPlan:
    return NttPlan(**keywords)


def _one_or_more(field: str, value: Any, several: bool) -> list[int]:
    if several:
        return arguments.integers(field, value, 0, _WORD)
    return [arguments.integer(field, value, 0, _WORD)]

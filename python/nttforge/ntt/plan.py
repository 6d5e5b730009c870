# SPDX-License-Identifier: Apache-2.0
"""Transforms: a specification, a recipe for this machine, and the plan that runs it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments as arguments
from .. import _core
from ..errors import ArgumentTypeError, ParameterError
from ._devices import registered
from ._host_plan import HostPlan, core_plan
from ._plan_calls import PlanCalls
from .spec import (
    ORDERS,
    RINGS,
    TRANSFORMS,
    NttSpec,
    RecipeCandidate,
    candidate_recipes,
    complete_part,
    spec_of,
)

if TYPE_CHECKING:
    from ..cuda._plan import DevicePlan
    from ..typing import (
        AlgorithmName,
        Direction,
        HostWords,
        IntegerRows,
        Order,
        Recipe,
        Ring,
        Target,
        Transform,
        WordBits,
    )
    from .algorithms import NttTrace
    from .explorer import Wisdom

__all__ = ["NttPlan", "NttSpec", "RecipeCandidate", "candidate_recipes"]


class NttPlan(PlanCalls):
    """An executable number theoretic transform: immutable, thread-safe, picklable.

    Parameters
    ----------
    n : int
        Transform size, a power of two, 1 ... 2^24 on CPUs, 1 ... 2^28 on GPUs.
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
    layers : int, optional
        CPU only: an incomplete transform, of so few layers that every modulus carries it, whose
        :meth:`multiply` is the base product of residues modulo factors of degree n / 2^layers, see
        :class:`NttSpec`. ML-KEM's (n = 256, q = 3329) has 7 [FIPS 203, section 4.3].
    threads : int
        Threads over batch and limbs, or over one large row; 0, the default, for
        ``NTTFORGE_THREADS``, or all this process may use. Small calls stay on the caller's thread,
        and more threads than CPUs are never started.
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
        apply. "rtl" runs transforms on a Verilog design that Verilator compiles when the plan is
        made, cycle by cycle: the same words, thousands of times slower, for n of 8 ... 65536 and
        arrays in host memory; ``recipe`` then has any of dp, pp, engines, core and pipeline, and
        :attr:`cycles` counts. Needs ``nttforge[hardware]``, which registers the device, and a C++
        compiler.
    inverse_factors : int or iterable of int, optional
        GPU only: a factor in [0, q) per limb that :meth:`inverse` and :meth:`polynomial_product`
        multiply by, merged with 1/n so that it costs nothing.

    Raises
    ------
    ParameterError
        A field is invalid; the message names it, its value, what is allowed and a remedy.
    ArgumentTypeError
        A field has the wrong type.
    FormatError
        The recipe has missing, unknown or malformed members.
    UnsupportedError
        The target or recipe cannot run on this machine, or the device's package is not installed.

    Notes
    -----
    Arrays are used in place, never copied: NumPy arrays or objects with ``__dlpack__`` or
    ``__array_interface__`` in CPU memory, C-contiguous, of exactly the word's dtype. On the CPU
    lists of integers and signed arrays are converted: x in (-q, q) is the residue x mod q. All
    methods release the GIL and may be called from several threads.

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
    >>> kem = NttPlan(n=256, moduli=3329, layers=7)
    >>> kem.spec.roots  # zeta of FIPS 203
    (17,)
    """

    __slots__ = ("_arguments", "_dtype", "_limb_axis", "_spec")

    def __init__(
        self,
        n: int,
        moduli: int | Iterable[int],
        ring: Ring = "negacyclic",
        input_order: Order = "natural",
        output_order: Order = "bit_reversed",
        word_bits: WordBits = 64,
        *,
        roots: int | Iterable[int] | None = None,
        threads: int = 0,
        target: Target | None = None,
        recipe: Mapping[str, Any] | None = None,
        algorithm: AlgorithmName | None = None,
        radix: int | None = None,
        wisdom: Wisdom | None = None,
        batch: int = 1,
        transform: Transform = "ntt",
        layers: int | None = None,
        device: str = "cpu",
        inverse_factors: int | Iterable[int] | None = None,
    ) -> None:
        self._limb_axis = not isinstance(moduli, (int, np.integer))
        n = arguments.transform_size(n)
        values = arguments.one_or_more("moduli", moduli, self._limb_axis)
        arguments.choice("transform", transform, TRANSFORMS)
        several, need = self._limb_axis or transform == "dgt", "one per modulus"
        if transform == "dgt":
            need = "a pair per modulus, real and imaginary part"
        given = [] if roots is None else arguments.one_or_more("roots", roots, several, need)
        arguments.choice("ring", ring, RINGS)
        arguments.choice("input_order", input_order, ORDERS)
        arguments.choice("output_order", output_order, ORDERS)
        bits = arguments.integer("word_bits", word_bits, 0, 64, "word_bits is 32 or 64")
        threads = arguments.integer("threads", threads, 0, 1024, "0 means all this process may use")
        batch = arguments.integer("batch", batch, 1, 2**20)
        if wisdom is not None:
            _require_wisdom(wisdom)
        if recipe is not None and not isinstance(recipe, Mapping):
            raise ArgumentTypeError(f"recipe is a {type(recipe).__name__}: need a mapping")
        factors = None
        if inverse_factors is not None:
            factors = arguments.one_or_more("inverse_factors", inverse_factors, self._limb_axis)
        spec = _core.NttSpec(n, values, ring, input_order, output_order, bits, given, transform)
        if device == "cpu":
            if factors is not None:
                raise ParameterError(
                    "inverse_factors goes with device = 'cuda' only: multiply the residues"
                )
            part = spec if layers is None else complete_part(spec, layers)
            core = core_plan(part, threads, target, recipe, algorithm, radix, wisdom, batch)
            own = core if layers is None else _core.IncompleteNttPlan(core, n)
            self._plan = HostPlan(own, self._limb_axis)
        elif layers is not None:
            raise ParameterError(f"layers = {layers} goes with device = 'cpu' only")
        elif not str(device).startswith("cuda") and (provided := registered(str(device))):
            for_others = {
                "threads": threads or None,
                "target": target,
                "algorithm": algorithm,
                "radix": radix,
                "wisdom": wisdom,
                "inverse_factors": factors,
            }
            for name, value in for_others.items():
                if value is not None:
                    raise ParameterError(f"{name} = {value!r} does not go with device = {device!r}")
            self._plan = provided(spec, recipe, self._limb_axis)
        else:
            given_for_cpu = {"target": target, "algorithm": algorithm, "radix": radix}
            self._plan = _make_device_plan(
                spec,
                device,
                threads,
                recipe,
                wisdom,
                batch,
                self._limb_axis,
                given_for_cpu,
                factors,
            )
        self._spec = spec_of(self._plan.spec, None if layers is None else int(layers))
        self._dtype: np.dtype[np.uint64 | np.uint32] = (
            np.dtype(np.uint64) if self._spec.word_bits == 64 else np.dtype(np.uint32)
        )
        self._arguments = {
            "n": n,
            "moduli": values if self._limb_axis else values[0],
            "ring": ring,
            "input_order": input_order,
            "output_order": output_order,
            "word_bits": bits,
            "roots": None if roots is None else (given if several else given[0]),
            "threads": threads,
            "target": target,
            "recipe": None if recipe is None else dict(recipe),
            "algorithm": algorithm,
            "radix": radix or None,
            "transform": transform,
            "layers": self._spec.layers,
            "device": device,
            "inverse_factors": (
                None if factors is None else (factors if self._limb_axis else factors[0])
            ),
        }

    @property
    def spec(self) -> NttSpec:
        """What is transformed, with the roots filled in."""
        return self._spec

    @property
    def recipe(self) -> Recipe:
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
    def dtype(self) -> np.dtype[np.uint64 | np.uint32]:
        """dtype of every array: uint64 or uint32."""
        return self._dtype

    @property
    def device(self) -> str:
        """Where it runs: "cpu", "rtl", or the name of a GPU, "cuda:0", with the arrays."""
        return self._plan.name

    @property
    def cycles(self) -> int:
        """Clock cycles of the design since the plan was made; ``device="rtl"`` only.

        Raises
        ------
        ParameterError
            The plan runs on another device.
        """
        found = getattr(self._plan, "cycles", None)
        if found is None:
            raise ParameterError(f"device = {self.device!r} counts no cycles: only 'rtl' does")
        return int(found)

    def trace(self, x: IntegerRows | HostWords, direction: Direction = "forward") -> NttTrace:
        """The values after each step of one transform, to check other implementations against.

        Parameters
        ----------
        x : array, shape (n,) or (1, n)
            Residues in [0, q), in the order that ``direction`` reads.
        direction : {"forward", "inverse"}

        Raises
        ------
        ParameterError
            The plan runs the merged kernels (give ``algorithm``), has several limbs or ``layers``,
            or n > 2^17.
        """
        if self._spec.layers is not None:
            raise ParameterError(
                f"layers = {self._spec.layers}: need a complete transform, which alone has a trace"
            )
        return self._plan.trace(x, direction)

    def __repr__(self) -> str:
        s = self._spec
        moduli = list(s.moduli) if self._limb_axis else s.moduli[0]
        on_cpu = self.device == "cpu"
        where = f"target={self.recipe['target']!r}" if on_cpu else f"device={self.device!r}"
        if s.transform != "ntt":
            where = f"transform={s.transform!r}, {where}"
        for name in ("layers", "roots", "algorithm"):
            if self._arguments[name] is not None:
                where = f"{name}={self._arguments[name]!r}, {where}"
        return (
            f"NttPlan(n={s.n}, moduli={moduli}, ring={s.ring!r}, input_order={s.input_order!r}, "
            f"output_order={s.output_order!r}, word_bits={s.word_bits}, {where})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The recipe is chosen anew on the machine that loads the pickle, unless it was given.
        return _rebuild, (self._arguments,)


def _make_device_plan(
    spec: _core.NttSpec,
    device: str,
    threads: int,
    recipe: Mapping[str, Any] | None,
    wisdom: Wisdom | None,
    batch: int,
    limb_axis: bool,
    given_for_cpu: dict[str, Any],
    factors: list[int] | None,
) -> DevicePlan:
    from ..cuda._plan import DevicePlan

    for name, value in given_for_cpu.items():
        if value is not None:
            raise ParameterError(f"{name} = {value!r} goes with device = 'cpu' only")
    if threads:
        raise ParameterError(f"threads = {threads} goes with device = 'cpu' only")
    if wisdom is not None and recipe is not None:
        raise ParameterError("wisdom is given together with recipe: give one of them")
    found = None if wisdom is None else wisdom._core
    return DevicePlan(spec, str(device), recipe, limb_axis, found, batch, factors or ())


def _rebuild(keywords: dict[str, Any]) -> NttPlan:
    return NttPlan(**keywords)


def _require_wisdom(wisdom: object) -> None:
    from .explorer import Wisdom

    if not isinstance(wisdom, Wisdom):
        raise ArgumentTypeError(
            f"wisdom is a {type(wisdom).__name__}: need a Wisdom, as of Wisdom.load(path)"
        )

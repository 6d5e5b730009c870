# SPDX-License-Identifier: Apache-2.0
"""The second half of Orion's backend: operations on ciphertexts; and how Orion gets it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from nttforge import ParameterError, SizeError, UnsupportedError

from ..signs import step_polynomials
from ..steps import plan_of
from .keys import Bytes
from .operations import Operations
from .ring import Options
from .values import Encrypted, Transform

__all__ = ["Backend", "use"]


class Backend(Operations):
    """Orion's 79 functions on ciphertexts of nttforge, with GetPolyDepth, which Orion also calls.

    Handles are integers, as Orion's own; functions called ``...New`` give a new one, the others
    work in place and return theirs. One process has the secret key and computes, as with Orion's
    own backend.

    Parameters
    ----------
    device : str
        "cpu", or a GPU.
    threads : int
        Of one operation on a CPU; 0 for all.
    scale_bits : int, optional
        log2 of our scale, 30 ... 55; by default 40, or LogScale where that is more. Orion's own
        scale is only counted.
    security : {"classical128", "classical192", "classical256"}
    bootstraps : bool
        Takes a set that bootstraps; :func:`use` does so where the configuration has
        ``boot_params``.
    insecure_n : int, optional
        With ``bootstraps``: a smaller n, without security, to try circuits out.

    Examples
    --------
    >>> backend = Backend()
    >>> backend.NewScheme(12, [50, 40, 40], [50], 40, 192, "standard", "", "none")
    >>> for call in ("NewKeyGenerator", "GenerateSecretKey", "GeneratePublicKey",
    ...              "GenerateRelinearizationKey", "GenerateEvaluationKeys", "NewEvaluator"):
    ...     getattr(backend, call)()
    >>> x = backend.Encrypt(backend.Encode([0.5, -0.25], 2, 2**40))
    >>> y = backend.Rescale(backend.MulRelinCiphertextNew(x, x))
    >>> [round(v, 6) for v in backend.Decode(backend.Decrypt(y))[:2]]
    [0.25, 0.0625]
    """

    def __init__(
        self,
        device: str = "cpu",
        *,
        threads: int = 0,
        scale_bits: int | None = None,
        security: str = "classical128",
        bootstraps: bool = False,
        insecure_n: int | None = None,
    ) -> None:
        super().__init__(Options(device, threads, scale_bits, security, bootstraps, insecure_n))

    # Rotations, sums and products.
    def NewEvaluator(self) -> None:
        """Makes the keys of all rotations by powers of two, as Orion's own backend does."""
        slots = self.ring.slots
        self.keys.add(self._folded(1 << k) for k in range(slots.bit_length() - 1))

    def AddRotationKey(self, amount: int) -> None:
        """A key for one rotation."""
        self.keys.add([self._folded(amount)])

    def Negate(self, handle: int) -> int:
        """A new ciphertext of the other sign."""
        return self._new(self._map(handle, lambda x: -x))

    def Rotate(self, handle: int, amount: int) -> int:
        """Slot i becomes slot i + amount."""
        return self._set(handle, self._rotated(handle, amount))

    def RotateNew(self, handle: int, amount: int) -> int:
        """Slot i becomes slot i + amount."""
        return self._new(self._rotated(handle, amount))

    def Rescale(self, handle: int) -> int:
        """Orion's scale over its modulus, and a level less."""
        return self._set(handle, self._rescaled(handle))

    def RescaleNew(self, handle: int) -> int:
        """As Rescale, which Orion's own backend also does to the argument."""
        return self._new(self._ciphertexts[self.Rescale(handle)])

    def AddScalar(self, handle: int, scalar: float) -> int:
        """A number is added to every slot."""
        return self._set(handle, self._plus_number(handle, scalar))

    def AddScalarNew(self, handle: int, scalar: float) -> int:
        """A number is added to every slot."""
        return self._new(self._plus_number(handle, scalar))

    def SubScalar(self, handle: int, scalar: float) -> int:
        """A number is subtracted from every slot."""
        return self._set(handle, self._plus_number(handle, -scalar))

    def SubScalarNew(self, handle: int, scalar: float) -> int:
        """A number is subtracted from every slot."""
        return self._new(self._plus_number(handle, -scalar))

    def MulScalarInt(self, handle: int, scalar: int) -> int:
        """Times an integer, at no level."""
        return self._set(handle, self._times_integer(handle, scalar))

    def MulScalarIntNew(self, handle: int, scalar: int) -> int:
        """Times an integer, at no level."""
        return self._new(self._times_integer(handle, scalar))

    def MulScalarFloat(self, handle: int, scalar: float) -> int:
        """Times a number; the caller rescales."""
        return self._set(handle, self._times_number(handle, scalar))

    def MulScalarFloatNew(self, handle: int, scalar: float) -> int:
        """Times a number; the caller rescales."""
        return self._new(self._times_number(handle, scalar))

    def AddPlaintext(self, handle: int, plaintext: int) -> int:
        """A sum with numbers in the clear."""
        return self._set(handle, self._plus_plain(handle, plaintext, 1))

    def AddPlaintextNew(self, handle: int, plaintext: int) -> int:
        """A sum with numbers in the clear."""
        return self._new(self._plus_plain(handle, plaintext, 1))

    def SubPlaintext(self, handle: int, plaintext: int) -> int:
        """A difference with numbers in the clear."""
        return self._set(handle, self._plus_plain(handle, plaintext, -1))

    def SubPlaintextNew(self, handle: int, plaintext: int) -> int:
        """A difference with numbers in the clear."""
        return self._new(self._plus_plain(handle, plaintext, -1))

    def MulPlaintext(self, handle: int, plaintext: int) -> int:
        """A product with numbers in the clear; the caller rescales."""
        return self._set(handle, self._times_plain(handle, plaintext))

    def MulPlaintextNew(self, handle: int, plaintext: int) -> int:
        """A product with numbers in the clear; the caller rescales."""
        return self._new(self._times_plain(handle, plaintext))

    def AddCiphertext(self, handle: int, other: int) -> int:
        """A sum."""
        return self._set(handle, self._plus(handle, other, 1))

    def AddCiphertextNew(self, handle: int, other: int) -> int:
        """A sum."""
        return self._new(self._plus(handle, other, 1))

    def SubCiphertext(self, handle: int, other: int) -> int:
        """A difference."""
        return self._set(handle, self._plus(handle, other, -1))

    def SubCiphertextNew(self, handle: int, other: int) -> int:
        """A difference."""
        return self._new(self._plus(handle, other, -1))

    def MulRelinCiphertext(self, handle: int, other: int) -> int:
        """A product in two parts; the caller rescales."""
        return self._set(handle, self._times(handle, other))

    def MulRelinCiphertextNew(self, handle: int, other: int) -> int:
        """A product in two parts; the caller rescales."""
        return self._new(self._times(handle, other))

    # Polynomials.
    def NewPolynomialEvaluator(self) -> None:
        """Nothing."""

    def GenerateMonomial(self, coefficients: Sequence[float]) -> int:
        """A polynomial by its coefficients, the constant first."""
        return self._polynomials.add((tuple(float(c) for c in coefficients), "power"))

    def GenerateChebyshev(self, coefficients: Sequence[float]) -> int:
        """A polynomial of numbers in [-1, 1] by its coefficients of Chebyshev polynomials."""
        return self._polynomials.add((tuple(float(c) for c in coefficients), "chebyshev"))

    def EvaluatePolynomial(self, handle: int, polynomial: int, scale: int) -> int:
        """A new ciphertext, of the scale that is stated."""
        x, (row, basis) = self._ciphertexts[handle], self._polynomials[polynomial]
        text = self._of_numbers(x)
        if basis == "chebyshev" and text.bound > 1:
            text = text.within(1.0)
        level = x.level - self.GetPolyDepth(polynomial)
        row = tuple(np.trim_zeros(np.array(row), "b").tolist())
        if len(row) < 2:
            raise ParameterError("the polynomial is a constant: need a degree of 1 or more")
        made = text.polynomial(row, self.keys.evaluation, basis=basis)
        return self._new(Encrypted(made, level, float(scale)))

    def GetPolyDepth(self, polynomial: int) -> int:
        """Levels that a polynomial takes."""
        return (len(self._polynomials[polynomial][0]) - 1).bit_length()

    def GenerateMinimaxSignCoeffs(
        self, degrees: Sequence[int], prec: int, logalpha: int, logerr: int, debug: int = 0
    ) -> list[float]:
        """Chebyshev coefficients of the step from 0 to 1, of all polynomials in a row."""
        return [
            c
            for row in step_polynomials([int(d) for d in degrees], int(logalpha), int(logerr))
            for c in row
        ]

    # Linear transforms.
    def NewLinearTransformEvaluator(self) -> None:
        """Nothing."""

    def GenerateLinearTransform(
        self,
        indices: Sequence[int],
        data: Sequence[float],
        level: int,
        bsgs_ratio: float = 2.0,
        io_mode: str = "none",
    ) -> int:
        """A matrix by its diagonals, one after the other; baby and giant steps are ours.

        With "load" diagonals come from files (LoadPlaintextDiagonal).
        """
        slots, found = self.ring.slots, dict[int, Any]()
        loaded = io_mode == "load"
        given = np.asarray([] if loaded else data, dtype=np.float64)
        if not loaded and given.size != len(indices) * slots:
            raise SizeError(
                f"data has {given.size} numbers: need {slots} for each of {len(indices)} diagonals"
            )
        for i, index in enumerate(indices):
            row = None if loaded else given[i * slots : (i + 1) * slots].copy()
            found[int(index) % slots] = row
        made = Transform(self.ring.level(level), found, plan_of(found, slots, folds=True))
        if io_mode == "none" and set(rows := made.complete()[0]) - {0}:
            self.numbers(made.prepared).prepare(rows, made.plan, 0, made.level)
        return self._transforms.add(made)

    def EvaluateLinearTransform(self, transform: int, handle: int) -> int:
        """The matrix times a ciphertext, a new one; the caller rescales."""
        matrix, x = self._transforms[transform], self._ciphertexts[handle]
        text = self._settled(x)
        if text.level > matrix.level:
            text = text.mod_switch(matrix.level)
        rows, growth = matrix.complete()
        # Folded vectors are bounded by twice as much.
        text = self._fitting(text, text.level - 1, growth * (2 if matrix.plan.fold else 1))
        carried = self.numbers(matrix.prepared)
        if not rows:
            made = text - text
        elif set(rows) == {0}:
            made = carried.multiply_plain(text, rows[0], 0)
        else:
            most = text.bound * growth
            made = carried.planned_transform(text, rows, matrix.plan, 0)
            made = made.within(most) if made.bound > most else made
        return self._new(self._product(x, made, self.ring.moduli[x.level]))

    def DeleteLinearTransform(self, transform: int) -> None:
        """Forgets one."""
        self._transforms.remove(transform)

    def GetLinearTransformRotationKeys(self, transform: int) -> list[int]:
        """What names the keys that it needs: steps, as numbers from 1 on; conjugation as slots."""
        slots, plan = self.ring.slots, self._transforms[transform].plan
        return [step % slots for step in plan.rotations] + [slots] * bool(plan.fold)

    def GenerateLinearTransformRotationKey(self, key: int) -> None:
        """A key by what names it."""
        self.keys.add([self._folded(key)], conjugation=key == self.ring.slots)

    def GenerateAndSerializeRotationKey(self, key: int) -> tuple[Bytes, None]:
        """A key's bytes; the key itself is not kept."""
        return self.keys.serialized(self._folded(key)), None

    def LoadRotationKey(self, data: Any, key: int) -> None:
        """A key from its bytes."""
        self.keys.load(data, self._folded(key))

    def SerializeDiagonal(self, transform: int, index: int) -> tuple[Bytes, None]:
        """A diagonal's numbers as bytes; it is not kept."""
        matrix, number = self._transforms[transform], index % self.ring.slots
        found = matrix.rows.get(number)
        if found is None:
            raise ParameterError(f"diagonal {index} of the linear transform is not there")
        matrix.put(number, None)
        return np.frombuffer(found.astype("<f8").tobytes(), dtype=np.uint8), None

    def LoadPlaintextDiagonal(self, data: Any, transform: int, index: int) -> None:
        """A diagonal from its bytes."""
        values = np.frombuffer(np.asarray(data, dtype=np.uint8).tobytes(), "<f8").astype(np.float64)
        if len(values) != self.ring.slots or not np.isfinite(values).all():
            raise SizeError(f"diagonal {index} has {len(values)} numbers: need {self.ring.slots}")
        self._transforms[transform].put(index % self.ring.slots, values)

    def RemovePlaintextDiagonals(self, transform: int) -> None:
        """Forgets the diagonals, and what was encoded of them."""
        matrix = self._transforms[transform]
        for index in matrix.rows:
            matrix.put(index, None)
        matrix.prepared.clear()

    def RemoveRotationKeys(self) -> None:
        """Forgets all rotation keys."""
        self.keys.remove()

    # Bootstraps.
    def NewBootstrapper(self, logp: Sequence[int], slots: int) -> None:
        """Keys of bootstraps; all slots are bootstrapped, whatever part of them is in use."""
        self.keys.boots(self._machine())

    def Bootstrap(self, handle: int, slots: int) -> int:
        """A new ciphertext of the highest level, of numbers up to 1."""
        x, ring, machine = self._ciphertexts[handle], self.ring, self._machine()
        text = self._of_numbers(x).rescale()
        text = self.not_refused(text.within(1.0) if text.bound > 1 else text)
        made = self.keys.boots(machine).bootstrap(text, level=ring.level(ring.top))
        return self._new(Encrypted(made, ring.top, 2.0**ring.log_scale))

    def DeleteBootstrappers(self) -> None:
        """Forgets the keys of bootstraps."""
        if self._keys is not None:
            self._keys.forget_boots()


def use(device: str = "cpu", **options: Any) -> None:
    """Orion, the package orion-fhe, computes with nttforge from the next ``init_scheme`` on.

    Parameters
    ----------
    device : str
        "cpu", or a GPU.
    **options
        Those of :class:`Backend`.

    Raises
    ------
    UnsupportedError
        Orion is not installed.

    Examples
    --------
    >>> import nttforge  # doctest: +SKIP
    >>> nttforge.orion.use("cuda")  # doctest: +SKIP
    >>> import orion  # doctest: +SKIP
    >>> scheme = orion.init_scheme("configs/mlp.yml")  # doctest: +SKIP
    """
    Backend(device, **options)  # says what is wrong with options before anything is imported
    try:
        scheme = importlib.import_module("orion.core.orion").Scheme
    except ImportError as error:
        raise UnsupportedError(
            f"orion cannot be imported ({error}): pip install orion-fhe, which brings PyTorch"
        ) from error

    def setup_backend(self: Any, params: Any) -> Backend:
        boots = bool(getattr(params, "params_json", {}).get("boot_params"))
        made = Backend(device, **{"bootstraps": boots, **options})
        made.NewScheme(
            params.get_logn(), params.get_logq(), params.get_logp(), params.get_logscale(),
            params.get_hamming_weight(), params.get_ringtype(), params.get_keys_path(),
            params.get_io_mode(),
        )  # fmt: skip
        return made

    scheme.setup_backend = setup_backend

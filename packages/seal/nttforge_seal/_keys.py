# SPDX-License-Identifier: Apache-2.0
"""Keys of SEAL."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nttforge import _core
from nttforge._secrecy import require_may_hold
from nttforge.errors import ContextError, FormatError, MissingKeyError
from nttforge.integer_encoding import Context
from nttforge.rlwe import EvaluationKeys, PublicKey, RelinearizationKey, RotationKeys, SecretKey
from nttforge.rlwe._require import require, steady

from ._parameters import key_identifier, require_one_digit_a_prime
from ._polynomials import read_polynomials
from ._source import Source, open_source

if TYPE_CHECKING:
    from nttforge.typing import BytesLike

__all__ = ["import_keys", "import_public_key", "import_secret_key"]


def _require_identifier(source: Source, context: Context) -> None:
    if source.bytes(32, "parms_id") != key_identifier(context):
        raise ContextError(
            f"{source.what}.parms_id is not that of keys of {context!r}: make the context with "
            "import_parameters of the parameters that the key was made for"
        )


def import_secret_key(context: Context, data: BytesLike) -> SecretKey:
    """The secret key that ``SecretKey::save`` wrote.

    :class:`~nttforge.bfv.KeyGenerator` makes every other key for it, with bytes of their own.

    Parameters
    ----------
    context : Context
        Of :func:`import_parameters`.
    data : bytes-like
        Python keeps copies of them that are not wiped: do this where the secret may be.

    Raises
    ------
    FormatError
        The bytes are no secret key of SEAL 4.
    ParameterError
        Its words are not those of a ternary polynomial.
    ContextError
        It belongs to other parameters.
    UnsupportedError
        This process refuses secret keys, as :meth:`SecretKey.from_bytes`.
    """
    require(context, Context, "context")
    require_may_hold("a secret key of SEAL")
    with steady(data) as given:
        source = open_source("secret key", given)
        _require_identifier(source, context)
        parameters = context.parameters
        words = context.n * (len(parameters.q) + len(parameters.special))
        source.expect("coeff_count", words)
        _require_unscaled(source)
        residues = source.words("data", (words,))
        source.finish()
    return SecretKey._wrap(context, _core.rlwe.secret_key_from_words(context._core, residues))


def import_public_key(context: Context, data: BytesLike) -> PublicKey:
    """The public key that ``PublicKey::save`` wrote; it encrypts, but has no bytes of its own.

    Parameters
    ----------
    context : Context
        Of :func:`import_parameters`.
    data : bytes-like

    Raises
    ------
    FormatError
        The bytes are no public key of SEAL 4.
    ParameterError
        A residue is not below its prime.
    ContextError
        It belongs to other parameters.
    """
    require(context, Context, "context")
    with steady(data) as given:
        source = open_source("public key", given)
        words = _pair(source, context)
        source.finish()
    return PublicKey._wrap(context, _core.rlwe.public_key_from_words(context._core, words))


def import_keys(
    context: Context,
    *,
    relinearization: BytesLike | None = None,
    rotations: BytesLike | None = None,
) -> EvaluationKeys:
    """The evaluation keys that ``RelinKeys::save`` and ``GaloisKeys::save`` wrote.

    They work as keys of this library do, but have no seed in its sense and so no bytes of their
    own: keep those of SEAL.

    Parameters
    ----------
    context : Context
        Of :func:`import_parameters`.
    relinearization, rotations : bytes-like, optional
        At least one. Of relinearization keys the first one is read, that of s^2.

    Raises
    ------
    MissingKeyError
        Neither is given.
    FormatError
        The bytes are no such keys of SEAL 4.
    ParameterError
        A residue is not below its prime.
    ContextError
        They belong to other parameters.
    UnsupportedError
        They take more memory than there is.
    """
    require_one_digit_a_prime(context)
    if relinearization is None and rotations is None:
        raise MissingKeyError("relinearization and rotations are both None: give one of them")
    return EvaluationKeys(
        None if relinearization is None else _relinearization(context, relinearization),
        None if rotations is None else _rotations(context, rotations),
    )


def _relinearization(context: Context, data: BytesLike) -> RelinearizationKey:
    with steady(data) as given:
        source = open_source("relinearization keys", given)
        _require_identifier(source, context)
        count = source.number("size")
        if not 1 <= count <= 14:
            raise FormatError(f"relinearization keys.size = {count} is out of range [1, 14]")
        words = _digits(source, context, 0)
        for index in range(1, count):
            _digits(source, context, index)  # for powers of s that products here never have
        source.finish()
    if words is None:
        raise FormatError("relinearization keys: the key for s^2 is missing")
    core = _core.rlwe.relinearization_key_from_words(context._core, words)
    return RelinearizationKey._wrap(context, core)


def _rotations(context: Context, data: BytesLike) -> RotationKeys:
    core, count = _core.rlwe.no_rotation_keys(context._core), 0
    with steady(data) as given:
        source = open_source("Galois keys", given)
        _require_identifier(source, context)
        source.expect("size", context.n)
        for index in range(context.n):
            words = _digits(source, context, index)
            if words is None:
                continue
            if index == 0:
                raise FormatError("Galois keys[0]: element 1 changes nothing and has no key")
            _core.rlwe.insert_rotation_key(core, context._core, words, 2 * index + 1)
            count += 1
        source.finish()
    if count == 0:
        raise FormatError("Galois keys: there is none")
    return RotationKeys._wrap(context, core)


def _digits(source: Source, context: Context, index: int) -> NDArray[np.uint64] | None:
    """One key [digits][2][K][n], or None where there is none."""
    digits = len(context.parameters.q)
    count = source.number(f"[{index}].size")
    if count not in (0, digits):
        raise FormatError(f"{source.what}[{index}].size = {count}: need 0 or {digits}")
    if count == 0:
        return None
    limbs = digits + len(context.parameters.special)
    words = 2 * limbs * context.n
    context._core.require_memory(2 * 8 * digits * words, f"{source.what}[{index}], read and made")
    result = np.empty((digits, words), np.uint64)
    for digit in range(digits):
        source.nested(f"[{index}][{digit}]")
        result[digit] = _pair(source, context)
    return result.reshape(-1)


def _pair(source: Source, context: Context) -> NDArray[np.uint64]:
    """A pair as SEAL has it in every key: a transformed ciphertext of all primes."""
    _require_identifier(source, context)
    source.expect("is_ntt_form", 1, 1)
    source.expect("parts", 2)
    parameters = context.parameters
    moduli = (*parameters.q, *parameters.special)
    source.expect("poly_modulus_degree", context.n)
    source.expect("coeff_modulus_size", len(moduli))
    _require_unscaled(source)
    source.expect("correction_factor", 1)
    return read_polynomials(source, 2, context.n, moduli)[0].reshape(-1)


def _require_unscaled(source: Source) -> None:
    if source.bytes(8, "scale") != struct.pack("<d", 1.0):
        raise FormatError(f"{source.what}.scale: need 1.0 in BFV and BGV")

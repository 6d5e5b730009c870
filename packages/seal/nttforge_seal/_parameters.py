# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of SEAL, and the identifiers by which its objects name them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from nttforge import bfv, bgv
from nttforge.errors import ContextError, FormatError, ParameterError
from nttforge.integer_encoding import Context
from nttforge.rlwe._require import require, steady

from ._source import open_source

if TYPE_CHECKING:
    from nttforge.typing import BytesLike, SecurityLevel, SecurityTable

__all__ = ["identifier", "import_parameters", "key_identifier", "require_one_digit_a_prime"]

_SCHEMES = {1: "BFV", 2: "CKKS", 3: "BGV"}
_NUMBERS = {"BFV": 1, "BGV": 3}
_MOST_PRIMES = 64


def import_parameters(
    data: BytesLike,
    *,
    security: SecurityLevel = "classical128",
    security_table: SecurityTable = "guidelines2024",
) -> bfv.Parameters | bgv.Parameters:
    """A parameter set that SEAL saved.

    SEAL's last prime is the special one, the others are the ciphertext modulus in their order; a
    set of one prime has no evaluation keys. Secrets are ternary.

    Parameters
    ----------
    data : bytes-like
        What ``EncryptionParameters::save`` wrote.
    security : {"classical128", "classical192", "classical256", "insecure_by_request"}
        The level to check against, since SEAL's bytes do not say which one was meant.
    security_table : {"guidelines2024", "hes2018"}
        The limits to check against: the strictest, or the older ones that SEAL's own sets follow,
        most of which exceed the others.

    Returns
    -------
    bfv.Parameters or bgv.Parameters
        As the bytes say.

    Raises
    ------
    FormatError
        The bytes are no parameters of SEAL 4, or of CKKS.
    ParameterError
        The set is less secure than asked for, or a field is out of range.
    """
    with steady(data) as given:
        source = open_source("parameters", given)
        scheme = _SCHEMES.get(source.number("scheme", 1))
        if scheme not in _NUMBERS:
            raise FormatError(
                f"parameters.scheme is {scheme or 'none that is known'}: BFV and BGV are read"
            )
        n, count = source.number("poly_modulus_degree"), source.number("coeff_modulus.size")
        if not 1 <= count <= _MOST_PRIMES:
            raise FormatError(
                f"parameters.coeff_modulus.size = {count} is out of range [1, {_MOST_PRIMES}]"
            )
        moduli = []
        for _ in range(count + 1):
            source.nested("modulus")
            moduli.append(source.number("modulus"))
        source.finish()
    if n > 2**17:
        raise FormatError(f"parameters.poly_modulus_degree = {n}: at most 2^17")
    t = moduli.pop()
    special = moduli.pop() if count > 1 else 0
    make = partial(
        (bfv.Parameters if scheme == "BFV" else bgv.Parameters).custom,
        *(n, t, moduli, special, security),
        digit_primes=1,
    )
    try:
        return make(security_table=security_table)
    except ParameterError as error:
        if security_table == "hes2018":
            raise
        try:
            make(security_table="hes2018")
        except ParameterError:
            raise error from None
        raise ParameterError(
            f"{error}; SEAL's own sets follow the standard of 2018: pass "
            'security_table="hes2018" if you accept that'
        ) from None


def identifier(context: Context, moduli: Sequence[int]) -> bytes:
    """SEAL's ``parms_id`` of the context's set with these primes."""
    numbers = (_NUMBERS[context._scheme], context.n, *moduli, context.t)
    return hashlib.blake2b(struct.pack(f"<{len(numbers)}Q", *numbers), digest_size=32).digest()


def key_identifier(context: Context) -> bytes:
    """The ``parms_id`` that keys have: that of all primes."""
    parameters = context.parameters
    return identifier(context, (*parameters.q, *parameters.special))


def require_one_digit_a_prime(context: Context) -> None:
    """SEAL's keys fit."""
    require(context, Context, "context")
    parameters = context.parameters
    if len(parameters.special) != 1 or parameters.digit_primes != 1:
        raise ContextError(
            f"{context!r} has {len(parameters.special)} special primes and digits of "
            f"{parameters.digit_primes}: SEAL has one special prime and a digit for each prime; "
            "make the context with import_parameters"
        )

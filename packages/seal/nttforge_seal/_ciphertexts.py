# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts of SEAL, in both directions."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from nttforge import _arguments as arguments
from nttforge.errors import ContextError, FormatError, ParameterError
from nttforge.integer_encoding import Ciphertext, Context
from nttforge.ntt import NttPlan
from nttforge.rlwe._require import require, steady

from ._parameters import identifier
from ._polynomials import read_polynomials
from ._source import HEADER_BYTES, MAGIC, open_source

if TYPE_CHECKING:
    from nttforge.typing import BytesLike, Encoding

__all__ = ["export_ciphertext", "import_ciphertext"]


def import_ciphertext(
    context: Context, data: BytesLike, *, encoding: Encoding | None = None
) -> Ciphertext:
    """The ciphertext that ``Ciphertext::save`` wrote, of any level.

    How much noise it has is not known, since the bytes do not say it.

    Parameters
    ----------
    context : Context
        Of :func:`import_parameters`.
    data : bytes-like
        Two or three parts.
    encoding : {"slots", "coefficients"}, optional
        What was encrypted: vectors of SEAL's ``BatchEncoder``, which is supposed wherever the
        parameters have slots, or polynomials.

    Raises
    ------
    FormatError
        The bytes are no ciphertext of SEAL 4 with two or three parts.
    ParameterError
        A residue is not below its prime.
    ContextError
        It belongs to other parameters, or is of a lower level than this library has.
    """
    require(context, Context, "context")
    if encoding is not None:
        arguments.choice("encoding", encoding, ("slots", "coefficients"))
    q, n = context.parameters.q, context.n
    with steady(data) as given:
        source = open_source("ciphertext", given)
        name = source.bytes(32, "parms_id")
        level = next((k for k in range(len(q), 0, -1) if identifier(context, q[:k]) == name), 0)
        if level == 0:
            raise ContextError(
                f"ciphertext.parms_id is that of no level of {context!r}: make the context with "
                "import_parameters of the parameters that it was encrypted for"
            )
        transformed = source.number("is_ntt_form", 1)
        parts = source.number("parts")
        if transformed > 1 or parts not in (2, 3):
            raise FormatError(
                f"ciphertext.parts = {parts}, is_ntt_form = {transformed}: need 2 or 3, and 0 or "
                "1; relinearize larger ones in SEAL"
            )
        source.expect("poly_modulus_degree", n)
        source.expect("coeff_modulus_size", level)
        if source.bytes(8, "scale") != struct.pack("<d", 1.0):
            raise FormatError("ciphertext.scale: need 1.0 in BFV and BGV")
        factor = source.number("correction_factor")
        residues, _ = read_polynomials(source, parts, n, q[:level])
        source.finish()
    if not 1 <= factor < context.t:
        raise FormatError(
            f"ciphertext.correction_factor = {factor} is out of range [1, {context.t - 1}]"
        )
    if transformed:
        if bool((residues >= np.array(q[:level], np.uint64)[:, None]).any()):
            raise ParameterError("ciphertext.data: a residue is not below its prime")
        residues = NttPlan(n, q[:level]).inverse(residues)
    kept = encoding or ("slots" if context.parameters.has_batching else "coefficients")
    return Ciphertext.from_residues(context, residues, encoding=kept, factor=factor)


def export_ciphertext(ciphertext: Ciphertext, *, compress: bool = True) -> bytes:
    """The bytes that SEAL 4.0 and later load, of the same words.

    Parameters
    ----------
    ciphertext : Ciphertext
        One, not a batch, of a context of :func:`import_parameters`, as SEAL has one special prime
        or none.
    compress : bool
        With zlib, which SEAL reads if it was built with it.

    Raises
    ------
    ParameterError
        It is a batch.
    ContextError
        SEAL has no such parameters.

    Examples
    --------
    >>> from nttforge import bfv, seal
    >>> context = bfv.Context(bfv.Parameters.preset(4096))
    >>> keys = context.generate_keys()
    >>> data = seal.export_ciphertext(keys.encrypt([1, 2, 3]))
    >>> keys.decrypt(seal.import_ciphertext(context, data))[:3]
    array([1, 2, 3])
    """
    require(ciphertext, Ciphertext, "ciphertext")
    context, level = ciphertext.context, ciphertext.level
    parameters = context.parameters
    if ciphertext.batch != 1:
        raise ParameterError(
            f"ciphertext is a batch of {ciphertext.batch}: SEAL has single ones; take them apart "
            "with unstack(ciphertext)"
        )
    if len(parameters.special) > 1 or max(parameters.q).bit_length() > 61:
        raise ContextError(f"{context!r}: SEAL has one special prime, and primes below 2^61")
    residues = ciphertext.residues
    transformed = context._scheme == "BGV"  # SEAL computes with these in transformed form
    if transformed:
        residues = NttPlan(context.n, parameters.q[:level]).forward(residues)
    words = residues.astype("<u8", copy=False).tobytes()
    body = identifier(context, parameters.q[:level]) + struct.pack(
        "<BQQQdQ", transformed, len(residues), context.n, level, 1.0, ciphertext.factor
    )
    array = struct.pack("<Q", len(words) // 8) + words
    body += _header(0, len(array)) + array
    if not compress:
        return _header(0, len(body)) + body
    packed = zlib.compress(body)
    return _header(1, len(packed)) + packed


def _header(compression: int, size: int) -> bytes:
    # Readers of SEAL 4.0 take headers of their own version and of earlier ones.
    return struct.pack("<HBBBBHQ", MAGIC, HEADER_BYTES, 4, 0, compression, 0, HEADER_BYTES + size)

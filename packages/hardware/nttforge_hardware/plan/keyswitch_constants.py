# SPDX-License-Identifier: Apache-2.0
"""The constant factors of a key-switching pipeline, as its multipliers need them; their DSPs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nttforge_oracle.key_switch import division
from nttforge_oracle.steps import digits as digit_steps

from .cores import CoreDesign, multiplier_dsps


@dataclass(frozen=True)
class SwitchConstants:
    """Factors of the products outside the engines; an empty field stands for no products.

    Parameters
    ----------
    scales : tuple of int
        One for each prime of Q, of digits of several primes.
    factors : tuple of tuples
        Of the same: for each target and source, target by target, one for each digit; 0 for a
        source that the last digit lacks.
    special_scales : tuple of int
        One for each special prime, of several.
    special_factors : tuple of int
        Of the same: for each prime of Q and special prime.
    inverses : tuple of int
        1 / P modulo each prime of Q.
    """

    scales: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]
    special_scales: tuple[int, ...]
    special_factors: tuple[int, ...]
    inverses: tuple[int, ...]


def stored(core: CoreDesign, value: int) -> int:
    """A constant factor modulo a core's prime as its multiplier needs it."""
    return value * core.twiddle_factor % core.q


def switch_constants(
    moduli: Sequence[int], special: Sequence[int], digit_primes: int, cores: Sequence[CoreDesign]
) -> SwitchConstants:
    """All of them; ``cores`` are those of the primes of Q, then of the special ones."""
    scales: list[int] = []
    factors: list[tuple[int, ...]] = []
    if digit_primes > 1:
        steps = digit_steps(moduli, [*moduli, *special], digit_primes)
        given = [scale for step in steps for scale in step.scale]
        scales = [stored(core, s) for core, s in zip(cores, given, strict=False)]
        for j, core in enumerate(cores):
            rows = [(*step.factors[j], *[0] * digit_primes)[:digit_primes] for step in steps]
            factors += [
                tuple(stored(core, f) for f in column) for column in zip(*rows, strict=True)
            ]
    step = division(moduli, special)
    inverses = [stored(core, own) for core, own in zip(cores, step.own, strict=False)]
    if len(special) == 1:
        return SwitchConstants(tuple(scales), tuple(factors), (), (), tuple(inverses))
    behind = cores[len(moduli) :]
    special_scales = [stored(core, s) for core, s in zip(behind, step.scale, strict=True)]
    # (x - r) / P: the step has minus r / P.
    rests = [
        stored(core, -f * pow(own, -1, q) % q)
        for core, row, own, q in zip(cores, step.factors, step.own, moduli, strict=False)
        for f in row
    ]
    return SwitchConstants(
        tuple(scales), tuple(factors), tuple(special_scales), tuple(rests), tuple(inverses)
    )


def constant_dsps(
    special: int, digit_primes: int, cores: Sequence[CoreDesign], constants: SwitchConstants
) -> int:
    """DSPs of a lane's products with constants: tiles that come to a shift take none."""
    limbs = len(cores) - special
    products: list[tuple[int, tuple[int, ...]]] = []
    products += zip(range(limbs), zip(constants.inverses, strict=True), strict=True)
    if digit_primes > 1:
        products += zip(range(limbs), zip(constants.scales, strict=True), strict=True)
        products += [(k // digit_primes, chosen) for k, chosen in enumerate(constants.factors)]
    if special > 1:
        scales = zip(constants.special_scales, strict=True)
        products += zip(range(limbs, len(cores)), scales, strict=True)
        products += [(k // special, (f,)) for k, f in enumerate(constants.special_factors)]
    return sum(_product_dsps(cores[limb], values) for limb, values in products)


def _product_dsps(core: CoreDesign, values: Sequence[int]) -> int:
    """A modular product with a constant. Of several values one is chosen: synthesis folds none."""
    bits, tile = core.bits, core.pipeline.tile
    if tile.family or len(set(values)) > 1:
        return core.constant_dsps
    (value,) = set(values)
    if value == 0:
        return 0
    found = core.constant_dsps - multiplier_dsps(bits, bits, tile=tile)
    if core.kind == "montgomery":  # a digit that is always 0 takes no product
        zeros = (value & -value).bit_length() - 1
        found -= min(zeros // core.digit_bits, core.steps) * core.step_dsps
    return found + multiplier_dsps(bits, bits, tile=tile, b_value=value)

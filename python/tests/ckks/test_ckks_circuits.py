# SPDX-License-Identifier: Apache-2.0
"""Random circuits: no error above what the ciphertext states, the same bytes on every device."""

from __future__ import annotations

import numpy as np
import pytest
from devices import gpu_devices
from number_circuits import Circuit, Party, run_circuits, sets

from nttforge import available_targets, ckks


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_errors_stay_within_what_ciphertexts_state(count: int) -> None:
    done, worst = run_circuits([Party(*each) for each in sets()], count, seed=count)
    assert worst < 0
    assert worst > -6  # bounds that say nothing would hold too
    compared = sum(done.values()) - done["no room"] - done["no bit left"]
    assert compared > 4 * count and min(done[name] for name in ("matrix", "power", "within")) > 9
    assert done["no room"] + done["no bit left"] < compared / 20, done


@pytest.mark.parametrize("index", range(len(sets())))
def test_every_device_and_target_gives_the_same_words(index: int) -> None:
    parameters, slots = sets()[index]
    party = Party(parameters, slots)
    circuit = Circuit(party, np.random.default_rng(9))
    circuit.run(0)
    fresh = circuit.texts
    others = [ckks.Context(parameters, threads=1, target=target) for target in available_targets()]
    others += [ckks.Context(parameters, device) for device in gpu_devices()]
    wanted = transcript(party, fresh)
    for context in others:
        other = Party.__new__(Party)
        other.context, other.slots, other.plain = context, slots, party.plain
        other.keys = party.keys.to(context)
        other.plaintext = party.plaintext.to(context)
        other.matrices = [
            (ckks.LinearMap(m, context, slots=slots, level=made.level), m)
            for made, m in party.matrices
        ]
        assert transcript(other, [x.to(context) for x in fresh]) == wanted, context


def transcript(party: Party, fresh: list[ckks.Ciphertext]) -> list[bytes]:
    """Bytes of all results of a fixed circuit, and of what they decrypt to."""
    x, y = fresh
    keys = party.keys
    xy = (x * y + x).relinearize(keys)
    made = [
        *(x, xy, x - y, x * 0.3, x * (1 - 2j), x * party.plaintext, party.plain - x, x + xy),
        *(x.rotate_rows(1, keys), x.conjugate(keys), x.multiply_by_i(), x.inner_sum(4, keys)),
        *(x.mod_switch(1), xy.rescale(), x.matmul(party.matrices[-1][0], keys), x * -5 + 1.5j),
        *(x.polynomial([1, 0.5, 0.25, 2], keys), x.rotate_many([1, -3], keys)[1], x * y),
    ]
    return [t.to_bytes() for t in made] + [keys.decrypt(t).tobytes() for t in made]

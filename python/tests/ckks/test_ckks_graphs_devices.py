# SPDX-License-Identifier: Apache-2.0
"""Bootstraps that a GPU records once and runs as one piece; the host's run calls the function."""

from __future__ import annotations

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import ckks
from nttforge.typing import DeviceName


@pytest.mark.parametrize("device", gpu_devices())
def test_a_bootstrap_is_recorded(device: DeviceName) -> None:
    machine = ckks.Bootstrapper.of("boot16w_40", insecure_n=2**7, device=device)
    keys = machine.context.generate_keys()
    helper = machine.make_keys(keys)
    values = np.linspace(-1, 1, machine.context.slots)
    low = [keys.encrypt(v).mod_switch(machine.input_level) for v in (values, -values)]
    recorded = machine.context.graph(lambda x: x.bootstrap(helper), low[0])
    assert recorded.is_recorded == (device == "cuda")
    assert recorded(low[1]).to_bytes() == low[1].bootstrap(helper).to_bytes()

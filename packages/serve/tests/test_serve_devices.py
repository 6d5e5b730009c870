# SPDX-License-Identifier: Apache-2.0
"""Circuits that a GPU computes, or its kernels run on the host: the bytes of the CPU."""

from __future__ import annotations

import io

import pytest
from devices import gpu_devices
from serve_circuits import two
from serve_client import Client

from nttforge_serve.circuits import Prepared


@pytest.mark.parametrize("device", gpu_devices())
def test_devices_give_the_bytes_of_the_cpu(device: str) -> None:
    client = Client(two, device)
    there, contract = client.prepared, client.contract
    here = Prepared(two, contract, contract.make_context(1), True)
    data = io.BytesIO(client.keys.evaluation.to_bytes())
    requests = [client.request(client.values(seed)) for seed in range(3)]
    answers = there.compute(requests, client.evaluation)
    assert answers == here.compute(requests, here.read_keys(data)) and there.batches
    assert (client.opened(answers[2])[0] == two(**client.values(2))[0]).all()

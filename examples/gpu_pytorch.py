# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors through a GPU plan: no copy, the tensors' own stream, and inside a CUDA graph."""

from __future__ import annotations

import torch

import nttforge
from nttforge import cuda


def main() -> None:
    n, limbs, batch = 8192, 4, 3
    q = nttforge.ntt_primes(n, 60, limbs)
    plan = nttforge.NttPlan(n, q, device="cuda")
    print(plan, plan.recipe["algorithm"])

    bound = min(q)
    a = torch.randint(0, bound, (batch, limbs, n), dtype=torch.int64, device="cuda")
    x = a.view(torch.uint64)  # the same memory
    y = plan.forward(x)  # a tensor, enqueued in the current stream
    assert isinstance(y, torch.Tensor) and y.device == x.device
    assert torch.equal(plan.inverse(y), x)

    # In place, in a stream of its own, captured into a graph and replayed.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        z = x.clone()
        plan.forward(z, out=z)
        plan.inverse(z, out=z)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        plan.forward(z, out=z)
    graph.replay()
    assert torch.equal(z, y)

    cpu = nttforge.NttPlan(n, q)
    assert (cuda.to_host(y) == cpu.forward(x.cpu().numpy())).all()
    print("every word as on the CPU")


if __name__ == "__main__":
    main()

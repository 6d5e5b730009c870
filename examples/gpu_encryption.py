# SPDX-License-Identifier: Apache-2.0
"""A client without a GPU, a server that computes on one: two processes that exchange bytes.

python examples/gpu_encryption.py [--device cuda | cuda:host | cpu]

The client asks for the weighted sums of squares of its encrypted vectors, a batch of them at a
time. The server keeps context, keys and weights on its device from one request to the next, and
holds no secret. Bytes are the same whatever computes them, so the client cannot tell the device.
"""

from __future__ import annotations

import argparse
import struct
import subprocess
import sys
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import bfv
from nttforge.typing import DeviceName

N, SPAN, VECTORS = 8192, 16, 4
WEIGHTS = np.arange(SPAN)


def send(pipe: IO[bytes], *messages: bytes) -> None:
    for message in messages:
        pipe.write(struct.pack("<Q", len(message)) + message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """The next message; None at the end."""
    head = pipe.read(8)
    if not head:
        return None
    (size,) = struct.unpack("<Q", head)
    if size > 1 << 30:  # of whom nothing is known: no more than what is expected
        raise ValueError(f"a message of {size} bytes is not expected here")
    return pipe.read(size)


def serve(device: DeviceName, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answers requests until there are no more."""

    def following() -> bytes:
        message = receive(incoming)
        if message is None:
            raise EOFError("the client has gone")
        return message

    parameters = bfv.Parameters.from_bytes(following())
    if parameters.n != N or not parameters.has_batching:
        raise ValueError(f"not computed here: {parameters}")
    context = bfv.Context(parameters, device)  # the only line that knows the device
    relinearization = bfv.RelinearizationKey.from_bytes(context, following())
    rotations = bfv.RotationKeys.from_bytes(context, following())
    weights = bfv.BatchEncoder(context).encode(np.tile(WEIGHTS, N // SPAN)).prepare()
    while (request := receive(incoming)) is not None:
        x = bfv.Ciphertext.from_bytes(context, request)
        squares = x.square().relinearize(relinearization)
        sums = (squares * weights).inner_sum(SPAN, rotations)
        send(outgoing, sums.to_bytes(noise=False))


def ask(incoming: IO[bytes], outgoing: IO[bytes], vectors: NDArray[np.int64]) -> None:
    """Makes keys, sends two requests, and compares what comes back with plain integers."""
    keys = bfv.Context(bfv.Parameters.preset(N)).generate_keys(inner_sum=SPAN)  # on the CPU
    if keys.relinearization is None or keys.rotations is None:
        raise ValueError(f"n = {N} has no evaluation keys")
    parameters = keys.context.parameters
    send(outgoing, parameters.to_bytes(), keys.relinearization.to_bytes())
    send(outgoing, keys.rotations.to_bytes())
    encoder, encryptor = bfv.BatchEncoder(keys.context), bfv.Encryptor(keys.secret)
    for part in np.split(vectors, 2):
        send(outgoing, encryptor.encrypt(encoder.encode(part)).to_bytes())
        answer = receive(incoming)
        if answer is None:
            raise EOFError("the server has gone")
        result = bfv.Ciphertext.from_bytes(keys.context, answer)
        got = keys.decrypt(result)[:, ::SPAN]  # every SPAN-th slot holds the sum of SPAN slots
        want = (part.reshape(len(part), -1, SPAN) ** 2 * WEIGHTS).sum(axis=2)
        assert (got == want).all()
        print(f"{got.size} weighted sums of squares are right, {len(answer)} bytes came back")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default="cuda", help="of the server (default %(default)s)")
    parser.add_argument("--serve", action="store_true", help="be the server, on standard input")
    options = parser.parse_args()
    if options.serve:
        try:
            serve(cast("DeviceName", options.device), sys.stdin.buffer, sys.stdout.buffer)
        except (nttforge.NttforgeError, EOFError, ValueError) as error:
            sys.exit(f"server: {error}")
        return
    vectors = np.random.default_rng(1).integers(-3, 4, (2 * VECTORS, N))
    command = [sys.executable, __file__, "--serve", "--device", options.device]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        try:
            ask(server.stdout, server.stdin, vectors)
            server.stdin.close()
        except (EOFError, BrokenPipeError):
            sys.exit("client: the server has gone; its message is above")
    print(f"the server computed on {options.device}, the client on the CPU")


if __name__ == "__main__":
    main()

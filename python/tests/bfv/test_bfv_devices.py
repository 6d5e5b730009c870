# SPDX-License-Identifier: Apache-2.0
"""BFV on GPUs, and on the host's run of their kernels: the CPU's bytes, and plain results."""

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import (
    ArgumentTypeError,
    ContextError,
    ParameterError,
    bfv,
    bgv,
    ntt_primes,
)

SEED = bytes(range(32))


def contexts(n: int, t: int) -> list[bfv.Context]:
    """The CPU's, then those of every GPU device that can be used here."""
    chain = bfv.Parameters.preset(4096, t=65537)
    parameters = bfv.Parameters.custom(
        n, t, chain.q, chain.special, security="insecure_by_request", secret="ternary"
    )
    if not gpu_devices():
        pytest.skip("no GPU, and no host's run of its kernels in this build")
    return [bfv.Context(parameters), *(bfv.Context(parameters, d) for d in gpu_devices())]


def test_bytes_and_results_are_those_of_the_cpu() -> None:
    values = np.arange(64, dtype=np.int64) - 32
    transcripts = []
    for context in contexts(64, 257):
        keys = bfv.KeyGenerator(context, seed=SEED)
        assert context.device in repr(context)
        relinearization = keys.relinearization_key()
        rotations = keys.rotation_keys([1], swap_columns=True)
        encryptor = bfv.Encryptor(keys.public_key())
        x = encryptor.encrypt(bfv.BatchEncoder(context).encode(values), seed=SEED, index=1)
        product = (x * x).relinearize(relinearization)
        turned = product.rotate_rows(1, rotations)
        plain = bfv.BatchEncoder(context).decode(
            bfv.Decryptor(keys.secret_key()).decrypt(turned), signed=False
        )
        square = values * values % 257
        assert (plain == np.roll(square.reshape(2, 32), -1, axis=1).ravel()).all()
        transcripts.append([o.to_bytes() for o in (relinearization, rotations, x, product, turned)])
    assert all(transcript == transcripts[0] for transcript in transcripts)


def test_objects_of_other_memories_do_not_mix() -> None:
    cpu, gpu = contexts(64, 257)[:2]
    x = cpu.generate_keys().encrypt([1, 2, 3])
    y = gpu.generate_keys().encrypt([1, 2, 3])
    with pytest.raises(ContextError, match=r"cuda.*move it with to\(context\)"):
        x + y
    moved = bfv.Ciphertext.from_bytes(gpu, x.to_bytes())
    assert moved.to_bytes() == x.to_bytes()


def test_objects_move_between_devices() -> None:
    cpu, *others = contexts(64, 257)
    keys = cpu.generate_keys(rotations=[1])
    x = keys.encrypt([1, 2, 3])
    for other in others:
        server = keys.to(other)
        moved = x.to(other)
        assert moved.context is other and moved.to_bytes() == x.to_bytes()
        square = (moved * moved).relinearize(server.relinearization)
        result = square.rotate_rows(1, server.rotations)
        assert keys.decrypt(result.to(cpu))[:2].tolist() == [4, 9]
        plain = bfv.Decryptor(server.secret).decrypt(result).to(cpu)
        assert plain == bfv.Decryptor(keys.secret).decrypt(result.to(cpu))


def test_objects_move_to_equal_parameters_only() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    x = context.generate_keys().encrypt([1])
    with pytest.raises(ContextError, match="the context has other parameters"):
        x.to(bfv.Context(bfv.Parameters.preset(8192)))
    with pytest.raises(ContextError, match="scheme"):
        x.to(bgv.Context(bgv.Parameters.preset(4096)))  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="context is a str"):
        x.to("cuda")  # type: ignore[arg-type]


def test_words_of_32_bits() -> None:
    primes = ntt_primes(n=64, bits=31, count=4)
    results = []
    for word_bits in (64, 32):
        parameters = bfv.Parameters.custom(
            64, 257, primes[:3], primes[3], security="insecure_by_request", word_bits=word_bits
        )
        assert parameters.word_bits == word_bits
        assert bfv.Parameters.from_bytes(parameters.to_bytes(), allow_insecure=True) == parameters
        keys = bfv.Context(parameters).generate_keys(seed=SEED)
        x = keys.encrypt([3, 4])
        assert keys.decrypt((x * x).relinearize(keys.relinearization))[:2].tolist() == [9, 16]
        results.append((parameters.memory_sizes()["ciphertext"], keys.public.to_bytes()[32:-8]))
    assert results[0][0] == 2 * results[1][0] and results[0][1] == results[1][1]
    with pytest.raises(ParameterError, match="has more than 32 bits"):
        bfv.Parameters.custom(64, 257, ntt_primes(n=64, bits=40, count=2), word_bits=32)

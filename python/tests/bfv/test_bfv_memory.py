# SPDX-License-Identifier: Apache-2.0
"""Secrets and messages leave no copies in a process's memory (Linux: read from outside)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Prints patterns, masked so that it holds none of them itself, after wiping its own copies.
CHILD = """
import ctypes, gc, json, sys
import numpy as np
from nttforge import bfv

def masked(data):  # bytes 500 ... 531, without a copy of them
    return (np.frombuffer(data, dtype=np.uint8)[500:532] ^ 0x5A).tobytes().hex()

def wipe(array):
    ctypes.memset(array.ctypes.data, 0, array.nbytes)

context = bfv.Context(bfv.Parameters.preset(8192), threads=1)
keys = context.generate_keys()
decryptor = bfv.Decryptor(keys.secret)
values = np.random.default_rng().integers(1, 30000, context.n, dtype=np.uint64)
patterns = {"values": masked(values)}
ciphertext = keys.encrypt(values)
wipe(values)
for signed in (False, True):
    values = keys.decrypt(ciphertext, signed=signed)
    wipe(values)
def written(thing):
    data = thing.to_bytes()
    pattern = masked(data)
    ctypes.memset(id(data) + bytes.__basicsize__ - 1, 0, len(data))
    return pattern
patterns["plaintext bytes"] = written(decryptor.decrypt(ciphertext))
patterns["secret key bytes"] = written(keys.secret)
gc.collect()
print(json.dumps(patterns), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_no_copies_of_secrets_stay() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        patterns = json.loads(process.stdout.readline())
        try:
            memory = list(_writable_memory(process.pid))
        except PermissionError:
            pytest.skip("this system does not let a process read its child's memory")
        assert memory
        for name, pattern in patterns.items():
            secret = bytes(x ^ 0x5A for x in bytes.fromhex(pattern))
            assert not any(secret in block for block in memory), name
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def _writable_memory(pid: int) -> list[bytes]:
    blocks = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            addresses, permissions = line.split()[:2]
            if permissions.startswith("rw"):
                begin, end = (int(x, 16) for x in addresses.split("-"))
                memory.seek(begin)
                blocks.append(memory.read(end - begin))
    return blocks

# SPDX-License-Identifier: Apache-2.0
"""More than 60 bad parameter sets: each one is an error of one line, which says what is wrong."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from nttforge.cli import main

#: Abbreviations in the rows below.
WORDS = {
    "SHAPE": "generate --n 64 --bits 20 --dp 4 --pp 2",
    "GENERATE": "generate --n 64 --bits 20",
    "EXPLORE": "explore --n 64 --bits 20 --jobs 1",
    "BOTH": "--dp 4 --pp 2",
}

#: Arguments of ``nttforge rtl``, and how the message begins: field, value, what is allowed.
BAD = [
    ("GENERATE --dp 4", "--dp = 4 without --pp: give both --dp and --pp, or neither and limits to"),
    ("GENERATE --pp 2", "--pp = 2 without --dp: give both --dp and --pp, or neither and limits to"),
    ("GENERATE --dp 3 --pp 2", "dp = 3 must be a power of two in 2 ... 32 (n / 2)"),
    ("GENERATE --dp 1 --pp 2", "dp = 1 must be a power of two in 2 ... 32 (n / 2)"),
    ("GENERATE --dp 64 --pp 2", "dp = 64 must be a power of two in 2 ... 32 (n / 2)"),
    ("GENERATE --dp 0 --pp 2", "dp = 0 must be a power of two in 2 ... 32 (n / 2)"),
    ("GENERATE --dp -4 --pp 2", "dp = -4 must be a power of two in 2 ... 32 (n / 2)"),
    ("GENERATE --dp 4 --pp 0", "pp = 0 must be in 1 ... 6 (log2 n)"),
    ("GENERATE --dp 4 --pp 7", "pp = 7 must be in 1 ... 6 (log2 n)"),
    ("GENERATE --dp 4 --pp -1", "pp = -1 must be in 1 ... 6 (log2 n)"),
    ("generate --scheme ml-kem --dp 4 --pp 9", "pp = 9 must be in 1 ... 7 (layers)"),
    ("generate --scheme ml-kem --dp 3 --pp 2", "dp = 3 must be a power of two in 2 ... 64"),
    ("generate --n 48 --bits 20 BOTH", "n = 48 must be a power of two in 8 ... 65536"),
    ("generate --n 4 --bits 20 BOTH", "n = 4 must be a power of two in 8 ... 65536"),
    ("generate --n 131072 --bits 30 BOTH", "n = 131072 must be a power of two in 8 ... 65536"),
    ("generate --n 0 BOTH", "n = 0 must be a power of two in 8 ... 65536"),
    ("generate --n -8 BOTH", "n = -8 must be a power of two in 8 ... 65536"),
    ("generate --n 64 --bits 70 BOTH", "bits = 70 must be in 4 ... 62"),
    ("generate --n 64 --bits 3 BOTH", "bits = 3 must be in 4 ... 62"),
    (
        "generate --n 64 --bits 7 BOTH",
        "bits = 7: 0 primes of 7 bits with q = 1 (mod 128), 1 wanted; use more bits",
    ),
    ("generate --n 64 --bits 0 BOTH", "bits = 0 must be in 4 ... 62"),
    ("generate --n 64 --bits -1 BOTH", "bits = -1 must be in 4 ... 62"),
    ("SHAPE --limbs 0", "--limbs = 0 must be at least 1"),
    ("SHAPE --limbs -1", "--limbs = -1 must be at least 1"),
    (
        "generate --n 64 --bits 9 BOTH --limbs 9",
        "bits = 9: 1 primes of 9 bits with q = 1 (mod 128), 9 wanted; use more bits",
    ),
    (
        "generate --n 64 BOTH --limbs 2 --moduli 257",
        "--limbs = 2 beside 1 --moduli: leave one out",
    ),
    (
        "generate --n 64 --moduli 97 BOTH",
        "moduli: q = 97 does not support n = 64: need q = 1 (mod 128), and 97 = 97;",
    ),
    (
        "generate --n 64 --moduli 129 BOTH",
        "moduli: q = 129 is not prime; nttforge rtl primes lists some that fit",
    ),
    (
        "generate --n 64 --moduli 257 257 BOTH",
        "moduli = [257, 257] must be distinct: leave the repeated ones out",
    ),
    (
        "generate --n 64 --moduli 2 BOTH",
        "moduli: q = 2 has 2 bits, allowed are 4 ... 62; nttforge rtl primes lists",
    ),
    (
        "generate --n 64 --moduli 0 BOTH",
        "moduli: q = 0 has 0 bits, allowed are 4 ... 62; nttforge rtl primes lists",
    ),
    (
        "generate --n 64 --moduli -257 BOTH",
        "moduli: q = -257 is not prime; nttforge rtl primes lists some that fit",
    ),
    (
        "generate --n 64 --moduli 9223372036854775837 BOTH",
        "moduli: q = 9223372036854775837 has 64 bits, allowed are 4 ... 62; nttforge",
    ),
    (
        "generate --n 64 --moduli 257 449 BOTH",
        "moduli: q = 449 does not support n = 64: need q = 1 (mod 128), and 449 =",
    ),
    ("SHAPE --direction back", "direction = 'back' must be one of forward, inverse, both, product"),
    ("SHAPE --transform fft", "transform = 'fft' must be one of ntt, dgt"),
    (
        "SHAPE --transform dgt --ring cyclic",
        "ring = 'cyclic' with transform = 'dgt' must be negacyclic, as a DGT is",
    ),
    (
        "SHAPE --transform dgt --direction product",
        "direction = 'product' with transform = 'dgt' must be one of forward,",
    ),
    ("SHAPE --ring cylic", "ring = 'cylic' must be one of negacyclic, cyclic"),
    ("SHAPE --core intel", "core = 'intel' must be one of auto, montgomery, barrett, solinas"),
    (
        "generate --n 64 --moduli 257 641 --core barrett BOTH",
        "core = 'barrett': q = 257 has 9 bits and another modulus 10; use moduli of",
    ),
    (
        "GENERATE --limbs 9 --core solinas BOTH",
        "bits = 20: 4 primes 2^i +- 2^j +- 1 have q = 1 (mod 128), 9 wanted; use",
    ),
    ("SHAPE --sets 0", "--sets = 0 must be at least 1"),
    ("SHAPE --sets -2", "--sets = -2 must be at least 1"),
    ("SHAPE --seed -1", "--seed = -1 must be 0 or more"),
    ("SHAPE --name X", "name = 'X' must be lower case letters, digits and _, and not begin with"),
    (
        "SHAPE --name nttf_a",
        "name = 'nttf_a' must be lower case letters, digits and _, and not begin",
    ),
    (
        "SHAPE --image-folder 'a\"'",
        "image folder = 'a\"/' must be ASCII without quotes and backslashes; write /",
    ),
    (
        "SHAPE --device abacus",
        "device = 'abacus' must be one of generic, xcup, xc7, ecp5, versal, agilex, xcu200,",
    ),
    ("SHAPE --pipeline slow", "pipeline = 'slow' must be one of small, balanced, fast"),
    (
        "SHAPE --registers add_regs",
        "--registers = 'add_regs' must be NAME=COUNT, such as memory_regs=2",
    ),
    ("SHAPE --registers add_regs=2", "pipeline.add_regs = 2 must be in 0 ... 1"),
    (
        "SHAPE --registers adds=1",
        "pipeline.adds is no register; there are input_regs, sum_regs, tree_regs,",
    ),
    (
        "SHAPE --registers add_regs=-1",
        "--registers = 'add_regs=-1' must be NAME=COUNT, such as memory_regs=2",
    ),
    ("SHAPE --registers sum_regs=9", "pipeline.sum_regs = 9 must be in 0 ... 4"),
    (
        "SHAPE --device ecp5 --registers input_regs=0",
        "pipeline.block = 'mult18x18d' needs input_regs and reduction_regs of 1 or",
    ),
    ("SHAPE --twiddles rom", "twiddles = 'rom' must be one of auto, table, on_the_fly"),
    (
        "SHAPE --objective size",
        "--objective = 'size' beside --dp and --pp, which leave nothing to choose:",
    ),
    ("GENERATE --objective size", "--objective = 'size' must be one of latency, throughput, area"),
    ("GENERATE", "nothing limits the design: give --dp and --pp, or a limit such as --max-dsp"),
    (
        "SHAPE --objective area",
        "--objective = 'area' beside --dp and --pp, which leave nothing to choose:",
    ),
    (
        "GENERATE --max-dsp 1",
        "no design keeps the limits: the nearest (dp = 2, pp = 1) has dsps 4 > 1,",
    ),
    ("GENERATE --max-dsp 0", "--max-dsp = 0 must be more than 0"),
    ("GENERATE --max-dsp -3", "--max-dsp = -3 must be more than 0"),
    (
        "SHAPE --max-dsp 1",
        "the design does not keep the limits: dsps 16 > 1; relax them, or leave --dp",
    ),
    (
        "GENERATE --max-latency-us 0.001",
        "no design keeps the limits: the nearest (dp = 32, pp = 1) has latency_us",
    ),
    ("GENERATE --max-latency-us -1", "--max-latency-us = -1 must be more than 0"),
    (
        "GENERATE --max-latency-us nan",
        "argument --max-latency-us: 'nan': need a number in decimal digits; see",
    ),
    (
        "GENERATE --max-latency-us inf",
        "argument --max-latency-us: 'inf': need a number in decimal digits; see",
    ),
    ("GENERATE --max-ramb18 0", "--max-ramb18 = 0 must be more than 0"),
    ("GENERATE --max-ramb36 0", "--max-ramb36 = 0 must be more than 0"),
    (
        "GENERATE --max-lut 10",
        "no design keeps the limits: the nearest (dp = 2, pp = 1) has luts 639 > 10,",
    ),
    (
        "GENERATE --max-memory-kbits 0.1",
        "no design keeps the limits: the nearest (dp = 2, pp = 1) has memory_kbits",
    ),
    ("GENERATE --max-bandwidth-gb-s 0", "--max-bandwidth-gb-s = 0 must be more than 0"),
    (
        "GENERATE --max-bandwidth-gb-s 0.1",
        "no design keeps the limits: the nearest (dp = 2, pp = 1) has peak_gb_s 2.5",
    ),
    (
        "GENERATE --max-interval-gb-s 0.0001",
        "no design keeps the limits: the nearest (dp = 2, pp = 1) has interval_gb_s",
    ),
    ("GENERATE --memory-gb-s 0", "--memory-gb-s = 0 must be more than 0"),
    ("GENERATE --memory-gb-s -1 --max-dsp 60", "--memory-gb-s = -1 must be more than 0"),
    (
        "SHAPE --direction product --max-lut 5",
        "--max-lut = 5 is not predicted for direction = 'product': leave it out",
    ),
    (
        "SHAPE --direction product --max-dsp 5",
        "the design does not keep the limits: dsps 64 > 5; relax them, or leave --dp",
    ),
    (
        "generate --n x BOTH",
        "argument --n: 'x': need an integer (decimal, or 0x... hexadecimal); see",
    ),
    (
        "generate --n 64.0 BOTH",
        "argument --n: '64.0': need an integer (decimal, or 0x... hexadecimal); see",
    ),
    (
        "generate --n 64 --moduli runtime 257 BOTH",
        "--moduli = ['runtime', 257] must be runtime alone: primes are loaded later",
    ),
    (
        "generate --n 64 --moduli runtime --transform dgt BOTH",
        "transform = 'dgt' with --moduli runtime must be ntt",
    ),
    (
        "generate --n 64 --engines 2 BOTH",
        "--engines = 2 goes with --moduli runtime only: leave it out, or add",
    ),
    (
        "generate --n 64 --moduli runtime --limbs 4 --engines 0 BOTH",
        "engines = 0 must be an integer in 1 ... 64",
    ),
    (
        "generate --n 64 --moduli runtime --core solinas BOTH",
        "--core = 'solinas' with --moduli runtime must be one of auto, montgomery,",
    ),
    ("generate --n 64 --moduli runtime --tables 0 BOTH", "--tables = 0 must be in 1 ... 64"),
    (
        "generate --n 64 --moduli runtime --start never BOTH",
        "start = 'never' must be one of word, frame",
    ),
    (
        "GENERATE --prefix 9x BOTH",
        "prefix = '9x' must be lower case letters, digits and _, and begin with a",
    ),
    (
        "SHAPE --tdata bytes",
        "--tdata = 'bytes' goes with --axi only, whose ports it is about: add --axi, or",
    ),
    ("SHAPE --axi --tdata wide", "tdata = 'wide' must be one of packed, bytes, power-of-two"),
    (
        "generate --n 64 --moduli runtime --axi --tdata bytes BOTH",
        "--tdata = 'bytes' with --moduli runtime: residues take 4 bytes at the ports for DMA",
    ),
    (
        "generate --n 64 --moduli runtime --seed -1 BOTH",
        "--seed = -1 must be 0 or more",
    ),
    (
        "generate --n 64 --moduli runtime --objective area BOTH",
        "--objective = 'area' beside --dp and --pp, which leave nothing to choose:",
    ),
    ("SHAPE --moduli 257", "--bits = 20 beside primes of 9 bits that are given: leave it out"),
    ("SHAPE --buffers all", "buffers = 'all' must be one of none, word, frame"),
    (
        "SHAPE --direction product --buffers word",
        "buffers = 'word': a product pipeline has none; leave them out",
    ),
    ("SHAPE --memories rom", "memories = 'rom' must be one of block, ultra"),
    (
        "SHAPE --memories ultra --device xc7",
        "memories = 'ultra' needs a family with UltraRAM: pipeline.block = 'dsp48e1' must be one",
    ),
    ("SHAPE --max-uram 4", "--max-uram = 4 goes with --memories ultra only, as other designs have"),
    ("SHAPE --memories ultra --max-uram 0", "--max-uram = 0 must be more than 0"),
    (
        "generate --n 4096 BOTH --direction both --memories ultra --max-uram 3",
        "the design does not keep the limits: uram 4 > 3; relax them, or leave --dp",
    ),
    ("SHAPE --jobs 0", "jobs = 0 must be in 1 ... 1024"),
    ("dataflow --n 64 --q 257 --bits 20", "--bits = 20 beside primes of 9 bits that are given"),
    ("primes --limbs 3", "--limbs = 3 with primes: say how many with --count"),
    ("EXPLORE --frequency-mhz 0", "--frequency-mhz = 0 must be more than 0"),
    ("EXPLORE --frequency-mhz -1", "--frequency-mhz = -1 must be more than 0"),
    (
        "EXPLORE --frequency-mhz x",
        "argument --frequency-mhz: 'x': need a number in decimal digits; see",
    ),
    ("EXPLORE --jobs 0", "jobs = 0 must be in 1 ... 1024"),
    ("EXPLORE --jobs -1", "jobs = -1 must be in 1 ... 1024"),
    (
        "EXPLORE --jobs x",
        "argument --jobs: 'x': need an integer (decimal, or 0x... hexadecimal); see",
    ),
    ("primes --count 0", "--count = 0 must be at least 1"),
    ("primes --moduli 91", "moduli: q = 91 is not prime; nttforge rtl primes lists some that fit"),
    ("primes --bits 99", "bits = 99 must be in 4 ... 62"),
    ("primes --ring x", "ring = 'x' must be one of negacyclic, cyclic"),
    (
        "dataflow --algorithm fft --n 64",
        "algorithm = 'fft' must be one of dit, dif, flat, pease, pease_nc, six_step,",
    ),
    ("dataflow --n 64 --units 3", "units = 3 must be a power of two in 1 ... 16 (n / 4)"),
    ("dataflow --n 64 --units 64", "units = 64 must be a power of two in 1 ... 16 (n / 4)"),
    (
        "dataflow --n 64 --q 97",
        "moduli: q = 97 does not support n = 64: need q = 1 (mod 64), and 97 = 33;",
    ),
    ("dataflow --n 6", "n = 6 must be a power of two in 8 ... 65536"),
    ("permute --n 12", "n = 12 must be a power of two in 4 ... 65536"),
    ("permute --n 16 --dp 16", "dp = 16 must be a power of two in 2 ... 8 (n / 2, at most 256)"),
    ("permute --bits 0", "bits = 0 must be in 1 ... 256"),
    ("permute --bits 999", "bits = 999 must be in 1 ... 256"),
    (
        "permute --permutation shuffle",
        "permutation = 'shuffle' must be bit-reversal, stride:S or transpose:ROWS",
    ),
    ("permute --permutation stride:3", "stride = 3 must be a power of two in 1 ... 64 (n)"),
    (
        "permute --permutation stride:x",
        "permutation = 'stride:x' must be bit-reversal, stride:S or transpose:ROWS",
    ),
    (
        "prove 'nothing of this name'",
        "no theorem has 'nothing of this name' in its name: see --list",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[row[0] for row in BAD])
def test_one_clear_sentence(
    arguments: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for short, words in WORDS.items():
        arguments = arguments.replace(short, words)
    words = shlex.split(arguments)
    out = tmp_path / "out"
    writes = words[0] in ("generate", "dataflow", "permute")
    assert main(["rtl", *words, *(["--out", str(out)] if writes else [])]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert len(said) == 1 and said[0].startswith(f"nttforge: error: {message}")
    assert not out.exists()


def test_there_are_sixty_and_all_differ() -> None:
    assert len({message for _, message in BAD}) >= 60

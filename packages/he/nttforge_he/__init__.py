# SPDX-License-Identifier: Apache-2.0
"""Computing on encrypted files: parameters, keys, encryption, expressions, decryption.

Integers and fixed-point numbers, exactly, by BFV; real numbers, nearly, by CKKS.

examples:
  nttforge he parameters                         the presets for 128-bit security
  nttforge he parameters --t 786433 --json       with another plaintext modulus
  nttforge he parameters --for "roll(a*b, 1) + 3*c" --out plan.json \\
      --input a=1000:0..100 b=1000:-5..5 c=1000:0..9      chosen for a computation, with its keys
  nttforge he keygen --plan plan.json --out keys
  nttforge he encrypt table.csv --keys keys/client --out encrypted \\
      --bounds a=0..100 b=-5..5 c=0..9
  nttforge he eval "roll(a*b, 1) + 3*c" --keys keys/server --in encrypted --out result.enc
  nttforge he decrypt result.enc --keys keys/client --out result.csv
  nttforge he inspect keys/server/evaluation.key result.enc

real numbers:
  nttforge he parameters --scheme ckks --for "0.3*a + mean(b*b)" --precision 15 \\
      --input a=1000:0..100 b=1000:-5..5 --out real.json
  nttforge he keys --plan real.json --out real
  nttforge he encrypt table.csv --columns a,b --keys real/client --out sealed \\
      --bounds a=0..100 b=-5..5
  nttforge he eval "0.3*a + mean(b*b)" --keys real/server --in sealed --out real.enc
  nttforge he decrypt real.enc --keys real/client --out real.csv

keygen writes keys/client, which stays with the owner of the data, and keys/server, which has no
secret: eval refuses a folder that has one. Tables are .csv, .npy or .arrow files.
"""

from __future__ import annotations

import argparse

from . import client, parameters, server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parameters.add_actions(actions)
    client.add_actions(actions)
    server.add_actions(actions)


def run(options: argparse.Namespace) -> int:
    code: int = (parameters.ACTIONS | client.ACTIONS | server.ACTIONS)[options.action](options)
    return code

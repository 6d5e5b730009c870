# SPDX-License-Identifier: Apache-2.0
"""Computing on encrypted files: parameters, keys, encryption, expressions, decryption.

examples:
  nttforge bfv parameters                         the presets for 128-bit security
  nttforge bfv parameters --t 786433 --json       with another plaintext modulus
  nttforge bfv parameters --for "roll(a*b, 1) + 3*c" --out plan.json \\
      --input a=1000:0..100 b=1000:-5..5 c=1000:0..9      chosen for a computation, with its keys
  nttforge bfv keygen --plan plan.json --out keys
  nttforge bfv encrypt table.csv --keys keys/client --out encrypted \\
      --bounds a=0..100 b=-5..5 c=0..9
  nttforge bfv eval "roll(a*b, 1) + 3*c" --keys keys/server --in encrypted --out result.enc
  nttforge bfv decrypt result.enc --keys keys/client --out result.csv
  nttforge bfv inspect keys/server/evaluation.key result.enc

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

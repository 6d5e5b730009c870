# SPDX-License-Identifier: Apache-2.0
"""Private scoring of as many records as there are, on several processes or machines (Dask).

examples:
  nttforge cluster keys --out keys                        a model, and keys for its computation
  nttforge cluster sample --records 20000 --out patients.csv       records made from real ones
  nttforge cluster encrypt patients.csv --keys keys/client --out encrypted
  nttforge cluster score encrypted --keys keys/server --out scores --local 2
  nttforge cluster decrypt scores --keys keys/client --out scores.csv --compare patients.csv
  nttforge cluster certificates --out tls --hosts scheduler.example
  nttforge cluster score encrypted --keys keys/server --out scores \\
      --scheduler tls://scheduler.example:8786 --tls-ca tls/ca.pem --tls-cert tls/cert.pem \\
      --tls-key tls/key.pem

keys/client stays with the owner of the records; score is given keys/server, which has no secret.
Folders of score are paths or addresses of fsspec that all workers can read and write. What was
interrupted goes on with the same command. docs/cluster.md is the guide.
"""

from __future__ import annotations

import argparse

from . import certificates, client, score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    client.add_actions(actions)
    score.add_actions(actions)
    certificates.add_actions(actions)


def run(options: argparse.Namespace) -> int:
    code: int = (client.ACTIONS | score.ACTIONS | certificates.ACTIONS)[options.action](options)
    return code

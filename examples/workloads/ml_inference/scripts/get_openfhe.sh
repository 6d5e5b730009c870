#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The harness calls this first; there is nothing to fetch.

# SPDX-License-Identifier: Apache-2.0
"""The files of a design: Verilog, images, vectors, manifest and its README."""

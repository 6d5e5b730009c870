# SPDX-License-Identifier: Apache-2.0
"""The compiled module of nttforge with GPU kernels: `import nttforge` finds and uses it."""

# SPDX-License-Identifier: Apache-2.0
"""Programs that read a design: simulators, synthesis, place and route."""

# SPDX-License-Identifier: Apache-2.0
"""The Verilog generator: from the parameters of a transform to a streaming NTT design.

Plain Python on top of :mod:`nttforge_oracle`; the compiled core is not needed.

>>> from nttforge_hardware import HardwareParameters, plan_design
>>> design = plan_design(HardwareParameters(n=16, moduli=(97,), dp=4, pp=2))
>>> design.latency_cycles("forward"), design.dsps
(55, 8)
"""

from . import _definitions as _definitions
from .plan.cores import CoreDesign
from .plan.design import Design, plan_design
from .plan.parameters import HardwareParameters
from .plan.pipeline import Pipeline

__all__ = ["CoreDesign", "Design", "HardwareParameters", "Pipeline", "plan_design"]

# SPDX-License-Identifier: Apache-2.0
"""An LSM6DSO32 (DocID032891): it answers as an LSM6DSO, has the same registers, and its accelerometer twice the ranges."""

from __future__ import annotations

from .lsm6dso import LSM6DSO
from .signal import Scale


class LSM6DSO32(LSM6DSO):
    """The chip with SA0 low."""

    name = "lsm6dso32"
    densities = (120e-6, 220e-6, 130e-6, 160e-6), 3.8e-3

    @property
    def scale(self) -> Scale:
        half = super().scale
        return Scale(2 * half.g_per_count, half.dps_per_count)

# SPDX-License-Identifier: Apache-2.0
"""imulog record"""
from kernelbench.loggers import exported

command = (
    "imulog --store {folder} record --bus 0 --sensor {chip} --rate 100 --accel-range 8g --gyro-range 1000dps"
    " --until-stopped")
clock = "monotonic"
read = exported

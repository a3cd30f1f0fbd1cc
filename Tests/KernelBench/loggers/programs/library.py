# SPDX-License-Identifier: Apache-2.0
"""What the library's page shows, in a loop; runs in the guest."""
import time

from mpu6050 import mpu6050

sensor = mpu6050(0x68, bus=0)
sensor.set_accel_range(sensor.ACCEL_RANGE_8G)
sensor.set_gyro_range(sensor.GYRO_RANGE_1000DEG)
while True:
    acceleration = sensor.get_accel_data(g=True)
    rotation = sensor.get_gyro_data()
    print(time.time(), *acceleration.values(), *rotation.values(), sep=",")
    time.sleep(0.01)

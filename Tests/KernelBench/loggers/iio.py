# SPDX-License-Identifier: Apache-2.0
"""iio_readdev on mainline's inv_mpu6050"""
import struct

from kernelbench.loggers import Row

wires = ("route {chip} int 22",)
before = (
    "load gpio-virtio && load inv-mpu6050-i2c && load board name={chip} address=0x68 line=22",
    "sleep 1; cd /sys/bus/iio/devices/iio:device0 && echo 100 >sampling_frequency && echo 0.002392 >in_accel_scale &&"
    " echo 0.000532362 >in_anglvel_scale")
command = "/host/programs/rival /usr/bin/iio_readdev -b 16 {chip}"
after = ("rmmod board",)
scale = 0.002392 / 9.80665, 0.000532362 * 57.29577951


def read(folder, program):
    data, rows = (folder / "log").read_bytes(), []
    for *counts, time in struct.iter_unpack(">7h2x8s", data[: len(data) // 24 * 24]):
        del counts[3]  # the temperature
        rows.append(Row(int.from_bytes(time, "little"), tuple(count * scale[axis // 3] for axis, count in enumerate(counts))))
    return rows, []

# SPDX-License-Identifier: Apache-2.0
"""the Python library mpu6050-raspberrypi"""
command = "/host/programs/rival /usr/bin/python3.11 /host/programs/library.py"

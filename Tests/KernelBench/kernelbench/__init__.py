# SPDX-License-Identifier: Apache-2.0
"""The kernel bench: imulog on a real kernel's I2C, with chips that the host emulates. See ../README.md."""

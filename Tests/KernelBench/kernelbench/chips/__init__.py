# SPDX-License-Identifier: Apache-2.0
"""The devices on the guest's I2C bus and GPIO lines: a separate process, see server.py."""

"""What hangs on the guest's I2C bus and GPIO lines: a process of its own, see server.py."""

# SPDX-License-Identifier: Apache-2.0
"""a shell loop of i2ctransfer"""
from kernelbench.loggers import Loss, Row, lines

command = "/host/programs/rival /bin/sh /host/programs/poll.sh"


def read(folder, program):
    rows, losses = [], []
    for time, data in lines(folder / "log"):
        data = bytes(int(value) for value in data if 0 <= value < 256)
        counts = [int.from_bytes(data[at : at + 2], "big", signed=True) for at in (0, 2, 4, 8, 10, 12)]
        values = *(count / 4096 for count in counts[:3]), *(count / 32.8 for count in counts[3:])
        rows.append(Row(time, values)) if len(data) == 14 else losses.append(Loss(time, time, 1))
    return rows, losses

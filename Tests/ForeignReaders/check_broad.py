#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares orientations with the optical ones of BROAD (Laidig, Caruso, Cereatti, Seel 2021), where its files are at hand.

    Tests/ForeignReaders/check_broad.py PROGRAM FOLDER

FOLDER has files of github.com/dlaidig/broad, data_hdf5/*.hdf5. Each is imported as a table in m/s² and rad/s, exported with
--orientation, and its inclination compared with the cameras' while the body moves, as the authors do. vqf, the program of the
method's authors, gets the values of the file; both errors must be the same within 0.01°, which is what counts of 16 bits cost.
"""

import csv
import glob
import os
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

if len(sys.argv) != 3:
    sys.exit(__doc__)
foreign.need("vqf==2.1.2", "numpy", "h5py")
import h5py  # noqa: E402
import numpy as np  # noqa: E402
from vqf import offlineVQF  # noqa: E402

store = foreign.Store(sys.argv[1])
paths = sorted(glob.glob(os.path.join(sys.argv[2], "*.hdf5")))
if not paths:
    foreign.cannot("no *.hdf5 in %s" % sys.argv[2])


def inclination(found, truth):
    """Degrees between the verticals of two orientations: the turn between them without its part about the vertical."""
    conjugate = found * [1, -1, -1, -1]
    w = truth[:, 0] * conjugate[:, 0] - (truth[:, 1:] * conjugate[:, 1:]).sum(axis=1)
    z = truth[:, 0] * conjugate[:, 3] + truth[:, 3] * conjugate[:, 0] \
        + truth[:, 1] * conjugate[:, 2] - truth[:, 2] * conjugate[:, 1]
    return np.degrees(2 * np.arccos(np.minimum(1, np.hypot(w, z))))


errors = []
for path in paths:
    name = os.path.basename(path)[:-5]
    with h5py.File(path) as file:
        rate = float(file.attrs["sampling_rate"])
        force, turn = file["imu_acc"][:], file["imu_gyr"][:]
        truth, moves = file["opt_quat"][:], file["movement"][:].astype(bool)
    table = os.path.join(store.folder.name, name + ".csv")
    with open(table, "w") as file:
        file.write("time_s,ax_mps2,ay_mps2,az_mps2,gx_radps,gy_radps,gz_radps\n")
        for row in range(len(force)):
            file.write("%.9f,%s\n" % (row / rate, ",".join("%.8f" % v for v in (*force[row], *turn[row]))))
    store.numbers[name] = store.run("import", table).split()[-1].decode()
    with open(store.export(name, "take.csv", "--orientation"), newline="") as file:
        mine = np.array([[float(row[c]) for c in ("qw", "qx", "qy", "qz")] for row in csv.DictReader(file)])
    theirs = offlineVQF(np.ascontiguousarray(turn), np.ascontiguousarray(force), None, 1 / rate)["quat6D"]
    counts = moves & ~np.isnan(truth).any(axis=1)
    found = [np.sqrt(np.mean(inclination(q[counts], truth[counts]) ** 2)) for q in (mine, theirs)]
    print("%s: inclination within %.2f° (RMS), vqf %.2f°" % (name, *found))
    assert abs(found[0] - found[1]) < 0.01, (name, found)
    errors.append(found)
print("%d recordings: %.2f° on average, vqf %.2f°" % (len(errors), *np.mean(errors, axis=0)))

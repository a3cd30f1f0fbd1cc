#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the recipes of OtherPrograms.md and Orientation.md in Sources/imulog/imulog.docc as they stand there, each on an
export of a recording.

    Tests/ForeignReaders/check_recipes.py [PROGRAM]

A recipe is a code block after a line <!-- recipe: FILE [OPTION]... -->, which says what was exported. PROGRAM is
.build/release/imulog when not given. Status 77: the packages that the recipes import cannot be installed.
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

# Where a package has another name than its module.
PACKAGES = {"obspy": "obspy==1.5.1", "skdh": "scikit-digital-health==0.17.18",
            "telemetry_parser": "telemetry-parser==0.3.0"}
STANDARD = sys.stdlib_module_names

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
recipes = []
for name in ("OtherPrograms", "Orientation"):
    page = open(os.path.join(foreign.ROOT, "Sources/imulog/imulog.docc", name + ".md")).read()
    found = re.findall(r"<!-- recipe: (.*?) -->\n```python\n(.*?)```", page, re.S)
    assert found, "%s has no recipes" % name
    recipes += found
modules = {name for _, text in recipes for name in re.findall(r"^(?:import|from) (\w+)", text, re.M)}
store = foreign.Store(program)
store.record("take", "--rate", "100", "--for", "12s", "--note", "a recipe's")
store.record("sensors", "--for", "6s", "--clock", "chip", "--sensor", "femur_r_imu=mpu6050 rate=200",
             "--sensor", "tibia_r_imu=lsm6dso rate=104")
python = foreign.need(*sorted(PACKAGES.get(name, name) for name in modules - set(STANDARD)))
for words, text in recipes:
    file, *options = words.split()
    store.export("sensors" if "--take" in options else "take", file, *options)
    ran = subprocess.run([python, "-c", text], cwd=store.folder.name, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit("the recipe for %s fails:\n%s\n%s" % (file, text, ran.stderr))
print("%d recipes ran as they stand in the pages" % len(recipes))

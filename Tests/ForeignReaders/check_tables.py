#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what pandas and telemetry-parser (Gyroflow's reader) read of exported tables with the samples of NDJSON.

    Tests/ForeignReaders/check_tables.py [PROGRAM [FOLDER]]

PROGRAM is .build/release/imulog when not given; each CSV of FOLDER is imported and judged too. Status 77: the packages
cannot be installed.
"""

import math
import os
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
store = foreign.usual_recordings(program, sys.argv[2] if len(sys.argv) > 2 else None)
store.record("field", "--sensor", "icm20948", "--field", "20", "--rate", "100", "--for", "10s")
store.gaps()
foreign.need("pandas", "telemetry-parser==0.3.0")
import pandas  # noqa: E402
import telemetry_parser  # noqa: E402

AXES = ["ax", "ay", "az", "gx", "gy", "gz"]
MAGNETIC = {"mx": "mx_uT", "my": "my_uT", "mz": "mz_uT", "m_lo_ns": "m_lo_ns", "m_hi_ns": "m_hi_ns"}
SUFFIXES = {"si": ("_mps2", "_radps"), "g-dps": ("_g", "_dps"), "raw": ("_count", "_count")}


def check_csv(name):
    """Units, dates and the preamble change no sample."""
    facts = store.facts(name)
    for units, (accelerometer, gyroscope) in SUFFIXES.items():
        samples = store.samples(name, "--units", units)
        path = store.export(name, "take.csv", "--units", units, "--unit-names", "--preamble", "--time", "seconds")
        table = pandas.read_csv(path, comment="#")
        assert [round(t * 1e9) for t in table["t_s"]] == [sample["t_ns"] for sample in samples], name
        for axis in AXES:
            if axis in samples[0]:
                column = axis + (accelerometer if axis[0] == "a" else gyroscope)
                assert list(table[column]) == [sample[axis] for sample in samples], (name, column)
        for axis, column in MAGNETIC.items():
            assert (column in table) == (name == "field"), (name, column)
            if name == "field":
                found = [None if pandas.isna(value) else value for value in table[column]]
                assert found == [sample.get(axis) for sample in samples] and found.count(None) < 820, (name, column)
    if facts["started"] is None:
        return
    table = pandas.read_csv(store.export(name, "take.csv", "--time", "utc"), parse_dates=["time_utc"])
    start = pandas.Timestamp(facts["started"]).value
    times = table["time_utc"].astype("datetime64[ns, UTC]").astype("int64")
    assert list(times) == [start + sample["t_ns"] for sample in samples], name


def check_gap_rows(name):
    """--gaps rows adds a row for each gap of the document, between the samples, and changes none of these."""
    facts = store.facts(name)
    samples = store.samples(name)
    table = pandas.read_csv(store.export(name, "take.csv", "--gaps", "rows"))
    lines = pandas.read_json(store.export(name, "take.ndjson", "--gaps", "rows"), lines=True, precise_float=True)
    wanted = [(gap["t_ns"], gap["cause"], gap["count"]) for gap in facts["gaps"]]
    for rows in (table, lines):
        if not wanted:
            assert "gap" not in rows or rows["gap"].isna().all(), name
            assert len(rows) == len(samples), name
            continue
        gaps = rows[rows["gap"].notna()]
        assert list(zip(gaps["t_ns"], gaps["gap"], gaps["gap_ticks"].astype(int))) == wanted, name
        others = rows[rows["gap"].isna()]
        assert list(others["t_ns"]) == [sample["t_ns"] for sample in samples], name
        for axis in AXES:
            if axis in samples[0]:
                assert gaps[axis].isna().all(), (name, axis)
                assert list(others[axis]) == [sample[axis] for sample in samples], (name, axis)


def check_gcsv(name):
    """Rates, accelerations and times as Gyroflow takes them: deg/s, m/s², ms from the first row."""
    samples = store.samples(name, "--units", "raw")
    scales = store.facts(name)["sensor"]
    gyroscope = scales["gyroscopeScale_dps"][0] / scales["gyroscopeScale_dps"][1]
    accelerometer = scales["accelerometerScale_g"][0] / scales["accelerometerScale_g"][1] * 9.80665
    parser = telemetry_parser.Parser(store.export(name, "take.gcsv"))
    assert parser.camera == "imulog", parser.camera
    rows = parser.normalized_imu()
    assert len(rows) == len(samples), (name, len(rows), len(samples))
    for row, sample in zip(rows, samples):
        milliseconds = (sample["t_ns"] - samples[0]["t_ns"]) / 1e6
        assert math.isclose(row["timestamp_ms"], milliseconds, rel_tol=1e-12, abs_tol=1e-9), (name, row, sample)
        for value, axis in zip(row["gyro"], AXES[3:]):
            assert math.isclose(value, sample[axis] * gyroscope, rel_tol=1e-12, abs_tol=1e-12), (name, row, sample)
        if "ax" in sample:
            for value, axis in zip(row["accl"], AXES):
                assert math.isclose(value, sample[axis] * accelerometer, rel_tol=1e-12, abs_tol=1e-12), (name, row)


def check_kalibr(name):
    """The values of NDJSON in another order, dated."""
    samples = store.samples(name)
    table = pandas.read_csv(store.export(name, "imu0.csv", "--format", "kalibr"))
    started = store.facts(name)["started"]
    start = 1_000_000_000 if started is None else pandas.Timestamp(started).value
    assert list(table["timestamp"]) == [start + sample["t_ns"] for sample in samples], name
    for column, axis in zip(["omega_x", "omega_y", "omega_z", "alpha_x", "alpha_y", "alpha_z"], AXES[3:] + AXES[:3]):
        assert list(table[column]) == [sample[axis] for sample in samples], (name, column)


for recording in store.numbers:
    channels = store.facts(recording)["sensor"]["channels"]
    check_csv(recording)
    check_gap_rows(recording)
    if "gx" in channels:
        check_gcsv(recording)
        if "ax" in channels:
            check_kalibr(recording)
    print("%s: pandas and telemetry-parser read what NDJSON has" % recording)

# SPDX-License-Identifier: Apache-2.0
"""Reads exported MCAP with other programs' readers, and compares counts, times and values with those of NDJSON.

    Tests/ForeignReaders/check_mcap.py [PROGRAM] [--also FOLDER]

PROGRAM is .build/release/imulog when not given. The readers (mcap, mcap-ros2-support and rosbags, and rerun's program
where there is one) come from PyPI, into the user's cache; where they cannot be had, it says so and ends with status 77.
--also checks imports of the CSV files in a folder, too. Everything must be equal: each double, each nanosecond. Takes
about half a minute.
"""

import argparse
import calendar
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import foreign  # noqa: E402
from foreign import Recordings  # noqa: E402
from recordings import WORDS  # noqa: E402

READERS = ["mcap==1.6.0", "mcap-ros2-support==0.6.0", "rosbags==0.11.9"]
AXES = ["ax", "ay", "az", "gx", "gy", "gz"]
MAGNETIC = ["mx_ut", "my_ut", "mz_ut"]
LEVELS = {"/imu/marks": 20, "/imu/labels": 20, "/imu/gaps": 30}


def wall(text):
    """Nanoseconds since 1970 of an RFC 3339 time in UTC."""
    begin, fraction = re.fullmatch(r"(.*?)(?:\.(\d+))?Z", text).groups()
    return calendar.timegm(time.strptime(begin, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int((fraction or "").ljust(9, "0"))


def expected(recordings, number, options):
    """What the recording's JSON says that each topic has: times and values."""
    document = json.loads(recordings.run("export", number, *options))
    lines = recordings.run("export", number, "--format", "ndjson", *options).splitlines()
    rows = [json.loads(line) for line in lines]
    rows = [{name: value for name, value in row.items() if name[0] != "m"} for row in rows]
    assert rows == document["samples"]
    start = wall(document["started"]) if document["started"] else 0
    recorded = set(rows[0]) if rows else set()
    flags = [-1.0, 0.0 if "gx" in recorded else -1.0, 0.0 if "ax" in recorded else -1.0]
    imu = [(start + row["t_ns"], tuple(float(row.get(axis, 0)) for axis in AXES), flags) for row in rows]
    degrees, last = [], None
    for row in rows:
        if "temp" in row and row["temp"] != last:
            last = row["temp"]
            degrees.append((start + row["t_ns"], float(last)))
    gaps = [(start + gap["t_ns"], gap["count"]) for gap in document["gaps"]]
    marks = [(start + mark["t_ns"], mark["label"]) for mark in document["marks"]]
    # At its beginning, or where the export begins.
    begin = (document.get("range") or {}).get("from_ns")
    labels = [(start + (label["from_ns"] if begin is None else max(label["from_ns"], begin)), label["name"])
              for label in document["labels"] if label["from_ns"] <= rows[-1]["t_ns"]]
    field = [(start + value["t_hi_ns"], start + value["t_lo_ns"], *(value[name] / 1e6 for name in MAGNETIC))
             for value in (document["field"] or {"values": []})["values"] if "--channels" not in options]
    return document, {"/imu": imu, "/imu/temperature": degrees, "/imu/mag": field, "/imu/gaps": gaps,
                      "/imu/marks": marks, "/imu/labels": labels}


def content(topic, message, log_time, published, frame="imu"):
    """A message as `expected` has it, whichever reader decoded it."""
    stamp = message.stamp if topic in LEVELS else message.header.stamp
    assert stamp.sec * 10**9 + stamp.nanosec == log_time, (topic, stamp, log_time)
    if topic in LEVELS:
        assert message.level == LEVELS[topic], message
        if topic == "/imu/labels":
            # The stretch comes before the name.
            return message.msg.split(" ", 1)[1]
        return message.msg if topic == "/imu/marks" else int(re.match(r"(\d+) ticks? missing: .", message.msg)[1])
    assert message.header.frame_id == frame
    if topic == "/imu/mag":
        assert not any(message.magnetic_field_covariance)
        return (published, *(getattr(message.magnetic_field, axis) for axis in "xyz"))
    if topic == "/imu/temperature":
        assert message.variance == 0
        return message.temperature
    vectors = [message.linear_acceleration, message.angular_velocity]
    values = tuple(getattr(vector, axis) for vector in vectors for axis in "xyz")
    covariances = [message.orientation_covariance, message.angular_velocity_covariance,
                   message.linear_acceleration_covariance]
    assert all(value == 0 for covariance in covariances for value in covariance[1:])
    turn = message.orientation
    assert (turn.x, turn.y, turn.z, turn.w) == (0, 0, 0, 1)
    return values, [covariance[0] for covariance in covariances]


def flat(log_time, value):
    return (log_time, *value) if isinstance(value, tuple) else (log_time, value)


def compare(reader, found, wanted):
    for topic in sorted(set(found) | {topic for topic, rows in wanted.items() if rows}):
        rows, others = found.get(topic, []), wanted.get(topic, [])
        assert len(rows) == len(others), f"{reader}, {topic}: {len(rows)} messages, not {len(others)}"
        for one, other in zip(rows, others):
            # Not ==, by which zeros of both signs are the same.
            assert repr(one) == repr(other), f"{reader}, {topic}: {one} is not {other}"


def by_mcap(path, document, wanted):
    from mcap.reader import NonSeekingReader, make_reader
    from mcap_ros2.decoder import DecoderFactory

    for make in (make_reader, NonSeekingReader):
        with open(path, "rb") as file:
            found = {}
            reader = make(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
            for _, channel, message, decoded in reader.iter_decoded_messages():
                assert message.publish_time == message.log_time or channel.topic == "/imu/mag"
                found.setdefault(channel.topic, []).append(
                    flat(message.log_time, content(channel.topic, decoded, message.log_time, message.publish_time)))
            compare(make.__name__, found, wanted)
            file.seek(0)
            metadata = {record.name: record.metadata for record in make(file).iter_metadata()}["imulog"]
            assert metadata["imulog.id"] == document["id"]
            assert metadata.get("imulog.started") == document["started"]
            for name, count in document["ticks"].items():
                assert metadata[f"imulog.ticks.{name}"] == str(count), (name, count, metadata)


def by_rosbags(path, document, wanted):
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    found = {}
    with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        for connection, log_time, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append(
                flat(log_time, content(connection.topic, message, log_time, None)))
    for rows in found.values():
        rows[:] = [tuple(plain(value) for value in row) for row in rows]
    # It does not tell when a message was published.
    field = [(row[0], None, *row[2:]) for row in wanted["/imu/mag"]]
    compare("rosbags", found, {**wanted, "/imu/mag": field})


def plain(value):
    """Python's own numbers, which print alike."""
    if isinstance(value, (list, tuple)):
        return type(value)(plain(part) for part in value)
    return value.item() if hasattr(value, "item") else value


def by_rerun(path, rerun):
    """Whether rerun's program, where it could be installed, finds no fault."""
    if rerun is None:
        return False
    done = subprocess.run([rerun, "mcap", "check", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return True


def check(recordings, number, name, rerun, *options):
    document, wanted = expected(recordings, number, options)
    wanted = {topic: [flat(*row) if len(row) == 2 else row for row in rows]
              for topic, rows in wanted.items()}
    path, _ = recordings.export(number, "mcap", *options)
    piped = subprocess.run([recordings.program, "export", number, "--format", "mcap", *options], check=True,
                           env={**os.environ, "IMULOG_STORE": recordings.store}, capture_output=True).stdout
    assert piped == Path(path).read_bytes(), "a pipe gets other bytes than a file"
    for rows in wanted.values():
        assert not any(math.isnan(cell) for row in rows for cell in row if isinstance(cell, float))
    by_mcap(path, document, wanted)
    by_rosbags(path, document, wanted)
    is_rerun = by_rerun(path, rerun)
    count = sum(len(rows) for rows in wanted.values())
    topics = ", ".join(f"{len(rows)} {topic}" for topic, rows in wanted.items() if rows)
    print(f"{name}: {topics or 'nothing'}; {os.path.getsize(path) / max(count, 1):.1f} bytes a message")
    return is_rerun


def of_take(recordings, rerun):
    """Each sensor's topics have what its recording alone has, and rosbags reads all of them in one order."""
    from mcap.reader import NonSeekingReader, make_reader
    from mcap_ros2.decoder import DecoderFactory
    from rosbags.highlevel import AnyReader

    recordings.run("record", "--board", "simulator", "--virtual-time", "--for", "20s", "--sensor",
                   "left=mpu6050@0x68 rate=1000 clock=chip motion=tumble", "--sensor",
                   "elbow_inner_7=icm20948@0x69 rate=100 field=50 motion=turn", "--sensor", "b=lsm6dso rate=50 channels=accel")
    path, _ = recordings.export("latest", "mcap", "--take")
    wanted, ids = {}, {}
    for sensor in ("left", "elbow_inner_7", "b"):
        document, topics = expected(recordings, f"latest/{sensor}", ())
        ids[f"imulog.sensors.{sensor}.id"] = document["id"]
        for topic, rows in topics.items():
            wanted[topic.replace("/imu", f"/imu/{sensor}")] = [flat(*row) if len(row) == 2 else row for row in rows]
    for make in (make_reader, NonSeekingReader):
        with open(path, "rb") as file:
            found = {}
            reader = make(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
            for _, channel, message, decoded in reader.iter_decoded_messages():
                sensor = channel.topic.split("/")[2]
                value = content(channel.topic.replace(f"/{sensor}", ""), decoded, message.log_time, message.publish_time, sensor)
                found.setdefault(channel.topic, []).append(flat(message.log_time, value))
            compare(make.__name__, found, wanted)
            file.seek(0)
            metadata = {record.name: record.metadata for record in make(file).iter_metadata()}["imulog"]
            assert ids.items() <= metadata.items()
    with AnyReader([Path(path)]) as reader:
        times = [log_time for _, log_time, _ in reader.messages()]
    assert times == sorted(times) and len(times) == sum(map(len, wanted.values()))
    by_rerun(path, rerun)
    print(f"a take: {len(times)} messages of {len(wanted)} topics")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", nargs="?", default=".build/release/imulog")
    arguments.add_argument("--also", help="a folder with CSV files")
    options = arguments.parse_args()
    python = foreign.need(*READERS)
    # Large, and not for every processor.
    rerun = str(Path(python).parent / "rerun") if foreign.has("rerun-sdk") else None
    with tempfile.TemporaryDirectory() as folder:
        recordings = Recordings(options.program, folder)
        number = recordings.with_mark_and_gaps()
        is_rerun = check(recordings, number, "gaps and marks", rerun)
        assert WORDS in recordings.run("export", number)
        check(recordings, number, "a part of it", rerun, "--from", "500ms", "--to", "2s")
        for channels in ("accel", "gyro"):
            check(recordings, number, channels, rerun, "--channels", channels)
        check(recordings, number, "no sample", rerun, "--from", "1ns", "--to", "2ns")
        of_take(recordings, rerun)
        check(recordings, recordings.tumble(1000, "30s"), "1 kHz", rerun)
        number = recordings.run("record", "--board", "simulator", "--virtual-time", "--motion", "tumble", "--sensor",
                                "icm20948", "--field", "50", "--rate", "100", "--for", "20s").splitlines()[-1]
        check(recordings, number, "magnetometer", rerun)
        check(recordings, number, "a part of it", rerun, "--from", "3s", "--to", "7.77s")
        check(recordings, number, "accelerometer alone", rerun, "--channels", "accel")
        for path in sorted(Path(options.also).glob("*.csv")) if options.also else []:
            number = recordings.run("import", str(path), "--units", "raw", "--anyway").splitlines()[-1]
            check(recordings, number, path.name, rerun)
    print("mcap, mcap-ros2-support and rosbags" + (", and rerun," if is_rerun else "") + " read what NDJSON has")


main()

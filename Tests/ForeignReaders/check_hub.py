# SPDX-License-Identifier: Apache-2.0
"""Reads a hub's tables with programs of others: every sum is that of the logs, columns are the same for every recording,
the recipes of Fleet.md run as they stand there, and a question for one host and day opens its files alone.

    Tests/ForeignReaders/check_hub.py [PROGRAM]

PROGRAM is .build/release/imulog when not given. DuckDB, polars and pyarrow are installed from PyPI into the user's cache;
chdb reads too where it can be had, and pyspark where there is Java. Status 77: nothing can be installed.
"""

import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import foreign  # noqa: E402

PROGRAM = os.path.join(foreign.ROOT, ".build/release/imulog")
CHANNELS = ["ax", "ay", "az", "gx", "gy", "gz", "temp"]

SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
machine=$2
shift 2
export SSH_ORIGINAL_COMMAND="$*"
exec %s --store %s/$machine serve --log %s/journal
"""

# Recordings of other channels, rates, clocks, marks and labels; a take of two sensors; an import without a date.
MACHINES = {
    "pump-7": [["--rate", "100", "--for", "12s"], ["--channels", "accel", "--for", "5s"]],
    "pump-8": [["--rate", "50", "--for", "4s", "--channels", "gyro"], ["--rate", "200", "--for", "30s"]],
}


def run(*words, **more):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, **more)
    assert done.returncode == 0, "%s: %d %s" % (words, done.returncode, done.stderr)
    return done.stdout


def make(folder):
    for machine, recordings in MACHINES.items():
        for options in recordings:
            run("--store", os.path.join(folder, machine), "record", "--board", "simulator", "--virtual-time",
                "--motion", "tumble", *options)
    # In real time: virtual time has no place on the computer's clock.
    run("--store", os.path.join(folder, "pump-7"), "record", "--board", "simulator", "--for", "2s", "--rate", "100",
        "--sensor", "left=mpu6050", "--sensor", "right=lsm6dso rate=50")
    table = os.path.join(folder, "undated.csv")
    with open(table, "w") as file:
        file.write("t_s,ax_g,ay_g,az_g\n")
        for row in range(200):
            file.write("%.2f,%.3f,%.3f,1.000\n" % (row / 100, -row / 1000, row / 500))
    run("--store", os.path.join(folder, "pump-8"), "import", table)
    run("--store", os.path.join(folder, "pump-7"), "label", "1", "1s..2s", "it's so, \u00e9")
    script = os.path.join(folder, "ssh")
    with open(script, "w") as file:
        file.write(SSH % (PROGRAM, folder, folder))
    os.chmod(script, 0o755)
    with open(os.path.join(folder, "hosts"), "w") as file:
        file.write("pump-7 site=bergen line=3\npump-8 site=oslo\n")
    os.environ["IMULOG_SSH"] = script
    run("hub", os.path.join(folder, "fleet"), "--hosts", os.path.join(folder, "hosts"))


def listed(store):
    """The recordings of a store, page by page."""
    found = []
    for page in itertools.count(1):
        part = json.loads(run("--store", store, "list", "--json", "--page", str(page)))["recordings"]
        found += part
        if len(part) < 10:
            return found


def truth(folder):
    """By recording: host, samples, and the sum of each channel's counts, from the logs."""
    found = {}
    for machine in MACHINES:
        store = os.path.join(folder, machine)
        for recording in listed(store):
            number = str(recording["number"])
            sums, count = dict.fromkeys(CHANNELS), 0
            for line in run("--store", store, "export", number, "--format", "ndjson", "--units", "raw").splitlines():
                row = json.loads(line)
                if "tick" not in row and "t_ns" not in row:
                    continue
                count += 1
                for name in CHANNELS:
                    if row.get(name) is not None:
                        sums[name] = (sums[name] or 0) + row[name]
            name = "/" + recording["sensorName"] if recording["take"] else ""
            info = json.loads(run("--store", store, "info", number + name, "--json"))
            found[recording["id"]] = (machine, count, [sums[name] for name in CHANNELS], info)
    return found


def compare(engine, rows, expected):
    """Rows: recording, host, count, and a sum for each channel."""
    rows = {row[0]: row[1:] for row in rows}
    assert rows.keys() == expected.keys(), "%s finds %s" % (engine, sorted(rows))
    for name, (host, count, sums, _) in expected.items():
        ours = rows[name]
        assert ours[0] == host and ours[1] == count, "%s: %s is %s" % (engine, name, ours)
        read = [None if value is None else int(value) for value in ours[2:]]
        assert read == sums, "%s: the sums of %s are %s, not %s" % (engine, name, read, sums)
    print("%s reads %d recordings, and every sum is the logs'" % (engine, len(rows)))


SUMS = ", ".join("sum(%s)" % name for name in CHANNELS)


SAMPLES = "read_parquet('samples/*/*/*.parquet', hive_partitioning = true)"


def duckdb_sums(expected):
    import duckdb
    compare("DuckDB", duckdb.sql("select recording, host, count(*), %s from %s group by all" % (SUMS, SAMPLES)).fetchall(),
            expected)


def duckdb_reads(expected):
    import duckdb
    duckdb_sums(expected)
    recordings = duckdb.sql("select * from read_parquet('recordings/*/recordings.parquet', hive_partitioning = true)")
    names = recordings.columns
    for row in recordings.fetchall():
        row = dict(zip(names, row))
        host, count, _, info = expected[row["recording"]]
        assert (row["host"], row["sampled"]) == (host, count)
        assert row["sensor"] == info["sensor"]["model"], row
        assert row["verdict"] == info["review"]["verdict"], row
        assert row["scheduled"] == info["ticks"]["scheduled"], row
        assert (row["started"] is None) == (info["started"] is None), row
        assert json.loads(row["host_labels"])["site"] == ("bergen" if host == "pump-7" else "oslo")
        if row["label_names"] is not None:
            assert row["label_names"] == "it's so, \u00e9", row
            assert json.loads(row["labels"]) == [
                {"from_ns": 1000000000, "to_ns": 2000000000, "name": "it's so, \u00e9"}], row
        path = duckdb.sql("select count(*) from '%s'" % row["samples_path"]).fetchall()[0]
        assert path[0] == count and os.path.getsize(row["samples_path"]) == row["samples_bytes"]
    assert sum(1 for _ in recordings.fetchall()) == len(expected)
    # One file of five: the others are not opened.
    plan = duckdb.sql("explain analyze select count(*) from %s where host = 'pump-8' and date = '1970-01-01' and ax < 0"
                      % SAMPLES).fetchall()[0][1]
    assert re.search(r"Total Files Read:\s*1\b", plan), plan
    print("DuckDB opens one of %d files for one host and day" % len(expected))


def polars_reads(expected):
    import polars
    samples = polars.scan_parquet("samples", hive_partitioning=True)
    sums = [polars.when(polars.col(name).count() > 0).then(polars.col(name).cast(polars.Int64).sum()).alias(name)
            for name in CHANNELS]
    compare("polars", samples.group_by("recording", "host").agg(polars.len(), *sums).collect().rows(), expected)
    plan = samples.filter(polars.col("host") == "pump-8", polars.col("date") == polars.date(1970, 1, 1)).explain()
    assert "1 other" not in plan and plan.count(".parquet") == 1, plan
    print("polars plans one of %d files for one host and day" % len(expected))


def features_agree(expected):
    """Every figure of every second is numpy's of the samples, and every band scipy's."""
    import duckdb
    import numpy
    import scipy.signal
    bands = [(5, 10), (10, 50), (50, 100), (100, 500), (500, 1000), (1000, 5000)]
    seconds = figures = 0
    for name, (host, count, _, info) in expected.items():
        row = dict(zip(*(lambda r: (r.columns, r.fetchall()[0]))(duckdb.sql(
            "select * from 'recordings/host=%s/recordings.parquet' where recording = '%s'" % (host, name)))))
        samples = duckdb.sql("select * from '%s' order by tick" % row["samples_path"]).fetchnumpy()
        features = duckdb.sql("select epoch_us(t) as us, * from '%s' order by t" % row["features_path"])
        assert os.path.getsize(row["features_path"]) == row["features_bytes"]
        columns = features.columns
        found = {line[0]: dict(zip(columns, line)) for line in features.fetchall()}
        started = info["started"] and duckdb.sql("select epoch_ns('%s'::timestamp_ns)" % info["started"].rstrip("Z")).fetchall()[0][0]
        second = ((started or 0) + samples["t_ns"].astype(object)) // 1_000_000_000
        assert sum(line["samples"] for line in found.values()) == count
        assert sum(line["missing"] for line in found.values()) == row["scheduled"] - row["sampled"]
        assert sum(line["marks"] for line in found.values()) == row["marks"]
        for value in sorted(set(second)):
            here = second == value
            line = found[value * 1_000_000]
            seconds += 1
            assert line["samples"] == here.sum() and line["recording"] == name
            density = None
            for axis in CHANNELS[:6]:
                counts = samples[axis][here]
                if numpy.ma.is_masked(counts):
                    assert line[axis + "_mean"] is None
                    continue
                unit = row["accel_mps2"] if axis[0] == "a" else row["gyro_radps"]
                x = numpy.asarray(counts, float) * unit
                deviation = x - x.mean()
                m2, m4 = (deviation ** 2).mean(), (deviation ** 4).mean()
                wanted = {"mean": x.mean(), "rms": m2 ** 0.5, "peak": abs(deviation).max()}
                if numpy.ptp(counts.astype(int)):
                    wanted["crest"] = wanted["peak"] / wanted["rms"]
                    if len(x) > 3:
                        wanted["kurtosis"] = m4 / m2 ** 2
                for figure in ("mean", "rms", "peak", "crest", "kurtosis"):
                    ours = line["%s_%s" % (axis, figure)]
                    if figure not in wanted:
                        assert ours is None, (name, axis, figure, ours)
                        continue
                    scale = max(abs(wanted[figure]), unit if figure in ("mean", "rms", "peak") else 0)
                    assert abs(ours - wanted[figure]) <= 2e-6 * scale, (name, axis, figure, ours, wanted[figure])
                    figures += 1
                if axis[0] == "a" and len(x) >= 8 and (numpy.diff(samples["tick"][here].astype(int)) == 1).all():
                    length = 2 ** int(numpy.log2(min(len(x), 4096)))
                    rate = row["rate_hz"]
                    f, p = scipy.signal.welch(x, rate, nperseg=length)
                    density = p if density is None else density + p
            if density is None:
                continue
            resolution = f[1]
            for low, high in bands:
                ours = line["accel_rms_%d_%dhz" % (low, high)]
                if low < 2 * resolution or low >= rate / 2 - 1e-9 or not ((f >= low - 1e-9) & (f < high - 1e-9)).any():
                    assert ours is None, (name, low, ours)
                    continue
                wanted = (density[(f >= low - 1e-9) & (f < high - 1e-9)].sum() * resolution) ** 0.5
                assert abs(ours - wanted) <= 1e-5 * max(wanted, row["accel_mps2"] / 100), (name, low, ours, wanted)
                figures += 1
    print("features of %d seconds: %d figures are those of numpy and scipy" % (seconds, figures))


def arrow_reads(expected):
    import pyarrow.dataset
    import pyarrow.parquet
    schemas = {str(pyarrow.parquet.read_schema(path).remove_metadata()) for path in glob.glob("samples/*/*/*.parquet")}
    assert len(schemas) == 1, schemas
    table = pyarrow.dataset.dataset("samples", partitioning="hive").to_table()
    rows = table.group_by(["recording", "host"]).aggregate([([], "count_all")] + [(name, "sum") for name in CHANNELS])
    compare("pyarrow", [tuple(row[name] for name in ["recording", "host", "count_all"] + [c + "_sum" for c in CHANNELS])
                        for row in rows.to_pylist()], expected)


def chdb_reads(expected):
    import chdb
    query = ("select recording, host, count(), %s from file('samples/host=*/date=*/*.parquet', Parquet) "
             "group by recording, host settings use_hive_partitioning = 1" % SUMS)
    lines = str(chdb.query(query, "JSONCompactEachRow")).splitlines()
    compare("ClickHouse", [json.loads(line) for line in lines], expected)


def spark_reads(expected):
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    samples = spark.read.parquet("samples")
    samples.createOrReplaceTempView("samples")
    compare("Spark", [tuple(row) for row in spark.sql(
        "select recording, host, count(*), %s from samples group by recording, host" % SUMS).collect()], expected)
    plan = spark.sql("select az from samples where host = 'pump-8'")._jdf.queryExecution().toString()
    assert re.search(r"PartitionFilters: \[[^\]]*host#", plan), plan
    print("Spark reads the files of one host by the path")


def take_agrees(folder):
    """The recordings of a take are found by it, in its order, and their clocks' distance is that of the export."""
    import duckdb
    rows = duckdb.sql(
        "select sensor_name, take_index, take_sensors, boot, monotonic_ns, recording"
        " from read_parquet('recordings/*/recordings.parquet') where take is not null order by take_index").fetchall()
    assert [row[:3] for row in rows] == [("left", 0, 2), ("right", 1, 2)], rows
    assert rows[0][3] == rows[1][3] and rows[0][3], rows
    store = os.path.join(folder, "pump-7")
    first = {}
    for line in run("--store", store, "export", "3", "--take", "--format", "ndjson", "--units", "raw").splitlines():
        row = json.loads(line)
        first.setdefault(row["sensor"], row["t_ns"])
    delays = []
    for name, _, _, _, origin, recording in rows:
        t_ns = duckdb.sql("select min(t_ns) from read_parquet('samples/*/*/*.parquet') where recording = '%s'" % recording)
        delays.append(first[name] - t_ns.fetchall()[0][0] - origin)
    assert delays[0] == delays[1], delays
    print("a take's sensors are on one clock in the hub, as in its export")


def run_recipes(engines):
    page = open(os.path.join(foreign.ROOT, "Sources/imulog/imulog.docc/Fleet.md")).read()
    recipes = re.findall(r"<!-- hub recipe: (.*?) -->\n```(?:sql|python)\n(.*?)```", page, re.S)
    assert {engine for engine, _ in recipes} == {"duckdb", "chdb", "polars", "pyspark"}
    ran = 0
    for engine, text in recipes:
        if engine not in engines:
            continue
        if engine == "duckdb":
            import duckdb
            assert duckdb.sql(text).fetchall(), text
        elif engine == "chdb":
            import chdb
            assert str(chdb.query(text, "JSONCompactEachRow")).strip(), text
        else:
            done = subprocess.run([sys.executable, "-c", "import sys; sys.path[:0] = %r\n%s" % (sys.path, text)],
                                  capture_output=True, text=True)
            assert done.returncode == 0 and done.stdout.strip(), done.stderr
        ran += 1
    print("%d of %d recipes ran as they stand in Fleet.md" % (ran, len(recipes)))


def engines():
    """The engines that can be had."""
    foreign.need("duckdb", "polars", "pyarrow", "pytz", "numpy", "scipy")
    found = {"duckdb", "polars"} | ({"chdb"} if foreign.has("chdb") else set())
    return found | ({"pyspark"} if shutil.which("java") and foreign.has("pyspark") else set())


def sums(found):
    """The checks of sums, of the hub in the current directory."""
    return [duckdb_sums, arrow_reads] + [chdb_reads] * ("chdb" in found) + [spark_reads] * ("pyspark" in found)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else PROGRAM)
    found = engines()
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        expected = truth(folder)
        os.chdir(os.path.join(folder, "fleet"))
        duckdb_reads(expected)
        polars_reads(expected)
        arrow_reads(expected)
        features_agree(expected)
        if "chdb" in found:
            chdb_reads(expected)
        if "pyspark" in found:
            spark_reads(expected)
        take_agrees(folder)
        run_recipes(found)
        os.chdir("/")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Reads exported Parquet files with programs of others, and compares every value with the NDJSON of the same recording.

    Tests/ForeignReaders/check_parquet.py [PROGRAM] [--data FOLDER] [--long]

PROGRAM is .build/release/imulog when not given. FOLDER of --data has CSV files for `imulog import`; --long adds a
recording of ten million samples and measures speed and memory. pyarrow, DuckDB, polars and fastparquet are installed from
PyPI into the user's cache; chdb and pyspark read too if they are there. Ends with status 77 where nothing can be installed.
"""

import argparse
import calendar
import json
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))

import foreign  # noqa: E402
from foreign import Recordings  # noqa: E402

PACKAGES = ["pyarrow", "duckdb", "polars", "fastparquet"]


class Expected:
    """A recording's rows as NDJSON, and what its document says of it."""

    def __init__(self, recordings, number, *options):
        import pyarrow.json
        path = os.path.join(recordings.folder, "rows.ndjson")
        export(recordings, number, "ndjson", path, *options)
        self.columns = {}
        if os.path.getsize(path) < 50_000_000:
            with open(path) as file:
                rows = [json.loads(line) for line in file]
            for name in {name: None for row in rows for name in row}:
                self.columns[name] = [row.get(name) for row in rows]
        elif os.path.getsize(path) > 0:
            table = pyarrow.json.read_json(path)
            self.columns = {name: table[name].to_numpy() for name in table.column_names}
        os.remove(path)
        self.rows = len(next(iter(self.columns.values()), []))


def export(recordings, number, form, path, *options):
    # What a damaged recording has left does not replace a file.
    if os.path.exists(path):
        os.remove(path)
    done = subprocess.run(
        [recordings.program, "export", str(number), "--format", form, "-o", path, *options],
        env={**os.environ, "IMULOG_STORE": recordings.store}, capture_output=True, text=True)
    assert done.returncode in (0, 65), f"{options}: {done.returncode} {done.stderr}"
    return done.stderr


def arrow_columns(table):
    import pyarrow
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pyarrow.types.is_timestamp(column.type):
            column = column.cast(pyarrow.timestamp("us", column.type.tz)).cast(pyarrow.int64())
        columns[name] = column.to_numpy() if column.null_count == 0 and column.type != "string" else column.to_pylist()
    return columns


def by_pyarrow(path):
    import pyarrow.parquet
    return arrow_columns(pyarrow.parquet.ParquetFile(path).read())


def by_duckdb(path):
    import duckdb
    return arrow_columns(duckdb.sql(f"from '{path}'").to_arrow_table())


def by_polars(path):
    import pyarrow
    import polars
    table = polars.read_parquet(path).to_arrow()
    fields = [pyarrow.field(f.name, "string") if f.type == "large_string" or f.type == "string_view" else f
              for f in table.schema]
    return arrow_columns(table.cast(pyarrow.schema(fields)))


def by_fastparquet(path):
    import fastparquet
    import pandas
    frame = fastparquet.ParquetFile(path).to_pandas()
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if pandas.api.types.is_datetime64_any_dtype(column.dtype):
            column = column.astype("datetime64[us]").astype("int64")
        if column.isna().any() or not pandas.api.types.is_numeric_dtype(column.dtype):
            columns[name] = [None if pandas.isna(value) else value for value in column]
        else:
            columns[name] = column.to_numpy()
    return columns


def by_chdb(path):
    import chdb
    import pyarrow
    answer = chdb.query(f"select * from file('{path}', Parquet) order by tick", "ArrowStream").bytes()
    table = pyarrow.ipc.open_stream(answer).read_all()
    fields = [pyarrow.field(f.name, "string") if f.type in ("binary", "large_string") else f for f in table.schema]
    return arrow_columns(table.cast(pyarrow.schema(fields)))


def readers():
    found = {"pyarrow": by_pyarrow, "duckdb": by_duckdb, "polars": by_polars, "fastparquet": by_fastparquet}
    try:
        import chdb  # noqa: F401
        found["chdb"] = by_chdb
    except ImportError:
        pass
    return found


def check_by_spark(path, what):
    """Spark finds as many rows as pyarrow, and the same sums; it has no quick way to hand over columns."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return
    expected = by_pyarrow(path)
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false") \
        .config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    frame = session.read.parquet("file://" + path)
    names = [name for name in ("t_ns", "tick", "ax", "gz", "gap_ticks", "t_lo_ns")
             if name in expected and not any(isinstance(value, float) for value in expected[name])]
    sums = [f"coalesce(sum(cast({name} as decimal(38))), 0)" for name in names]
    found = frame.selectExpr("count(*)", *sums).collect()[0]
    wanted = [len(expected["t"])] + [sum(int(value) for value in expected[name] if value is not None) for name in names]
    assert [int(value) for value in found] == wanted, f"{what}: sums by Spark"
    first = frame.selectExpr("min(cast(t as timestamp))").collect()[0][0]
    if first is not None:
        micros = calendar.timegm(first.timetuple()) * 10**6 + first.microsecond
        assert micros == min(int(value) for value in expected["t"]), f"{what}: t by Spark"


def same(found, expected):
    import numpy
    if isinstance(found, list) or isinstance(expected, list) and None in expected:
        return list(found) == list(expected)
    return len(found) == len(expected) and bool((numpy.asarray(found) == numpy.asarray(expected)).all())


def check(path, expected, what, gap_rows=False):
    """Every reader gives the expected columns, the same `t`, and the same marks and gaps."""
    import numpy
    import pyarrow.parquet
    metadata = {key.decode(): value.decode()
                for key, value in (pyarrow.parquet.ParquetFile(path).metadata.metadata or {}).items()}
    texts = {}
    for name, read in readers().items():
        columns = read(path)
        kept = [cause is None for cause in columns["gap"]] if gap_rows else None
        for column, values in expected.columns.items():
            found = columns[column]
            if kept is not None:
                found = [value for value, keep in zip(found, kept) if keep]
            assert same(found, values), f"{what}: {column} by {name} differs from NDJSON"
        times = numpy.asarray(columns["t_ns"])
        assert len(times) == expected.rows + (kept.count(False) if kept else 0), f"{what}: rows by {name}"
        assert same(columns["t"], (times + start(metadata)) // 1000), f"{what}: t by {name}"
        for column in ("mark", "gap", "gap_ticks"):
            if column in columns:
                values = list(columns[column])
                assert texts.setdefault(column, values) == values, f"{what}: {column} by {name}"
    check_by_spark(path, what)
    return metadata, texts


def start(metadata):
    """Nanoseconds since 1970 of the first tick; 0 where the metadata has no date."""
    text = metadata.get("imulog.started")
    if text is None:
        return 0
    date, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(date, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int(fraction.ljust(9, "0") or 0)


def check_scales(counts, values, metadata):
    """The metadata's exact ratios turn counts into the values in g, degrees a second and degrees Celsius."""
    for name, column in counts.columns.items():
        if name == "t_ns" or name.startswith("m"):
            continue
        scale = Fraction(metadata[f"imulog.scale.{name}"])
        offset = Fraction(metadata.get(f"imulog.offset.{name}", 0))
        unit = {"a": "g", "g": "deg/s", "t": "degC"}[name[0]]
        assert metadata[f"imulog.scaleUnit.{name}"] == unit, name
        for count, value in zip(column[:500], values.columns[name]):
            assert abs(float(count * scale + offset) - value) < 1e-4, f"the scale of {name}"


def prune(path, expected):
    """A query that skips row groups by their statistics finds every row of a part."""
    import duckdb
    times = expected.columns["t_ns"]
    if not expected.rows:
        return
    middle = int(times[expected.rows // 2])
    wanted = sum(1 for value in times if value >= middle) if isinstance(times, list) else int((times >= middle).sum())
    found = duckdb.sql(f"select count(*) from '{path}' where t_ns >= {middle}").fetchall()[0][0]
    assert found == wanted, "rows after the middle, by statistics"


def beside_pyarrow(path):
    """The file's size, and that of pyarrow's own file of the same table with the same encoding and no codec."""
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(path)
    other = path + ".pyarrow"
    packed = [f.name for f in table.schema if str(f.type) not in ("double", "string")]
    pyarrow.parquet.write_table(
        table, other, compression="NONE", use_dictionary=False, column_encoding={n: "DELTA_BINARY_PACKED" for n in packed})
    sizes = os.path.getsize(path), os.path.getsize(other)
    os.remove(other)
    return sizes


def compare(recordings, number, what):
    folder = recordings.folder
    path = os.path.join(folder, "rows.parquet")
    expected = Expected(recordings, number, "--units", "raw")
    talk = export(recordings, number, "parquet", path)
    counts, texts = check(path, expected, what)
    prune(path, expected)
    ours, theirs = beside_pyarrow(path)
    rows = max(1, expected.rows)
    print(f"{what}: {expected.rows} rows, {ours / rows:.2f} bytes a row, pyarrow {theirs / rows:.2f}, "
          f"marks {sum(m is not None for m in texts.get('mark', []))}{', ' + talk.strip() if talk else ''}", flush=True)
    assert ours <= 1.1 * theirs + 4096, f"{what}: larger than pyarrow's"
    if expected.rows < 100_000:
        for units in ("si", "g-dps"):
            export(recordings, number, "parquet", path, "--units", units)
            check(path, Expected(recordings, number, "--units", units), f"{what} in {units}")
        check_scales(expected, Expected(recordings, number, "--units", "g-dps"), counts)
        export(recordings, number, "parquet", path, "--gaps", "rows")
        metadata, texts = check(path, expected, what + " with gaps", gap_rows=True)
        missing = sum(ticks or 0 for ticks in texts["gap_ticks"])
        assert missing == int(metadata["imulog.ticks.scheduled"]) - expected.rows, f"{what}: ticks of gaps"
    os.remove(path)
    return expected


def with_field(recordings):
    recordings.run("record", "--board", "simulator", "--motion", "tumble", "--sensor", "icm20948", "--field", "50",
                   "--rate", "100", "--for", "20s", "--virtual-time")
    expected = compare(recordings, "latest", "magnetometer")
    assert 900 < sum(value is not None for value in expected.columns["mx"]) < 1100, "values"
    values = json.loads(recordings.run("export", "latest"))["field"]["values"]
    times = {row["t_hi_ns"]: (row["mx_ut"], row["t_lo_ns"]) for row in values}
    rows = [row for row in zip(*(expected.columns[name] for name in ("t_ns", "m_hi_ns", "mx", "m_lo_ns"))) if row[1]]
    assert all(times[row[1]] == row[2:] and 0 <= row[0] - row[1] <= 20_000_000 for row in rows), "other values"


def with_readings(recordings):
    recordings.run("record", "--board", "simulator", "--motion", "tumble", "--clock", "chip", "--rate", "1000",
                   "--for", "5s", "--virtual-time")
    compare(recordings, "latest", "chip's clock")
    path = os.path.join(recordings.folder, "rows.parquet")
    export(recordings, "latest", "parquet", path, "--uncertainty")
    check(path, Expected(recordings, "latest", "--units", "raw", "--uncertainty"), "bounds")
    os.remove(path)


def of_take(recordings):
    """Every reader has the rows of each sensor, in order, as NDJSON has them."""
    recordings.run("record", "--board", "simulator", "--sensor", "left=mpu6050@0x68 rate=1000 clock=chip motion=tumble",
                   "--sensor", "b_2=lsm6dso@0x6a rate=416 clock=chip motion=turn", "--for", "5s", "--virtual-time")
    for more in ((), ("--uncertainty", "--labels")):
        path = os.path.join(recordings.folder, "rows.parquet")
        export(recordings, "latest", "parquet", path, "--take", *more)
        expected = Expected(recordings, "latest", "--take", *more)
        assert expected.rows > 7000 and set(expected.columns["sensor"]) == {"left", "b_2"}
        for name, read in readers().items():
            # chdb's rows are in the order of ticks.
            columns = read(path) if name != "chdb" else {}
            for column, values in expected.columns.items() if columns else ():
                assert same(list(columns[column]), list(values)), f"take: {column} by {name} differs from NDJSON"
        os.remove(path)


def without_wall_clock(recordings):
    """An import: extremes, long pauses, times that begin anywhere."""
    path = os.path.join(recordings.folder, "made.csv")
    with open(path, "w") as file:
        file.write("t_us,ax,ay,az,gx,gy,gz,temp\n")
        at = 7_000_000
        for row in range(3000):
            at += 10_000 + (300_000_000 if row == 1000 else 1_000_000 if row % 500 == 499 else 0)
            signs = [32767 if (row >> bit) & 1 else -32768 for bit in range(6)]
            file.write(f"{at},{','.join(str(sign) for sign in signs)},{row}\n")
    recordings.run("import", path, "--units", "raw", "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "65.5", "--anyway")
    compare(recordings, "latest", "without wall clock")


def damaged(recordings):
    recordings.run("record", "--board", "simulator", "--motion", "tumble", "--rate", "100", "--for", "60s", "--virtual-time")
    name = sorted(name for name in os.listdir(recordings.store) if name.endswith(".imulog"))[-1]
    with open(os.path.join(recordings.store, name), "r+b") as file:
        file.seek(9000)
        byte = file.read(1)
        file.seek(9000)
        file.write(bytes([byte[0] ^ 255]))
    compare(recordings, "latest", "damaged")


def measured(recordings):
    """Ten million samples: speed, and the memory of its own that the program has, without the pages of its file."""
    recordings.run("record", "--board", "simulator", "--motion", "tumble", "--rate", "1000", "--for", "10000s",
                   "--virtual-time", "--clock", "grid")
    for units in ("raw", "si"):
        begin = time.monotonic()
        process = subprocess.Popen(
            [recordings.program, "export", "latest", "--format", "parquet", "--units", units],
            env={**os.environ, "IMULOG_STORE": recordings.store}, stdout=subprocess.PIPE)
        memory = 0
        while process.stdout.read1(1 << 16):
            with open(f"/proc/{process.pid}/status") as file:
                memory = max([memory] + [int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon")])
        assert process.wait() == 0
        seconds = time.monotonic() - begin
        print(f"ten million samples, {units}: {10 / seconds:.1f} million a second, {memory / 1e6:.1f} MB", flush=True)
        assert memory < 16_000_000, "memory"
    compare(recordings, "latest", "ten million samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=os.path.join(HERE, "../../.build/release/imulog"))
    parser.add_argument("--data")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    foreign.need(*PACKAGES)
    print("read by " + ", ".join(readers()))
    with tempfile.TemporaryDirectory() as folder:
        recordings = Recordings(options.program, folder)
        recordings.run("record", "--board", "simulator", "--motion", "tumble", "--rate", "100", "--for", "20s", "--virtual-time")
        compare(recordings, "latest", "simulator")
        recordings.with_mark_and_gaps()
        compare(recordings, "latest", "marks and gaps")
        with_readings(recordings)
        with_field(recordings)
        of_take(recordings)
        without_wall_clock(recordings)
        damaged(recordings)
        for name in sorted(os.listdir(options.data)) if options.data else []:
            if name.endswith(".csv"):
                recordings.run("import", os.path.join(options.data, name), "--units", "raw",
                               "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "65.5", "--anyway")
                compare(recordings, "latest", name)
        if options.long:
            measured(recordings)
    print("every reader has every value")


if __name__ == "__main__":
    main()

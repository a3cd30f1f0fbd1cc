# SPDX-License-Identifier: Apache-2.0
"""What it costs that the chip keeps the time: wake-ups, processor time, bytes of readings, exports, memory."""

import glob
import pathlib
import statistics
import subprocess
import sys
import time

from .common import Figure, Skip, interleaved, run, si
from .start import spawn

SECONDS = 14
SENSORS = {104: "lsm6dso", 416: "lsm6dso", 1000: "mpu6050", 1666: "lsm6dso"}
# Kind and length before a chunk's body, its check after it.
CHUNK_OVERHEAD = 6


def command(bench, rate, clock, span, *more):
    return [str(bench.imulog), "--store", str(bench.folder / f"chip-{clock}-{rate}-{span}"), "record", "--board",
            "simulator", "--sensor", SENSORS[rate], "--rate", str(rate), "--clock", clock, "--for", span, *more]


def threads(process):
    """Of each thread by name: how often it went to sleep, and nanoseconds of processor time."""
    found = {}
    for folder in map(pathlib.Path, glob.glob(f"/proc/{process.pid}/task/*")):
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        spent = int((folder / "schedstat").read_text().split()[0])
        found[(folder / "comm").read_text().strip()] = int(status["voluntary_ctxt_switches"]), spent
    return found


def live(bench, rate, clock):
    """Wake-ups a second of the sampler's thread, and processor time of all threads, in parts of one processor."""
    process = subprocess.Popen(
        command(bench, rate, clock, f"{SECONDS}s"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The first two seconds of a chip's recording have more readings.
    time.sleep(3)
    begin, before = time.monotonic(), threads(process)
    time.sleep(SECONDS - 5)
    span, after = time.monotonic() - begin, threads(process)
    if process.wait() != 0 or "imu-sampler" not in before:
        raise Skip(f"a recording at {rate} Hz failed")
    woken = (after["imu-sampler"][0] - before["imu-sampler"][0]) / span
    spent = sum(after[name][1] - before[name][1] for name in before if name in after)
    return woken, spent / span / 1e9


def running(bench):
    chip, fast, grid = interleaved(
        bench.rounds, lambda: live(bench, 1000, "chip"), lambda: live(bench, 1666, "chip"),
        lambda: live(bench, 1000, "grid"))
    woken = {rate: statistics.median(figure[0] for figure in column) for rate, column in ((1000, chip), (1666, fast))}
    polled = statistics.median(figure[0] for figure in grid)
    spent, peer = (statistics.median(figure[1] for figure in column) for column in (chip, grid))
    note = "voluntary context switches of the thread `imu-sampler`"
    return [
        *(Figure(f"chip-wake-{rate}", f"wake-ups a second, chip's clock at {rate} Hz", f"{woken[rate]:.1f}",
                 woken[rate], note=f"{note}; polled at 1000 Hz {polled:.0f}") for rate in woken),
        Figure("chip-time", "processor time, chip's clock at 1000 Hz ÷ polling at 1000 Hz", f"{spent * 100:.2f} %",
               spent / peer, f"{peer * 100:.2f} %", "all threads; the simulated chip's registers included on both sides"),
    ]


def readings(log):
    """Readings in a log, and their bytes."""
    folder = str(pathlib.Path(__file__).resolve().parents[2] / "ConformanceDecoder")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    from imulog import log as decoder, records

    class Counter(decoder.Log):
        count = size = 0

        def _decode(self, kind, body, header, samples):
            if kind == 1:
                return []
            found = super()._decode(kind, body, header, samples)
            if any(record["record"] == "reading" for record in found):
                self.count += len(found)
                self.size += len(body) + CHUNK_OVERHEAD
            return found

    with open(log, "rb") as file:
        counter = Counter(file)
        for _ in counter.records():
            pass
    return counter.count, counter.size


def simulated(bench, rate, clock, span):
    """The log of a recording in simulated time."""
    folder = bench.folder / f"chip-{clock}-{rate}-{span}"
    if not folder.exists():
        run(*command(bench, rate, clock, span, "--virtual-time"))
    (log,) = folder.glob("*.imulog")
    return log


def stored(bench):
    lines, sizes, shares = [], [], []
    for rate in SENSORS:
        log = simulated(bench, rate, "chip", "600s")
        count, size = readings(log)
        share = size / log.stat().st_size
        lines.append(f"{rate} Hz {count / 600:.1f} readings/s of {size / count:.2f} B, {share * 100:.1f} %")
        if rate > 200:
            sizes.append(size / count)
            shares.append(share)
    note = "600 s of a chip at rest, whose samples are small: " + ", ".join(lines)
    return [
        Figure("chip-bytes", "bytes of a FIFO's reading in the log, at most of 416, 1000 and 1666 Hz",
               f"{max(sizes):.2f} B", max(sizes), note=note),
        Figure("chip-share", "readings' share of the log, at most of these rates", f"{max(shares) * 100:.1f} %",
               max(shares)),
    ]


def export(bench, log, form, *more):
    return [str(bench.imulog), "--store", str(log.parent), "export", "latest", "--format", form, *more, "-o", "-"]


def peak(words):
    """The most KiB that a program holds, as seen each millisecond."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            continue
        most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
        time.sleep(0.001)
    return most


# All but cwa, which has other rates, and those for people.
FORMATS = ("csv", "json", "gcsv", "kalibr", "parquet", "mcap", "mseed", "edge-impulse")


def exported(bench):
    count = 600_000
    log, polled = (simulated(bench, 1000, clock, "600s") for clock in ("chip", "grid"))
    figures = []
    for key, form, more in (
            ("chip-ndjson", "ndjson", ()), ("chip-csv", "csv", ()), ("chip-json", "json", ()),
            ("chip-bounds", "ndjson", ("--uncertainty",)), ("chip-even", "ndjson", ("--grid",))):
        ours, peer = interleaved(
            bench.rounds, lambda: count / spawn(*export(bench, log, form, *more))[0],
            lambda: count / spawn(*export(bench, polled, form))[0])
        words = " ".join(["export --format", form, *more])
        figures.append(Figure(
            key, f"`{words}` of a recording by the chip's clock", si(statistics.median(ours), "samples/s"),
            statistics.median(ours), note=f"a polled recording: {si(statistics.median(peer), 'samples/s')} without options"))
    most = {}
    for form in FORMATS:
        (ours,) = interleaved(bench.rounds, lambda: count / spawn(*export(bench, polled, form))[0])
        figures.append(Figure(
            f"export-{form}", f"`export --format {form}` of a polled recording",
            si(statistics.median(ours), "samples/s"), statistics.median(ours)))
        most[form] = peak(export(bench, polled, form))
    largest = max(most, key=most.get)
    figures.append(Figure(
        "export-memory", "peak memory of these, in KiB, the largest", f"{most[largest]} KiB", most[largest],
        note=f"of {largest}"))
    short = simulated(bench, 1000, "chip", "60s")
    ours, peer = (statistics.median(peak(export(bench, path, "ndjson")) for _ in range(3)) for path in (log, short))
    figures.append(Figure(
        "chip-memory", "peak memory of an export of 600 s by the chip's clock ÷ of 60 s", f"{ours} KiB", ours / peer,
        f"{peer} KiB"))
    recording = statistics.median(peak(command(bench, 1000, "chip", "4s")) for _ in range(3))
    figures.append(Figure(
        "record-memory", "peak memory of `record --rate 1000`, in KiB", f"{recording} KiB", recording,
        note="its start and its report included"))
    return figures


def chip(bench):
    return [*running(bench), *stored(bench), *exported(bench)]

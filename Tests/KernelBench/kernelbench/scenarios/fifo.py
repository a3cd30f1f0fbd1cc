# SPDX-License-Identifier: Apache-2.0
"""Mainline's own drivers stream from the FIFOs of the emulated chips by interrupt, which proves FIFOs and lines.

    chip ── FIFO ──── i2c-virtio ──► inv_mpu6050, st_lsm6dsx ──► IIO buffer ──► /dev/iio:deviceN ──► compared
      └──── output ── gpio-virtio ──────┘ which reads when the line rises            truth file ───────┘
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from typing import NamedTuple

from ..bench import Bench, Guest
from ..chips.truth import TrueSample, Truth, read_truth
from ..errors import BenchError, HostTooSlow, check
from ..machine import Machine
from ..scenario import Group

LINE = 22
SECONDS = 1.5
HOLD = 1.2
"""Seconds in which the line is off and the driver does not read, so that the FIFO overflows."""


@dataclass(frozen=True)
class Device:
    """An IIO device of a driver."""

    name: str
    channels: tuple[str, ...]
    axes: tuple[int, ...]
    """Where the channels are in the truth's counts."""
    layout: str
    """The counts of a record; the time stamp is its last 8 bytes, at a multiple of 8."""
    rate: int
    step: int = 1
    """Samples of the chip from one of the device to the next."""

    @property
    def size(self) -> int:
        return (struct.calcsize(self.layout) + 7) // 8 * 8 + 8


class Record(NamedTuple):
    """A sample that a device gave."""

    stamp: int
    sample: TrueSample


@dataclass(frozen=True)
class Stream:
    """A chip, its driver and how it is to stream."""

    chip: str
    """Its name, for the kernel too."""
    address: int
    pin: str
    module: str
    devices: tuple[Device, ...]
    clock: tuple[float, ...]
    """Error in ppm, drift in ppm a second, jitter in microseconds."""
    trim: int = 0
    watermark: int = 1
    tick: int = 0
    """Nanoseconds of the chip's time stamps, where it has some."""
    overflows: bool = True
    """Whether the driver survives it: the count of the LSM6DSL's words reads 0 then, and st_lsm6dsx waits for ever."""


def triple(kind: str) -> tuple[str, ...]:
    return tuple(f"{kind}_{axis}" for axis in "xyz")


def inv(chip: str, rate: int, clock: tuple[float, ...]) -> Stream:
    device = Device(chip, (*triple("accel"), "temp", *triple("anglvel")), (0, 1, 2, 6, 3, 4, 5), ">7h", rate)
    return Stream(chip, 0x68, "int", "inv-mpu6050-i2c", (device,), clock)


def st(chip: str, accelerometer: int, gyroscope: int, clock: tuple[float, ...], **others) -> Stream:
    devices = (
        Device(f"{chip}_accel", triple("accel"), (0, 1, 2), "<3h", accelerometer, gyroscope // accelerometer),
        Device(f"{chip}_gyro", triple("anglvel"), (3, 4, 5), "<3h", gyroscope))
    return Stream(chip, 0x6A, "int2", "st_lsm6dsx_i2c", devices, clock, tick=25_000, **others)


STREAMS = (
    inv("mpu6050", 200, (35_000, 3, 5)),
    inv("mpu6500", 100, (-70_000, 0, 0)),
    st("lsm6dso", 208, 208, (30_000, 0, 5), trim=20, watermark=16),
    st("lsm6dsl", 104, 208, (-20_000, 0, 0), watermark=8, overflows=False),
)


def run(bench: Bench, group: Group) -> None:
    guest = bench.boot("fifo")
    try:
        guest.machine.check("load gpio-virtio")
        for stream in STREAMS:
            group.run(f"mainline's driver streams from the FIFO of the {stream.chip}", lambda: whole(guest, stream))
            if stream.overflows:
                group.run(f"and continues after the FIFO of the {stream.chip} overflowed", lambda: overflow(guest, stream))
    finally:
        guest.stop()


def whole(guest: Guest, stream: Stream) -> str:
    """Every sample arrives, in order, as it was made."""
    told = []
    for device, records in record(guest, stream)[0].items():
        holes = find_holes(device, records)
        check(not holes, f"{device.name}: samples are missing or come twice: {holes[:5]}")
        told.append(f"{len(records)} samples of {device.name}")
    return f"{', '.join(told)}, all true and none missing"


def overflow(guest: Guest, stream: Stream) -> str:
    """Samples before and after are right, and between them is one hole."""
    streamed, truth = record(guest, stream, HOLD)
    over = [text for _, text in truth.events if text.startswith(f"fifo {stream.chip} overflow")]
    check(bool(over), "the FIFO did not overflow")
    if len(over) > 1:
        raise HostTooSlow(f"the FIFO overflowed again while it was emptied: {over}")
    told = []
    for device, records in streamed.items():
        holes = find_holes(device, records)
        check(len(holes) == 1 and holes[0][1] > holes[0][0], f"{device.name}: not one hole but {holes[:5]}")
        missing = (holes[0][1] - holes[0][0]) // device.step - 1
        told.append(f"{len(records)} samples of {device.name} are true, {missing} missing in one hole")
    return ", ".join(told)


def find_holes(device: Device, records: list[Record]) -> list[tuple[int, int]]:
    numbers = [record.sample.number for record in records]
    return [(a, b) for a, b in zip(numbers, numbers[1:]) if b != a + device.step]


def record(guest: Guest, stream: Stream, hold: float = 0) -> tuple[dict[Device, list[Record]], Truth]:
    """Streams from each device: what it gave while all streamed, and the truth."""
    machine, chips = guest.machine, guest.chips
    chips.tell("solder", stream.chip)
    chips.tell("trim", stream.chip, stream.trim)
    chips.tell("clock", stream.chip, *stream.clock)
    chips.tell("route", stream.chip, stream.pin, LINE)
    path = machine.directory / f"{stream.chip}{'-hold' if hold else ''}.truth"
    chips.tell("truth", path)
    machine.check(f"load {stream.module}")
    machine.check(f"load board name={stream.chip} address={stream.address:#x} line={LINE}")
    try:
        started = [begin(machine, stream, device) for device in stream.devices]
        if hold:
            time.sleep(SECONDS / 3)
            # Not the bus: a driver that has read the count and then waits would take what it gets for whole samples.
            chips.tell("route", stream.chip, stream.pin, "-")
            time.sleep(hold)
            chips.tell("route", stream.chip, stream.pin, LINE)
        for name, command in started:
            ended = machine.finish(name, command, 60)
            check(ended.status == 0, f"reading the buffer ended with {ended.status}: {ended.errors}")
    finally:
        machine.check("rmmod board")
        chips.tell("truth", "-")
    truth = read_truth(path)
    streamed = {device: identify(machine, device, truth.samples[stream.chip]) for device in stream.devices}
    # A driver empties the FIFO and sets the chip's time to 0 when another device is enabled or disabled.
    first = max(records[0].sample.number for records in streamed.values())
    last = min(records[-1].sample.number for records in streamed.values())
    for device, records in streamed.items():
        together = [record for record in records if first <= record.sample.number <= last]
        check(len(together) > len(records) / 2, f"the devices streamed one after the other: {first} to {last}")
        streamed[device] = together
        if stream.tick and not hold:  # The words that follow a lost time stamp have the one before it.
            check_stamps(stream, device, together)
    return streamed, truth


def begin(machine: Machine, stream: Stream, device: Device) -> tuple[str, str]:
    """Enables a device's buffer and starts to read it."""
    script = (
        f"set -e; d=$(dirname $(grep -lx {device.name} /sys/bus/iio/devices/*/name)); cd $d;"
        f" for c in {' '.join(device.channels)} timestamp; do echo 1 >scan_elements/in_${{c}}_en; done;"
        f" echo monotonic_raw >current_timestamp_clock; echo {device.rate} >sampling_frequency;"
        f" echo {max(128, 2 * stream.watermark)} >buffer/length; echo {stream.watermark} >buffer/watermark;"
        f" echo 1 >buffer/enable; head -c {int(SECONDS * device.rate) * device.size} /dev/${{d##*/}} >/tmp/{device.name};"
        f" echo 0 >buffer/enable; cp /tmp/{device.name} /host")
    deadline = time.monotonic() + 10
    while machine.run(f"grep -qlx {device.name} /sys/bus/iio/devices/*/name").status != 0:
        if time.monotonic() > deadline:
            raise BenchError(f"no driver offers {device.name}: {machine.run('dmesg | tail -n 5').output}")
        time.sleep(0.1)
    return machine.start(script), script


def identify(machine: Machine, device: Device, made: list[TrueSample]) -> list[Record]:
    """What a device gave, each with the sample that it is."""
    known = {tuple(sample.counts[axis] for axis in device.axes): sample for sample in made}
    data = (machine.share / device.name).read_bytes()
    records = []
    for at in range(0, len(data), device.size):
        counts = struct.unpack_from(device.layout, data, at)
        check(counts in known, f"{device.name}: sample {at // device.size} was never made: {counts}")
        records.append(Record(*struct.unpack_from("<q", data, at + device.size - 8), known[counts]))
    return records


def check_stamps(stream: Stream, device: Device, records: list[Record]) -> None:
    """The chip's time stamps part from the truth by no more than they are coarse."""
    # The driver takes a tick for 25 µs, less what the trim says.
    length = stream.tick / (1 + stream.clock[0] / 1e6) / (stream.tick - 37.5 * stream.trim)
    zero = records[0]
    off = [(record.stamp - zero.stamp) * length - (record.sample.time - zero.sample.time) for record in records]
    check(max(off) - min(off) < 1.5 * stream.tick, f"{device.name}: stamps and truth part by {max(off) - min(off):.0f} ns")

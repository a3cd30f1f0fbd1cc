# SPDX-License-Identifier: Apache-2.0
"""The program's package on a Raspberry Pi 3: its board, buses and lines, and what its own I2C driver does with transfers.

    i2c-1 (the header's)   0x68  registers with the identity of an MPU-6050, which do nothing
                           0x70  a PCA9548, on whose channel 3 0x6A has the identity of an LSM6DSO

Other boards differ by their device trees: one whose first bus is off, so that the header's has another number, with a
DS1338 at 0x68; one whose controllers' interrupt never comes; and those of the other models of this chip.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

from ..bench import Bench, Guest
from ..errors import check
from ..pi import HEADER, Kit, Pi, Tree, memory, prepare
from ..scenario import Group
from .doctor import ask, expect

BOARD = "bcm2837-rpi-3-b"
CONSOLE = "/soc/serial@7e215040"
FIRST, HEADERS, HDMI = (f"/soc/i2c@{address}" for address in ("7e205000", "7e804000", "7e805000"))
MPU = "0x75 0x68"
LSM = "0x0F 0x6C"
"""Identity registers and their contents."""
CHANNEL = 3

TREES: dict[str, str | None] = {
    "bcm2711-rpi-4-b": "raspberry-pi-4", "bcm2711-rpi-400": "raspberry-pi-4", "bcm2712-rpi-5-b": "raspberry-pi-5",
    BOARD: "raspberry-pi-3", "bcm2837-rpi-3-b-plus": "raspberry-pi-3", "bcm2837-rpi-zero-2-w": "raspberry-pi-zero-2-w",
    "bcm2711-rpi-cm4-io": None, "bcm2837-rpi-3-a-plus": "raspberry-pi-3", "bcm2837-rpi-cm3-io3": None}
"""The boards of the kernel's device trees; those without one have to be named by --board or --bus."""

DPKG = "/usr/bin/dpkg"
"""Named by its path, because busybox's shell has one of its own, and takes it first."""

SECTIONS = {
    "system": ("ok", "Linux 6.12", "aarch64"), "real-time class": ("ok",), "memory lock": ("ok",),
    "processor sleep": ("ok",), "wall clock": ("advice", "not synchronised"), "battery clock": ("advice", "none"),
    # Debian's kernel has no raspberrypi-hwmon, nor the firmware's file of Raspberry Pi's.
    "supply": ("unchecked", "this kernel does not show"), "store": ("ok",), "room": ("ok",),
    # There is no systemd, nor its sysusers, so the package could make no user.
    "configuration": ("ok", "is right"), "service": ("advice", "no systemd runs here"),
    "service's rights": ("wrong", "no user for the service"),
    "button": ("ok", "GPIO17 is free"), "light": ("ok", "GPIO27 is free"), "board": ("ok", "Raspberry Pi 3"),
    "module": ("ok", "and at each start"), "bus": ("ok", "/dev/i2c-1 can be used"), "chip": ("ok", "MPU-6050"),
    "configuration kept": ("unchecked", "6 of 8"), "wiring": ("ok", "120 reads, none failed"), "rate": ("ok", "10 Hz"),
    # Bytes take no time on this wire.
    "bus clock": ("unchecked", "they take no time")}
"""All that doctor has to say of this board."""

FORMS = (
    ("w1@0x68 0x75 r1", "0x68"), ("w1@0x68 0x3B r14", " ".join(["0x00"] * 14)), ("w1@0x68 0x75 r1020", "0x68 0x00"),
    ("w2@0x68 0x40 0x5A", ""), ("w1@0x68 0x40 r1", "0x5a"), ("r1@0x68", "0x"),
    # Several reads, or one that is not the last.
    ("r1@0x68 r1", "Operation not supported"), ("r1@0x68 w1 0x75", "Operation not supported"),
    ("w1@0x69 0x75 r1", "Remote I/O error"), ("w2@0x69 0x6B 0x00", "Remote I/O error"))
"""Transfers, as i2ctransfer takes them, and the beginning of what they give. The first five are the program's."""


def run(bench: Bench, group: Group, program: Path, has_other_boards: bool) -> None:
    kit = prepare(program, bench.directory)

    def boot(name: str, tree: Tree, scenarios: dict[str, Callable[[Guest], str]], *devices: str) -> None:
        """Boots a board if one of its scenarios is wanted."""
        if not group.wants(*scenarios):
            return
        is_first = package in scenarios.values()
        guest = Guest(Pi(kit, tree, bench.directory / "pi" / name, [*devices], not is_first), None)
        try:
            if is_first:
                guest.machine.check(f"find / -xdev >/tmp/before; {DPKG} -i /imulog.deb >/tmp/installation 2>&1", 300)
            for bus, address in ((1, 0x68), (0, 0x69)):
                guest.machine.run(f"i2ctransfer -y {bus} w2@{address} {MPU}")  # where there is one
            for title, scenario in scenarios.items():
                group.run(title, lambda: scenario(guest))
        finally:
            guest.machine.cut()

    boot("pi", Tree(kit.trees[BOARD]), {
        "pi: the package, installed": package, "pi: board, buses and GPIO chips": whole,
        "pi: doctor, section by section": sections,
        "pi: every form of a transfer": forms, "pi: registers that do nothing": registers,
        "pi: no acknowledgement": absent, "pi: a PCA9548's channels": channels,
        "pi: device trees of all boards": lambda guest: trees(guest, kit), "pi: the package, purged": purge,
    }, "-device", f"pca9548,bus={HEADER},address=0x70", *memory(f"i2c.{CHANNEL}", 0x6A), *memory(HEADER, 0x68))
    shifted = Tree(kit.trees[BOARD])
    shifted.replace(FIRST, "status", b"fail\0")
    boot("shifted", shifted, {
        "pi: the header's bus by another number": renumbered, "pi: a clock at 0x68": clock,
    }, "-device", f"ds1338,bus={HEADER},address=0x68", *memory(HEADER, 0x69))
    silent = Tree(kit.trees[BOARD])
    for bus in (FIRST, HEADERS, HDMI):
        silent.replace(bus, "interrupts", bytes((0, 0, 0, 2, 0, 0, 0, 20)))
    boot("silent", silent, {"pi: transfers that do not end": silence}, *memory(HEADER, 0x68))
    for name, file in kit.trees.items() if has_other_boards else ():
        # With the console of this board.
        if name.startswith("bcm2837") and name != BOARD and Tree(file).value(CONSOLE, "status") == b"okay\0":
            boot(name, Tree(file), {f"pi: {name} boots": other}, *memory(HEADER, 0x68))


def package(guest: Guest) -> str:
    """dpkg finds all its files as they were packed, and the program records; there is no systemd, which is said."""
    words = guest.machine.check("cat /tmp/installation")
    check("no systemd-sysusers here" in words, f"the installation said {words}")
    guest.machine.check(f"{DPKG} --verify imulog >/tmp/changed; test ! -s /tmp/changed; test -s /etc/imulog/imulog.conf")
    installed = guest.machine.check("dpkg-query -W imulog; which imulog").split()
    check(installed[2] == "/usr/bin/imulog", f"the program is {installed[2]}")
    guest.machine.check("imulog --store /tmp/own record --board simulator --virtual-time --for 2s")
    recording = json.loads(guest.machine.check("imulog --store /tmp/own export latest"))
    check(len(recording["samples"]) == 20, f"there are {len(recording['samples'])} samples")
    return " ".join(installed)


def purge(guest: Guest) -> str:
    """Only dpkg's own notes are left, and what was there before."""
    before, packed = (
        set(guest.machine.check(command).split("\n")) for command in ("cat /tmp/before", "dpkg-query -L imulog"))
    guest.machine.check(f"{DPKG} --purge imulog >/tmp/purge 2>&1")
    after = set(guest.machine.check("find / -xdev").split("\n"))
    left = sorted(file for file in after ^ before if not file.startswith("/var/lib/dpkg/"))
    check(not left, f"other than before: {left}")
    return f"nothing is left of {len(packed - before)} files"


def whole(guest: Guest) -> str:
    buses = adapters(guest)
    wanted = {number: f"bcm2835 ({bus.removeprefix('/soc/')})" for number, bus in enumerate((FIRST, HEADERS, HDMI))}
    check(buses == wanted, f"the kernel's buses are {buses}")
    checks, _ = ask(guest, "")
    figures = {figure["name"]: figure["value"] for figure in checks["bus"]["figures"]}
    check(figures["adapter"] == wanted[1], f"the header's bus is {figures}")
    for line, words in (("pinctrl-bcm2835:17", "free"), ("gpiochip0:27", "free"), ("GPIO99", "there is no such line")):
        guest.machine.check(f"cp /etc/imulog/imulog.conf /tmp; echo 'button = {line}' >/etc/imulog/imulog.conf")
        found, _ = ask(guest, "")
        guest.machine.check("mv /tmp/imulog.conf /etc/imulog")
        check(words in found["button"]["words"], f"of {line} doctor says {found['button']['words']}")
    return f"{here(guest)}; {figures['adapter']}; pinctrl-bcm2835 has its lines"


def sections(guest: Guest) -> str:
    """Debian's configuration of the firmware says nothing of the bus, which its device tree has on."""
    guest.machine.check("mkdir -p /boot/firmware; echo arm_64bit=1 >/boot/firmware/config.txt")
    checks, _ = ask(guest, "")
    guest.machine.check("rm -r /boot")
    for name, (state, *words) in SECTIONS.items():
        expect(checks, name, state, *words)
    check(set(checks) == set(SECTIONS), f"there are also {sorted(set(checks) - set(SECTIONS))}")
    return f"{len(checks)} sections"


def forms(guest: Guest) -> str:
    for form, wanted in FORMS:
        found = transfer(guest, form)
        check(found.startswith(wanted) if wanted.startswith("0x") else wanted in found, f"{form} gave {found[:80]}")
    return f"{len(FORMS)} forms"


def registers(guest: Guest) -> str:
    """The program sees that its reset has no end, and that it stands in the register; there is no recording."""
    ended = guest.machine.run("imulog --store /tmp/none record --sensor mpu6050 --for 1s")
    check(ended.status == 69 and "does not come out of its reset" in ended.errors, f"record: {ended.errors}")
    check(transfer(guest, "w1@0x68 0x6B r1").strip() == "0x80", "the reset was not written")
    guest.machine.check("i2ctransfer -y 1 w2@0x68 0x6B 0x00")
    found = guest.machine.run("imulog --store /tmp/none list").output
    check("0001" not in found, f"there is a recording: {found}")
    return ended.errors.strip()


def absent(guest: Guest) -> str:
    """Bus 0 has no chip: the error is that of an address without an answer, and the others are looked at."""
    checks, status = ask(guest, "--bus 0")
    check(status == 1, f"the status is {status}")
    expect(checks, "bus 1", "advice", "MPU-6050 at 0x68", HEADERS.removeprefix("/soc/"))
    probes = {figure["value"].partition(": ")[2] for figure in checks["chip"]["figures"]}
    check(len(probes) == 1 and "(errno 121)" in str(probes), f"the probes gave {probes}")
    return expect(checks, "chip", "wrong", "no chip answers at 0x68")


def channels(guest: Guest) -> str:
    guest.machine.check("echo pca9548 0x70 >/sys/bus/i2c/devices/i2c-1/new_device")
    try:
        found = {number for number, name in adapters(guest).items() if name.startswith("i2c-1-mux")}
        check(len(found) == 8, f"there are {len(found)} channels")
        number = next(key for key, name in adapters(guest).items() if name.endswith(f"(chan_id {CHANNEL})"))
        elsewhere, _ = ask(guest, "--bus 0")
        # What is on the bus before the multiplexer answers on each of its channels, too: it is named once.
        expect(elsewhere, "bus 1", "advice", "MPU-6050 at 0x68 is on this bus")
        named = {f"bus {channel}" for channel in found} & set(elsewhere)
        check(not named, f"the channels are named as well: {sorted(named)}")
        guest.machine.check(f"i2ctransfer -y {number} w2@0x6A {LSM}")
        # Else the channel that was used last stays connected, and its chips are on the header's bus, too.
        guest.machine.check("echo -2 >/sys/bus/i2c/devices/1-0070/idle_state")
        header, _ = ask(guest, "")
        check("also" not in expect(header, "chip", "ok", "MPU-6050"), "the channel's chip is on the header's bus")
        checks, _ = ask(guest, f"--bus {number}")
        return f"{len(found)} channels; {expect(checks, 'chip', 'ok', 'MPU-6050 at 0x68; also LSM6DSO at 0x6a')}"
    finally:
        guest.machine.check("echo 0x70 >/sys/bus/i2c/devices/i2c-1/delete_device")


def trees(guest: Guest, kit: Kit) -> str:
    """The program reads the root of each tree; the board that it finds has its bus and its lines in that tree."""
    check(set(kit.trees) == set(TREES), f"the kernel has other trees: {sorted(set(kit.trees) ^ set(TREES))}")
    for name, file in kit.trees.items():
        tree = Tree(file)
        root = {entry: base64.b64encode(tree.value("", entry)).decode() for entry in ("model", "compatible")}
        guest.machine.check("; ".join([
            "mkdir -p /tmp/tree", *(f"echo {text} | base64 -d >/tmp/tree/{entry}" for entry, text in root.items()),
            "mount --bind /tmp/tree /sys/firmware/devicetree/base"]))
        found = here(guest)
        guest.machine.check("umount /sys/firmware/devicetree/base")
        check(found == TREES[name], f"{name} is taken for {found}")
        if found and found != "raspberry-pi-5":  # whose bus is in no tree of this kernel
            check(tree.value(HEADERS, "status") == b"okay\0", f"{name} has no {HEADERS}")
            lines = tree.value("/soc/gpio@7e200000", "gpio-line-names").split(b"\0")
            for number in (17, 22, 27):
                check(lines[number] == b"GPIO%d" % number, f"line {number} of {name} is {lines[number]}")
    return f"{len(TREES)} trees, {sum(board is not None for board in TREES.values())} of boards that imulog knows"


def renumbered(guest: Guest) -> str:
    buses = adapters(guest)
    check("7e804000" in buses[0], f"the header's bus is not 0: {buses}")
    checks, _ = ask(guest, "")
    expect(checks, "chip", "ok", "MPU-6050 at 0x69")
    ended = guest.machine.run("imulog --store /tmp/none record --for 1s")
    check("the MPU-6050 at 0x69 does not come out" in ended.errors, f"record: {ended.errors}")
    return expect(checks, "bus", "ok", "/dev/i2c-0 can be used")


def clock(guest: Guest) -> str:
    guest.machine.check("echo ds1338 0x68 >/sys/bus/i2c/devices/i2c-0/new_device")
    checks, _ = ask(guest, "")
    expect(checks, "address 0x68", "advice", "a clock", "rtc-ds1307", "AD0")
    expect(checks, "chip", "ok", "MPU-6050 at 0x69")
    return expect(checks, "battery clock", "ok", "rtc0 (rtc-ds1307")


def silence(guest: Guest) -> str:
    found = transfer(guest, "w1@0x68 0x75 r1")
    check("timed out" in found, f"the transfer gave {found}")
    checks, _ = ask(guest, "")
    words = expect(checks, "chip", "wrong", "do not end")
    ended = guest.machine.run("imulog --store /tmp/none record --sensor mpu6050 --for 1s")
    check(ended.status == 69, f"record ended with {ended.status}: {ended.errors}")
    return f"{words}; {ended.errors.strip()}"


def other(guest: Guest) -> str:
    """The header's bus, and the chip on it, by the board where it is known, else by its number."""
    board = here(guest)
    number = next(number for number, name in adapters(guest).items() if "7e804000" in name)
    checks, _ = ask(guest, "" if board else f"--bus {number}")
    expect(checks, "chip", "ok", "MPU-6050 at 0x68")
    return expect(checks, "board", *(["ok"] if board else ["advice", "none that imulog knows"]))


def here(guest: Guest) -> str | None:
    """The board that the program takes this one for."""
    for line in guest.machine.check("imulog boards").splitlines():
        if line.startswith("* "):
            return line.split()[1]
    return None


def adapters(guest: Guest) -> dict[int, str]:
    text = guest.machine.check("cd /sys/class/i2c-dev; for bus in *; do echo ${bus#i2c-} $(cat $bus/name); done")
    return {int(number): name for number, name in (line.split(" ", 1) for line in text.splitlines())}


def transfer(guest: Guest, form: str) -> str:
    ended = guest.machine.run(f"i2ctransfer -y 1 {form}")
    return ended.output + ended.errors

# SPDX-License-Identifier: Apache-2.0
"""`imulog doctor` on a real kernel: what is right, and seeded faults with the words and the command for each."""

from __future__ import annotations

import json
import time

from ..bench import Guest
from ..errors import check
from ..scenario import Group
from . import drivers

OVERTAKING = 20


def run(guest: Guest, group: Group) -> None:
    """The chips of the guest's bus 0, whole, absent, strange and held."""
    group.run("doctor: all is right", lambda: right(guest))
    group.run("doctor: no chip", lambda: absent(guest))
    group.run("doctor: an unknown chip, which is not written to", lambda: unknown(guest))
    group.run("doctor: a data line at ground", lambda: zeros(guest))
    group.run("doctor: a module that carries another chip", lambda: clone(guest))
    group.run("doctor: a wrong bus", lambda: other_bus(guest))
    group.run("doctor: a recorder has the chip", lambda: busy(guest))
    group.run("doctor: takes that begin while doctor looks", lambda: overtaken(guest))
    group.run("doctor: a bus that hangs", lambda: hanging(guest))
    group.run("doctor: the button's line is taken", lambda: taken(guest))
    group.run("doctor: a full card, and one that is read-only", lambda: card(guest))


def ask(guest: Guest, options: str = "--bus 0") -> tuple[dict[str, dict[str, object]], int]:
    """The checks by name, and the exit status."""
    ended = guest.machine.run(f"imulog --store /tmp/doctor doctor --json {options}")
    check(ended.status in (0, 1), f"doctor ended with {ended.status}: {ended.errors.strip()}")
    checks = json.loads(ended.output)["checks"]
    return {one["name"]: one for one in checks}, ended.status


def expect(checks: dict[str, dict[str, object]], name: str, state: str, *words: str) -> str:
    check(name in checks, f"there is no check of {name}: {sorted(checks)}")
    found = checks[name]
    check(found["state"] == state, f"{name} is {found['state']}: {found['words']}")
    for word in words:
        check(word in str(found["words"]), f"{name} does not say '{word}': {found['words']}")
    return str(found["words"])


def right(guest: Guest) -> str:
    checks, _ = ask(guest)
    expect(checks, "bus", "ok")
    chip = expect(checks, "chip", "ok", "MPU-6050")
    expect(checks, "wiring", "ok")
    check("bus clock" in checks, "the bus's clock is not measured")
    return f"{chip}; {checks['bus clock']['words']}"


def absent(guest: Guest) -> str:
    for chip in ("mpu6050", "lsm6dso"):
        guest.chips.tell("absent", chip)
    try:
        checks, status = ask(guest)
    finally:
        for chip in ("mpu6050", "lsm6dso"):
            guest.chips.tell("present", chip)
    check(status == 1, f"the status is {status}")
    return expect(checks, "chip", "wrong", "0x68")


def unknown(guest: Guest) -> str:
    guest.chips.tell("absent", "lsm6dso")
    guest.chips.tell("identity", "mpu6050", "0x19")
    try:
        checks, _ = ask(guest)
    finally:
        guest.chips.tell("identity", "mpu6050", "own")
        guest.chips.tell("present", "lsm6dso")
    return expect(checks, "chip", "wrong", "0x68", "0x19")


def zeros(guest: Guest) -> str:
    guest.chips.tell("absent", "lsm6dso")
    guest.chips.tell("identity", "mpu6050", "0x00")
    try:
        checks, _ = ask(guest)
    finally:
        guest.chips.tell("identity", "mpu6050", "own")
        guest.chips.tell("present", "lsm6dso")
    return expect(checks, "chip", "wrong", "line held low")


def clone(guest: Guest) -> str:
    guest.chips.tell("identity", "mpu6050", "0x98")
    try:
        checks, _ = ask(guest)
    finally:
        guest.chips.tell("identity", "mpu6050", "own")
    return expect(checks, "chip", "ok", "ICM-20689", "sold as MPU-6050")


def other_bus(guest: Guest) -> str:
    checks, _ = ask(guest, "--bus 77")
    return expect(checks, "bus", "wrong", "there are")


def busy(guest: Guest) -> str:
    """The take goes on, and is whole."""
    machine = guest.machine
    take = machine.start("imulog --store /tmp/beside record --bus 0 --sensor mpu6050 --rate 100 --for 3s")
    machine.check("sleep 1")
    checks, _ = ask(guest)
    ended = machine.finish(take, "record")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    expect(checks, "chip", "unchecked")
    return expect(checks, "address 0x68", "unchecked", "not disturbed")


def overtaken(guest: Guest) -> str:
    """Doctor after doctor looks at the chip, and no take is refused for it."""
    machine = guest.machine
    looks = machine.start(
        "rm -f /tmp/enough; n=0; while [ ! -e /tmp/enough ]; do"
        " imulog --store /tmp/doctor doctor --json --bus 0 >/dev/null; n=$((n + 1)); done; echo $n")
    try:
        for number in range(OVERTAKING):
            ended = machine.run("imulog --store /tmp/overtaken record --bus 0 --sensor mpu6050 --rate 100 --for 200ms")
            check(ended.status == 0, f"take {number} ended with {ended.status}: {ended.errors.strip()}")
    finally:
        machine.check("touch /tmp/enough")
        count = machine.finish(looks, "doctor").output.strip()
    machine.check("rm -r /tmp/overtaken")
    return f"{OVERTAKING} takes beside {count} looks"


def hanging(guest: Guest) -> str:
    """Doctor has said all after half a minute. The kernel keeps its process until the transfer ends."""
    command = "imulog --store /tmp/doctor doctor --json --bus 0"
    begin = time.monotonic()
    guest.chips.tell("stall")
    try:
        name = guest.machine.start(command)
        out = guest.machine.share / f"{name}.out"
        while not (out.exists() and out.read_text().strip()):
            check(time.monotonic() < begin + 55, "not a word in 55 s")
            time.sleep(0.1)
        seconds = time.monotonic() - begin
    finally:
        guest.chips.tell("release")
        ended = guest.machine.finish(name, command, 20)
    check(seconds > 25, f"doctor waited only {seconds:.0f} s for a transfer")
    checks = {one["name"]: one for one in json.loads(ended.output)["checks"]}
    words = expect(checks, "bus", "wrong", "the bus hangs")
    guest.machine.check("imulog --store /tmp/unhung record --bus 0 --sensor mpu6050 --for 1s && rm -r /tmp/unhung")
    return f"{words} ({seconds:.0f} s)"


def taken(guest: Guest) -> str:
    """Another program has the line; doctor names it by what the kernel knows of it."""
    machine = guest.machine
    machine.check("load gpio-virtio; mkdir -p /etc/imulog; echo 'button = GPIO17' >/etc/imulog/imulog.conf")
    try:
        machine.start("button GPIO17 30")
        machine.check("sleep 1")
        checks, _ = ask(guest)
        held = expect(checks, "button", "advice", '"bench" is using the line')
        machine.check("killall button")
        checks, _ = ask(guest)
        return f"{held}; {expect(checks, 'button', 'ok', 'free')}"
    finally:
        machine.run("killall button; rm -r /etc/imulog")


def card(guest: Guest) -> str:
    machine = guest.machine
    machine.check("mkdir -p /tmp/card && mount -t tmpfs -o size=1m tmpfs /tmp/card")
    try:
        checks, _ = ask(guest, "--bus 0 --store /tmp/card/store")
        full = expect(checks, "room", "wrong", "less than an hour")
        machine.check("mount -o remount,ro /tmp/card")
        checks, _ = ask(guest, "--bus 0 --store /tmp/card/store")
        return f"{full}; {expect(checks, 'store', 'wrong', 'read-only')}"
    finally:
        machine.check("umount /tmp/card")


def held(guest: Guest, chip: drivers.Driver) -> str:
    """The driver is bound: the exact line that frees the chip, which works."""
    checks, _ = ask(guest)
    address = next(name for name, one in checks.items() if name.startswith("address") and one["state"] == "wrong")
    expect(checks, address, "wrong", chip.driver)
    command = str(checks[address]["command"])
    guest.machine.check(command.replace("sudo ", ""))
    checks, _ = ask(guest)
    check(address not in checks, f"{address} is still held")
    return f"`{command}` freed it"

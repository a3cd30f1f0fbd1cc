# SPDX-License-Identifier: Apache-2.0
"""Power cuts at random moments while recording: synced data are there afterwards, and the store stays usable.

Each cycle is one life of the virtual machine on a disk that loses or tears unflushed writes (../disk.py):

    boot ── look at the take that was cut off last ── record under syncwatch ── random moment ── kill QEMU, cut the disk

syncwatch (guest/syncwatch.c) leaves a copy of the log as of the last sync that succeeded in a folder of the host. After
the cut the guest must export every sample of that copy, list the take as recovered and open the store at once, and the
next take must get a new number.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..bench import Bench, Guest
from ..chips.truth import read_truth
from ..compare import compare
from ..errors import BenchError, CheckFailed, HostTooSlow, check
from ..export import Take, listed, read_take
from ..scenario import Group
from ..service import LIST_PAGE
from . import stalledcard
from .guestdisk import FILE_SYSTEMS, Disk, fresh, mount

STORE = "/disk/recordings"
SHORTEST, LONGEST = 0.3, 4.0
"""Seconds from the start of the command to the cut: from before the first sync to well after some."""
SYNC_MILLISECONDS = 300
OPENING_SECONDS = 3.0
"""Within which the store has to be listed, in an emulated guest and with the way there and back."""


@dataclass
class Life:
    """The known facts about the take that was cut off last."""

    truth: Path
    copies: Path
    """The folder with each log as of its last sync in this life; empty when there was none."""
    numbers: list[int] = field(default_factory=list)
    """Of the takes that were listed before it."""


@dataclass
class Tally:
    """The results of the cycles of one file system."""

    cycles: int = 0
    synced: dict[int, Take] = field(default_factory=dict)
    """The synced samples of each take, by its number: to be found after each later cut, too."""
    promised: int = 0
    """Samples that were synced."""
    found: int = 0
    unsynced: int = 0
    """Cycles cut before the first sync of samples."""
    slowest: float = 0.0
    by_hand: int = 0
    """File systems that needed a repair by hand."""
    late: int = 0
    """Takes with a sample that the host held up for longer than 20 ms."""
    has_lengths_late: bool = False
    """Whether a new name has its file's length only once the file is synced under it, as on FAT."""
    empty: set[int] = field(default_factory=set)
    """Takes that were cut off before that."""

    def words(self) -> str:
        by_hand = f"; {self.by_hand} file systems repaired by hand" if self.by_hand else ""
        late = f"; {self.late} takes with a sample held up by the host" if self.late else ""
        return (
            f"{self.cycles} cuts, {self.unsynced} of them before the first sync; of {self.promised} samples synced none"
            f" lost, {self.found - self.promised} more found; store listed in {self.slowest:.2f} s at most{by_hand}{late}")


def run(bench: Bench, group: Group, cuts: int, seed: int) -> None:
    """The scenarios, two at once: a guest that boots keeps one processor busy."""
    print(f"kernelbench: power cuts with --seed {seed}", flush=True)
    scenarios = {
        f"{cuts} power cuts on {name}": partial(run_file_system, bench, name, cuts, seed) for name in FILE_SYSTEMS}
    scenarios["a disk that lies about flushes is found out"] = partial(run_lying_disk, bench, seed)
    scenarios["a card that stalls while the service ends"] = partial(stalledcard.run, bench)
    with ThreadPoolExecutor(max_workers=2) as pool:
        for scenario in [pool.submit(group.run, *item) for item in scenarios.items()]:
            scenario.result()


def run_file_system(bench: Bench, file_system: str, cuts: int, seed: int) -> str:
    """The scenario for one file system."""
    directory = fresh(bench.directory / f"cut-{file_system}")
    chance = random.Random(f"{seed} {file_system}")
    disk = Disk(directory, file_system)
    tally, life = Tally(has_lengths_late=file_system == "vfat"), None
    try:
        for number in range(cuts + 1):
            guest = bench.boot(f"cut-{file_system}/life{number}", disks=[f"nbd:unix:{disk.socket}"], is_first=False)
            try:
                mount(guest, file_system)
                if life:
                    examine(bench, guest, life, tally)
                if number < cuts:
                    life = record(guest, list_takes(guest)[0], chance)
            finally:
                guest.stop()
            tally.by_hand += not disk.cut(chance.getrandbits(32))
    except CheckFailed as failure:
        raise CheckFailed(f"cut {tally.cycles + 1}, seed {seed}: {failure}") from failure
    finally:
        disk.stop()
    return tally.words()


def run_lying_disk(bench: Bench, seed: int) -> str:
    """The check itself: on a disk that acknowledges flushes and ignores them it must find that samples are lost."""
    directory = fresh(bench.directory / "cut-lying")
    disk = Disk(directory, "ext4")
    try:
        # A cut that is sure to be after the first sync.
        chance = random.Random(seed)
        guest = bench.boot("cut-lying/life0", disks=[f"nbd:unix:{disk.socket}"], is_first=False)
        try:
            mount(guest, "ext4")
            disk.tell("lie")
            life = record(guest, [], chance, SHORTEST + 3.0)
        finally:
            guest.stop()
        check(any(life.copies.glob("*.imulog")), "the program never synced")
        disk.cut(chance.getrandbits(32))
        guest = bench.boot("cut-lying/life1", disks=[f"nbd:unix:{disk.socket}"], is_first=False)
        try:
            mount(guest, "ext4")
            examine(bench, guest, life, Tally())
        except CheckFailed as found:
            return f"the loss was found: {found}"
        finally:
            guest.stop()
    finally:
        disk.stop()
    raise CheckFailed("a disk that ignored all flushes lost nothing, as far as the check could see")


def list_takes(guest: Guest) -> tuple[list[dict], float]:
    """The store's list, all pages of it, and how long the first took."""
    takes: list[dict] = []
    first = 0.0
    for page in range(1, 1000):
        start = time.monotonic()
        ended = guest.machine.run(f"[ ! -e {STORE} ] || imulog --store {STORE} list --json --page {page}")
        seconds = time.monotonic() - start
        check(ended.status == 0, f"the store does not open: {ended.errors.strip()}")
        takes += (page_of_takes := listed(ended.output))
        if page == 1:
            first = seconds
        if len(page_of_takes) < LIST_PAGE:
            break
    return takes, first


def record(guest: Guest, takes: list[dict], chance: random.Random, seconds: float | None = None) -> Life:
    """Records and cuts the power at a random moment."""
    machine = guest.machine
    copies = machine.share / "synced"
    copies.mkdir()
    truth = machine.directory / "truth"
    guest.chips.tell("truth", truth)
    machine.start(
        f"syncwatch /host/synced imulog --store {STORE} record --bus 0 --sensor mpu6050 --rate 100 --until-stopped"
        f" --sync-every {SYNC_MILLISECONDS}ms")
    time.sleep(chance.uniform(SHORTEST, LONGEST) if seconds is None else seconds)
    machine.cut()
    guest.chips.tell("truth", "-")
    return Life(truth, copies, [take["number"] for take in takes])


def examine(bench: Bench, guest: Guest, life: Life, tally: Tally) -> None:
    """The remains of the take that was cut off, and of those before it."""
    takes, seconds = list_takes(guest)
    check(seconds < OPENING_SECONDS, f"the store took {seconds:.1f} s to open")
    numbers = [take["number"] for take in takes]
    check(len(numbers) == len(set(numbers)), f"a number was given twice: {numbers}")
    check(set(life.numbers) <= set(numbers), f"of the takes {life.numbers} only {numbers} are left")
    new = [take for take in takes if take["number"] not in life.numbers]
    check(len(new) <= 1, f"one take was begun, and {new} are new")
    check(not new or new[0]["number"] > max(life.numbers, default=0), f"an old number was given again: {numbers}")
    promises = {int(copy.name[:6]): copy for copy in life.copies.glob("*.imulog")}
    promised = found = 0
    for take in takes:
        number = take["number"]
        if tally.has_lengths_late and take in new and number not in promises and "it is empty" in (take.get("error") or ""):
            tally.empty.add(number)
        if number in tally.empty:
            continue
        check(
            take["complete"] is False and take["state"] == "recovered",
            f"take {number} is not listed as recovered: {take}")
        if copy := promises.pop(number, None):
            tally.synced[number] = read_copy(bench, copy)
        synced = tally.synced.get(number, Take({}, [], []))
        truth = life.truth if take in new else None
        count = compare_with_promise(guest, number, synced, truth, tally)
        if take in new:
            promised, found = len(synced.samples), count
    check(not promises, f"takes are gone that were synced: {sorted(promises)}")
    tally.cycles += 1
    tally.promised += promised
    tally.found += found
    tally.unsynced += not promised
    tally.slowest = max(tally.slowest, seconds)


def compare_with_promise(guest: Guest, number: int, synced: Take, truth: Path | None, tally: Tally) -> int:
    """Exports the take and compares it with its synced samples and with the chip; returns its number of samples."""
    file = f"take{number}.json"
    # Status 65: damage is reported, as where a write was torn after the last sync.
    ended = guest.machine.run(f"imulog --store {STORE} export {number} --units raw -o /host/{file}")
    check(ended.status in (0, 65), f"export ended with {ended.status}: {ended.errors.strip()}")
    found = read_take(guest.machine.share / file)
    check(
        found.samples[: len(synced.samples)] == synced.samples,
        f"of {len(synced.samples)} samples synced of take {number} not all are among the {len(found.samples)} found")
    if truth and found.samples:
        try:
            compare(found, read_truth(truth), "mpu6050", tolerance=20_000_000)
        except HostTooSlow:
            tally.late += 1
    return len(found.samples)


def read_copy(bench: Bench, copy: Path) -> Take:
    """The samples in the copy of a log that was made at its last sync, read by the host's imulog."""
    store = copy.parent.parent / f"store-{copy.stem}"
    store.mkdir()
    shutil.copy(copy, store)
    out = store / "export.json"
    command = [str(bench.program), "--store", str(store), "export", "latest", "--units", "raw", "-o", str(out)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        raise BenchError(f"the copy of the synced log cannot be exported: {ended.stderr.strip()}")
    return read_take(out)

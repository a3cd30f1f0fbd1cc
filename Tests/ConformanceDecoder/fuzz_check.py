# SPDX-License-Identifier: Apache-2.0
"""Checks that the decoder is total and that damage stays where it is.

Every failure is an AssertionError after the printed seed.
"""

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from imulog.basics import PAGE_SIZE, crc32c
from imulog.log import HEADER_SIZE, Log, Refusal

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "LogFormatTests" / "Golden"
COMMAND = [sys.executable, HERE / "imulog_decode.py"]

EXAMPLE_HEADER = b"""id 01020304-0000-0000-0000-000000000000
rate 10/1
channels ax
time-unit 1000000
sensor s
accelerometer-scale 1/1
gyroscope-scale 1/1
temperature-scale 1/1
temperature-offset -1/2
note a\\nb\\\\c\\d
note second
future key
"""
EXAMPLE_PAGE = bytes.fromhex(
    "89494d01010203040100000007000000"
    "0000000080bd512a00000000c1f3bc8c"
    "0810006000cd0032028b89763e8c")
EXAMPLE_SAMPLES = [
    (7, 710000000, (100,)), (8, 811000000, (101,)),
    (9, 911000000, (103,)), (10, 1010000000, (102,))]


def is_sound(path):
    """Whether a golden log is all of it to be read, and ends with a chunk."""
    twin = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return not twin.get("damage") and not twin.get("refused")


def decoded(data):
    """The records and damages of a log, or None twice for a refusal."""
    try:
        found = list(Log(io.BytesIO(data)).records())
    except Refusal:
        return None, None
    damages = [record for record in found if record["record"] == "damage"]
    return [record for record in found
            if record["record"] not in ("damage", "lost-ticks")], damages


def chunk_ends(data):
    """Offset to end of every chunk of an intact log, the header's first."""
    ends = {}
    for start in range(0, len(data), PAGE_SIZE):
        offset = start + HEADER_SIZE
        page_end = min(start + PAGE_SIZE, len(data))
        while offset + 2 <= page_end:
            head = int.from_bytes(data[offset:offset + 2], "little")
            if head == 0:
                break
            ends[offset] = offset + 6 + head % 4096
            offset = ends[offset]
    return ends


def sealed(page_head, chunks):
    """A page of right checks from the header's 28 bytes and its chunks."""
    check = crc32c(page_head)
    page = page_head + check.to_bytes(4, "little")
    for kind, body in chunks:
        chunk = (kind << 12 | len(body)).to_bytes(2, "little") + body
        check = crc32c(chunk, check)
        page += chunk + check.to_bytes(4, "little")
    return page


def check_example():
    """The page under "An example", after a page 0 that fits it."""
    page_head = EXAMPLE_PAGE[:8] + bytes(20)
    first = sealed(page_head, [(7, EXAMPLE_HEADER), (9, b"later"),
                               (15, b"\x63later")])
    data = first.ljust(PAGE_SIZE, b"\0") + EXAMPLE_PAGE + bytes(9000)
    found, damages = decoded(data)
    assert not damages
    assert [record["record"] for record in found] == [
        "skipped", "skipped", "samples"]
    assert found[2]["samples"] == EXAMPLE_SAMPLES
    fields = Log(io.BytesIO(data)).description.fields
    assert fields["note"] == "a\nb\\cd"


def check_pages():
    """Points 1 and 2 of "Reading damaged logs", page by page."""
    recording = EXAMPLE_PAGE[:8]
    first = sealed(recording + bytes(20), [(7, EXAMPLE_HEADER)])
    body = EXAMPLE_PAGE[HEADER_SIZE + 2:-4]
    end = (6, b"\1" + bytes(9))
    for head, samples, why in (
            (recording + b"\1\0\0\0", 2, None),
            (bytes(12), 1, "nothing was written"),
            (recording + b"\2\0\0\0", 1, "the page is number 2"),
            (recording[:7] + b"\5\1\0\0\0", 1, "of another recording"),
            (b"\x89IM\2" + recording[4:] + b"\1\0\0\0", 1, "later reader"),
            (b"\x89IN\1" + recording[4:] + b"\1\0\0\0", 1, "mark is wrong")):
        second = bytes(PAGE_SIZE)
        if any(head):
            second = sealed(head + EXAMPLE_PAGE[12:28], [(1, body)])
        third_head = recording + b"\2\0\0\0" + b"\x0b" + bytes(15)
        data = b"".join(part.ljust(PAGE_SIZE, b"\0") for part in (
            first, second, sealed(third_head, [(1, body), end])))
        everything = list(Log(io.BytesIO(data)).records())
        found, damages = decoded(data)
        assert [record["record"] for record in found] == (
            ["samples"] * samples + ["end"]), head
        lost = [record for record in everything
                if record["record"] == "lost-ticks"]
        if why:
            assert len(damages) == 1 and why in damages[0]["why"], damages
            assert damages[0]["bytes"] == PAGE_SIZE
            assert lost == [{"record": "lost-ticks", "first": 0, "last": 10}]
        else:
            assert not damages and not lost


def check_cuts(data):
    """A prefix gives all chunks that are whole in it, and no others.

    Every prefix of a short log, and some hundred of a long one.
    """
    ends = chunk_ends(data)
    header_end = next(iter(ends.values()))
    whole, _ = decoded(data)
    borders = {*range(0, len(data), PAGE_SIZE),
               *range(HEADER_SIZE, len(data), PAGE_SIZE), *ends.values()}
    for length in range(0, len(data), len(data) // 400 + 1):
        found, damages = decoded(data[:length])
        if length < header_end:
            assert found is None, length
            continue
        assert found == [record for record in whole
                         if ends[record["offset"]] <= length], length
        behind = max(border for border in borders if border <= length)
        assert bool(damages) == any(data[behind:length]), length


def has_copy(data, ends, places):
    """Whether page 1 begins with a copy of the header that no place hits."""
    copy = PAGE_SIZE + HEADER_SIZE
    return (copy in ends and data[copy + 1] >> 4 == 7
            and not any(PAGE_SIZE <= place < ends[copy] for place in places))


def check_flips(data, generator):
    """Flipped bits cost the chunks after them in their page, no others."""
    ends = chunk_ends(data)
    header_end = next(iter(ends.values()))
    whole, _ = decoded(data)
    flipped = bytearray(data)
    places = []
    for bit in generator.sample(range(8 * len(data)),
                                generator.choice((1, 1, 2, 3, 8))):
        places.append(bit // 8)
        flipped[bit // 8] ^= 1 << bit % 8
    found, damages = decoded(bytes(flipped))
    if min(places) < header_end and not has_copy(data, ends, places):
        assert found is None, places
        return
    assert damages, places
    assert found == [
        record for record in whole
        if not any(record["offset"] // PAGE_SIZE * PAGE_SIZE <= place
                   < ends[record["offset"]] for place in places)], places


def check_hostile(data, generator):
    """Random content after right checks: any result but an exception."""
    ends = chunk_ends(data)
    first, *others = [
        (data[offset + 1] >> 4, bytearray(data[offset + 2:end - 4]))
        for offset, end in ends.items()]
    room = PAGE_SIZE - HEADER_SIZE - 6 - len(first[1])
    if generator.random() < 0.1:
        first[1][generator.randrange(len(first[1]))] = generator.choice(
            b"\n \\/-0\xff1")
    chunks = [first]
    for _ in range(6):
        kind, body = generator.choice(others)
        body = bytearray(body)
        for _ in range(generator.randrange(4) if body else 0):
            body[generator.randrange(len(body))] = generator.randrange(256)
        if generator.random() < 0.5:
            kind = generator.choice((1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 12, 15))
            body = generator.randbytes(generator.randrange(80))
        room -= 6 + len(body)
        if room >= 0:
            chunks.append((kind, body))
    fields = generator.choice((data[8:28], generator.randbytes(20)))
    page = sealed(data[:8] + bytes(20), chunks).ljust(PAGE_SIZE, b"\0")
    page_head = data[:8] + b"\1\0\0\0" + fields[4:]
    decoded(page + sealed(page_head, chunks[1:]))


def check_noise(generator):
    """Random bytes are no log, with a right mark or without."""
    noise = generator.randbytes(generator.randrange(3 * PAGE_SIZE))
    for data in (noise, b"\x89IM\1" + noise, bytes(len(noise))):
        assert decoded(data) == (None, None)


def check_command(golden):
    """Exit statuses, and one sentence instead of a traceback."""
    data = golden.read_bytes()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "log"
        for content, status, lines in (
                (data, 0, 0), (data[:-1], 65, 1), (data[:100], 65, 1),
                (b"", 65, 1), (b"\x89PNG", 65, 1), (None, 66, 1)):
            path.unlink(missing_ok=True)
            if content is not None:
                path.write_bytes(content)
            done = subprocess.run([*COMMAND, "--samples-csv", path],
                                  capture_output=True, text=True)
            assert done.returncode == status, done
            assert len(done.stderr.splitlines()) == lines, done
        assert subprocess.run([*COMMAND, directory],
                              capture_output=True).returncode == 66


def main():
    """Runs all checks with a seed that is printed first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int,
                        default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--rounds", type=int, default=300,
                        help="rounds of each random check for each log")
    arguments = parser.parse_args()
    print("seed", arguments.seed)
    generator = random.Random(arguments.seed)
    check_example()
    check_pages()
    paths = sorted(path for path in GOLDEN.glob("*.imulog") if is_sound(path))
    for path in paths:
        data = path.read_bytes()
        found, damages = decoded(data)
        assert found and not damages, path
        check_cuts(data)
        for _ in range(arguments.rounds):
            check_flips(data, generator)
            check_hostile(data, generator)
            check_noise(generator)
    check_command(paths[0])
    print(len(paths), "golden logs were cut and damaged:",
          "only what was damaged is missing.")


if __name__ == "__main__":
    main()

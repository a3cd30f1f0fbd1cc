# SPDX-License-Identifier: Apache-2.0
"""The text of the header chunk ("Header (kind 7)")."""

import re
from collections import namedtuple

from .basics import FormatError

CHANNELS = ("ax", "ay", "az", "gx", "gy", "gz", "temp")
# Each key with the number of bits it may have.
NUMBER_KEYS = {
    "imulog": 64, "number": 32, "planned-ticks": 64, "time-unit": 30,
    "sensor-identity": 8, "sensor-address": 8, "accelerometer-range": 63,
    "gyroscope-range": 63, "sync-interval": 63, "chip-clock": 63,
    "bus-clock-measured": 63}
FRACTION_KEYS = (
    "accelerometer-scale", "gyroscope-scale", "temperature-scale",
    "temperature-offset")
TEXT_KEYS = (
    "sensor", "output-data-rate", "filter", "board", "host", "software",
    "note", "real-time", "cpu-latency", "begun-by", "trigger",
    "timetable", "boot", "sensor-name", "bus-path", "origin", "take", "axes", "calibration", "field",
    "recovered-from")
KEYS = ("id", "rate", "channels", *NUMBER_KEYS, *FRACTION_KEYS, *TEXT_KEYS)

_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBER = re.compile("[0-9]{1,40}")
_FRACTION = re.compile("(-?[0-9]{1,40})/([0-9]{1,40})")
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)

Description = namedtuple(
    "Description",
    "fields skipped_keys recording rate_ticks rate_seconds unit channels")


def parse_header(body):
    """The Description in the body of a header chunk.

    fields has the known keys that have a meaning, as they are to be shown.
    """
    lines = _lines(body)
    recording = _match(_UUID, lines, "id")[0]
    ticks, seconds = _fraction(lines, "rate")
    if not (0 < ticks < 1 << 32 and 0 < seconds < 1 << 32):
        raise FormatError("header key rate is out of its range")
    unit = int(_match(_NUMBER, lines, "time-unit")[0])
    if not 1 <= unit <= 10 ** 9:
        raise FormatError("header key time-unit is out of its range")
    for key in FRACTION_KEYS:
        above, below = _fraction(lines, key)
        if not (-1 << 63 <= above < 1 << 63 and 0 < below < 1 << 63):
            raise FormatError(f"header key {key} is out of its range")
    _required(lines, "sensor")
    channels = _channels(_required(lines, "channels"))
    return Description(
        {key: _shown(key, value) for key, value in lines.items()
         if key in KEYS and _has_meaning(key, value)},
        [key for key in lines if key and key not in KEYS],
        bytes.fromhex(recording[:8]), ticks, seconds, unit, channels)


def _lines(body):
    """Key to value, of the first line of each key."""
    lines = {}
    for line in body.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        lines.setdefault(key, unescape(value))
    return lines


def unescape(value):
    """A value without its escapes."""
    return _ESCAPED.sub(_unescaped, value)


def _unescaped(match):
    character = match[1]
    return {"n": "\n", "r": "\r"}.get(character, character)


def _required(lines, key):
    if key not in lines:
        raise FormatError(f"the header has no key {key}")
    return lines[key]


def _match(pattern, lines, key):
    match = pattern.fullmatch(_required(lines, key))
    if not match:
        raise FormatError(f"header key {key} is malformed")
    return match


def _fraction(lines, key):
    match = _match(_FRACTION, lines, key)
    return int(match[1]), int(match[2])


def _channels(value):
    names = value.split(" ")
    if not names or names != [name for name in CHANNELS if name in names]:
        raise FormatError("header key channels is malformed")
    return names


def _has_meaning(key, value):
    bits = NUMBER_KEYS.get(key)
    return bits is None or bool(
        _NUMBER.fullmatch(value) and int(value) < 1 << bits)


def _shown(key, value):
    if key == "channels":
        return value.split(" ")
    if key in NUMBER_KEYS:
        return int(value)
    return value

# SPDX-License-Identifier: Apache-2.0
"""Gaps, marks, clock pairs, sensor events and the end ("Chunks")."""

from .basics import FormatError, Fields, unfold, within_limit, wrap
from .header import unescape

CAUSES = {1: "missed", 2: "bus error", 3: "ring full", 4: "stale",
          5: "reinitialising", 6: "lost", 7: "frozen"}
PAIR_REASONS = {1: "start", 2: "became synchronised", 3: "stepped", 4: "end",
                5: "a minute passed"}
EVENT_KINDS = {1: "lost", 2: "reinitialised", 3: "back"}
FAULTS = {0: "none", 1: "bus", 2: "configuration lost", 3: "zeros",
          4: "frozen", 5: "no data", 6: "identity"}
EPOCH_CAUSES = {1: "start", 2: "reset", 3: "overflow", 4: "burst failed",
                5: "rate changed", 6: "chip reset", 7: "counted overflow"}
READINGS, STAMPED_READINGS, CERTIFICATE, BUS_CLOCK, FIELD = 16, 17, 18, 19, 20
VERDICTS = ("pass", "warn", "fail", "unknown")
END_REASONS = {1: "completed", 2: "signal", 3: "button", 4: "storage full",
               5: "storage error", 6: "sensor lost", 7: "imported",
               8: "recovered"}
LEDGER = ("sampled", "missed", "bus_errors", "ring_full", "stale",
          "reinitialising")
LATENESS = ("median", "p99", "maximum")


def _skipped(kind, what, number):
    """A record with an unknown value is treated like an unknown kind."""
    return {"record": "skipped", "kind": kind,
            "why": f"{what} {number} is not known"}


def gaps(body, page_tick):
    """Section "Gaps (kind 2)": one record for each entry."""
    fields = Fields(body)
    records = []
    after = page_tick
    for _ in range(fields.varint()):
        first = (after + fields.signed_varint()) % (1 << 64)
        ticks = fields.varint()
        cause = fields.u8()
        code = fields.signed_varint()
        after = first + ticks
        if ticks < 1 or after > 1 << 63:
            raise FormatError("a gap is empty or reaches beyond tick 2^63")
        if not -1 << 31 <= code < 1 << 31:
            raise FormatError("an errno has more than 32 bits")
        if cause in CAUSES:
            records.append({"record": "gap", "first": first, "ticks": ticks,
                            "cause": CAUSES[cause], "code": code})
        else:
            records.append(_skipped(2, "cause", cause))
    return records


def mark(body, _):
    """Section "Mark (kind 3)"."""
    fields = Fields(body)
    time = within_limit(fields.signed_varint())
    label = fields.take(fields.varint()).decode("utf-8", "replace")
    return [{"record": "mark", "time": time, "label": label}]


def clock_pair(body, _):
    """Section "Clock pair (kind 4)"."""
    fields = Fields(body)
    time, wall = within_limit(fields.i64()), fields.i64()
    synchronised, reason = fields.u8(), fields.u8()
    if reason not in PAIR_REASONS:
        return [_skipped(4, "reason", reason)]
    try:
        others = [fields.signed_varint(), fields.signed_varint(),
                  fields.varint()]
    except FormatError:
        others = []
    if others and others[2] >= 1 << 32:
        others = []
    return [{"record": "clock-pair", "time": time, "wall": wall,
             "synchronised": synchronised != 0,
             "reason": PAIR_REASONS[reason], "others": others}]


def sensor_event(body, _):
    """Section "Sensor event (kind 5)"."""
    fields = Fields(body)
    tick = fields.varint()
    kind, fault = fields.u8(), fields.u8()
    if tick >= 1 << 63:
        raise FormatError("a tick is not below 2^63")
    if kind not in EVENT_KINDS:
        return [_skipped(5, "kind", kind)]
    if fault not in FAULTS:
        return [_skipped(5, "fault", fault)]
    return [{"record": "sensor-event", "tick": tick,
             "kind": EVENT_KINDS[kind], "fault": FAULTS[fault]}]


def end(body, _):
    """Section "End (kind 6)"."""
    fields = Fields(body)
    reason = fields.u8()
    ledger = {name: fields.varint() for name in LEDGER}
    lateness = {name: fields.signed_varint() for name in LATENESS}
    if END_REASONS.get(reason) == "recovered" or fields.left():
        ledger["lost"] = fields.varint()
    if fields.left():
        ledger["frozen"] = fields.varint()
    if max(ledger.values()) >= 1 << 60:
        raise FormatError("a number of the ledger is not below 2^60")
    if reason not in END_REASONS:
        return [_skipped(6, "reason", reason)]
    return [{"record": "end", "reason": END_REASONS[reason],
             "ledger": ledger, "lateness": lateness}]


def readings(fields, kind):
    """Section "Readings (kind 15, first byte 16 or 17)": one for each."""
    flags = 8 if kind == STAMPED_READINGS else 4
    left = fields.varint()
    epoch = fields.varint()
    cause = fields.u8()
    first_tick = fields.signed_varint()
    count_before = fields.varint()
    count_step, time_step = fields.varint(), fields.varint()
    count, before, offset = (fields.signed_varint() for _ in range(3))
    if epoch >= 1 << 32:
        raise FormatError("an epoch is not below 2^32")
    if not -1 << 62 <= first_tick < 1 << 62 or count_before >= 1 << 48:
        raise FormatError("an epoch's place is out of its range")
    if max(count_step, time_step) >= 1 << 48:
        raise FormatError("a step is not below 2^48")
    records = []
    for _ in range(left):
        this_count = wrap(count + count_step + fields.signed_varint(), 64)
        this_before = wrap(before + time_step + fields.signed_varint(), 64)
        read = fields.varint()
        length = read // flags
        if read & 2:
            offset = wrap(offset + fields.signed_varint(), 64)
        ticks, ticks_per_slot = None, None
        if flags > 4 and read & 4:
            ticks, ticks_per_slot = fields.varint(), fields.varint()
            if (ticks >= 1 << 16 or not 0 < ticks_per_slot < 1 << 16
                    or length == 0):
                raise FormatError("a stamp is out of its range")
        else:
            count, before = this_count, this_before
        if not 0 <= this_count < 1 << 48 or not -1 << 48 <= this_before < 1 << 48:
            raise FormatError("a reading is out of its range")
        if length > 4294967 or not -1 << 47 <= offset < 1 << 47:
            raise FormatError("a reading is out of its range")
        records.append({
            "record": "reading", "epoch": epoch,
            "cause": EPOCH_CAUSES.get(cause), "first-tick": first_tick,
            "count-before": count_before, "count": this_count,
            "before": this_before * 1000, "length": length * 1000,
            "clock-offset": offset, "drained": bool(read & 1),
            "ticks": ticks, "ticks-per-slot": ticks_per_slot})
    if cause not in EPOCH_CAUSES:
        return [_skipped(kind, "cause", cause)]
    return records


def certificate(text):
    """Section "Certificate (kind 15, first byte 18)"."""
    findings = {}
    for line in text.decode("utf-8", "replace").split("\n"):
        name, _, rest = line.partition(" ")
        verdict, _, rest = rest.partition(" ")
        value, _, bound = rest.partition(" | ")
        if name and verdict in VERDICTS:
            findings.setdefault(
                name, [name, verdict, unescape(value), unescape(bound)])
    return [{"record": "certificate", "findings": list(findings.values())}]


def bus_clock(fields):
    """Section "Bus clock (kind 15, first byte 19)"."""
    try:
        time = within_limit(fields.signed_varint() * 1000)
        clocks = [fields.varint() for _ in range(3)]
    except FormatError:
        return unused(BUS_CLOCK)
    if max(clocks) >= 1 << 32:
        return unused(BUS_CLOCK)
    return [{"record": "bus-clock", "time": time, "clocks": clocks}]


def field(fields):
    """Section "Magnetometer (kind 15, first byte 20)": one for each value."""
    records = []
    time, width, counts = 0, 0, [0, 0, 0]
    try:
        left, step = fields.varint(), fields.varint()
        if step >= 1 << 48:
            return unused(FIELD)
        for _ in range(left):
            time = wrap(time + step + fields.signed_varint(), 64)
            change = fields.varint()
            width = wrap(width + unfold(change // 2), 64)
            flags = fields.u8() if change % 2 else 0
            counts = [wrap(count + fields.signed_varint(), 64)
                      for count in counts]
            if not -1 << 48 <= time < 1 << 48 or not 0 <= width <= 4294967:
                return unused(FIELD)
            if any(wrap(count, 16) != count for count in counts):
                return unused(FIELD)
            records.append(
                {"record": "field", "time": time * 1000,
                 "width": width * 1000, "counts": counts, "flags": flags}
                if flags < 4 else _skipped(FIELD, "flags", flags))
    except FormatError:
        return unused(FIELD)
    return records


def extended(body, _):
    """Kind 15: readings, certificates, the bus, a magnetometer's values."""
    fields = Fields(body)
    kind = fields.u8()
    if kind in (READINGS, STAMPED_READINGS):
        return readings(fields, kind)
    if kind == CERTIFICATE:
        return certificate(body[1:])
    if kind == BUS_CLOCK:
        return bus_clock(fields)
    if kind == FIELD:
        return field(fields)
    return unused(kind)


def unused(kind):
    """Kinds 8 to 14, which readers skip, and 7 where it is no header."""
    return [{"record": "skipped", "kind": kind, "why": "kind is not known"}]


DECODERS = {2: gaps, 3: mark, 4: clock_pair, 5: sensor_event, 6: end,
            15: extended}

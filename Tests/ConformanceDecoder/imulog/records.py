"""Gaps, marks, clock pairs, sensor events and the end ("Chunks")."""

from .basics import FormatError, Fields

CAUSES = {1: "missed", 2: "bus error", 3: "ring full", 4: "stale",
          5: "reinitialising", 6: "lost", 7: "frozen"}
PAIR_REASONS = {1: "start", 2: "became synchronised", 3: "stepped", 4: "end"}
EVENT_KINDS = {1: "lost", 2: "reinitialised", 3: "back"}
FAULTS = {0: "none", 1: "bus", 2: "configuration lost", 3: "zeros",
          4: "frozen", 5: "no data", 6: "identity"}
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
    time = fields.signed_varint()
    label = fields.take(fields.varint()).decode("utf-8", "replace")
    return [{"record": "mark", "time": time, "label": label}]


def clock_pair(body, _):
    """Section "Clock pair (kind 4)"."""
    fields = Fields(body)
    time, wall = fields.i64(), fields.i64()
    synchronised, reason = fields.u8(), fields.u8()
    if reason not in PAIR_REASONS:
        return [_skipped(4, "reason", reason)]
    return [{"record": "clock-pair", "time": time, "wall": wall,
             "synchronised": synchronised != 0,
             "reason": PAIR_REASONS[reason]}]


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


def extended(body, _):
    """Kind 15: no extended kind is known, all are skipped."""
    return unused(Fields(body).u8())


def unused(kind):
    """Kinds 8 to 14, which readers skip, and 7 where it is no header."""
    return [{"record": "skipped", "kind": kind, "why": "kind is not known"}]


DECODERS = {2: gaps, 3: mark, 4: clock_pair, 5: sensor_event, 6: end,
            15: extended}

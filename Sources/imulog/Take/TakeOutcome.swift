import IMUModel

/// What a take came to.
struct TakeOutcome {
  /// The recording's number in its store.
  let number: UInt32
  /// Its identity.
  let id: RecordingID
  /// Why it ended.
  let reason: StopReason
  /// What happened to its ticks; `nil` when its file is gone or cannot be read.
  let ledger: TickLedger?
  /// How late its reads began.
  let lateness: LatenessSummary
  /// What stopped it, when it was not the user or the plan.
  let failure: CommandFailure?
  /// Whether its file is gone from the store.
  let isGone: Bool
  /// Numbers of the recordings before it that the user threw away.
  var discarded: [UInt32] = []

  /// One line for a person: how many samples, and what is missing; `nil` when that is not known.
  var talk: String? {
    guard let ledger else { return nil }
    var parts = ["recording \(number): \(ledger.sampled) of \(ledger.scheduled) samples"]
    let losses = [
      (ledger.missed, "missed"), (ledger.busErrors, "bus errors"), (ledger.ringFull, "ring full"),
      (ledger.stale, "stale"), (ledger.reinitialising, "while setting the chip up again"),
      (ledger.frozen, "while the chip was stuck"),
    ]
    for (count, name) in losses where count > 0 { parts.append("\(count) \(name)") }
    return parts.joined(separator: ", ")
  }

  /// Where the recordings are that were thrown away.
  var talkOfDiscarded: [String] {
    discarded.map { "recording \($0) was thrown away; it is in the trash for 30 days" }
  }

  /// The same for a program, on one line.
  var json: String {
    "{\"number\":\(number),\"id\":\"\(id)\",\"stopReason\":\"\(reason.name)\","
      + "\"scheduled\":\(TakeOutcome.json(ledger?.scheduled)),"
      + "\"sampled\":\(TakeOutcome.json(ledger?.sampled)),"
      + "\"lateness_ns\":{\"median\":\(lateness.median),\"percentile99\":\(lateness.percentile99),"
      + "\"maximum\":\(lateness.maximum)}}"
  }

  private static func json(_ count: UInt64?) -> String { count.map { "\($0)" } ?? "null" }
}

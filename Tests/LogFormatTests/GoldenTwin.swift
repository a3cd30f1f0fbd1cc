import IMUModel

/// The content of a golden log as text: one line for each entry, in the order of calls to the encoder.
///
///     features NAME…           what the log must use, as `ReferenceDecoder` names it
///     rate A/B   channels NAME…   unit NANOSECONDS
///     sample TICK TIME COUNT…     counts of the channels, in order
///     gap FIRST COUNT CAUSE CODE   sensor TICK KIND FAULT   mark TIME LABEL   clock TIME WALL 0|1 REASON
///     flush   end REASON LEDGER×6 LATENESS×3
///
/// Causes, kinds, faults and reasons are their raw values. Lines that begin with # are remarks.
struct GoldenTwin {
  struct BadLine: Error { let line: String }

  private(set) var description = RecordingDescription.example
  private(set) var events: [LogEvent] = []
  private(set) var features: Set<String> = []

  init(_ text: String) throws {
    description.note = ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map { String($0) }
      guard try read(words, String(line)) else { throw BadLine(line: String(line)) }
    }
  }

  private mutating func read(_ words: [String], _ line: String) throws -> Bool {
    let numbers = words.dropFirst().map { Int64($0) ?? 0 }
    func number(_ index: Int) throws -> Int64 {
      guard index < numbers.count else { throw BadLine(line: line) }
      return numbers[index]
    }
    switch words.first {
    case "features": features = Set(words.dropFirst())
    case "rate":
      let parts = words[1].split(separator: "/").compactMap { UInt32($0) }
      guard parts.count == 2, let rate = SampleRate(parts[0], per: parts[1]) else { return false }
      description.rate = rate
    case "unit": description.timeUnit = try number(0)
    case "channels":
      description.channels = []
      for name in words.dropFirst() {
        guard let bit = ChannelSet.names.firstIndex(of: name) else { return false }
        description.channels.insert(ChannelSet(rawValue: 1 << UInt8(bit)))
      }
    case "flush": events.append(.flush)
    case "sample":
      var sample = RawSample()
      for (position, channel) in description.channels.indices.enumerated() {
        sample[channel] = Int16(try number(2 + position))
      }
      let tick = UInt64(try number(0))
      events.append(.record(TickRecord(tick: tick, time: try number(1), sample: sample)))
    default: return try readRecord(words, number)
    }
    return true
  }

  private mutating func readRecord(
    _ words: [String], _ number: (Int) throws -> Int64
  ) throws -> Bool {
    func byte(_ index: Int) throws -> UInt8 { UInt8(try number(index)) }
    switch words.first {
    case "gap":
      guard let cause = GapCause(rawValue: try byte(2)) else { return false }
      let gap = Gap(
        firstTick: UInt64(try number(0)), count: UInt64(try number(1)), cause: cause,
        code: Int32(try number(3)))
      events.append(.record(TickRecord(gap)))
    case "sensor":
      guard let kind = SensorEvent.Kind(rawValue: try byte(1)),
        let fault = SensorEvent.Fault(rawValue: try byte(2))
      else { return false }
      let event = SensorEvent(tick: UInt64(try number(0)), kind: kind, fault: fault)
      events.append(.record(TickRecord(event)))
    case "mark":
      let label = words.dropFirst(2).joined(separator: " ")
      events.append(.mark(Mark(time: try number(0), label: label)))
    case "clock":
      guard let reason = ClockPair.Reason(rawValue: try byte(3)) else { return false }
      events.append(
        .clock(
          ClockPair(
            time: try number(0), wall: try number(1), isSynchronised: try number(2) != 0,
            reason: reason)))
    case "end":
      guard let reason = StopReason(rawValue: try byte(0)) else { return false }
      var ledger = TickLedger()
      (ledger.sampled, ledger.missed) = (UInt64(try number(1)), UInt64(try number(2)))
      (ledger.busErrors, ledger.ringFull) = (UInt64(try number(3)), UInt64(try number(4)))
      (ledger.stale, ledger.reinitialising) = (UInt64(try number(5)), UInt64(try number(6)))
      let lateness = LatenessSummary(
        median: try number(7), percentile99: try number(8), maximum: try number(9))
      events.append(.end(RecordingEnd(reason: reason, ledger: ledger, lateness: lateness)))
    default: return false
    }
    return true
  }
}

import IMUModel
import LogStore
import Terminal

/// A recording read for looking at it.
struct RecordingOnScreen {
  let title: RecordingTitle
  let sensor: GraphSensor
  let trace: Trace
  /// Parts of the log that could not be read.
  let damageCount: Int

  /// Reads a recording through, in bounded memory. What is damaged is read around, and said.
  init(_ entry: CatalogueEntry, in catalogue: Catalogue) throws {
    let isLive = try catalogue.isLive(entry)
    var reader = try catalogue.reader(of: entry)
    let description = reader.description
    var filling = TraceFilling(rate: description.rate)
    var clock: ClockPair?
    var damageCount = 0
    var end: RecordingEnd?
    // The times of a file from elsewhere may begin anywhere; what is looked at begins with the first sample.
    var origin: Int64?
    while let item = try reader.next() {
      switch item {
      case .samples(let count):
        for index in 0..<count {
          let (tick, time, sample) = reader.block[index]
          if origin == nil { origin = description.isImported ? time : 0 }
          filling.append(tick: tick, time: time &- (origin ?? 0), sample: sample)
        }
      case .gap(let gap): filling.append(gap)
      case .mark(let mark): filling.append(mark)
      case .clock(let pair): if pair.isBetter(than: clock) { clock = pair }
      case .damage: damageCount += 1
      case .end(let last): end = last
      case .sensor: break
      }
    }
    let trace = filling.end(atTick: max(end?.ledger.scheduled ?? 0, reader.nextTick))
    sensor = GraphSensor(description.sensor, channels: description.channels)
    let seconds =
      clock.map { $0.wallAtStart >= 0 ? $0.wallAtStart / 1_000_000_000 : entry.startSeconds }
      ?? entry.startSeconds
    title = RecordingTitle(
      name: "recording \(entry.number)", started: LocalTime.text(seconds: seconds),
      sensor: "\(Plain.text(description.sensor.model)) at \(Plain.hertz(description.rate)) Hz",
      state: RecordingOnScreen.state(
        trace, damageCount: damageCount, isLive: isLive, hasEnd: end != nil),
      note: Plain.text(description.note))
    self.trace = trace
    self.damageCount = damageCount
  }

  /// What is to be said beside the samples; nothing of a recording that is whole.
  private static func state(
    _ trace: Trace, damageCount: Int, isLive: Bool, hasEnd: Bool
  ) -> String {
    var parts: [String] = []
    if isLive { parts.append("running") } else if !hasEnd { parts.append("recovered") }
    if damageCount > 0 {
      parts.append("damaged in \(damageCount) \(damageCount == 1 ? "place" : "places")")
    }
    let missing = trace.tickCount - min(trace.tickCount, trace.sampleCount)
    if missing > 0 { parts.append("\(missing) of \(trace.tickCount) samples missing") }
    if trace.sampleCount == 0 { parts.append("no samples") }
    return parts.joined(separator: ", ")
  }
}

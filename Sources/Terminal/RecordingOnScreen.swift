// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
public import LogStore
import Text

/// A recording that was read for display.
public struct RecordingOnScreen: Sendable {
  let title: RecordingTitle
  let sensor: GraphSensor
  let trace: Trace
  let id: RecordingID
  /// The imported file's time, in nanoseconds, that the screen shows as 0; 0 for what was recorded.
  private(set) var origin: Int64 = 0
  /// Parts of the log that could not be read.
  public private(set) var damageCount = 0
}

extension RecordingOnScreen {
  /// Reads a whole recording in bounded memory, and reads around damage; throws when it cannot be read at all.
  ///
  /// - Parameters:
  ///   - correct: Has the reader return corrected samples; returns a few words on that.
  ///   - corrected: Called with the reader after the last sample.
  public init(
    _ entry: CatalogueEntry, in catalogue: Catalogue,
    correct: ((inout LogReader<FileStorage>) throws -> String)? = nil,
    corrected: (borrowing LogReader<FileStorage>) -> Void = { _ in }
  ) throws {
    var filling = try RecordingFilling(entry, in: catalogue)
    if let correct { try filling.correct(correct) }
    _ = try filling.read { true }
    corrected(filling.reader)
    self = filling.end()
  }

  /// Writes the title into the first row, the most important part first.
  func putTitle(on screen: inout Screen, _ glyphs: GlyphSet) {
    var column = screen.put(title.name, row: 0, column: 0, .bold)
    let start = origin == 0 ? "" : "0 is \(Figures.fileTime(origin)) in the file"
    let (state, note) = (title.state, title.note)
    for part in [state, start, title.started, title.sensor, note] where !part.isEmpty {
      let text = glyphs.separator + part
      // What is wrong is cut rather than left out, and so is the last part.
      let isCut = part == state || part == note
      guard column + CellWidth.of(text) <= screen.columns || isCut else { continue }
      column = screen.put(
        CellWidth.fit(text, screen.columns - column, isASCII: glyphs.isASCII), row: 0,
        column: column, part == state ? CellStyle(.alert) : .plain)
    }
  }

  /// The graphs as text of 80 columns, for a pipe: one of 24 rows, or lower ones of a take's sensors.
  public static func text(_ recordings: [RecordingOnScreen]) -> String {
    recordings.flatMap { recording in
      let view = ShowView(recording, glyphs: GlyphSet(isASCII: Environment.isASCII))
      return view.plainScreen(columns: 80, rows: max(9, 24 / recordings.count)).lines
    }.joined(separator: "\n")
  }
}

/// Reads a recording for display, in shares.
struct RecordingFilling: ~Copyable {
  private let entry: CatalogueEntry
  private let isLive: Bool
  private(set) var reader: LogReader<FileStorage>
  private var filling: TraceFilling
  private var clock: ClockPair?
  private var damageCount = 0
  private var last: RecordingEnd?
  /// The certificate's findings that fail.
  private var failed: [String]
  /// An imported file's time of tick 0.
  private var origin: Int64?
  /// How samples are corrected; empty where they are not.
  private var correction: String

  /// Reads the header; throws `StorageError` or `LogError` when the recording cannot be read at all.
  init(
    _ entry: CatalogueEntry, in catalogue: Catalogue, capacity: Int = Trace.usualCapacity
  ) throws {
    // Swift 6.0 cannot undo half an initialiser of a type with a deinit: all that throws comes first.
    let isLive = try catalogue.isLive(entry)
    let reader = try catalogue.reader(of: entry)
    self.entry = entry
    self.isLive = isLive
    filling = TraceFilling(rate: reader.description.rate, capacity: capacity)
    self.reader = reader
    failed = []
    correction = ""
  }

  mutating func correct(_ correct: (inout LogReader<FileStorage>) throws -> String) throws {
    correction = try correct(&reader)
  }

  /// Reads on while `goesOn`, which is asked after each block; returns whether more is to be read.
  mutating func read(while goesOn: () -> Bool) throws(LogError) -> Bool {
    while let item = try reader.next() {
      take(item)
      if !goesOn() { return true }
    }
    return false
  }

  private mutating func take(_ item: LogItem) {
    switch item {
    case .samples(let count):
      for index in 0..<count {
        let (tick, time, sample) = reader.block[index]
        if origin == nil { origin = start(tick, time) }
        filling.append(tick: tick, time: time &- (origin ?? 0), sample: sample)
      }
    case .gap(let gap): filling.append(gap)
    case .mark(let mark): filling.append(mark)
    case .clock(let pair): if pair.isBetter(than: clock) { clock = pair }
    case .damage: damageCount += 1
    case .end(let end): last = end
    case .certificate(let certificate):
      failed = certificate.findings(.fail).map { Plain.text($0.name) }
    case .sensor, .reading, .busClock, .field: break
    }
  }

  /// When tick 0 was, by the first readable sample, which may be of a later tick.
  private func start(_ tick: UInt64, _ time: Int64) -> Int64 {
    let description = reader.description
    return description.isImported ? time &- description.rate.nanoseconds(atTick: tick) : 0
  }

  /// The defects of the recording; empty for an intact one.
  private func state(_ trace: Trace) -> String {
    var parts: [String] = []
    if isLive { parts.append("running") } else if last == nil { parts.append("recovered") }
    if damageCount > 0 { parts.append("damaged in \(Plain.count(damageCount, "place"))") }
    let missing = trace.tickCount - min(trace.tickCount, trace.sampleCount)
    if missing > 0 { parts.append("\(missing) of \(trace.tickCount) samples missing") }
    if trace.sampleCount == 0 { parts.append("no samples") }
    if !failed.isEmpty {
      parts.append("the sensor's certificate fails: " + failed.joined(separator: ", "))
    }
    return parts.joined(separator: ", ")
  }

  /// The recording, as far as it was read.
  consuming func end() -> RecordingOnScreen {
    let description = reader.description
    let trace = filling.end(atTick: max(last?.tally.scheduled ?? 0, reader.nextTick))
    let isMounted = description.axes != nil || description.whyUnread("axes") != nil
    let axes = !correction.isEmpty ? ", " + correction : isMounted ? ", axes of the chip" : ""
    let sensor = description.sensorName.isEmpty ? "" : ", " + Plain.text(description.sensorName)
    let wall = clock.map(\.wallAtStart).flatMap { $0 >= 0 ? $0 / 1_000_000_000 : nil }
    let title = RecordingTitle(
      name: "recording \(entry.number)" + sensor + axes,
      // The file's name has the time of the import, not of the recording.
      started: wall == nil && description.isImported
        ? "undated" : LocalTime.text(seconds: wall ?? entry.startSeconds),
      sensor: RecordingTitle.sensor(description.sensor, description.rate),
      state: state(trace), note: Plain.text(description.note))
    return RecordingOnScreen(
      title: title, sensor: GraphSensor(description.sensor, channels: description.channels),
      trace: trace, id: description.id, origin: origin ?? 0, damageCount: damageCount)
  }
}

/// The first row of a view.
struct RecordingTitle: Equatable, Sendable {
  /// Such as `recording 12`.
  var name: String
  /// Such as `2026-11-21 15:04:11 +01:00`.
  var started: String
  /// Such as `MPU-6050 at 100 Hz`.
  var sensor: String
  /// Such as `5 of 6000 samples missing`; empty for an intact recording.
  var state: String
  /// The user's words.
  var note: String

  static func sensor(_ sensor: SensorDescription, _ rate: SampleRate) -> String {
    "\(Plain.text(sensor.model)) at \(Plain.hertz(rate)) Hz"
  }
}

/// Fills a ``Trace`` from a log's items. Ticks without a sample or a gap become a gap with cause `lost`, so that no line
/// crosses what a damaged log has lost:
///
///     items    samples 0–9   damage   samples 40–49   end: 60 ticks
///     trace    0–9           10–39 lost     40–49     50–59 lost
struct TraceFilling {
  private var trace: Trace
  /// The tick after the last one that is accounted for.
  private var nextTick: UInt64 = 0
  /// Gaps that no sample has followed yet: a log may have one before the samples that precede it.
  private var waiting: [Gap] = []

  init(rate: SampleRate, capacity: Int = Trace.usualCapacity) {
    trace = Trace(rate: rate, capacity: capacity)
  }

  /// Adds a sample. Ticks rise.
  mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    if tick > nextTick { account(upTo: tick) }
    trace.append(tick: tick, time: time, sample: sample)
    if tick < .max { nextTick = max(nextTick, tick + 1) }
  }

  mutating func append(_ gap: Gap) { waiting.append(gap) }

  mutating func append(_ mark: Mark) { trace.append(mark) }

  /// The trace of a recording with this many ticks.
  mutating func end(atTick tick: UInt64) -> Trace {
    account(upTo: tick)
    for gap in waiting { trace.append(gap) }
    waiting = []
    return trace
  }

  private mutating func account(upTo tick: UInt64) {
    var used = 0
    while nextTick < tick {
      guard used < waiting.count, waiting[used].firstTick < tick else {
        lose(upTo: tick)
        break
      }
      let gap = waiting[used]
      lose(upTo: gap.firstTick)
      trace.append(gap)
      let (end, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
      nextTick = max(nextTick, overflow ? .max : end)
      used += 1
    }
    waiting.removeFirst(used)
  }

  private mutating func lose(upTo end: UInt64) {
    guard end > nextTick else { return }
    trace.append(Gap(firstTick: nextTick, count: end - nextTick, cause: .lost))
    nextTick = end
  }
}

/// Why a recording cannot be used, for a screen. The reason comes first, because a row is cut at its end:
///
///     not an imulog recording: it begins with the bytes 55 55 55 55 (000002-20261121T140411Z-e18bf2a1.imulog)
public enum RecordingProblem {
  /// - Parameter file: The file's name without its directory.
  public static func text(_ error: any Error, file: String) -> String {
    switch error {
    case CatalogueError.log(let error): text(error, file: file)
    case CatalogueError.storage(let error): text(error, file: file)
    case CatalogueError.isLive:
      "the recording is being written, or another program has it locked; stop that first (\(file))"
    case LogError.storage(let error): text(error, file: file)
    case let error as StorageError: "\(error.reason) (\(file))"
    case let error as LogError:
      if case .damagedHeader = error {
        "the header is \(error.reason) (\(file))"
      } else {
        "\(error.reason) (\(file))"
      }
    default: CommandFailure(error)?.sentence ?? "\(error)"
    }
  }
}

public import IMUModel

/// A table of counts as a recording.
///
///     t_us,ax,ay,az,gx,gy,gz,temp
///     0,-12,34,8190,1,-2,3,-512
///
/// The first line names the columns, in any order: one time (`t_ns`, `t_us`, `t_ms` in whole numbers, or `t`
/// in decimal seconds) and at least one of `ax ay az gx gy gz temp` in counts of 16 bits. Times never
/// decrease and are kept to the nanosecond. Lines end with LF or CR LF; blank lines at the end do no harm.
///
/// Sample i becomes tick i. The rate is that of the options or derived from the times: see
/// `SampleRate.init(ofSamples:from:to:)`.
///
/// The file is read twice in pieces of 64 KiB, first to check every line, so memory does not grow with it.
public struct CSVImporter<Source: ImportSource & ~Copyable>: Importer, ~Copyable {
  /// The header of the new log.
  public let description: RecordingDescription
  /// The start, if the options say it.
  public let clockPairs: [ClockPair]
  /// The end of the new log.
  public let end: RecordingEnd

  private var table: ImportTable<Source>
  private var tick: UInt64 = 0

  /// Reads the whole file and checks it.
  ///
  /// - Throws: ``ImportError`` with the line and column of the first thing that is wrong.
  public init(_ source: consuming Source, _ options: ImportOptions) throws(ImportError) {
    var table = try ImportTable(source)
    var survey = Survey()
    while let row = try table.next() { survey.add(row.time) }
    guard let first = survey.first else { throw .noSamples(name: table.name) }
    guard
      let rate = options.rate ?? SampleRate(ofSamples: survey.count, from: first, to: survey.last)
    else { throw .noRate(name: table.name) }
    try table.rewind()

    description = options.description(
      channels: table.columns.channels, rate: rate, timeUnit: survey.unit, ticks: survey.count,
      sensor: .imported(
        accelerometerRange: 0, gyroscopeRange: 0, accelerometerScale: options.accelerometerScale,
        gyroscopeScale: options.gyroscopeScale, temperatureScale: options.temperatureScale,
        temperatureOffset: options.temperatureOffset))
    clockPairs =
      options.started.map {
        [ClockPair(time: 0, wall: $0, isSynchronised: false, reason: .start)]
      } ?? []
    end = .imported(samples: survey.count)
    self.table = table
  }

  /// The next sample; `nil` after the last one.
  public mutating func next() throws(ImportError) -> TickRecord? {
    guard let row = try table.next() else {
      guard tick == end.ledger.sampled else { throw .changed(name: table.name) }
      return nil
    }
    guard tick < end.ledger.sampled, row.time % description.timeUnit == 0 else {
      throw .changed(name: table.name)
    }
    defer { tick += 1 }
    return TickRecord(tick: tick, time: row.time, sample: row.sample)
  }
}

/// What the first pass finds out.
private struct Survey {
  var count: UInt64 = 0
  var first: Int64?
  var last: Int64 = 0
  /// The largest of 1 ms, 1 µs and 1 ns of which every time is a multiple.
  var unit: Int64 = 1_000_000

  mutating func add(_ time: Int64) {
    if first == nil { first = time }
    last = time
    count += 1
    while time % unit != 0 { unit /= 1000 }
  }
}

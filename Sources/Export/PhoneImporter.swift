public import IMUModel

/// A document of one of the phone apps as a recording.
///
///     {"identifier":…,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],"date":…,"duration":…}
///     {"sensor":0|1,"axisValues":[{"x":…,"y":…,"z":…},…],"date":…,"time":…}
///
/// 0 is the accelerometer in g, 1 the gyroscope in rad/s. The apps keep no times: sample i is dated i/10 s,
/// or by the options' rate, or, where the duration says that it was another, by the rate that follows from it.
/// A duration that makes no rate is refused. `date` counts seconds from 2001 to the last sample in the first shape and to the
/// first sample in the second. Values are rounded to counts of 16 bits in the smallest usual full scale that
/// holds them: see `PhoneScale`.
public struct PhoneImporter: Importer, ~Copyable {
  /// The header of the new log.
  public let description: RecordingDescription
  /// The document's date.
  public let clockPairs: [ClockPair]
  /// The end of the new log.
  public let end: RecordingEnd
  /// Whether the rate is a guess.
  public let remarks: [String]

  private let samples: [RawSample]
  private var tick = 0

  /// Reads the whole document, at most 64 MiB: a recording of the apps has about 60 KB.
  ///
  /// - Throws: ``ImportError`` when it is not of one of the two shapes, or has no samples.
  public init<Source: ImportSource & ~Copyable>(
    _ source: consuming Source, _ options: ImportOptions
  )
    throws(ImportError)
  {
    let document = try PhoneDocument(&source)
    guard !document.vectors.isEmpty else { throw .noSamples(name: source.name) }
    guard let scale = PhoneScale(holding: document.largest, sensor: document.sensor) else {
      throw .document(
        name: source.name,
        what: "a value of \(document.largest) is beyond anything that a sensor gives")
    }
    let rate: SampleRate
    if let given = options.rate {
      rate = given
    } else {
      rate = try PhoneImporter.rate(of: document, source.name)
    }
    let isRateKnown = options.rate != nil || document.duration != nil
    remarks =
      isRateKnown
      ? [] : ["\(source.name) does not say how long it took: 10 Hz is assumed; --rate says it"]
    samples = document.vectors.map { scale.sample($0) }
    let count = UInt64(samples.count)
    let lastTime = rate.nanoseconds(atTick: count - 1)
    description = options.description(
      channels: document.sensor == .accel ? .accelerometer : .gyroscope, rate: rate,
      timeUnit: PhoneImporter.unit(rate), ticks: count, sensor: scale.sensor)
    clockPairs =
      document.wall.map { wall in
        document.isDatedAtEnd
          ? [ClockPair(time: lastTime, wall: wall, isSynchronised: false, reason: .end)]
          : [ClockPair(time: 0, wall: wall, isSynchronised: false, reason: .start)]
      } ?? []
    end = .imported(samples: count)
  }

  /// The next sample; `nil` after the last one.
  public mutating func next() throws(ImportError) -> TickRecord? {
    guard tick < samples.count else { return nil }
    defer { tick += 1 }
    let time = description.rate.nanoseconds(atTick: UInt64(tick))
    return TickRecord(tick: UInt64(tick), time: time, sample: samples[tick])
  }

  /// 10 Hz, unless the duration is more than a twentieth off what that makes: then to a thousandth of a hertz
  /// what it says.
  private static func rate(of document: PhoneDocument, _ name: String) throws(ImportError)
    -> SampleRate
  {
    guard let duration = document.duration else { return rate }
    let hertz = Double(document.vectors.count) / duration
    if abs(hertz - 10) <= 0.5 { return rate }
    // Above 0 and not infinite, or it is no number of 32 bits.
    guard let thousandths = UInt32(exactly: (hertz * 1000).rounded()), hertz < 1e6,
      let rate = SampleRate(thousandths, per: 1000)
    else {
      throw .document(
        name: name,
        what:
          "\(document.vectors.count) samples in \(duration) seconds make no rate: give it with --rate"
      )
    }
    return rate
  }

  /// Both apps ask for a sample every 0.1 s.
  private static let rate = SampleRate(10) ?? { preconditionFailure("10 Hz is a rate") }()

  /// The coarsest unit of which every tick of the grid is a multiple.
  private static func unit(_ rate: SampleRate) -> Int64 {
    let period = 1_000_000_000 * UInt64(rate.denominator)
    guard period % UInt64(rate.numerator) == 0 else { return 1 }
    let nanoseconds = period / UInt64(rate.numerator)
    return nanoseconds % 1_000_000 == 0 ? 1_000_000 : nanoseconds % 1000 == 0 ? 1000 : 1
  }
}

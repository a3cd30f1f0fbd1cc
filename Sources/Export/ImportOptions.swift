public import IMUModel

/// What an imported file does not say itself.
public struct ImportOptions: Equatable, Sendable {
  /// The identity of the new recording.
  public var id: RecordingID
  /// Its number in the store; 0 when the store will give it one.
  public var number: UInt32
  /// The name of the host that imports.
  public var host: String
  /// Name and version of the program that imports.
  public var software: String
  /// The user's words about the take.
  public var note: String
  /// g a count, for tables. 1/16384 unless given: the MPU-6050's after reset.
  public var accelerometerScale = Fraction(1, 16384)
  /// °/s a count, for tables. 1/131 unless given: the MPU-6050's after reset.
  public var gyroscopeScale = Fraction(1, 131)
  /// °C a count, for tables. 1/340 unless given: the MPU-6050's.
  public var temperatureScale = Fraction(1, 340)
  /// °C at count 0, for tables. 36.53 unless given: the MPU-6050's.
  public var temperatureOffset = Fraction(3653, 100)
  /// The sample rate; `nil` to derive it from a table's times, and 10 Hz for the phone apps.
  public var rate: SampleRate?
  /// Nanoseconds since 1970 at time 0 of a table; `nil` when not known. The phone apps' documents say it.
  public var started: Int64?

  /// Options for a recording with this identity.
  public init(
    id: RecordingID, number: UInt32 = 0, host: String = "", software: String = "", note: String = ""
  ) {
    self.id = id
    self.number = number
    self.host = host
    self.software = software
    self.note = note
  }
}

extension ImportOptions {
  /// The scale of a sensor that gives `text` counts a unit, written as a positive decimal such as
  /// `16384` or `14.29`: exactly its inverse. `nil` for anything else.
  ///
  /// At most 9 digits before the point and 9 after it.
  public static func scale(countsPerUnit text: some StringProtocol) -> Fraction? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...9).contains($0.count) }) else {
      return nil
    }
    var counts: Int64 = 0
    var units: Int64 = 1
    for (index, part) in parts.enumerated() {
      for byte in part {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        counts = counts * 10 + Int64(byte - UInt8(ascii: "0"))
        if index == 1 { units *= 10 }
      }
    }
    guard counts > 0 else { return nil }
    var (a, b) = (units, counts)
    while b != 0 { (a, b) = (b, a % b) }
    return Fraction(units / a, over: counts / a)
  }

  /// The description of a recording made from a file of another kind.
  func description(
    channels: ChannelSet, rate: SampleRate, timeUnit: Int64, ticks: UInt64,
    sensor: SensorDescription
  ) -> RecordingDescription {
    RecordingDescription(
      id: id, number: number, rate: rate, channels: channels, plannedTicks: ticks,
      timeUnit: timeUnit,
      sensor: sensor, board: "", host: host, software: software, note: note, syncInterval: 0,
      realTime: "")
  }
}

extension SensorDescription {
  /// A sensor of which only scales are known.
  static func imported(
    accelerometerRange: Int, gyroscopeRange: Int, accelerometerScale: Fraction,
    gyroscopeScale: Fraction, temperatureScale: Fraction, temperatureOffset: Fraction
  ) -> SensorDescription {
    SensorDescription(
      model: importedModel, identity: nil, address: nil, accelerometerRange: accelerometerRange,
      gyroscopeRange: gyroscopeRange, accelerometerScale: accelerometerScale,
      gyroscopeScale: gyroscopeScale, temperatureScale: temperatureScale,
      temperatureOffset: temperatureOffset, outputDataRate: 0, filter: "")
  }
}

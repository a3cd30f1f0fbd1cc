import IMUModel

extension HeaderText {
  /// The description in a header's text.
  static func description(_ text: [UInt8]) throws(FormatError) -> RecordingDescription {
    let entries = try HeaderEntries(text)
    let sensor = SensorDescription(
      model: try entries.text("sensor"),
      identity: entries.number("sensor-identity"),
      address: entries.number("sensor-address"),
      accelerometerRange: entries.number("accelerometer-range") ?? 0,
      gyroscopeRange: entries.number("gyroscope-range") ?? 0,
      accelerometerScale: try entries.fraction("accelerometer-scale"),
      gyroscopeScale: try entries.fraction("gyroscope-scale"),
      temperatureScale: try entries.fraction("temperature-scale"),
      temperatureOffset: try entries.fraction("temperature-offset"),
      outputDataRate: entries.finiteDouble("output-data-rate") ?? 0,
      filter: entries["filter"] ?? "")
    return RecordingDescription(
      id: try entries.identity("id"), number: entries.number("number") ?? 0,
      rate: try entries.rate("rate"), channels: try entries.channels("channels"),
      plannedTicks: entries.number("planned-ticks"),
      timeUnit: try entries.timeUnit("time-unit"), sensor: sensor, board: entries["board"] ?? "",
      host: entries["host"] ?? "", software: entries["software"] ?? "",
      note: entries["note"] ?? "",
      syncInterval: entries.number("sync-interval") ?? 0,
      realTime: entries["real-time"] ?? "")
  }
}

/// The lines of a header text by key, the first one of each key.
struct HeaderEntries {
  private var values: [String: String] = [:]

  init(_ text: [UInt8]) throws(FormatError) {
    // A value may hold spaces and, in theory, invalid UTF-8, which is then repaired.
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(
        separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(decoding: parts[0], as: UTF8.self)
      let value = parts.count > 1 ? HeaderEntries.unescaped(parts[1]) : ""
      if values[key] == nil { values[key] = value }
    }
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    var plain: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        isEscaped = false
        switch byte {
        case UInt8(ascii: "n"): plain.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): plain.append(UInt8(ascii: "\r"))
        default: plain.append(byte)
        }
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  subscript(key: String) -> String? { values[key] }

  func text(_ key: String) throws(FormatError) -> String {
    guard let value = values[key] else {
      throw FormatError(.missingEntry(key), offset: PageHeader.size)
    }
    return value
  }

  /// An entry that a log need not have; one that is no number is as good as missing.
  func number<T: FixedWidthInteger>(_ key: String) -> T? {
    values[key].flatMap { HeaderEntries.number($0) }
  }

  /// Digits, after a minus sign where there can be one.
  private static func number<T: FixedWidthInteger>(_ text: some StringProtocol) -> T? {
    text.hasPrefix("+") ? nil : T(text)
  }

  func finiteDouble(_ key: String) -> Double? {
    values[key].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  func fraction(_ key: String) throws(FormatError) -> Fraction {
    let value = try text(key)
    let parts = value.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let above: Int64 = HeaderEntries.number(parts[0]),
      let below: Int64 = HeaderEntries.number(parts[1]), let fraction = Fraction(above, over: below)
    else { throw HeaderText.bad(key, value) }
    return fraction
  }

  func identity(_ key: String) throws(FormatError) -> RecordingID {
    let value = try text(key)
    guard let id = RecordingID(value) else { throw HeaderText.bad(key, value) }
    return id
  }

  func rate(_ key: String) throws(FormatError) -> SampleRate {
    let value = try text(key)
    let parts = value.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let above: UInt32 = HeaderEntries.number(parts[0]),
      let below: UInt32 = HeaderEntries.number(parts[1]), let rate = SampleRate(above, per: below)
    else { throw HeaderText.bad(key, value) }
    return rate
  }

  func channels(_ key: String) throws(FormatError) -> ChannelSet {
    let value = try text(key)
    var channels: ChannelSet = []
    var last = -1
    for name in value.split(separator: " ", omittingEmptySubsequences: false) {
      // In another order the streams would be taken for other channels'.
      guard let bit = ChannelSet.names.firstIndex(of: String(name)), bit > last else {
        throw HeaderText.bad(key, value)
      }
      channels.insert(ChannelSet(rawValue: 1 << UInt8(bit)))
      last = bit
    }
    return channels
  }

  func timeUnit(_ key: String) throws(FormatError) -> Int64 {
    let value = try text(key)
    guard let unit: Int64 = HeaderEntries.number(value), unit > 0, unit <= 1_000_000_000 else {
      throw HeaderText.bad(key, value)
    }
    return unit
  }
}

public import IMUModel

/// The beginning of a log's first page: the page header and the header chunk, which has the description as lines
/// of text, `key value`, that `strings` shows. Other chunks follow it in the same page.
///
/// A ``LogEncoder`` begins its output with these bytes; no one else needs to.
///
/// - Throws: `headerTooLong` when the texts are too long for the page; `badEntry` when an entry has no
///   meaning to readers: no channels, a time unit outside 1...10⁹, a note over 1000 bytes, a data rate that
///   is not finite.
/// - Returns: at most 4096 bytes.
public func encodeHeader(_ description: RecordingDescription) throws(FormatError) -> [UInt8] {
  let text = try HeaderText.text(description)
  guard text.utf8.count <= LogFormat.bodyLimit else {
    throw FormatError(.headerTooLong(excess: text.utf8.count - LogFormat.bodyLimit), offset: 0)
  }
  var page = [UInt8](repeating: 0, count: LogFormat.pageSize)
  // Safe: the pointer does not leave the closure, and all offsets are checked by the buffer.
  let end = page.withUnsafeMutableBytes { bytes in
    var header = PageHeader(
      recording: PageHeader.tag(of: description.id), sequence: 0, firstTick: 0, firstTime: 0)
    header.encode(into: bytes)
    let chunk = ChunkWriter(bytes, offset: PageHeader.size, check: header.check)
    var body = chunk.body
    for byte in text.utf8 { body.write(byte) }
    return chunk.finish(kind: ChunkKind.header, length: body.count).end
  }
  page.removeLast(page.count - end)
  return page
}

/// The description in the first page of a log, or in the second, which has a copy of it: 4096 bytes, or all
/// there are.
///
/// Damage after the header chunk does not matter here. Unknown entries are skipped, so that later versions
/// can say more.
///
/// - Parameter sequence: Which of the two pages it is, 0 or 1.
/// - Throws: what ``PageHeader/init(decoding:)`` throws; `misplaced`, `cutShort` or `damagedChunk`;
///   `missingEntry` or `badEntry` when the text cannot be understood.
public func decodeHeader(
  _ page: UnsafeRawBufferPointer, sequence: UInt32 = 0
) throws(FormatError) -> RecordingDescription {
  let header = try PageHeader(decoding: page)
  guard header.sequence == sequence else {
    throw FormatError(.misplaced(found: header.sequence), offset: 0)
  }
  var chunks = ChunkReader(page, check: header.check)
  guard let chunk = try chunks.next(), chunk.kind == ChunkKind.header else {
    throw FormatError(.missingEntry("id"), offset: PageHeader.size)
  }
  let description = try HeaderText.description(Array(page[chunk.body]))
  guard PageHeader.tag(of: description.id) == header.recording else {
    throw FormatError(.otherRecording, offset: 0)
  }
  return description
}

/// Keys and spelling of the header text.
enum HeaderText {
  static func text(_ it: RecordingDescription) throws(FormatError) -> String {
    try check(it)
    var text = ""
    func add(_ key: String, _ value: String) {
      text += key + " " + escaped(value) + "\n"
    }
    /// An entry that readers take for empty or 0 when it is missing.
    func addUnlessDefault(_ key: String, _ value: String) {
      if !["", "0", "0.0"].contains(value) { add(key, value) }
    }
    add("imulog", "\(LogFormat.version)")
    add("id", "\(it.id)")
    addUnlessDefault("number", "\(it.number)")
    if let id = it.recoveredFrom { add("recovered-from", "\(id)") }
    add("rate", "\(it.rate.numerator)/\(it.rate.denominator)")
    add("channels", it.channels.indices.map { ChannelSet.names[$0] }.joined(separator: " "))
    if let ticks = it.plannedTicks { add("planned-ticks", "\(ticks)") }
    add("time-unit", "\(it.timeUnit)")
    add("sensor", it.sensor.model)
    if let identity = it.sensor.identity { add("sensor-identity", "\(identity)") }
    if let address = it.sensor.address { add("sensor-address", "\(address)") }
    addUnlessDefault("accelerometer-range", "\(it.sensor.accelerometerRange)")
    addUnlessDefault("gyroscope-range", "\(it.sensor.gyroscopeRange)")
    add("accelerometer-scale", ratio(it.sensor.accelerometerScale))
    add("gyroscope-scale", ratio(it.sensor.gyroscopeScale))
    add("temperature-scale", ratio(it.sensor.temperatureScale))
    add("temperature-offset", ratio(it.sensor.temperatureOffset))
    addUnlessDefault("output-data-rate", "\(it.sensor.outputDataRate)")
    addUnlessDefault("sync-interval", "\(it.syncInterval)")
    for (key, value) in [
      ("filter", it.sensor.filter), ("board", it.board), ("host", it.host),
      ("software", it.software), ("note", it.note), ("real-time", it.realTime),
      ("cpu-latency", it.cpuLatency),
    ] where !value.isEmpty {
      add(key, value)
    }
    return text
  }

  private static func check(_ it: RecordingDescription) throws(FormatError) {
    guard !it.channels.isEmpty, ChannelSet.all.isSuperset(of: it.channels) else {
      throw bad("channels", "\(it.channels.rawValue)")
    }
    guard it.timeUnit > 0 && it.timeUnit <= 1_000_000_000 else {
      throw bad("time-unit", "\(it.timeUnit)")
    }
    guard it.sensor.outputDataRate.isFinite else {
      throw bad("output-data-rate", "\(it.sensor.outputDataRate)")
    }
    guard it.note.utf8.count <= LogFormat.noteLength else {
      throw bad(
        "note", "\(it.note.utf8.count) bytes, and there is room for \(LogFormat.noteLength)")
    }
  }

  static func bad(_ key: String, _ value: String) -> FormatError {
    FormatError(.badEntry(key: key, value: value), offset: PageHeader.size)
  }

  private static func ratio(_ fraction: Fraction) -> String {
    "\(fraction.numerator)/\(fraction.denominator)"
  }

  /// The value on one line: a backslash becomes `\\`, a line feed `\n`, a carriage return `\r`.
  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

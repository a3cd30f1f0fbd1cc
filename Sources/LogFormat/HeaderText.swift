// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// The beginning of a log's first page, and of a ``LogEncoder``'s output: the page header and the header chunk, which has
/// the description as lines of text, `key value`, that `strings` shows.
///
/// - Throws: `headerTooLong` when the texts are too long for the page; `badEntry` when an entry is invalid:
///   no channels, a time unit outside 1...10⁹, a note over 1000 bytes, a data rate that is not finite.
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

/// The description in the first page of a log, or its copy in the second: 4096 bytes, or all there are. Damage after the
/// header chunk does not matter. Unknown entries are skipped, so that later versions can add some.
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

enum HeaderText {
  static func text(_ it: RecordingDescription) throws(FormatError) -> String {
    try check(it)
    var text = ""
    func add(_ key: String, _ value: String) {
      text += key + " " + escaped(value) + "\n"
    }
    /// Adds an entry that readers take as empty or 0 when it is missing.
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
    if case .chip(let busClock) = it.clock { add("chip-clock", "\(busClock ?? 0)") }
    if let hertz = it.busClockMeasured { add("bus-clock-measured", "\(hertz)") }
    if let origin = it.origin {
      add("origin", "\(origin.monotonic) \(origin.raw) \(origin.boottime)")
    }
    addUnlessDefault("sync-interval", "\(it.syncInterval)")
    for (key, value) in [
      ("filter", it.sensor.filter), ("board", it.board), ("host", it.host),
      ("software", it.software), ("note", it.note), ("real-time", it.realTime),
      ("cpu-latency", it.cpuLatency), ("begun-by", it.begunBy?.rawValue ?? ""),
      ("trigger", it.trigger), ("timetable", it.timetable), ("boot", it.boot),
      ("sensor-name", it.sensorName), ("bus-path", it.busPath),
    ] where !value.isEmpty {
      add(key, value)
    }
    if let take = it.take { add("take", words(take)) }
    if let axes = it.axes { add("axes", "\(axes)") }
    if let field = it.sensor.field { add("field", words(field)) }
    if let calibration = it.calibration { add("calibration", calibration.text) }
    for entry in it.unread { add(entry.key, entry.value) }
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
    if let field = it.sensor.field, HeaderEntries.field(words(field)) != field {
      throw bad("field", words(field))
    }
    if let text = it.calibration?.text, text.utf8.count > CalibrationText.byteLimit {
      throw bad("calibration", "\(text.utf8.count) bytes of at most \(CalibrationText.byteLimit)")
    }
    guard it.note.utf8.count <= LogFormat.noteLength else {
      throw bad(
        "note", "\(it.note.utf8.count) bytes, and there is room for \(LogFormat.noteLength)")
    }
  }

  static func bad(_ key: String, _ value: String) -> FormatError {
    FormatError(.badEntry(key: key, value: value), offset: PageHeader.size)
  }

  private static func words(_ field: FieldDescription) -> String {
    "\(field.model) \(ratio(field.scale)) \(field.rate.numerator)/\(field.rate.denominator)"
      + " \(field.axes)"
  }

  private static func words(_ take: TakePlace) -> String {
    "\(take.id) \(take.index) \(take.count)"
  }

  private static func ratio(_ fraction: Fraction) -> String {
    "\(fraction.numerator)/\(fraction.denominator)"
  }

  /// The value on one line: a backslash becomes `\\`, a line feed `\n`, a carriage return `\r`.
  static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { $0 += escapes[$1] ?? String($1) }
  }

  private static let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\n": "\\n", "\r": "\\r"]

  static func description(_ text: [UInt8]) throws(FormatError) -> RecordingDescription {
    let entries = HeaderEntries(text)
    var sensor = SensorDescription(
      model: try entries.entry("sensor") { HeaderEntries.unescaped($0) },
      identity: entries.number("sensor-identity"),
      address: entries.number("sensor-address"),
      accelerometerRange: entries.number("accelerometer-range") ?? 0,
      gyroscopeRange: entries.number("gyroscope-range") ?? 0,
      accelerometerScale: try entries.entry("accelerometer-scale", HeaderEntries.fraction),
      gyroscopeScale: try entries.entry("gyroscope-scale", HeaderEntries.fraction),
      temperatureScale: try entries.entry("temperature-scale", HeaderEntries.fraction),
      temperatureOffset: try entries.entry("temperature-offset", HeaderEntries.fraction),
      outputDataRate: entries.finiteDouble("output-data-rate") ?? 0,
      filter: entries["filter"] ?? "")
    var unread: [UnreadEntry] = []
    let axes = entries.readable("axes", &unread) { AxisMap($0) }
    sensor.field = entries.readable("field", &unread) { HeaderEntries.field($0) }
    let name = entries.readable("sensor-name", &unread) { SensorDescription.isName($0) ? $0 : nil }
    let take = entries.readable("take", &unread) { HeaderEntries.take($0) }
    let calibration = entries.calibration("calibration", &unread)
    var description = RecordingDescription(
      id: try entries.entry("id") { RecordingID(HeaderEntries.unescaped($0)) },
      number: entries.number("number") ?? 0,
      rate: try entries.entry("rate", HeaderEntries.rate),
      channels: try entries.entry("channels", HeaderEntries.channels),
      plannedTicks: entries.number("planned-ticks"),
      timeUnit: try entries.entry("time-unit") {
        HeaderEntries.number($0).flatMap { 1...1_000_000_000 ~= $0 ? $0 : nil }
      }, sensor: sensor, board: entries["board"] ?? "",
      host: entries["host"] ?? "", software: entries["software"] ?? "",
      note: entries["note"] ?? "",
      syncInterval: entries.number("sync-interval") ?? 0,
      realTime: entries["real-time"] ?? "", cpuLatency: entries["cpu-latency"] ?? "",
      begunBy: entries["begun-by"].flatMap { StartReason(rawValue: $0) },
      trigger: entries["trigger"] ?? "", timetable: entries["timetable"] ?? "",
      clock: entries.number("chip-clock").map { .chip(busClock: $0 > 0 ? $0 : nil) } ?? .grid,
      recoveredFrom: entries["recovered-from"].flatMap { RecordingID($0) },
      axes: axes, calibration: calibration)
    description.unread = unread
    description.busClockMeasured = entries.number("bus-clock-measured")
    description.boot = entries["boot"] ?? ""
    (description.sensorName, description.busPath, description.take) = (
      name ?? "", entries["bus-path"] ?? "", take
    )
    description.origin = entries.origin("origin")
    return description
  }
}

/// The first line of a header text for each key. Keys stay bytes, as a list reads many headers while a user waits.
struct HeaderEntries {
  private let text: [UInt8]
  /// Where keys and values are in ``text``; the value of a line without a space is empty.
  private var lines: [(key: Range<Int>, value: Range<Int>)] = []

  init(_ text: [UInt8]) {
    self.text = text
    lines.reserveCapacity(32)
    var (begin, space) = (0, -1)
    for index in 0...text.count {
      let byte = index < text.count ? text[index] : UInt8(ascii: "\n")
      if byte == UInt8(ascii: " "), space < 0 { space = index }
      guard byte == UInt8(ascii: "\n") else { continue }
      if index > begin {
        let end = space < 0 ? index : space
        lines.append((begin..<end, min(end + 1, index)..<index))
      }
      (begin, space) = (index + 1, -1)
    }
  }

  /// Every line in order, with values as they are, escaped.
  var all: [(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
    lines.map { (text[$0.key], text[$0.value]) }
  }

  subscript(key: StaticString) -> String? { range(key).map { HeaderEntries.unescaped(text[$0]) } }

  /// An optional entry; one that is not a number counts as missing.
  func number<T: FixedWidthInteger>(_ key: StaticString) -> T? {
    range(key).flatMap { HeaderEntries.number(text[$0]) }
  }

  /// Three numbers; a later version may add some.
  func origin(_ key: StaticString) -> ClockOrigin? {
    guard let range = range(key) else { return nil }
    let numbers: [Int64?] = text[range].split(separator: UInt8(ascii: " ")).prefix(3).map {
      HeaderEntries.number($0)
    }
    guard numbers.count == 3, let monotonic = numbers[0], let raw = numbers[1],
      let boottime = numbers[2]
    else { return nil }
    return ClockOrigin(monotonic: monotonic, raw: raw, boottime: boottime)
  }

  func finiteDouble(_ key: StaticString) -> Double? {
    self[key].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  static func fraction(_ value: ArraySlice<UInt8>) -> Fraction? {
    ratio(value, of: Int64.self).flatMap { Fraction($0, over: $1) }
  }

  static func rate(_ value: ArraySlice<UInt8>) -> SampleRate? {
    ratio(value, of: UInt32.self).flatMap { SampleRate($0, per: $1) }
  }

  static func channels(_ value: ArraySlice<UInt8>) -> ChannelSet? {
    var channels: ChannelSet = []
    var last = -1
    for name in value.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      // In another order the streams would be mistaken for other channels'.
      guard let bit = ChannelSet.names.firstIndex(where: { name.elementsEqual($0.utf8) }),
        bit > last
      else { return nil }
      channels.insert(ChannelSet(rawValue: 1 << UInt8(bit)))
      last = bit
    }
    return channels
  }

  /// Four words; a later version may add some.
  static func field(_ text: String) -> FieldDescription? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 4, !words[0].isEmpty, let scale = fraction(ArraySlice(words[1].utf8)),
      scale.numerator > 0, let rate = HeaderEntries.rate(ArraySlice(words[2].utf8)),
      let axes = AxisMap(String(words[3]))
    else { return nil }
    return FieldDescription(model: String(words[0]), scale: scale, rate: rate, axes: axes)
  }

  /// Three words; a later version may add some.
  static func take(_ text: String) -> TakePlace? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count >= 3, let id = RecordingID(words[0]),
      let index: Int = number(ArraySlice(words[1].utf8)),
      let count: Int = number(ArraySlice(words[2].utf8))
    else { return nil }
    return TakePlace(id: id, index: index, count: count)
  }

  /// An optional entry as `read` understands it; a copy of the header keeps one that it does not.
  func readable<Value>(
    _ key: StaticString, _ unread: inout [UnreadEntry], _ read: (String) -> Value?
  ) -> Value? {
    guard let text = self[key] else { return nil }
    guard let value = read(text) else {
      unread.append(
        UnreadEntry(
          key: "\(key)", value: text, reason: "\"\(ForeignText.shown(text))\" is not valid"))
      return nil
    }
    return value
  }

  func calibration(
    _ key: StaticString, _ unread: inout [UnreadEntry]
  ) -> SensorCalibration? {
    guard let text = self[key] else { return nil }
    do throws(CalibrationText.Fault) {
      return try SensorCalibration(text: text)
    } catch {
      unread.append(UnreadEntry(key: "\(key)", value: text, reason: "\(error)"))
      return nil
    }
  }

  private func range(_ key: StaticString) -> Range<Int>? {
    // Safe: keys are plain ASCII in this module, which a static string points to.
    let name = UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    for line in lines where line.key.count == name.count {
      if text[line.key].elementsEqual(name) { return line.value }
    }
    return nil
  }

  /// A mandatory entry as `read` understands it.
  func entry<Value>(
    _ key: StaticString, _ read: (ArraySlice<UInt8>) -> Value?
  ) throws(FormatError) -> Value {
    guard let range = range(key) else {
      throw FormatError(.missingEntry("\(key)"), offset: PageHeader.size)
    }
    guard let value = read(text[range]) else {
      throw HeaderText.bad("\(key)", HeaderEntries.unescaped(text[range]))
    }
    return value
  }

  /// A value as text, with repaired UTF-8.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    var plain: [UInt8] = []
    var rest = bytes
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { break }
        let breaks = [UInt8(ascii: "n"): UInt8(ascii: "\n"), UInt8(ascii: "r"): UInt8(ascii: "\r")]
        byte = breaks[escaped] ?? escaped
      }
      plain.append(byte)
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Digits, after a minus sign if the type is signed.
  static func number<T: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> T? {
    bytes.first == UInt8(ascii: "+") ? nil : T(String(decoding: bytes, as: UTF8.self))
  }

  private static func ratio<T: FixedWidthInteger>(
    _ bytes: ArraySlice<UInt8>, of _: T.Type
  ) -> (T, T)? {
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
      let above: T = number(bytes[..<slash]), let below: T = number(bytes[(slash + 1)...])
    else { return nil }
    return (above, below)
  }
}

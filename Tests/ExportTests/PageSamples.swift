// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The samples of a page, read by its documented layout and not by the code that wrote them.
struct PageSamples {
  struct Facts: Decodable {
    struct Panel: Decodable {
      var name: String
      var unit: String
      var columns: [Int]
      var scale: [[Double]]
      var offset: [Double]
    }
    var ticksPerSecond: [Int]
    var timeUnit_ns: Int64
    var periodUnits: Int64
    var sampleCount: Int
    var channels: [String]
    var panels: [Panel]
    var started_ms: Int64?
    var range_ns: [Int64]
    var zero_ns: String
    var ticks: [UInt64]
    var imported: Bool
    var gapCount: Int
    var markCount: Int
    var orientation: Orientation?
    struct Orientation: Decodable {
      var method: String
    }
  }

  let facts: Facts
  private(set) var ticks: [UInt64] = []
  /// Nanoseconds.
  private(set) var times: [Int64] = []
  private(set) var counts: [[Int16]]
  /// The parts of orientations in 32767ths: w, x, y, z.
  var turns: [[Int16]] { Array(counts.dropFirst(facts.channels.count)) }
  /// The number of bytes of the samples in the page.
  let encodedCount: Int

  private var bytes: [UInt8] = []
  private var offset = 0

  init(page: String) throws {
    let json = try PageSamples.element("application/json\" id=\"facts", in: page)
    facts = try JSONDecoder().decode(Facts.self, from: Data(json.utf8))
    let base64 = try PageSamples.element("text/plain\" id=\"samples", in: page)
    encodedCount = base64.utf8.count
    bytes = Array(Data(base64Encoded: base64) ?? Data())
    let parts = facts.orientation == nil ? 0 : 4
    counts = Array(repeating: [], count: facts.channels.count + parts)
    while offset < bytes.count { readBlock() }
  }

  /// The contents of a script element up to the first end tag, as a browser reads it.
  static func element(_ attributes: String, in page: String) throws -> String {
    let opening = "<script type=\"\(attributes)\">"
    guard let begin = page.firstRange(of: opening),
      let end = page[begin.upperBound...].firstRange(of: "</script>")
    else { throw CocoaError(.fileReadCorruptFile) }
    return String(page[begin.upperBound..<end.lowerBound])
  }

  private mutating func readBlock() {
    let count = Int(unsigned(2))
    let tickWidth = Int(unsigned(1))
    let timeWidth = Int(unsigned(1))
    var tick = UInt64(Double(bitPattern: unsigned(8)))
    var time = Int64(Double(bitPattern: unsigned(8)))
    var steps = [UInt64](repeating: 1, count: count)
    for index in 1..<max(1, count) where tickWidth > 0 {
      steps[index] =
        1 + (tickWidth == 8 ? UInt64(Double(bitPattern: unsigned(8))) : unsigned(tickWidth))
    }
    for index in 0..<count {
      if index > 0 {
        tick += steps[index]
        time += signed(timeWidth) + Int64(steps[index]) * facts.periodUnits
      }
      ticks.append(tick)
      times.append(time * facts.timeUnit_ns)
    }
    for channel in counts.indices {
      let width = Int(unsigned(1))
      var value = Int16(truncatingIfNeeded: signed(2))
      counts[channel].append(value)
      for _ in 1..<max(1, count) {
        value = value &+ Int16(truncatingIfNeeded: signed(width))
        counts[channel].append(value)
      }
    }
  }

  private mutating func unsigned(_ width: Int) -> UInt64 {
    let value = bytes[offset..<offset + width].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    offset += width
    return value
  }

  private mutating func signed(_ width: Int) -> Int64 {
    let value = unsigned(width)
    if width == 8 { return Int64(Double(bitPattern: value)) }
    let shift = UInt64(64 - 8 * width)
    return Int64(bitPattern: value << shift) >> Int64(shift)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Text

/// The name and the rate of what a miniSEED file has, and its records: 512 bytes, most significant byte first.
///
///     0        8                20     30                   48     56     64        128 (or 64)     512
///     │ number │ names, channel │ time │ samples, rate, …   │ 1000 │ 1001 │ 100, or │ 6 or 7 frames │
///
/// (SEED 2.4, chapter 8.) Blockette 1000 names encoding and length, 1001 has the microseconds of the time, and 100, where
/// the rate is not a whole number, the rate.
struct SeedRecords {
  static let length = 512
  private static let frameLength = 64

  let station: [UInt8]
  let hertz: Double
  private var count = 0

  /// - Parameter station: Its letters and digits are used, five of them.
  init(station: String, hertz: Double) {
    self.station = Array(
      (Array(station.uppercased().utf8.filter { $0 != 45 }) + [32, 32, 32, 32, 32]).prefix(5))
    self.hertz = hertz
  }

  private var isWhole: Bool { hertz == hertz.rounded() && (1...32767).contains(hertz) }

  /// The rate as readers have it: of blockette 100, in single precision.
  var readHertz: Double { isWhole ? hertz : Double(Float(hertz)) }

  private var dataPlace: Int { isWhole ? 64 : 128 }

  /// Words for differences in a record: of each frame all but the one with the codes, and of the first frame two less.
  var wordCount: Int { (SeedRecords.length - dataPlace) / SeedRecords.frameLength * 15 - 2 }

  /// The rate as a factor and a multiplier, or, where that is negative, a divisor.
  private var rate: (factor: Int16, multiplier: Int16) {
    if isWhole { return (Int16(hertz), 1) }
    for divisor in [100.0, 10] where hertz * divisor <= 32767 {
      return (Int16(max(1, (hertz * divisor).rounded())), Int16(-divisor))
    }
    return (Int16(max(1, min(32767, hertz.rounded()))), 1)
  }

  /// A record of the first of these values, as many as fit.
  ///
  /// - Parameters:
  ///   - channel: Three characters.
  ///   - before: The value before them, 0 for none.
  ///   - time: Microseconds since 1970 of the first value.
  /// - Returns: The record, and how many values it has.
  mutating func record(
    of values: ArraySlice<Int32>, channel: [UInt8], before: Int32, at time: Int64
  ) -> (bytes: [UInt8], count: Int) {
    var differences: [Int32] = []
    differences.reserveCapacity(values.count)
    var last = before
    for value in values {
      differences.append(value - last)
      last = value
    }
    var words: [Steim2.Word] = []
    var used = 0
    while words.count < wordCount, used < differences.count {
      words.append(Steim2.word(differences[used...]))
      used += words[words.count - 1].count
    }
    var bytes = header(channel, time, used)
    let first = values.startIndex
    addFrames(words, from: values[first], to: values[first + used - 1], &bytes)
    return (bytes, used)
  }

  private mutating func header(_ channel: [UInt8], _ time: Int64, _ used: Int) -> [UInt8] {
    count = count % 999_999 + 1
    let digits = String(count)
    var bytes = Array((String(repeating: "0", count: 6 - digits.utf8.count) + digits + "D ").utf8)
    // Location 00, and XX, the network of what is not registered.
    bytes += station + Array("00".utf8) + channel + Array("XX".utf8)
    let (second, microsecond) = Int64.floored(time, by: 1_000_000)
    let (day, secondOfDay) = Int64.floored(second, by: 86400)
    let (year, dayOfYear) = CivilDate.yearAndDay(of: day)
    bytes.append(bigEndian: UInt16(clamping: year))
    bytes.append(bigEndian: UInt16(dayOfYear))
    bytes += [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60, 0].map { UInt8($0) }
    bytes.append(bigEndian: UInt16(microsecond / 100))
    bytes.append(bigEndian: UInt16(used))
    bytes.append(bigEndian: UInt16(bitPattern: rate.factor))
    bytes.append(bigEndian: UInt16(bitPattern: rate.multiplier))
    bytes += [0, 0, 0, isWhole ? 2 : 3, 0, 0, 0, 0]
    bytes.append(bigEndian: UInt16(dataPlace))
    bytes.append(bigEndian: 48)
    // Encoding 11 is Steim-2, 1 the order of bytes, and 2^9 the length.
    bytes.append(bigEndian: 1000)
    bytes.append(bigEndian: 56)
    bytes += [11, 1, 9, 0]
    bytes.append(bigEndian: 1001)
    bytes.append(bigEndian: isWhole ? 0 : 64)
    bytes += [0, UInt8(microsecond % 100), 0, UInt8((SeedRecords.length - dataPlace) / 64)]
    guard !isWhole else { return bytes }
    bytes.append(bigEndian: 100)
    bytes.append(bigEndian: 0)
    let bits = Float(hertz).bitPattern
    bytes.append(bigEndian: UInt16(bits >> 16))
    bytes.append(bigEndian: UInt16(bits & 0xFFFF))
    return bytes + [UInt8](repeating: 0, count: dataPlace - bytes.count)
  }

  private func addFrames(
    _ words: [Steim2.Word], from first: Int32, to last: Int32, _ bytes: inout [UInt8]
  ) {
    var rest = words[...]
    for frame in 0..<(SeedRecords.length - dataPlace) / SeedRecords.frameLength {
      var own: [Steim2.Word] = []
      if frame == 0 {
        own = [first, last].map { Steim2.Word(bits: UInt32(bitPattern: $0), code: 0, count: 0) }
      }
      let part = rest.prefix(15 - own.count)
      rest = rest.dropFirst(part.count)
      own += part
      let codes = own.enumerated().reduce(UInt32(0)) {
        $0 | $1.element.code << UInt32(28 - 2 * $1.offset)
      }
      for word in [codes] + own.map(\.bits) + Array(repeating: 0, count: 15 - own.count) {
        bytes.append(bigEndian: UInt16(word >> 16))
        bytes.append(bigEndian: UInt16(word & 0xFFFF))
      }
    }
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(bigEndian value: UInt16) {
    append(UInt8(value >> 8))
    append(UInt8(value & 0xFF))
  }
}

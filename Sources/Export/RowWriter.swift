// SPDX-License-Identifier: Apache-2.0

import LogFormat

/// The constant text around the values of a row.
struct RowLayout {
  /// At most 16 bytes.
  var prefix = ""
  /// How the sample's time, which follows the prefix, is written; `nil` for rows without it.
  var time: TimeForm? = TimeForm()
  /// Before a sample's earliest and latest instant, and in place of one that nothing proves, at most 16 bytes each; `nil` for
  /// rows without them.
  var bounds: (earliest: String, latest: String, unknown: String)?
  /// Nanoseconds that are added to both.
  var boundDelay: Int64 = 0
  /// Before each value, at most 8 bytes each.
  var keys: [String]
  /// Before each value that is computed from the whole recording, at most 16 bytes each.
  var derivedKeys: [String] = []
  /// Replaces a derived key and its value if the value is not finite, at most 16 bytes each: the magnetometer has none there, the
  /// sample was written since, or its scale is senseless.
  var derivedUnknown: [String] = []
  /// Before the suffix, where rows have a column of labels.
  var labels: LabelColumn?
  /// Ends each row, at most 8 bytes.
  var suffix: String
}

/// The earliest and the latest instants of a block's samples.
struct RowBounds {
  // Safe to read for as many rows as the block has, which is borrowed as long as these are used.
  var earliest: UnsafePointer<Int64>
  var latest: UnsafePointer<Int64>

  /// Whether readings prove when the sample of a row was made.
  func isKnown(_ row: Int) -> Bool { earliest[row] > .min && latest[row] < .max }

  /// Nanoseconds from a time to the farther of a row's bounds; `nil` for more than there are.
  func distance(of time: Int64, _ row: Int) -> Int64? {
    let (before, after) = (
      time.subtractingReportingOverflow(earliest[row]),
      latest[row].subtractingReportingOverflow(time)
    )
    guard !before.overflow, !after.overflow else { return nil }
    return max(before.partialValue, after.partialValue, 0)
  }
}

/// Writes samples as rows of text. Each value is copied from a table, 16 bytes at a time.
///
///     prefix │ time │ key │ value │ key │ value │ … │ label │ suffix
///
/// - Complexity: a few instructions a byte; no allocation once a count has its text.
struct RowWriter: ~Copyable {
  // Safe: `columns` and `groups` are owned by this value alone and live until deinit. Every store goes to
  // memory that the caller gave, of which a row touches at most `rowRoom` bytes: prefix 16, time and each bound
  // TimeText.room, each column a key of 8 and a text of 16, suffix 16, `derivedRoom`, and as many as its label has. Stores are
  // longer than their text, and the next store overwrites the excess.
  private struct Column {
    var counts: UnsafePointer<Int16>?
    let entries: UnsafeMutablePointer<CountTexts.Entry>
    let key: UInt64
    let keyLength: Int
  }

  /// Bytes that must be free for each row, beside those of its label and ``derivedRoom``.
  static let rowRoom = 3 * (16 + TimeText.room) + 7 * (8 + 16) + 16

  private let prefix: PackedText.Words
  private let suffix: PackedText.Words
  /// What is added to times; `nil` for rows without them.
  private let origin: Int64?
  private let channels: [Int]
  private let texts: [CountTexts]
  private let columns: UnsafeMutablePointer<Column>
  private let groups: UnsafeMutablePointer<UInt32>
  private let derived: (columns: DerivedColumns, texts: DerivedTexts)?
  private var time = TimeText()
  /// For rows whose times are not in nanoseconds.
  private var date: DateText?
  private var boundTimes = (TimeText(), TimeText())
  private let boundDelay: Int64
  /// The texts of ``RowLayout/bounds``, and both with nothing known.
  private let bounds: (earliest: PackedText.Words, latest: PackedText.Words)?
  private let unknownBounds: (earliest: PackedText.Words, latest: PackedText.Words)?

  /// Rows with the given channels, whose texts are in `texts`; as many keys, channels and texts, at most 7.
  ///
  /// - Parameter derived: The columns after them.
  init(
    _ layout: RowLayout, channels: [Int], texts: [CountTexts], derived: DerivedColumns? = nil
  ) {
    precondition(layout.keys.count == channels.count && texts.count == channels.count)
    precondition(channels.count <= 7, "a sample has seven channels")
    (prefix, suffix) = (PackedText.words(layout.prefix), PackedText.words(layout.suffix))
    (origin, self.channels, self.texts) = (layout.time?.origin, channels, texts)
    self.derived = derived.map {
      ($0, DerivedTexts($0.columns, keys: layout.derivedKeys, unknown: layout.derivedUnknown))
    }
    date = layout.time?.kind.map { DateText($0) }
    columns = .allocate(capacity: 7)
    for (index, table) in texts.enumerated() {
      let key = PackedText.words(layout.keys[index])
      precondition(key.length <= 8, "a key has at most 8 bytes")
      (columns + index).initialize(
        to: Column(counts: nil, entries: table.entries, key: key.low, keyLength: key.length))
    }
    boundDelay = layout.boundDelay
    bounds = layout.bounds.map { (PackedText.words($0.earliest), PackedText.words($0.latest)) }
    unknownBounds = layout.bounds.map {
      (PackedText.words($0.earliest + $0.unknown), PackedText.words($0.latest + $0.unknown))
    }
    groups = .allocate(capacity: 1000)
    groups.initialize(from: DecimalText.groups, count: 1000)
  }

  deinit {
    columns.deallocate()
    groups.deallocate()
  }

  /// Bytes that must be free for each row's values that are computed from the whole recording.
  var derivedRoom: Int { derived?.texts.rowRoom ?? 0 }

  /// Writes the given samples of `block` to `output`, which has ``rowRoom`` bytes for each, ``derivedRoom`` and as many as
  /// `label` has; returns the number of bytes.
  ///
  /// - Parameter label: The cell of the rows' labels.
  mutating func write(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ instants: RowBounds? = nil,
    label: [UInt8] = [], to output: UnsafeMutableRawPointer
  ) -> Int {
    guard !rows.isEmpty, let times = block.times.baseAddress else { return 0 }
    precondition(rows.lowerBound >= 0 && rows.upperBound <= block.count, "no such samples")
    for (index, channel) in channels.enumerated() {
      columns[index].counts = block.counts(ofChannel: channel).baseAddress
    }
    derived?.columns.next(rows, of: block)
    let columnCount = channels.count
    let hasBounds = bounds != nil
    var place = output
    for row in rows {
      place += writeHead(times[row], to: place)
      if hasBounds {
        let isKnown = instants?.isKnown(row) ?? false
        let (earliest, latest) = (instants?.earliest[row] ?? 0, instants?.latest[row] ?? 0)
        place += writeBounds(isKnown ? (earliest, latest) : nil, to: place)
      }
      for index in 0..<columnCount {
        let column = columns + index
        place.storeBytes(of: column.pointee.key, as: UInt64.self)
        place += column.pointee.keyLength
        // Safe: set to a column of `block` above, which is borrowed until the end.
        let count = column.pointee.counts.unsafelyUnwrapped[row]
        var entry = column.pointee.entries[Int(UInt16(bitPattern: count))]
        if entry.length == 0 { entry = texts[index].make(count) }
        place.storeBytes(of: entry.low, as: UInt64.self)
        place.storeBytes(of: entry.high, toByteOffset: 8, as: UInt64.self)
        place += entry.length
      }
      if let derived {
        place += derived.texts.write(
          row - rows.lowerBound, of: derived.columns.values, to: place, groups: groups)
      }
      place += writeEnd(label, to: place)
    }
    return place - output
  }

  /// Writes an instant between samples; returns the number of bytes.
  ///
  /// - Parameter counts: By channel.
  mutating func write(
    _ time: Int64, _ counts: SIMD8<Double>, _ instants: ClosedRange<Int64>?, label: [UInt8],
    to output: UnsafeMutableRawPointer
  ) -> Int {
    var place = output + writeHead(time, to: output)
    place += writeBounds(instants.map { ($0.lowerBound, $0.upperBound) }, to: place)
    for (index, channel) in channels.enumerated() {
      place.storeBytes(of: columns[index].key, as: UInt64.self)
      place += columns[index].keyLength
      place += PackedText.copy(texts[index].scale.text(between: counts[channel]), to: place)
    }
    return place + writeEnd(label, to: place) - output
  }

  /// Writes the prefix and the time of a row; returns the number of bytes.
  @inline(__always)
  mutating func writeHead(_ instant: Int64, to output: UnsafeMutableRawPointer) -> Int {
    let length = PackedText.copy(prefix, to: output)
    guard let origin else { return length }
    // Asked before it is called, so that the writer is not copied.
    if date != nil {
      return length
        + (date?.write(instant &+ origin, to: output + length, groups: groups) ?? 0)
    }
    return length + time.write(instant &+ origin, to: output + length, groups: groups)
  }

  @inline(__always)
  private func writeEnd(_ label: [UInt8], to output: UnsafeMutableRawPointer) -> Int {
    if !label.isEmpty {
      UnsafeMutableRawBufferPointer(start: output, count: label.count).copyBytes(from: label)
    }
    return label.count + PackedText.copy(suffix, to: output + label.count)
  }

  /// Writes the earliest and the latest instant of a row, where the layout has them, and returns the number of bytes.
  @inline(never)
  private mutating func writeBounds(
    _ instants: (earliest: Int64, latest: Int64)?, to output: UnsafeMutableRawPointer
  ) -> Int {
    guard let bounds, let unknownBounds else { return 0 }
    var place = output
    guard let instants else {
      place += PackedText.copy(unknownBounds.earliest, to: place)
      place += PackedText.copy(unknownBounds.latest, to: place)
      return place - output
    }
    place += PackedText.copy(bounds.earliest, to: place)
    place += boundTimes.0.write(instants.earliest &+ boundDelay, to: place, groups: groups)
    place += PackedText.copy(bounds.latest, to: place)
    place += boundTimes.1.write(instants.latest &+ boundDelay, to: place, groups: groups)
    return place - output
  }
}

/// Up to 16 characters in two words, which are copied with two stores.
enum PackedText {
  /// The text's bytes in memory, and how many they are.
  typealias Words = (low: UInt64, high: UInt64, length: Int)

  /// Writes 16 bytes, and returns how many of them are the text's.
  @inline(__always)
  static func copy(_ words: Words, to output: UnsafeMutableRawPointer) -> Int {
    output.storeBytes(of: words.low, as: UInt64.self)
    output.storeBytes(of: words.high, toByteOffset: 8, as: UInt64.self)
    return words.length
  }

  /// The same of a text whose first character is in the lowest byte.
  static func copy(_ text: (UInt128, length: Int), to output: UnsafeMutableRawPointer) -> Int {
    let (low, high) = (UInt64(truncatingIfNeeded: text.0), UInt64(truncatingIfNeeded: text.0 >> 64))
    return copy((low.littleEndian, high.littleEndian, text.length), to: output)
  }

  /// The words whose bytes in memory are `text`, zeros after it; traps for more than 16 bytes.
  static func words(_ text: some StringProtocol) -> Words {
    let bytes = Array(text.utf8)
    precondition(bytes.count <= 16, "two words hold 16 bytes")
    func word(_ bytes: some Collection<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }.littleEndian
    }
    return (word(bytes.prefix(8)), word(bytes.dropFirst(8)), bytes.count)
  }
}

/// Writes integers three decimal digits at a time.
///
/// The digits come from a table of the texts `000` to `999`, four bytes each, the fourth a zero: a group of digits is
/// one load and one store.
enum DecimalText {
  /// `000` to `999` as little-endian words, first digit in the lowest byte.
  static let groups: [UInt32] = (0..<1000).map { (value: UInt32) in
    let digits = (value / 100) | (value / 10 % 10) << 8 | (value % 10) << 16
    return digits + 0x0030_3030
  }

  /// The most bytes that ``write(_:to:groups:)`` touches.
  static let room = 24

  /// Writes `value` in decimal and returns the number of bytes.
  ///
  /// Safe: `output` must have ``room`` bytes and `groups` the 1000 words of ``groups``; at most 20
  /// characters are written, and one byte after them.
  static func write(
    _ value: Int64, to output: UnsafeMutableRawPointer, groups: UnsafePointer<UInt32>
  ) -> Int {
    var rest = value.magnitude
    // Groups from the lowest up, ten bits each: a 19-digit number has at most six after its first.
    var stack: UInt64 = 0
    var depth = 0
    while rest >= 1000 {
      stack = stack << 10 | rest % 1000
      rest /= 1000
      depth += 1
    }
    var length = 0
    if value < 0 {
      output.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      length = 1
    }
    let digits = rest >= 100 ? 3 : rest >= 10 ? 2 : 1
    let first = groups[Int(rest)] >> UInt32((3 - digits) * 8)
    output.storeBytes(of: first.littleEndian, toByteOffset: length, as: UInt32.self)
    length += digits
    for _ in 0..<depth {
      let word = groups[Int(stack & 1023)].littleEndian
      stack >>= 10
      output.storeBytes(of: word, toByteOffset: length, as: UInt32.self)
      length += 3
    }
    return length
  }
}

// SPDX-License-Identifier: Apache-2.0

import LogFormat

/// The constant text around the values of a row.
struct RowLayout {
  /// Begins each row, at most 16 bytes.
  var prefix: String
  /// How the sample's time, which follows the prefix, is written; `nil` for rows without it.
  var time: TimeForm? = TimeForm()
  /// Follow the time where each sample has its earliest and latest instant.
  var bounds: Bounds?
  /// Before each value, at most 8 bytes each.
  var keys: [String]
  /// Before each value that is computed from the whole recording, at most 8 bytes each.
  var derivedKeys: [String] = []
  /// In place of such a value that is no number: of a sample that was written since, or of a senseless scale; at most 16
  /// bytes.
  var derivedUnknown = ""
  /// Before the suffix, where rows have a column of labels.
  var labels: LabelColumn?
  /// Ends each row, at most 8 bytes.
  var suffix: String

  /// What is before the earliest and the latest instant, and in place of one that nothing proves; at most 16 bytes each.
  struct Bounds {
    let earliest: String
    let latest: String
    let unknown: String

    init(_ earliest: String, _ latest: String, unknown: String) {
      (self.earliest, self.latest, self.unknown) = (earliest, latest, unknown)
    }
  }
}

/// The earliest and the latest instants of a block's samples.
struct RowBounds {
  // Safe to read for as many rows as the block has, which is borrowed as long as these are used.
  var earliest: UnsafePointer<Int64>
  var latest: UnsafePointer<Int64>

  /// Whether readings prove when the sample of a row was made.
  func isKnown(_ row: Int) -> Bool { earliest[row] > .min && latest[row] < .max }
}

/// Writes samples as rows of text. Each value is copied from a table, 16 bytes at a time.
///
///     prefix │ time │ key │ value │ key │ value │ … │ label │ suffix
///
/// - Complexity: a few instructions a byte; no allocation once a count has its text.
struct RowWriter: ~Copyable {
  // Safe: `columns` and `groups` are owned by this value alone and live until deinit. Every store goes to
  // memory that the caller gave, of which a row touches at most `rowRoom` bytes: prefix 16, time and each bound
  // TimeText.room, each column a key of 8 and a text of 16, suffix 8, `derivedRoom`, and as many as its label has. Stores are
  // longer than their text,
  // and the next store overwrites the excess.
  private struct Column {
    var counts: UnsafePointer<Int16>?
    let entries: UnsafeMutablePointer<CountTexts.Entry>
    let key: UInt64
    let keyLength: Int
  }

  /// Bytes that must be free for each row, beside those of its label and ``derivedRoom``.
  static let rowRoom = 3 * (16 + TimeText.room) + 7 * (8 + 16) + 8

  private let layout: RowLayout
  private let channels: [Int]
  private let texts: [CountTexts]
  private let columns: UnsafeMutablePointer<Column>
  private let groups: UnsafeMutablePointer<UInt32>
  private let derived: (columns: DerivedColumns, texts: DerivedTexts)?
  private var time = TimeText()
  /// For rows whose times are not in nanoseconds.
  private var date: DateText?
  private var boundTimes = (TimeText(), TimeText())
  /// The texts of ``RowLayout/bounds``, and both with nothing known.
  private let boundWords: (earliest: PackedText.Words, latest: PackedText.Words)
  private let unknownWords: (earliest: PackedText.Words, latest: PackedText.Words)

  /// Rows with the given channels, whose texts are in `texts`; as many keys, channels and texts, at most 7.
  ///
  /// - Parameter derived: The columns after them.
  init(
    _ layout: RowLayout, channels: [Int], texts: [CountTexts], derived: DerivedColumns? = nil
  ) {
    precondition(layout.keys.count == channels.count && texts.count == channels.count)
    precondition(channels.count <= 7, "a sample has seven channels")
    self.layout = layout
    self.channels = channels
    self.texts = texts
    self.derived = derived.map {
      ($0, DerivedTexts($0.columns, keys: layout.derivedKeys, unknown: layout.derivedUnknown))
    }
    date = layout.time.flatMap { $0.kind == .nanoseconds ? nil : DateText($0.kind) }
    columns = .allocate(capacity: 7)
    for (index, table) in texts.enumerated() {
      let key = Array(layout.keys[index].utf8)
      precondition(key.count <= 8, "a key has at most 8 bytes")
      (columns + index).initialize(
        to: Column(
          counts: nil, entries: table.entries, key: PackedText.words(key).low, keyLength: key.count)
      )
    }
    let bounds = layout.bounds ?? RowLayout.Bounds("", "", unknown: "")
    func words(_ text: String) -> PackedText.Words { PackedText.words(Array(text.utf8)) }
    boundWords = (words(bounds.earliest), words(bounds.latest))
    unknownWords = (
      words(bounds.earliest + bounds.unknown), words(bounds.latest + bounds.unknown)
    )
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
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds? = nil,
    label: [UInt8] = [], to output: UnsafeMutableRawPointer
  ) -> Int {
    guard !rows.isEmpty, let times = block.times.baseAddress else { return 0 }
    precondition(rows.lowerBound >= 0 && rows.upperBound <= block.count, "no such samples")
    for (index, channel) in channels.enumerated() {
      columns[index].counts = block.counts(ofChannel: channel).baseAddress
    }
    derived?.columns.next(rows.count)
    let prefix = PackedText.words(Array(layout.prefix.utf8))
    let suffix = PackedText.words(Array(layout.suffix.utf8))
    let hasTime = layout.time != nil
    let origin = layout.time?.origin ?? 0
    let columnCount = channels.count
    let hasBounds = layout.bounds != nil
    var place = output
    for row in rows {
      place.storeBytes(of: prefix.low, as: UInt64.self)
      place.storeBytes(of: prefix.high, toByteOffset: 8, as: UInt64.self)
      place += prefix.length
      if date != nil {
        place += date?.write(times[row] &+ origin, to: place, groups: groups) ?? 0
      } else if hasTime {
        place += time.write(times[row] &+ origin, to: place, groups: groups)
      }
      if hasBounds { place += write(bounds, row, to: place) }
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
          row - rows.lowerBound, of: derived.columns.values, to: place)
      }
      if !label.isEmpty {
        UnsafeMutableRawBufferPointer(start: place, count: label.count).copyBytes(from: label)
        place += label.count
      }
      place.storeBytes(of: suffix.low, as: UInt64.self)
      place += suffix.length
    }
    return place - output
  }
}

extension RowWriter {
  /// Writes the earliest and the latest instant of a row, and returns the number of bytes.
  @inline(never)
  private mutating func write(
    _ bounds: RowBounds?, _ row: Int, to output: UnsafeMutableRawPointer
  ) -> Int {
    var place = output
    guard let bounds, bounds.isKnown(row) else {
      place += PackedText.copy(unknownWords.earliest, to: place)
      place += PackedText.copy(unknownWords.latest, to: place)
      return place - output
    }
    place += PackedText.copy(boundWords.earliest, to: place)
    place += boundTimes.0.write(bounds.earliest[row], to: place, groups: groups)
    place += PackedText.copy(boundWords.latest, to: place)
    place += boundTimes.1.write(bounds.latest[row], to: place, groups: groups)
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

  /// The words whose bytes in memory are `text`, zeros after it; traps for more than 16 bytes.
  static func words(_ text: [UInt8]) -> Words {
    precondition(text.count <= 16, "two words hold 16 bytes")
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in text.enumerated() {
      if index < 8 {
        words.0 |= UInt64(byte) << UInt64(8 * index)
      } else {
        words.1 |= UInt64(byte) << UInt64(8 * (index - 8))
      }
    }
    return (words.0.littleEndian, words.1.littleEndian, text.count)
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

import LogFormat

/// The fixed text around the values of a row.
struct RowLayout {
  /// Begins each row, at most 16 bytes.
  var prefix: String
  /// Whether the sample's time follows the prefix.
  var hasTime = true
  /// Before each value, at most 8 bytes each.
  var keys: [String]
  /// Ends each row, at most 8 bytes.
  var suffix: String
}

/// Writes samples as rows of text: each value is a copy of 16 bytes from a table.
///
///     prefix │ time │ key │ value │ key │ value │ … │ suffix
///
/// - Complexity: a few instructions a byte; no allocation once a count's text was made.
struct RowWriter: ~Copyable {
  // Safe: `columns` and `groups` are owned by this value alone and live until deinit. Every store goes to
  // memory that the caller gave, of which a row touches at most `rowRoom` bytes: prefix 16, time
  // TimeText.room, each column a key of 8 and a text of 16, suffix 8. Stores are longer than their text,
  // and the next store overwrites what was too much.
  private struct Column {
    var counts: UnsafePointer<Int16>?
    let entries: UnsafeMutablePointer<CountTexts.Entry>
    let key: UInt64
    let keyLength: Int
  }

  /// Bytes that must be free for each row.
  static let rowRoom = 16 + TimeText.room + 7 * (8 + 16) + 8

  private let layout: RowLayout
  private let channels: [Int]
  private let texts: [CountTexts]
  private let columns: UnsafeMutablePointer<Column>
  private let groups: UnsafeMutablePointer<UInt32>
  private var time = TimeText()

  /// Rows with the given channels, whose texts are in `texts`; as many keys, channels and texts, at most 7.
  init(_ layout: RowLayout, channels: [Int], texts: [CountTexts]) {
    precondition(layout.keys.count == channels.count && texts.count == channels.count)
    precondition(channels.count <= 7, "a sample has seven channels")
    self.layout = layout
    self.channels = channels
    self.texts = texts
    columns = .allocate(capacity: 7)
    for (index, table) in texts.enumerated() {
      let key = Array(layout.keys[index].utf8)
      precondition(key.count <= 8, "a key has at most 8 bytes")
      (columns + index).initialize(
        to: Column(
          counts: nil, entries: table.entries, key: PackedText.words(key).low, keyLength: key.count)
      )
    }
    groups = .allocate(capacity: 1000)
    groups.initialize(from: DecimalText.groups, count: 1000)
  }

  deinit {
    columns.deallocate()
    groups.deallocate()
  }

  /// Writes the given samples of `block` to `output`, which has ``rowRoom`` bytes for each; returns the
  /// number of bytes.
  mutating func write(
    _ rows: Range<Int>, of block: borrowing SampleBlock, to output: UnsafeMutableRawPointer
  ) -> Int {
    guard !rows.isEmpty, let times = block.times.baseAddress else { return 0 }
    precondition(rows.lowerBound >= 0 && rows.upperBound <= block.count, "no such samples")
    for (index, channel) in channels.enumerated() {
      columns[index].counts = block.counts(ofChannel: channel).baseAddress
    }
    let prefix = PackedText.words(Array(layout.prefix.utf8))
    let suffix = PackedText.words(Array(layout.suffix.utf8))
    let hasTime = layout.hasTime
    let columnCount = channels.count
    var place = output
    for row in rows {
      place.storeBytes(of: prefix.low, as: UInt64.self)
      place.storeBytes(of: prefix.high, toByteOffset: 8, as: UInt64.self)
      place += prefix.length
      if hasTime { place += time.write(times[row], to: place, groups: groups) }
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
      place.storeBytes(of: suffix.low, as: UInt64.self)
      place += suffix.length
    }
    return place - output
  }
}

// SPDX-License-Identifier: Apache-2.0

import LogFormat

/// Writes the instants of a grid as rows of text.
struct GridRows: ~Copyable {
  // Safe: `groups` is owned by this value alone and lives until deinit. A row touches at most ``RowWriter/rowRoom`` bytes of
  // the sink's and those of its label, as one of ``RowWriter``, which has the same parts and may have more times.
  private struct Column {
    let channel: Int
    let key: PackedText.Words
    let scale: CountScale
  }

  private let opening: UInt8?
  private let columns: [Column]
  private let prefix: PackedText.Words
  private let suffix: PackedText.Words
  private let groups: UnsafeMutablePointer<UInt32>
  private var labels: LabelColumn?
  private let hasTime: Bool
  private var timeText = TimeText()
  /// For rows whose times are not in nanoseconds.
  private var date: DateText?
  private let timeOrigin: Int64
  private var isFirst = true

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8?) {
    self.opening = opening
    columns = zip(zip(plan.channels, layout.keys), plan.scales).map { channel, scale in
      precondition(channel.1.utf8.count <= 8, "a key has at most 8 bytes")
      return Column(
        channel: channel.0, key: PackedText.words(Array(channel.1.utf8)), scale: scale)
    }
    precondition(columns.count <= 7, "a sample has seven channels")
    prefix = PackedText.words(Array(layout.prefix.utf8))
    suffix = PackedText.words(Array(layout.suffix.utf8))
    labels = layout.labels
    hasTime = layout.time != nil
    date = layout.time.flatMap { $0.kind == .nanoseconds ? nil : DateText($0.kind) }
    timeOrigin = layout.time?.origin ?? 0
    groups = .allocate(capacity: DecimalText.groups.count)
    groups.initialize(from: DecimalText.groups, count: DecimalText.groups.count)
  }

  deinit {
    groups.deallocate()
  }

  /// Writes the row of an instant.
  ///
  /// - Parameter counts: By channel.
  mutating func write<Sink: ByteSink & ~Copyable>(
    _ time: Int64, _ counts: SIMD8<Double>, to sink: inout Sink
  ) throws(ExportError) {
    _ = labels?.move(to: time)
    let label = labels?.text ?? []
    let room = try sink.reserve(RowWriter.rowRoom + label.count)
    let count = putRow(time, counts, label, to: room)
    if isFirst, let opening { room.storeBytes(of: opening, as: UInt8.self) }
    isFirst = false
    sink.commit(count)
  }

  /// Returns the number of bytes.
  private mutating func putRow(
    _ time: Int64, _ counts: SIMD8<Double>, _ label: [UInt8], to output: UnsafeMutableRawPointer
  ) -> Int {
    var place = output
    place += PackedText.copy(prefix, to: place)
    if hasTime {
      place +=
        date?.write(time &+ timeOrigin, to: place, groups: groups)
        ?? timeText.write(time, to: place, groups: groups)
    }
    for column in columns {
      place += PackedText.copy(column.key, to: place)
      let (text, length) = column.scale.text(between: counts[column.channel])
      place.storeBytes(of: UInt64(truncatingIfNeeded: text).littleEndian, as: UInt64.self)
      place.storeBytes(
        of: UInt64(truncatingIfNeeded: text >> 64).littleEndian, toByteOffset: 8, as: UInt64.self)
      place += length
    }
    UnsafeMutableRawBufferPointer(start: place, count: label.count).copyBytes(from: label)
    place += label.count
    place += PackedText.copy(suffix, to: place)
    return place - output
  }
}

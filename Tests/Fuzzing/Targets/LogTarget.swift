// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// Reads a log through, looks it up, summarises, verifies and salvages it.
public final class LogTarget: FuzzTarget {
  /// `logs`.
  public static let name = "logs"

  private var forged = ForgedLog()

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let seek = cursor.byte()
    forged.with(&cursor) { LogTarget.check($0, seek: seek) }
  }

  /// One pass over the log, and a second one of a kind that the input chooses, which must agree.
  static func check(_ log: UnsafeRawBufferPointer, seek: UInt8) {
    do {
      var reader = try LogReader(BytesStorage(bytes: log))
      let first = try Reading(&reader, log.count)
      switch seek & 3 {
      case 0: try verify(&reader, first)
      case 1: try summarise(&reader, first)
      case 2:
        let tick = first.lastTick / 64 * UInt64(seek >> 2)
        try reader.seek(toTime: reader.description.rate.nanoseconds(atTick: tick))
        // Records that a whole reading drops, because their ticks came before, may appear here.
        _ = try Reading(&reader, log.count)
      default:
        if seek & 4 != 0 { try Salvage.check(&reader, first) }
        reader.rewind()
        let again = try Reading(&reader, log.count)
        precondition(again == first, "another reading")
      }
    } catch {
      if case .storage = error { preconditionFailure("memory failed: \(error)") }
      _ = error.description
    }
  }

  private static func verify(
    _ reader: inout LogReader<BytesStorage>, _ first: Reading
  ) throws(LogError) {
    let report = try reader.account()
    precondition(report.sampleCount == first.samples, "verify reads other samples")
    precondition(report.gapCount == first.gaps, "verify reads other gaps")
    precondition(report.damageCount == first.damages, "verify reads other damage")
    precondition(
      !report.isIntact || report.damageCount == 0 && report.isBalanced == true, "not intact")
  }

  private static func summarise(
    _ reader: inout LogReader<BytesStorage>, _ first: Reading
  ) throws(LogError) {
    _ = try reader.summary().duration
    let full = try reader.account().summary
    precondition(full.damageCount == first.damages, "another summary")
    precondition(full.gapCount == first.gaps, "another summary")
  }
}

/// The results of one pass over a log.
struct Reading: Equatable {
  var samples: UInt64 = 0
  var gaps: UInt64 = 0
  var damages: UInt64 = 0
  var lastTick: UInt64 = 0

  init(_ reader: inout LogReader<BytesStorage>, _ size: Int) throws(LogError) {
    var items = 0
    var nextTick: UInt64 = 0
    while let item = try reader.next() {
      items += 1
      // A gap takes four bytes at least, and each page may give damage beside its records.
      precondition(items <= size / 4 + 1, "a log without end")
      switch item {
      case .samples(let count):
        precondition(count > 0 && count == reader.block.count, "a block's count")
        for tick in reader.block.ticks {
          precondition(tick >= nextTick, "a tick twice")
          nextTick = tick + 1
        }
        lastTick = nextTick - 1
        samples += UInt64(count)
      case .gap(let gap):
        precondition(gap.count > 0 && gap.firstTick + gap.count <= 1 << 63, "a gap")
        gaps += 1
      case .damage(let damage):
        damages += 1
        precondition(damage.pageCount > 0, "damage without a page")
        precondition(damage.offset + damage.byteCount <= UInt64(size), "damage after the end")
        _ = damage.description
      case .certificate(let certificate):
        precondition(certificate.shortened.shortened == certificate.shortened, "a finding")
      case .field(let value):
        precondition(FieldReading.Flags.known.isSuperset(of: value.flags), "a flag")
      case .mark, .clock, .sensor, .reading, .busClock, .end: break
      }
    }
    guard try reader.next() == nil else { preconditionFailure("an item after the end") }
  }
}

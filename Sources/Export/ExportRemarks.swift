// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

// Remarks that formats share: what was left out, and which times stand for the want of a date.

extension Exporter {
  /// A remark about labels and marks that the format has no place for; none where the export has none.
  func leftOut(labels: Int, marks: UInt64) -> [String] {
    var parts: [String] = []
    if labels > 0 { parts.append(labels == 1 ? "1 label" : "\(labels) labels") }
    if marks > 0 { parts.append(marks == 1 ? "1 mark" : "\(marks) marks") }
    guard let last = parts.last else { return [] }
    let isOne = UInt64(labels).addingSaturated(marks) == 1
    return [
      (parts.dropLast() + [last]).joined(separator: " and ")
        + " \(isOne ? "is" : "are") left out: \(options.format.rawValue) has no place for \(isOne ? "it" : "them")"
    ]
  }

  /// A remark about the times of a recording without a date, which programs take for such of 1970; none where it has one,
  /// or where an import's times are dates themselves.
  ///
  /// - Parameters:
  ///   - shift: Nanoseconds that the export adds to them.
  ///   - begin: Where the file begins, if that is not the first sample's time.
  func dateRemarks<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, started: Int64?, shift: Int64 = 0, begin: Int64? = nil
  ) throws(ExportError) -> [String] {
    guard started == nil, let first = try reader.firstSampleTime(),
      first < 1_000_000_000_000_000_000
    else { return [] }
    let begin = RFC3339.text(
      nanoseconds: (begin ?? first).addingReportingOverflow(shift).partialValue)
    let added = shift == 0 ? "" : ", with \(Plain.seconds(shift)) added to its time"
    return [
      "the recording has no date: programs show its first sample at \(begin)\(added)"
    ]
  }
}

extension Exporter {
  /// Whole seconds, in nanoseconds, that are added to the times of a recording without a date, so that none is before the
  /// beginning of those that the format has: 0 with a date, and where none is.
  ///
  /// - Parameter others: Times beside those of samples.
  func undatedShift<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, started: Int64?, others: [Int64] = []
  ) throws(ExportError) -> Int64 {
    guard started == nil else { return 0 }
    // Of the whole recording, so that its parts have the same times.
    let first = try reader.firstSampleTime() ?? 0
    let least = others.reduce(first, min)
    guard least < 0 else { return 0 }
    let (whole, rest) = least.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (shift, overflow) = ((rest < 0 ? 1 : 0) - whole).multipliedReportingOverflow(
      by: 1_000_000_000)
    guard !overflow else {
      throw .timeNotHeld(at: least, started: nil, format: options.format)
    }
    return shift
  }
}

extension LogReader where Storage: ~Copyable {
  /// The time of the recording's first sample; `nil` without one. The reader is at the beginning afterwards.
  mutating func firstSampleTime() throws(ExportError) -> Int64? {
    rewind()
    defer { rewind() }
    while let item = try nextItem() {
      if case .samples = item, let time = block.times.first { return time }
    }
    return nil
  }
}

extension RecordingNotes {
  /// What is missing of more marks than a program can hold.
  var remarks: [String] {
    let held = UInt64(marks.count)
    guard markCount > held else { return [] }
    return [
      "\(markCount - held) of \(markCount) marks are left out: an export holds \(held), and --format json has all"
    ]
  }
}

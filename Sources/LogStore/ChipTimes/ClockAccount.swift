// SPDX-License-Identifier: Apache-2.0

public import ChipClock
public import IMUModel
import Text

/// What the readings of a chip's FIFO show about the times of a recording, as far as it was read.
public struct ClockAccount: Equatable, Sendable {
  /// Something that the readings prove besides instants.
  public struct Finding: Equatable, Sendable {
    /// What was found.
    public var kind: ClockAnomaly.Kind
    /// The first and the last tick among which it happened.
    public var ticks: ClosedRange<UInt64>
    /// The times of the readings around it, in nanoseconds since tick 0's deadline.
    public var times: ClosedRange<Int64>
  }

  /// The beginning of an epoch after another.
  public struct Epoch: Equatable, Sendable {
    /// Why it began.
    public var cause: EpochCause
    /// Its first tick.
    public var tick: UInt64
    /// The times of the readings around its beginning, in nanoseconds since tick 0's deadline.
    public var times: ClosedRange<Int64>
    /// Samples missing before it, by the recorder's estimate.
    public var estimated: Int64
    /// Samples missing before it, at least and at most; equal where proved, `nil` where only the estimate is known.
    public var missing: ClosedRange<Int64>?
  }

  /// Most findings, and most epochs, that are kept; further ones are only counted.
  public static let findingLimit = 100

  /// What the proofs rest on.
  public internal(set) var assumptions: ClockAssumptions
  /// The chip's mean rate.
  public internal(set) var rate = ClockRate()
  /// Readings that were used.
  public internal(set) var readingCount: UInt64 = 0
  /// Readings of the chip's counter that were used beside those of the fill.
  public internal(set) var stampCount: UInt64 = 0
  /// Places, at most one each half second, whose stamps and edges contradict the readings and were left out.
  public internal(set) var leftOutCount: UInt64 = 0
  /// Samples whose interval is proved.
  public internal(set) var provedCount: UInt64 = 0
  /// Samples without readings near them: they have their recorded times and no interval.
  public internal(set) var unprovedCount: UInt64 = 0
  /// The first ``findingLimit`` findings.
  public private(set) var findings: [Finding] = []
  /// The number of all findings.
  public private(set) var findingCount: UInt64 = 0
  /// The first ``findingLimit`` epochs after the one in which the recording began.
  public private(set) var epochs: [Epoch] = []
  /// The number of all epochs after that one.
  public private(set) var epochCount: UInt64 = 0
  /// Samples that were made and never counted, at least.
  public private(set) var lostCount: UInt64 = 0
  /// Samples that were counted and never made, at least.
  public private(set) var doubledCount: UInt64 = 0
  /// Contradictions that nothing explains.
  public private(set) var contradictionCount: UInt64 = 0
  /// The lowest and the highest count of the temperature; `nil` without a sample.
  public private(set) var temperature: ClosedRange<Int16>?
  private var widths = WidthHistogram()

  init(_ assumptions: ClockAssumptions) { self.assumptions = assumptions }

  /// Half of a sample's interval in nanoseconds, at the median; `nil` without a proved sample.
  public var median: Int64? { widths.width(ofPart: 0.5, provedCount) }

  /// The same at 99 %.
  public var percentile99: Int64? { widths.width(ofPart: 0.99, provedCount) }

  /// The largest half of an interval.
  public var maximum: Int64? { provedCount > 0 ? widths.largest : nil }

  /// Whether the readings show no contradiction and no sample lost or doubled unnoticed.
  public var isWhole: Bool { lostCount == 0 && doubledCount == 0 && contradictionCount == 0 }

  mutating func add(temperatures counts: UnsafeBufferPointer<Int16>) {
    guard let low = counts.min(), let high = counts.max() else { return }
    temperature =
      min(low, temperature?.lowerBound ?? low)...max(high, temperature?.upperBound ?? high)
  }

  /// What is wrong, in a few words; `nil` when it ``isWhole``.
  public var flaw: String? {
    var parts: [String] = []
    if lostCount > 0 {
      parts.append("\(lostCount) \(lostCount == 1 ? "sample was" : "samples were") lost unnoticed")
    }
    if doubledCount > 0 {
      parts.append("\(doubledCount) \(doubledCount == 1 ? "sample is" : "samples are") doubled")
    }
    if contradictionCount > 0 {
      parts.append(
        "readings of the chip's clock contradict each other in "
          + Plain.count(contradictionCount, "place"))
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  @inline(__always)
  mutating func add(_ halfWidth: Int64) {
    provedCount &+= 1
    widths.add(halfWidth)
  }

  mutating func add(_ epoch: Epoch) {
    epochCount += 1
    if epochs.count < ClockAccount.findingLimit { epochs.append(epoch) }
  }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    switch finding.kind {
    case .lost(let count): lostCount += UInt64(max(0, count.lowerBound))
    case .doubled(let count): doubledCount += UInt64(max(0, count.lowerBound))
    case .contradiction: contradictionCount += 1
    case .rateChanged, .wrongCount: break
    }
    if findings.count < ClockAccount.findingLimit { findings.append(finding) }
  }
}

extension ClockAccount.Finding {
  /// The kind's name in JSON.
  public var name: String {
    switch kind {
    case .lost: "lost"
    case .doubled: "doubled"
    case .rateChanged: "rateChanged"
    case .wrongCount: "wrongCount"
    case .contradiction: "contradiction"
    }
  }

  /// Samples lost or doubled, at least and at most; in a contradiction lost ones, or doubled where negative.
  public var counts: ClosedRange<Int64>? {
    switch kind {
    case .lost(let counts), .doubled(let counts), .contradiction(let counts): counts
    case .rateChanged, .wrongCount: nil
    }
  }

  /// The change of the rate in parts per million.
  public var change: Double? {
    if case .rateChanged(let change) = kind { change } else { nil }
  }
}

/// The widths of intervals: to the microsecond up to 4 ms, and to 1 in 64 beyond.
private struct WidthHistogram: Equatable, Sendable {
  private static let exact: UInt64 = 4096
  private var counts = [UInt64](repeating: 0, count: 4096 + 52 * 64)
  private(set) var largest: Int64 = 0

  @inline(__always)
  mutating func add(_ nanoseconds: Int64) {
    largest = max(largest, nanoseconds)
    let micros = UInt64(bitPattern: max(0, nanoseconds)) / 1000
    counts[micros < WidthHistogram.exact ? Int(micros) : WidthHistogram.index(micros)] &+= 1
  }

  /// The index of a width from 2¹² µs on.
  private static func index(_ micros: UInt64) -> Int {
    let exponent = 63 - micros.leadingZeroBitCount
    return 4096 + (exponent - 12) * 64 + Int(micros >> UInt64(exponent - 6)) - 64
  }

  /// The width, rounded up, that a part of the intervals does not exceed.
  func width(ofPart part: Double, _ count: UInt64) -> Int64? {
    guard count > 0 else { return nil }
    var left = UInt64((Double(count) * part).rounded(.up))
    for (index, number) in counts.enumerated() {
      guard number < left else {
        guard index >= 4096 else { return min(largest, Int64(index + 1) * 1000) }
        let (octave, step) = (index - 4096).quotientAndRemainder(dividingBy: 64)
        return min(largest, (Int64(65 + step) << Int64(octave + 6)) &* 1000)
      }
      left -= number
    }
    return largest
  }
}

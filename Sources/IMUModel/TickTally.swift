// SPDX-License-Identifier: Apache-2.0

/// What happened to every scheduled tick. Each tick is counted once, so the account must balance:
///
///     scheduled = sampled + missed + busErrors + ringFull + stale + reinitialising + lost + frozen
public struct TickTally: Equatable, Sendable, BitwiseCopyable {
  /// Ticks with a sample in the log.
  public var sampled: UInt64 = 0
  /// Ticks skipped because the sampler woke a period or more late.
  public var missed: UInt64 = 0
  /// Ticks lost to bus errors.
  public var busErrors: UInt64 = 0
  /// Ticks dropped because the ring was full.
  public var ringFull: UInt64 = 0
  /// Ticks at which the chip had no new sample.
  public var stale: UInt64 = 0
  /// Ticks that fell while the chip was being set up again.
  public var reinitialising: UInt64 = 0
  /// Ticks that the source of a salvaged or imported recording does not have.
  public var lost: UInt64 = 0
  /// Ticks without a sample because the chip was proved to be stuck.
  public var frozen: UInt64 = 0

  /// An empty account.
  public init() {}

  /// Ticks scheduled: the sum of all others.
  public var scheduled: UInt64 {
    sampled.addingSaturated(missed).addingSaturated(busErrors).addingSaturated(ringFull)
      .addingSaturated(stale).addingSaturated(reinitialising).addingSaturated(lost)
      .addingSaturated(frozen)
  }

  /// Ticks without a sample for one cause.
  public subscript(cause: GapCause) -> UInt64 {
    get {
      switch cause {
      case .missed: return missed
      case .busError: return busErrors
      case .ringFull: return ringFull
      case .stale: return stale
      case .reinitialising: return reinitialising
      case .lost: return lost
      case .frozen: return frozen
      }
    }
    set {
      switch cause {
      case .missed: missed = newValue
      case .busError: busErrors = newValue
      case .ringFull: ringFull = newValue
      case .stale: stale = newValue
      case .reinitialising: reinitialising = newValue
      case .lost: lost = newValue
      case .frozen: frozen = newValue
      }
    }
  }

  /// Counts `count` ticks without a sample.
  public mutating func add(_ count: UInt64, _ cause: GapCause) {
    self[cause] = self[cause].addingSaturated(count)
  }

  /// Counts the ticks of a record.
  public mutating func add(_ record: TickRecord) {
    switch record.kind {
    case .sample: sampled += 1
    case .gap: if let gap = record.gap { add(gap.count, gap.cause) }
    case .sensorEvent, .reading, .busClock, .field: break
    }
  }
}

extension UInt64 {
  /// The sum, or the largest number: a damaged or malicious log may report more ticks than the type can count, and a reader
  /// must not trap on it.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

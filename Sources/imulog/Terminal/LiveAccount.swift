import IMUModel
import Sampling
import Terminal

/// Counts what is shown of a take: ticks, gaps, lateness.
final class LiveAccount {
  private let rate: SampleRate
  private var ledger = TickLedger()
  private var gapCount = 0
  private var histogram = LatenessHistogram()

  init(rate: SampleRate) {
    self.rate = rate
  }

  func take(_ records: [TickRecord]) {
    for record in records {
      switch record.kind {
      case .sample:
        ledger.sampled += 1
        histogram.record(record.time - rate.nanoseconds(atTick: record.tick))
      case .gap:
        if let gap = record.gap { ledger.add(gap.count, gap.cause) }
        gapCount += 1
      case .sensorEvent: break
      }
    }
  }

  /// Reports it beside the graph.
  func report(in status: inout LiveStatus) {
    status.ledger = ledger
    status.gapCount = gapCount
    status.latenessP99 = histogram.percentile(99)
    status.latenessMaximum = histogram.maximum
  }
}

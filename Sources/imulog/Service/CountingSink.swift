import IMUModel
import RingBuffer
import Sampling

/// The sampler's end of the ring in a service: counts what is a sample.
struct CountingSink: TickSink, ~Copyable {
  private var producer: RingProducer<TickRecord>
  private let samples: SampleCount

  init(_ producer: consuming RingProducer<TickRecord>, _ samples: SampleCount) {
    self.producer = producer
    self.samples = samples
  }

  /// - Complexity: O(1); neither allocates nor waits.
  mutating func push(_ record: TickRecord) -> Bool {
    if record.kind == .sample { samples.increase() }
    return producer.push(record)
  }
}

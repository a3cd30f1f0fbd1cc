// SPDX-License-Identifier: Apache-2.0

import IMUModel
import RingBuffer
import Sampling

/// The ring as the sampler's sink, with a violation on the way when one is asked for.
struct RingSink: TickSink, ~Copyable {
  var producer: RingProducer<TickRecord>
  private let seed: Seed
  // Told apart once: comparing the names of two seeds counts references in Swift 6.0.
  private let isSeeded: Bool
  // Safe: the object lives as long as the process; unmanaged, so that the check itself counts no references.
  private let object = Unmanaged.passRetained(Seed.Object())

  init(producer: consuming RingProducer<TickRecord>, seed: Seed) {
    self.producer = producer
    self.seed = seed
    isSeeded = seed != .none
  }

  @inline(__always)
  mutating func push(_ record: TickRecord) -> Bool {
    if isSeeded { object._withUnsafeGuaranteedRef { seed.commit(on: $0) } }
    return producer.push(record)
  }
}

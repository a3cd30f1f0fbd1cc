import IMUModel
import RingBuffer
import Sampling

/// The ring as the sampler's sink, with a violation on the way when one is asked for.
struct RingSink: TickSink, ~Copyable {
  var producer: RingProducer<TickRecord>
  let seed: Seed
  // Safe: the object lives as long as the process; unmanaged, so that the check itself counts no references.
  let object = Unmanaged.passRetained(Seed.Object())

  @inline(__always)
  mutating func push(_ record: TickRecord) -> Bool {
    if seed != .none { object._withUnsafeGuaranteedRef { seed.commit(on: $0) } }
    return producer.push(record)
  }
}

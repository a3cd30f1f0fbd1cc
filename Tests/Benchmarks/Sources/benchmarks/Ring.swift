// SPDX-License-Identifier: Apache-2.0

import CRing
import IMUModel
import RingBuffer

/// Pushes and pops records, one after the other, through the program's ring. Its instructions are counted from
/// outside.
func swiftRing(pairs: UInt64) -> String {
  var ends = RingEnds<TickRecord>(capacity: 600)
  var producer = ends.takeProducer()
  var consumer = ends.takeConsumer()
  return ringReport(pairs, run(pairs, &producer, &consumer))
}

/// The same through the same ring in C.
func cRing(pairs: UInt64) -> String {
  ringReport(pairs, c_ring_run(pairs, 600))
}

private func ringReport(_ pairs: UInt64, _ sum: UInt64) -> String {
  "{\"pairs\":\(pairs),\"sum\":\(sum)}"
}

@inline(never)
private func run(
  _ pairs: UInt64, _ producer: inout RingProducer<TickRecord>,
  _ consumer: inout RingConsumer<TickRecord>
) -> UInt64 {
  var total: UInt64 = 0
  for tick in 0..<pairs {
    let count = Int16(truncatingIfNeeded: tick)
    let sample = RawSample(
      ax: count, ay: count, az: count, gx: count, gy: count, gz: count, temperature: count)
    let time = Int64(truncatingIfNeeded: tick &* 1000)
    guard producer.push(TickRecord(tick: tick, time: time, sample: sample)),
      let popped = consumer.pop()
    else { return 0 }
    total &+= sum(popped)
  }
  return total
}

@inline(__always)
private func sum(_ record: TickRecord) -> UInt64 {
  var sum = record.tick &+ UInt64(truncatingIfNeeded: record.time) &+ record.count
  sum &+= UInt64(truncatingIfNeeded: record.code)
  sum &+= UInt64(record.lateness) &+ UInt64(record.kind.rawValue) &+ UInt64(record.detail)
  let sample = record.sample
  sum &+= UInt64(truncatingIfNeeded: sample.ax) &+ UInt64(truncatingIfNeeded: sample.ay)
  sum &+= UInt64(truncatingIfNeeded: sample.az) &+ UInt64(truncatingIfNeeded: sample.gx)
  sum &+= UInt64(truncatingIfNeeded: sample.gy) &+ UInt64(truncatingIfNeeded: sample.gz)
  sum &+= UInt64(truncatingIfNeeded: sample.temperature)
  return sum
}

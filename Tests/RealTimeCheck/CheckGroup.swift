// SPDX-License-Identifier: Apache-2.0

import CAllocProbe
import IMUDrivers
import IMUModel
import RingBuffer
import Sampling
import SimulatedIMU

/// Counts on two chips that one thread reads in turn, one by the computer's clock and one by its own; whether nothing was
/// counted.
func checkGroup(_ options: Options) throws(SensorError) -> Bool {
  let clock = VirtualClock()
  var polled = try PolledSensor(
    bus: bus(.mpu6050, .mpu6050, clock: clock, dips: false), identity: identity(.mpu6050),
    configuration: SensorConfiguration(rate: SampleRate(known: 100), busClock: busHertz))
  var buffered = try FIFOSensor(
    bus: bus(.lsm6dso, .lsm6dso, clock: clock, dips: false), identity: identity(.lsm6dso),
    configuration: SensorConfiguration(rate: SampleRate(known: 416), busClock: busHertz))
  try bringUp(&polled, clock)
  try bringUp(&buffered, clock)
  var first = RingEnds<TickRecord>()
  var second = RingEnds<TickRecord>()
  let start = clock.now() + 100_000_000
  let sampler = BoxedSamplingLoop(
    Sampler(
      sensor: polled, clock: clock,
      sink: RingSink(producer: first.takeProducer(), seed: options.seed),
      rate: SampleRate(known: 100), start: start, plannedTicks: nil, timeUnit: 1000,
      stop: StopFlag()))
  let drainer = BoxedSamplingLoop(
    Drainer(
      sensor: buffered, clock: clock,
      sink: RingSink(producer: second.takeProducer(), seed: options.seed),
      rate: SampleRate(known: 416), start: start, timeUnit: 1000, stop: StopFlag()))
  var group = SamplerGroup([sampler, drainer])
  var samples = first.takeConsumer()
  var others = second.takeConsumer()
  _ = count(1000, &group, &samples, &others)
  let counts = count(options.ticks, &group, &samples, &others)
  print("two sensors in turn, 100 Hz and 416 Hz by its own clock")
  print("  in \(options.ticks) turns: \(counts.text())")
  return counts.isZero
}

/// Takes `turns` steps and empties the rings, counting.
@inline(never)
private func count(
  _ turns: Int, _ group: inout SamplerGroup, _ first: inout RingConsumer<TickRecord>,
  _ second: inout RingConsumer<TickRecord>
) -> Counts {
  alloc_probe_begin()
  for _ in 0..<turns {
    _ = group.step()
    while first.pop() != nil {}
    while second.pop() != nil {}
  }
  return Counts(alloc_probe_end())
}

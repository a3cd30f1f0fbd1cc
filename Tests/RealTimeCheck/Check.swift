// SPDX-License-Identifier: Apache-2.0

import CAllocProbe
import IMUModel
import IMUDrivers
import RingBuffer
import Sampling
import SimulatedIMU

let busHertz = 400_000

/// Both chip families, with a good supply and with one that dips; whether nothing was counted.
func check(_ options: Options) throws(SensorError) -> Bool {
  var isClean = true
  for dips in [false, true] {
    let mpuClock = VirtualClock()
    let mpu = try PolledSensor(
      bus: bus(.mpu6050, .mpu6050, clock: mpuClock, dips: dips), identity: identity(.mpu6050),
      configuration: SensorConfiguration(rate: SampleRate(known: 1000), busClock: busHertz))
    let mpuIsClean = try check(mpu, clock: mpuClock, rate: 1000, dips: dips, options)

    // At 1 kHz a burst, its confirmation and its repetition fill the tick at 400 kHz.
    let lsmClock = VirtualClock()
    let lsm = try PolledSensor(
      bus: bus(.lsm6dso, .lsm6dso, clock: lsmClock, dips: dips), identity: identity(.lsm6dso),
      configuration: SensorConfiguration(rate: SampleRate(known: 500), busClock: busHertz))
    let lsmIsClean = try check(lsm, clock: lsmClock, rate: 500, dips: dips, options)
    isClean = isClean && mpuIsClean && lsmIsClean
    isClean = try checkFIFO(.mpu6050, .mpu6050, rate: 1000, dips: dips, options) && isClean
    isClean = try checkFIFO(.lsm6dso, .lsm6dso, rate: 1666, dips: dips, options) && isClean
    isClean =
      try checkFIFO(.lsm6dso, .lsm6dso, rate: 833, isStamped: true, dips: dips, options) && isClean
    isClean =
      try checkFIFO(.icm20948, .icm20948, rate: 1125, field: 100, dips: dips, options) && isClean
  }
  return try checkGroup(options) && isClean
}

extension SampleRate {
  init(known hertz: UInt32) {
    guard let rate = SampleRate(hertz) else { preconditionFailure("no rate") }
    self = rate
  }
}

func identity(_ model: SensorModel) -> SensorIdentity {
  SensorIdentity(model: model, address: model.family.addresses[0])
}

func bus(
  _ chip: SimulatedChip, _ model: SensorModel, clock: VirtualClock, dips: Bool
) -> SimulatedBus<VirtualClock> {
  var bus = SimulatedBus(
    clock: clock, chip: chip, address: model.family.addresses[0], motion: .tumble,
    busHertz: busHertz)
  guard dips else { return bus }
  for number: Int64 in 1...20 {
    let fault: Fault = number % 2 == 0 ? .unplug(nanoseconds: 1_500_000_000) : .brownOut
    let time = MonotonicTime(nanoseconds: number * 3_000_000_000)
    bus.inject(fault, at: .time(time))
  }
  return bus
}

/// Counts on one chip that is polled.
private func check<Sensor: IMUSensor & ~Copyable>(
  _ sensor: consuming Sensor, clock: VirtualClock, rate: UInt32, dips: Bool, _ options: Options
) throws(SensorError) -> Bool {
  let name = sensor.description.model
  try bringUp(&sensor, clock)
  var ends = RingEnds<TickRecord>()
  return check(
    Sampler(
      sensor: sensor, clock: clock,
      sink: RingSink(producer: ends.takeProducer(), seed: options.seed),
      rate: SampleRate(known: rate), start: clock.now(), plannedTicks: nil, timeUnit: 1000,
      stop: StopFlag()),
    ends.takeConsumer(), "\(name) at \(rate) Hz", dips: dips, options)
}

/// Counts on one chip that keeps the time.
private func checkFIFO(
  _ chip: SimulatedChip, _ model: SensorModel, rate: UInt32, isStamped: Bool = false,
  field: UInt32? = nil, dips: Bool, _ options: Options
) throws(SensorError) -> Bool {
  let clock = VirtualClock()
  var configuration = SensorConfiguration(rate: SampleRate(known: rate), busClock: busHertz)
  configuration.stampsSamples = isStamped
  configuration.fieldRate = field.map { SampleRate(known: $0) }
  var sensor = try FIFOSensor(
    bus: bus(chip, model, clock: clock, dips: dips), identity: identity(model),
    configuration: configuration)
  try bringUp(&sensor, clock)
  var ends = RingEnds<TickRecord>()
  let name =
    "\(model.name) by its own clock at \(rate) Hz"
    + (field.map { " with its magnetometer at \($0) Hz" } ?? "")
  return check(
    Drainer(
      sensor: sensor, clock: clock,
      sink: RingSink(producer: ends.takeProducer(), seed: options.seed),
      rate: SampleRate(known: rate), start: clock.now(), timeUnit: 1000, stop: StopFlag()),
    ends.takeConsumer(), isStamped ? name + " with time stamps" : name, dips: dips, options)
}

func bringUp<Sensor: ChipSetUp & ~Copyable>(
  _ sensor: inout Sensor, _ clock: VirtualClock
) throws(SensorError) {
  while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
}

/// Counts on one loop and prints what was found.
private func check<Loop: SamplingLoop & ~Copyable>(
  _ loop: consuming Loop, _ ring: consuming RingConsumer<TickRecord>, _ name: String, dips: Bool,
  _ options: Options
) -> Bool {
  var sampler = loop
  var consumer = ring
  _ = count(1000, &sampler, &consumer)
  let once = count(options.ticks, &sampler, &consumer)
  let twice = count(2 * options.ticks, &sampler, &consumer)

  let tally = sampler.tally
  print(
    "\(name)\(dips ? ", supply dips" : ""): \(tally.sampled) of \(tally.scheduled)")
  print("  \((twice - once).text(per: UInt64(options.ticks))) a sample")
  // Lists of registers are walked while the chip is set up again, a few references each time.
  let isClean = dips ? once.isBounded && twice.isBounded : once.isZero && twice.isZero
  if !isClean { print("  in \(options.ticks) ticks: \(once.text())") }
  let isDriven = dips ? tally.reinitialising > 0 : tally.sampled == tally.scheduled
  if !isDriven { print("  that is not what the scene should give: \(tally)") }
  return isClean && isDriven
}

/// Takes `ticks` steps and empties the ring, counting.
@inline(never)
private func count<Loop: SamplingLoop & ~Copyable>(
  _ ticks: Int, _ sampler: inout Loop,
  _ consumer: inout RingConsumer<TickRecord>
) -> Counts {
  alloc_probe_begin()
  for _ in 0..<ticks {
    _ = sampler.step()
    while consumer.pop() != nil {}
  }
  return Counts(alloc_probe_end())
}

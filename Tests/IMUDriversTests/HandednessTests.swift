// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

@Suite("Every chip's axes")
struct HandednessTests {
  /// In gravity alone, a direction that is fixed in the world moves against the rate: d(g)/dt = −ω×g. It does not on mirrored
  /// axes, nor where one sensor's axes are exchanged or turned round.
  @Test("are right-handed and the same for both sensors", arguments: SensorModel.allCases)
  func turn(model: SensorModel) throws {
    let bench = SelfTestBench(model)
    let clock = VirtualClock()
    let bus = SimulatedBus(
      clock: clock, chip: bench.chip.ideal, address: bench.address, motion: .turn,
      busHertz: 400_000)
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: model, address: bench.address),
      configuration: SensorConfiguration(
        rate: hertz(100), gyroscopeRange: model.gyroscopeRanges.first { $0 > 200 } ?? 0,
        busClock: 400_000))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    clock.advance(by: 5_000_000_000)
    var last: (g: SIMD3<Double>, rate: SIMD3<Double>, instant: MonotonicTime)?
    var (difference, change) = (0.0, 0.0)
    var spread = SIMD3(repeating: 0.0)
    for _ in 0..<400 {
      clock.advance(by: 20_000_000)
      var sample = RawSample()
      #expect(try sensor.read(into: &sample) == .fresh)
      let g =
        SIMD3(Double(sample.ax), Double(sample.ay), Double(sample.az))
        * sensor.description.accelerometerScale.value
      let rate =
        SIMD3(Double(sample.gx), Double(sample.gy), Double(sample.gz))
        * sensor.description.gyroscopeScale.value * (Double.pi / 180)
      if let last {
        let seconds = Double(clock.now().nanoseconds - last.instant.nanoseconds) / 1e9
        let (middle, turning) = ((g + last.g) / 2, (rate + last.rate) / 2)
        let moved = (g - last.g) / seconds
        let expected = SIMD3(
          middle.y * turning.z - middle.z * turning.y, middle.z * turning.x - middle.x * turning.z,
          middle.x * turning.y - middle.y * turning.x)
        difference += ((moved - expected) * (moved - expected)).sum()
        change += (moved * moved).sum()
        spread += g * g
      }
      last = (g, rate, clock.now())
    }
    #expect(difference < 0.01 * change)
    // Each axis takes part.
    #expect(spread.min() > 40 && change > 400)
  }

  @Test("turn a saturated count into one that is saturated at the other end")
  func opposite() {
    let counts: [Int16] = [-32768, -32767, -1, 0, 1, 32766, 32767]
    #expect(counts.map(\.opposite) == [32767, 32767, 1, 0, -1, -32766, -32768])
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

extension LSM6DSReadTests {
  @Test("a sample that no second burst confirms is not returned")
  func unconfirmed() throws {
    for (failures, axes) in [
      (0b011, ["abcdef"]), (0b110, ["abcdef"]),
      // Doubtful, and no transfer left for a third burst.
      (0b001, ["aBcdef", "abcdef"]), (0b010, ["aBcdef", "abcdef"]),
    ] {
      let test = LSM6DSReadTests()
      var sensor = try test.ready()
      test.script(3, axes[0], axes[axes.count - 1])
      test.bus.failure = { failures & (1 << $0) != 0 ? .noAcknowledge : nil }
      var sample = RawSample(ax: 9)
      #expect(throws: BusError.self) { try sensor.read(into: &sample) }
      #expect(sample == RawSample(ax: 9))
      #expect(test.bus.trace.count == 3)
    }
  }

  @Test("a sample that comes during a tick that began without one is read whole by that tick")
  func lateUpdate() throws {
    let old = "abcdef"
    for new in Self.changed {
      for place in 0...12 {
        let test = LSM6DSReadTests()
        var sensor = try test.ready()
        test.script(3, old)
        var sample = RawSample()
        _ = try sensor.read(into: &sample)
        let bursts = test.bursts(old, new, updateAt: place)
        test.script(0, bursts[0], bursts[1], bursts[2])
        let reading = try sensor.read(into: &sample)
        let isSeen = bursts[0] != old || bursts[1] != old
        #expect(reading == (isSeen ? .fresh : .unannounced), "\(old) \(new) \(place)")
        #expect(test.axes(sample) == (isSeen ? new : old), "\(old) \(new) \(place)")
      }
    }
  }

  @Test("counts without any sign of a new sample are confirmed after a failure too")
  func unannouncedAfterFailure() throws {
    var sensor = try ready()
    script(3, "abcdef")
    var sample = RawSample()
    _ = try sensor.read(into: &sample)
    script(0, "abcdef")
    bus.forgetTrace()
    bus.failure = { $0 == 0 ? .noAcknowledge : nil }
    #expect(try sensor.read(into: &sample) == .unannounced)
    #expect(bus.trace.count == 3)
  }

  @Test("three transfers at most, whatever fails and whatever is read")
  func bounds() throws {
    let contents = ["abcdef", "aBcdef", "Abcdef", "abcdeF"]
    for failures in 0..<8 {
      for status: UInt8 in 0...3 {
        for number in 0..<64 {
          let test = LSM6DSReadTests()
          let bus = test.bus
          var sensor = try test.ready()
          test.script(
            status, contents[number & 3], contents[number >> 2 & 3], contents[number >> 4])
          bus.failure = { failures & (1 << $0) != 0 ? .noAcknowledge : nil }
          let before = RawSample(ax: 9)
          var sample = before
          do throws(BusError) {
            let reading = try sensor.read(into: &sample)
            #expect(reading == .fresh || reading == .unannounced)
            #expect(sample != before)
          } catch {
            #expect(sample == before)
            #expect(bus.trace.count == 3)
          }
          #expect((1...3).contains(bus.trace.count))
        }
      }
    }
  }

  @Test("permanent failures are not retried")
  func noRetries() throws {
    for kind in [BusError.Kind.timeout, .busy, .unsupported, .gone] {
      for number in 0...1 {
        var sensor = try ready()
        bus.failure = { $0 == number ? kind : nil }
        var sample = RawSample()
        #expect(throws: BusError.self) { try sensor.read(into: &sample) }
        #expect(bus.trace.count == number + 1)
        bus.failure = { _ in nil }
      }
    }
  }
}

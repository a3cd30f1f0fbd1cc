// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import Testing

@Suite("Faults during bring-up")
struct FaultTests {
  static let fixtures = [0, 1, 5, 7, 10].map { SensorModelFixture.all[$0] }

  /// All failures of all adapters.
  static let failures = SimulatedAdapter.allCases.flatMap { adapter in
    BusError.Kind.allCases.filter { adapter.errno(of: $0, in: .read) != nil }.map { (adapter, $0) }
  }

  /// The trace of an undisturbed bring-up.
  private static func undisturbed(_ fixture: SensorModelFixture) throws -> [TraceBus.Transfer] {
    let bus = TraceBus.chip(fixture)
    _ = try broughtUp(bus, fixture.model)
    return bus.trace
  }

  @Test(
    "a bus dead from transfer N on gives an error that names the register, and the next bring-up starts over, for every N",
    arguments: fixtures)
  func deadFromTransfer(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    for (adapter, kind) in Self.failures {
      for number in trace.indices {
        let bus = TraceBus.chip(fixture)
        bus.adapter = adapter
        bus.failure = { $0 >= number ? kind : nil }
        var sensor = try polled(bus, fixture.model)
        let (error, register) = (bringUpError(&sensor), trace[number].register)
        guard case .bus(_, let named, let cause) = error else {
          Issue.record("\(String(describing: error)) for register \(register)")
          continue
        }
        #expect(named.address == register)
        #expect(cause.register == register)
        #expect(adapter == .generic || BusError.Kind(errno: cause.errno) == cause.kind)
        #expect(error?.description.contains("\(named)") == true)
        let count = bus.trace.count
        // Other failures are retried.
        if kind == .timeout { #expect(count == number + 1) }
        bus.failure = { _ in nil }
        // Without a restart: an error ends the attempt.
        _ = try bringUp(&sensor)
        #expect(try sensor.checkConfiguration() == .intact)
        #expect(bus.trace[count] == .read(fixture.isMPU ? 0x75 : 0x0F, 1))
      }
    }
  }

  @Test(
    "a failure that passes costs a repeated transfer and no error, for every N", arguments: fixtures
  )
  func passingFailure(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    let passing: [BusError.Kind] = [.noAcknowledge, .arbitrationLost, .bus]
    for (adapter, kind) in Self.failures where passing.contains(kind) {
      for number in trace.indices {
        let bus = TraceBus.chip(fixture)
        bus.adapter = adapter
        bus.failure = { $0 == number ? kind : nil }
        _ = try broughtUp(bus, fixture.model)
        // A slot without tags is read anew, with its place.
        #expect((trace.count...trace.count + 2).contains(bus.trace.count))
      }
    }
  }

  @Test("a register that does not keep its value is named, for every register", arguments: fixtures)
  func readBack(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    let (begin, resetValue): (UInt8, UInt8) = fixture.isMPU ? (0x6B, 0x80) : (0x12, 0x01)
    let reset = trace.lastIndex { $0 == .write(begin, resetValue) } ?? 0
    let written = TraceBus.writtenRegisters(trace[(reset + 1)...])
    #expect(written.count >= 7)
    for register in written {
      let bus = TraceBus.chip(fixture)
      let store = bus.onWrite
      bus.onWrite = { bus, number, value in
        let isReset = number == begin && value == resetValue
        store(bus, number, number == register && !isReset ? value ^ 0x10 : value)
      }
      var sensor = try polled(bus, fixture.model)
      let error = bringUpError(&sensor)
      guard case .readBack(_, _, let named, let written, let read) = error else {
        Issue.record("\(String(describing: error)) for register \(register)")
        continue
      }
      #expect(named.address == register)
      #expect(written ^ 0x10 == read)
    }
  }

  @Test(
    "bring-up waits at most 100 ms for a chip that is starting",
    arguments: SimulatedAdapter.allCases)
  func poweringUp(adapter: SimulatedAdapter) throws {
    let bus = TraceBus.mpu6050()
    bus.adapter = adapter
    bus.failure = { $0 < 30 ? .noAcknowledge : nil }
    var sensor = try polled(bus, .mpu6050)
    let waits = try bringUp(&sensor)
    #expect(waits.prefix(10) == [Int64](repeating: 5_000_000, count: 10)[...])
    bus.failure = { _ in .noAcknowledge }
    sensor.restart()
    bus.forgetTrace()
    #expect(bringUpError(&sensor) != nil)
    #expect(bus.trace.count == 63)
  }
}

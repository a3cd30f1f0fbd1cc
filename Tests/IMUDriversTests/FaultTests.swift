// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Faults during bring-up")
struct FaultTests {
  static let fixtures = [0, 1, 5, 7, 10].map { SensorModelFixture.all[$0] }

  /// The trace of an undisturbed bring-up.
  private static func undisturbed(_ fixture: SensorModelFixture) throws -> [TraceBus.Transfer] {
    let bus = TraceBus.chip(fixture)
    try withSensor(fixture, bus, SensorConfiguration(rate: hertz(10)), Undisturbed())
    return bus.trace
  }

  private struct Undisturbed: SensorTask {
    func run<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws {
      _ = try bringUp(&sensor)
    }
  }

  @Test(
    "a bus dead from transfer N on gives an error that names the register, and the next bring-up starts over, for every N",
    arguments: fixtures)
  func deadFromTransfer(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    for kind in BusError.Kind.allCases {
      for number in trace.indices {
        let bus = TraceBus.chip(fixture)
        bus.failure = { $0 >= number ? kind : nil }
        try withSensor(
          fixture, bus, SensorConfiguration(rate: hertz(10)),
          Dead(
            bus: bus, register: trace[number].register,
            transfers: kind == .timeout ? number + 1 : nil))
      }
    }
  }

  private struct Dead: SensorTask {
    let bus: TraceBus
    let register: UInt8
    /// How many there are; `nil` where the failure is retried.
    let transfers: Int?
    func run<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws {
      let error = bringUpError(&sensor)
      guard case .bus(_, let named, let cause) = error else {
        Issue.record("\(String(describing: error)) for register \(register)")
        return
      }
      #expect(named.address == register)
      #expect(cause.register == register)
      #expect(error?.description.contains("\(named)") == true)
      let count = bus.trace.count
      if let transfers { #expect(count == transfers) }
      bus.failure = { _ in nil }
      // Without a restart: an error ends the attempt.
      _ = try bringUp(&sensor)
      #expect(try sensor.checkConfiguration() == .intact)
      let identity: UInt8 = bus.address.rawValue < 0x6A ? 0x75 : 0x0F
      #expect(bus.trace[count] == .read(identity, 1))
    }
  }

  @Test(
    "a failure that passes costs a repeated transfer and no error, for every N", arguments: fixtures
  )
  func passingFailure(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    for number in trace.indices {
      let bus = TraceBus.chip(fixture)
      bus.failure = { $0 == number ? .noAcknowledge : nil }
      try withSensor(fixture, bus, SensorConfiguration(rate: hertz(10)), Undisturbed())
      // A slot without tags is read anew, with its place.
      #expect((trace.count...trace.count + 2).contains(bus.trace.count))
    }
  }

  @Test("a register that does not keep its value is named, for every register", arguments: fixtures)
  func readBack(fixture: SensorModelFixture) throws {
    let trace = try FaultTests.undisturbed(fixture)
    let begin = fixture.isMPU ? 0x6B : 0x12
    let reset = trace.lastIndex { $0 == .write(UInt8(begin), fixture.isMPU ? 0x80 : 0x01) } ?? 0
    let written = Set(
      trace[(reset + 1)...].compactMap { transfer -> UInt8? in
        if case .write(let register, _) = transfer { return register }
        return nil
      })
    #expect(written.count >= 7)
    for register in written {
      let bus = TraceBus.chip(fixture)
      let store = bus.onWrite
      let resetValue: UInt8 = fixture.isMPU ? 0x80 : 0x01
      bus.onWrite = { bus, number, value in
        let isReset = Int(number) == begin && value == resetValue
        store(bus, number, number == register && !isReset ? value ^ 0x10 : value)
      }
      try withSensor(
        fixture, bus, SensorConfiguration(rate: hertz(10)), ReadBack(register: register))
    }
  }

  private struct ReadBack: SensorTask {
    let register: UInt8
    func run<Sensor: IMUSensor & ~Copyable>(_ sensor: inout Sensor) throws {
      let error = bringUpError(&sensor)
      guard case .readBack(_, _, let named, let written, let read) = error else {
        Issue.record("\(String(describing: error)) for register \(register)")
        return
      }
      #expect(named.address == register)
      #expect(written ^ 0x10 == read)
    }
  }

  @Test("bring-up waits at most 100 ms for a chip that is starting")
  func poweringUp() throws {
    let bus = TraceBus.mpu6050()
    bus.failure = { $0 < 30 ? .noAcknowledge : nil }
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: .mpu6050, address: bus.address),
      configuration: SensorConfiguration(rate: hertz(10)))
    let waits = try bringUp(&sensor)
    #expect(waits.prefix(10) == [Int64](repeating: 5_000_000, count: 10)[...])
    bus.failure = { _ in .noAcknowledge }
    sensor.restart()
    bus.forgetTrace()
    let error = bringUpError(&sensor)
    #expect(error != nil)
    #expect(bus.trace.count == 63)
  }
}

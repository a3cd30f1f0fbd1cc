// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing

/// An adapter that is pulled out and put in while its bus is used.
extension LinuxI2CBusTests {
  /// A USB adapter's node and name; the tree's other adapters have 0 and 1.
  private func plugIn(_ number: Int, _ name: String = "i2c-tiny-usb at bus 001 device 005") {
    fixture.file("/sys/class/i2c-dev/i2c-\(number)/name", name + "\n")
    fixture.file("/dev/i2c-\(number)")
    adapter.pointee.failure = 0
  }

  private func pullOut(_ number: Int, _ failure: Int32 = ENODEV) {
    adapter.pointee.failure = failure
    fixture.removeAll("/dev/i2c-\(number)")
    fixture.removeAll("/sys/class/i2c-dev/i2c-\(number)")
  }

  private func openWatched(_ number: Int, isFixed: Bool = false) throws -> LinuxI2CBus {
    adapter.pointee.functions = Self.plain
    var bus = try LinuxI2CBus(number: number, tree: fixture.tree)
    try bus.keepOpen(
      at: AdapterPlace(number: number, isFixed: isFixed, tree: fixture.tree), chip: chip,
      every: 1_000_000)
    return bus
  }

  private func kind(_ bus: inout LinuxI2CBus) -> BusError.Kind? {
    guard case .failure(let error) = read(&bus, chip, 0x75, 1) else { return nil }
    return error.kind
  }

  private func expect(
    _ bus: inout LinuxI2CBus, _ expected: BusError.Kind?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = kind(&bus)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  private func expectBack(
    _ bus: inout LinuxI2CBus, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isBack = comes(within: 10) { kind(&bus) == nil }
    #expect(isBack, sourceLocation: sourceLocation)
  }

  @Test("is reopened when its node comes back")
  func comesBack() throws {
    plugIn(5)
    var bus = try openWatched(5)
    expect(&bus, nil)
    pullOut(5)
    expect(&bus, .gone)
    let transfers = adapter.pointee.transfers
    for _ in 0..<100 { expect(&bus, .gone) }
    #expect(adapter.pointee.transfers == transfers)
    plugIn(5)
    expectBack(&bus)
    let burst = read(&bus, chip, 0x3A, 16)
    #expect(burst == .success(registers(0x3A, 16)))
    #expect(adapter.pointee.timeout == 10)
  }

  @Test("is found again under another number, and a name that counts")
  func otherNumber() throws {
    plugIn(5)
    var bus = try openWatched(5)
    pullOut(5)
    expect(&bus, .gone)
    plugIn(7, "i2c-tiny-usb at bus 001 device 006")
    expectBack(&bus)
    let number = bus.number
    #expect(number == 7)
  }

  @Test("that was chosen by its number is not looked for under another one")
  func fixedNumber() throws {
    plugIn(5)
    var bus = try openWatched(5, isFixed: true)
    pullOut(5)
    expect(&bus, .gone)
    plugIn(7)
    expect(&bus, .gone)
    plugIn(5, "another name")
    expectBack(&bus)
    let number = bus.number
    #expect(number == 5)
  }

  @Test(
    "whose driver does not report that it is gone is detected by its node",
    arguments: [EIO, EPROTO, ETIMEDOUT, ENXIO])
  func silentDriver(code: Int32) throws {
    plugIn(5)
    var bus = try openWatched(5)
    pullOut(5, code)
    let isGone = comes(within: 10) { kind(&bus) == .gone }
    #expect(isGone)
    plugIn(5)
    expectBack(&bus)
  }

  @Test("whose chip does not answer keeps its node")
  func failuresAlone() throws {
    plugIn(5)
    var bus = try openWatched(5)
    adapter.pointee.failure = EIO
    for _ in 0..<1000 { expect(&bus, .bus) }
    adapter.pointee.failure = 0
    expect(&bus, nil)
  }

  @Test("is retried until the node can be opened")
  func untilItIsLet() throws {
    plugIn(5)
    var bus = try openWatched(5)
    for _ in 0..<20 {
      pullOut(5)
      expect(&bus, .gone)
      // A kernel driver is quicker at first.
      simulated_adapter_hold(0x68)
      let selections = simulated_adapter_selections()
      plugIn(5)
      #expect(comes(within: 10) { simulated_adapter_selections() > selections + 1 })
      expect(&bus, .gone)
      simulated_adapter_hold(0)
      expectBack(&bus)
    }
  }

  @Test("of a multiplexer's channel selects it anew when nothing answers there any more")
  func deselected() throws {
    fixture.addMultiplexer(first: 40)
    for channel in 0..<8 { plugIn(40 + channel) }
    var bus = try openWatched(43)
    expect(&bus, nil)
    var status = stat()
    #expect(stat(fixture.root + "/dev/i2c-43", &status) == 0)
    for _ in 0..<3 {
      adapter.pointee.deselected = status.st_ino
      expect(&bus, .noAcknowledge)
      expectBack(&bus)
    }
    // A bus of the computer has no other channel to read.
    plugIn(5)
    var plain = try openWatched(5)
    #expect(stat(fixture.root + "/dev/i2c-5", &status) == 0)
    adapter.pointee.deselected = status.st_ino
    for _ in 0..<1000 { expect(&plain, .noAcknowledge) }
  }

  @Test("leaves neither thread nor descriptor, wherever it is dropped")
  func dropped() throws {
    func opened() -> [String] { fixture.openFiles().filter { $0.contains("i2c-5") } }
    plugIn(5)
    for stage in 0..<4 {
      func use() throws {
        var bus = try openWatched(5)
        if stage == 0 { return }
        pullOut(5)
        expect(&bus, .gone)
        if stage == 1 { return }
        plugIn(5)
        // Offered and not taken, most likely; or on the way.
        if stage == 2 { return _ = comes(within: 10) { !opened().isEmpty } }
        expectBack(&bus)
      }
      try use()
      #expect(comes(within: 10) { threads(named: "imu-bus") == 0 }, "stage \(stage)")
      #expect(opened() == [], "stage \(stage)")
      plugIn(5)
    }
  }
}

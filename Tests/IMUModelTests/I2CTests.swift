// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("Bus addresses and bus errors")
struct I2CTests {
  @Test("addresses are 7-bit and right-aligned; reserved ones and wire bytes are refused")
  func addresses() {
    for raw in UInt8.min...UInt8.max {
      #expect((I2CAddress(raw) != nil) == (raw >= 0x08 && raw <= 0x77))
    }
    #expect(I2CAddress(0xD0) == nil)
    #expect(I2CAddress(known: 0x68).description == "0x68")
    #expect(I2CAddress(known: 0x08).description == "0x08")
  }

  @Test("an error has the operation, the place and the cause")
  func sentence() {
    let read = BusError(
      .noAcknowledge, .read, address: I2CAddress(known: 0x68), register: 0x3B, errno: 121)
    #expect(
      read.description == "reading register 0x3b of chip 0x68: no chip acknowledged (errno 121)")
    let write = BusError(.gone, .write, address: I2CAddress(known: 0x6A), register: 0x01)
    #expect(write.description == "writing register 0x01 of chip 0x6a: the adapter is gone")
  }

  @Test("every kind of error has its own words", arguments: BusError.Kind.allCases)
  func meanings(kind: BusError.Kind) {
    #expect(!kind.meaning.isEmpty)
    #expect(BusError.Kind.allCases.filter { $0.meaning == kind.meaning } == [kind])
  }

  @Test("only transient errors are retried at once")
  func transient() {
    let transient = BusError.Kind.allCases.filter {
      BusError($0, .read, address: I2CAddress(known: 0x68), register: 0).isTransient
    }
    #expect(transient == [.noAcknowledge, .arbitrationLost, .bus])
  }

  /// A bus whose registers hold their own numbers, and which fails on demand.
  struct CountingBus: I2CBus, ~Copyable {
    var failure: BusError?

    mutating func read(
      _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) throws(BusError) {
      if let failure { throw failure }
      for index in buffer.indices { buffer[index] = register &+ UInt8(truncatingIfNeeded: index) }
    }

    mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {}
  }

  @Test("reading one register is a burst of one, and its failure comes through")
  func singleRegister() throws {
    var bus = CountingBus()
    let value = try bus.read(I2CAddress(known: 0x68), register: 0x75)
    #expect(value == 0x75)
    let failure = BusError(.timeout, .read, address: I2CAddress(known: 0x68), register: 0x75)
    bus.failure = failure
    #expect(throws: failure) { try bus.read(I2CAddress(known: 0x68), register: 0x75) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
@testable import LinuxIO
import LinuxIOTestSupport
import Testing
import TestSupport

/// A clock whose `wake` is called with each instant to which a sleep leads.
private final class WakingClock: MonotonicClock, @unchecked Sendable {
  // Safe: each belongs to one test, which calls it from one thread.
  private var instant = MonotonicTime(nanoseconds: 0)
  private let wake: (_ nanoseconds: Int64) -> Void

  init(_ wake: @escaping (_ nanoseconds: Int64) -> Void) { self.wake = wake }

  func now() -> MonotonicTime { instant }

  func sleep(until deadline: MonotonicTime) {
    instant = max(instant, deadline)
    wake(instant.nanoseconds)
  }
}

/// The byte of who looks at the chip 0x68.
private let lookByte = 0x168

/// A look at a chip of the simulated adapter makes way for a recorder.
extension LinuxI2CBusTests {
  private func look() throws(LinuxIOError) -> BusLook { BusLook(try open(Self.plain)) }

  func other(locking byte: Int) -> pid_t {
    let process = ProgramStart.perform { begin_process_locking(fixture.root + "/dev/i2c-1", byte) }
    #expect(process > 0)
    return process
  }

  /// Whether the work is refused because this process is busy with the chip.
  private func isHeld(by process: pid_t, _ work: () throws(LinuxIOError) -> Void) -> Bool {
    do throws(LinuxIOError) {
      try work()
      return false
    } catch {
      return error.kind == .busy && error.finding.contains("process \(process)")
    }
  }

  @Test("a look makes way for a recorder on a channel of the same wires", .waitsForPrograms)
  func recorderOnChannel() throws {
    fixture.addMultiplexer(first: 40)
    fixture.file("/dev/i2c-43")
    let family = fixture.tree.adapters(sharingWires: 1)
    #expect(family == [1, 40, 41, 42, 43, 44, 45, 46, 47])
    #expect(fixture.tree.adapters(sharingWires: 43) == family)
    var look = BusLook(try open(Self.plain), beside: family, fixture.tree)
    #expect(try look.recorder == nil && look.read(chip, register: 0x75) == 0x75 ^ 0xA5)
    let recorder = ProgramStart.perform {
      begin_process_locking(fixture.root + "/dev/i2c-43", 0x69)
    }
    defer { end_other_process(recorder) }
    #expect(look.recorder?.contains("process \(recorder)") == true)
    let transfers = adapter.pointee.transfers
    #expect(throws: BusError.self) { _ = try look.read(chip, register: 0x75) }
    #expect(look.ending.isCut && adapter.pointee.transfers == transfers)
  }

  @Test("a look does not keep a recorder from the chip", .waitsForPrograms)
  func recorderWins() throws {
    var look = try look()
    try look.take(chip)
    #expect(try look.read(chip, register: 0x75) == 0x75 ^ 0xA5)
    // What a recorder reserves.
    let recorder = other(locking: 0x68)
    defer { end_other_process(recorder) }
    let transfers = adapter.pointee.transfers
    let error = try #require(throws: BusError.self) { _ = try look.read(chip, register: 0x75) }
    #expect(error.kind == .busy)
    #expect(adapter.pointee.transfers == transfers, "no transfer beside a recorder")
    #expect(look.ending.isCut)
    // The recorder that waits for the look goes on.
    end_other_process(other(locking: lookByte))
  }

  @Test("a look ends for a recorder of another chip, whose wires are the same", .waitsForPrograms)
  func sameWires() throws {
    var look = try look()
    try look.take(chip)
    let recorder = other(locking: 0x6A)
    defer { end_other_process(recorder) }
    #expect(throws: BusError(.busy, .write, address: chip, register: 0x6B)) {
      try look.write(chip, register: 0x6B, value: 0x80)
    }
    #expect(adapter.pointee.transfers == 0)
  }

  @Test("a look that was cut short stays so when the recorder has ended", .waitsForPrograms)
  func staysCut() throws {
    var look = try look()
    try look.take(chip)
    let recorder = other(locking: 0x68)
    #expect(throws: BusError.self) { try look.read(chip, register: 0x75) }
    end_other_process(recorder)
    #expect(throws: BusError.self) { try look.read(chip, register: 0x75) }
  }

  @Test(
    "a chip that a recorder has is not looked at, and nothing is left locked", .waitsForPrograms)
  func recorderFirst() throws {
    let recorder = other(locking: 0x68)
    defer { end_other_process(recorder) }
    var look = try look()
    #expect(isHeld(by: recorder) { () throws(LinuxIOError) in try look.take(chip) })
    try look.take(stranger)
    end_other_process(other(locking: lookByte))
  }

  @Test("a chip is looked at by one program at a time", .waitsForPrograms)
  func oneLook() throws {
    let first = other(locking: lookByte)
    defer { end_other_process(first) }
    var look = try look()
    #expect(isHeld(by: first) { () throws(LinuxIOError) in try look.take(chip) })
  }

  @Test("a recorder waits for a transfer of a look, and then has the chip", .waitsForPrograms)
  func recorderWaits() throws {
    let bus = try open(Self.plain)
    let look = other(locking: lookByte)
    var isOver = false
    var waited: Int64 = 0
    let clock = WakingClock { instant in
      waited = instant
      guard instant >= 1_000_000_000, !isOver else { return }
      isOver = true
      end_other_process(look)
    }
    try bus.reserve(chip, clock: clock)
    #expect(isOver && waited < 1_100_000_000)
  }

  @Test(
    "a recorder names a look that hangs after two seconds, and keeps other chips", .waitsForPrograms
  )
  func lookHangs() throws {
    let bus = try open(Self.plain)
    let look = other(locking: lookByte)
    defer { end_other_process(look) }
    var waited: Int64 = 0
    let clock = WakingClock { waited = $0 }
    #expect(
      isHeld(by: look) { () throws(LinuxIOError) in try bus.reserve(chip, clock: clock) })
    #expect(waited == LinuxI2CBus.lookPatience)
    try bus.reserve(stranger, clock: clock)
    #expect(waited == LinuxI2CBus.lookPatience, "no one looks at it")
  }

  @Test(
    "a recorder does not wait for a look that is stopped, which makes no transfers",
    .waitsForPrograms)
  func lookIsStopped() throws {
    let bus = try open(Self.plain)
    let look = other(locking: lookByte)
    defer { end_other_process(look) }
    // A name may hold brackets and blanks.
    fixture.file("/proc/\(look)/stat", "\(look) (a) S (b) T 1 2\n")
    var waited: Int64 = 0
    try bus.reserve(chip, clock: WakingClock { waited = $0 })
    #expect(waited == 0)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
@testable import LinuxIO
import LinuxIOTestSupport
import Testing

/// One by one: there is one simulated adapter.
@Suite("A bus of this machine", .serialized)
final class LinuxI2CBusTests {
  let fixture = TemporaryTree.raspberryPi()
  let chip = I2CAddress(known: 0x68)
  let stranger = I2CAddress(known: 0x69)
  // Safe: the adapter lives as long as the process, and tests of this suite run one by one.
  let adapter = simulated_adapter()

  static let plain: UInt64 = 0x0EFF_0009
  static let smbus: UInt64 = 0x0C1F_0000

  init() {
    fixture.file("/dev/i2c-1")
    simulated_adapter_reset()
    adapter.pointee.chip = 0x68
  }

  deinit { adapter.pointee.functions = 0 }

  func open(_ functions: UInt64, timeout: Int? = 100) throws(LinuxIOError) -> LinuxI2CBus {
    adapter.pointee.functions = functions
    return try LinuxI2CBus(number: 1, timeoutMilliseconds: timeout, tree: fixture.tree)
  }

  /// The result of reading `count` registers.
  func read(
    _ bus: inout LinuxI2CBus, _ address: I2CAddress, _ register: UInt8, _ count: Int
  ) -> Result<[UInt8], BusError> {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    return bytes.withUnsafeMutableBytes { buffer in
      do throws(BusError) {
        try bus.read(address, register: register, into: buffer)
        return .success(Array(buffer))
      } catch {
        return .failure(error)
      }
    }
  }

  func registers(_ first: UInt8, _ count: Int) -> [UInt8] {
    (0..<count).map { (first &+ UInt8(truncatingIfNeeded: $0)) ^ 0xA5 }
  }

  @Test("speaks plain I2C where it can, SMBus where it must")
  func access() throws {
    let combined = try open(Self.plain)
    #expect(combined.access == .combined)
    #expect(combined.longestRead == 8192)
    let blocks = try open(Self.smbus)
    #expect(blocks.access == .smbusBlocks)
    #expect(blocks.longestRead == 32)
  }

  @Test("with neither is refused with its abilities")
  func tooSimple() throws {
    let error = try #require(throws: LinuxIOError.self) { _ = try open(0x001F_0000) }
    #expect(error.description.contains("it can do 0x1f0000"))
  }

  @Test(
    "reads a burst as one transfer of two messages, the read one last",
    arguments: [1, 16, 256, 1024])
  func combinedRead(count: Int) throws {
    var bus = try open(Self.plain)
    #expect(read(&bus, chip, 0x3A, count) == .success(registers(0x3A, count)))
    #expect(adapter.pointee.transfers == 1)
    #expect(adapter.pointee.messages == 2)
    #expect(simulated_adapter_selections() == 0)
  }

  @Test(
    "reads a burst over SMBus in pieces",
    arguments: [(1, 1), (15, 1), (32, 1), (33, 2), (64, 2), (100, 4)])
  func blockRead(count: Int, pieces: Int) throws {
    var bus = try open(Self.smbus)
    #expect(read(&bus, chip, 0x3A, count) == .success(registers(0x3A, count)))
    #expect(Int(adapter.pointee.transfers) == pieces)
    #expect(adapter.pointee.longest_block == min(32, count))
  }

  @Test("writes a register, over plain I2C as one message", arguments: [plain, smbus])
  func write(functions: UInt64) throws {
    var bus = try open(functions)
    try bus.write(chip, register: 0x6B, value: 0x01)
    #expect(simulated_adapter_register(0x6B) == 0x01)
    #expect(simulated_adapter_register(0x6C) == 0x6C ^ 0xA5)
    #expect(adapter.pointee.messages == (functions == Self.plain ? 1 : 0))
  }

  @Test("selects a chip over SMBus once, and again when another was spoken to")
  func selection() throws {
    var bus = try open(Self.smbus)
    _ = read(&bus, chip, 0x75, 1)
    _ = read(&bus, chip, 0x75, 1)
    #expect(simulated_adapter_selections() == 1)
    let foreign = read(&bus, stranger, 0x75, 1)
    #expect(
      foreign
        == .failure(
          BusError(.noAcknowledge, .read, address: stranger, register: 0x75, errno: ENXIO)))
    #expect(read(&bus, chip, 0x75, 1) == .success(registers(0x75, 1)))
    #expect(simulated_adapter_selections() == 3)
  }

  @Test("treats a short block as a bus error")
  func shortBlock() throws {
    var bus = try open(Self.smbus)
    adapter.pointee.shortfall = 1
    let result = read(&bus, chip, 0x3A, 15)
    #expect(result == .failure(BusError(.bus, .read, address: chip, register: 0x3A, errno: EIO)))
  }

  @Test("reports which chip did not answer, with either access", arguments: [plain, smbus])
  func noAcknowledge(functions: UInt64) throws {
    var bus = try open(functions)
    guard case .failure(let error) = read(&bus, stranger, 0x0F, 1) else {
      Issue.record("read")
      return
    }
    #expect(error.kind == .noAcknowledge)
    #expect(error.address == stranger)
    #expect(error.register == 0x0F)
  }

  @Test("never repeats a transfer", arguments: [plain, smbus])
  func noRetry(functions: UInt64) throws {
    var bus = try open(functions)
    for code in [EAGAIN, EINTR, ETIMEDOUT, EREMOTEIO, EIO] {
      adapter.pointee.failure = code
      adapter.pointee.failure_after = 0
      let result = read(&bus, chip, 0x3A, 15)
      let kind = BusError.Kind(errno: code)
      #expect(result == .failure(BusError(kind, .read, address: chip, register: 0x3A, errno: code)))
      // Counted down once for each attempt.
      #expect(adapter.pointee.failure_after == -1)
      let error = try #require(throws: BusError.self) {
        try bus.write(chip, register: 0x6B, value: 0)
      }
      #expect(error == BusError(kind, .write, address: chip, register: 0x6B, errno: code))
    }
  }

  @Test("fails a burst whose second piece fails")
  func secondPiece() throws {
    var bus = try open(Self.smbus)
    adapter.pointee.failure = EIO
    adapter.pointee.failure_after = 1
    let result = read(&bus, chip, 0x00, 64)
    #expect(result == .failure(BusError(.bus, .read, address: chip, register: 0x00, errno: EIO)))
  }

  @Test("refuses a burst of no bytes or of more than a message carries", arguments: [0, 8193])
  func badLength(count: Int) throws {
    var bus = try open(Self.plain)
    guard case .failure(let error) = read(&bus, chip, 0, count) else {
      Issue.record("read")
      return
    }
    #expect(error.kind == .unsupported)
    #expect(adapter.pointee.transfers == 0)
  }

  @Test(
    "limits the time of a transfer in steps of 10 ms, rounded up, unless it is left alone",
    arguments: [(100, 10), (1, 1), (0, 1), (101, 11), (-5, 1), (nil, 0)] as [(Int?, UInt64)])
  func timeLimit(milliseconds: Int?, centiseconds: UInt64) throws {
    _ = try open(Self.plain, timeout: milliseconds)
    #expect(adapter.pointee.timeout == centiseconds)
    #expect(adapter.pointee.retries == 0)
  }

  @Test("claims a free chip without a transfer", arguments: [plain, smbus])
  func claim(functions: UInt64) throws {
    var bus = try open(functions)
    try bus.claim(chip)
    #expect(adapter.pointee.transfers == 0)
    #expect(adapter.pointee.selected == 0x68)
    #expect(read(&bus, chip, 0x75, 1) == .success(registers(0x75, 1)))
    #expect(simulated_adapter_selections() == 1)
  }

  @Test("names the driver that holds a chip, and the command that frees it")
  func held() throws {
    var bus = try open(Self.plain)
    simulated_adapter_hold(0x68)
    let device = "/sys/bus/i2c/devices/1-0068"
    fixture.file("\(device)/name", "mpu6050\n")
    fixture.link("\(device)/driver", to: "../../../../bus/i2c/drivers/inv-mpu6050-i2c")
    let error = try #require(throws: LinuxIOError.self) { try bus.claim(chip) }
    #expect(error.errno == EBUSY)
    #expect(
      error.description
        == "claiming chip 0x68 on I2C bus 1 (\(fixture.root)\(device)): the kernel driver"
        + " inv-mpu6050-i2c holds the chip as a mpu6050 (errno 16, Device or resource busy)."
        + " Free it with `echo 1-0068 | sudo tee /sys/bus/i2c/drivers/inv-mpu6050-i2c/unbind`.")
    try bus.claim(stranger)
  }

  @Test("names the line of the firmware's configuration that gives the chip to the driver")
  func heldByOverlay() throws {
    var bus = try open(Self.plain)
    simulated_adapter_hold(0x68)
    fixture.link("/sys/bus/i2c/devices/1-0068/driver", to: "../../drivers/inv-mpu6050-i2c")
    fixture.file(
      "/boot/firmware/config.txt",
      "dtparam=i2c_arm=on\n#dtoverlay=i2c-sensor,mpu9250\ndtoverlay=i2c-sensor,mpu6050\n")
    let error = try #require(throws: LinuxIOError.self) { try bus.claim(chip) }
    let words = "remove the line `dtoverlay=i2c-sensor,mpu6050` from /boot/firmware/config.txt"
    #expect(error.remedy.contains(words), "\(error.remedy)")
  }

  @Test("that finds a chip held by an unnamed driver tells how to find it")
  func heldByNobodyKnown() throws {
    var bus = try open(Self.plain)
    simulated_adapter_hold(0x68)
    let error = try #require(throws: LinuxIOError.self) { try bus.claim(chip) }
    #expect(error.finding == "a kernel driver holds the chip")
    #expect(error.remedy.contains("ls -l /sys/bus/i2c/devices"))
  }

  @Test("closes its node when it goes")
  func closing() throws {
    func use() throws {
      var bus = try open(Self.plain)
      _ = read(&bus, chip, 0, 1)
      #expect(fixture.openFiles() == [fixture.root + "/dev/i2c-1"])
    }
    try use()
    #expect(fixture.openFiles() == [])
    _ = try? open(0x001F_0000)
    #expect(fixture.openFiles() == [])
  }
}

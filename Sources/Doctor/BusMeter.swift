// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel

/// The bus's real clock and its errors, from reads of a known chip's registers.
///
/// A byte is nine bit times. The time that a read of 26 registers takes longer than one of 2 is that of 24 bytes; the
/// least of many is free of what the kernel does beside it. Only registers of data and configuration are read, which
/// changes nothing in the chip.
struct BusMeter {
  /// In hertz; `nil` when no read succeeded.
  var hertz: Double?
  var readCount = 0
  /// Reads that failed.
  var errorCount = 0

  private static let errorLimit = 5
  /// Reads each length so often.
  private static let rounds = 60
  private static let lengths = (short: 2, long: 26)

  /// - Parameter progress: Called after each read.
  init<Bus: I2CBus & ~Copyable, Clock: MonotonicClock>(
    _ bus: inout Bus, _ chip: SensorIdentity, clock: Clock, progress: () -> Void
  ) {
    // The first register of the outputs of an MPU, and what precedes them in the others.
    let start: UInt8 = chip.model.family === SensorModel.mpu6050.family ? 0x3B : 0x20
    var least = (short: Int64.max, long: Int64.max)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 1)
    defer { buffer.deallocate() }
    for index in 0..<2 * BusMeter.rounds {
      let isLong = index % 2 == 1
      let count = isLong ? BusMeter.lengths.long : BusMeter.lengths.short
      readCount += 1
      let before = clock.now()
      do throws(BusError) {
        defer { progress() }
        try bus.read(
          chip.address, register: start,
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
      } catch {
        errorCount += 1
        // A bus that hangs would take a second for each.
        if errorCount == BusMeter.errorLimit { break }
        continue
      }
      let time = clock.now() - before
      if isLong { least.long = min(least.long, time) } else { least.short = min(least.short, time) }
    }
    guard least.short < .max, least.long < .max, least.long > least.short else { return }
    let bits = Double(9 * (BusMeter.lengths.long - BusMeter.lengths.short))
    hertz = bits * 1e9 / Double(least.long - least.short)
  }
}

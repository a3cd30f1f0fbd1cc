// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The bus's real clock and its errors, from reads of a known chip's registers.
///
/// A byte is nine bit times. A read of 26 registers takes 24 bytes longer than one of 2; the shortest of many is free of
/// the kernel's other work. Only registers of data and configuration are read, which changes nothing in the chip.
///
/// The clock is an estimate: the kernel's share of the longer read counts as the bus's. Only that the bus is no slower
/// than its shortest read is proved.
package struct BusMeter {
  /// In hertz; `nil` when too few reads succeeded, or took no time, as on a simulated bus in real time.
  package private(set) var hertz: Double?
  package private(set) var readCount = 0
  /// Reads that failed.
  package private(set) var errorCount = 0

  private static let errorLimit = 5
  /// Reads of each length, at least and at most.
  private static let rounds = (least: 3, most: 60)
  private static let lengths = (short: 2, long: 26)
  /// No chip is on a faster bus.
  private static let fastest = 5e6

  /// Measures: 4 ms on a bus of 400 kHz that is fast enough after three rounds, else 20 times as long.
  ///
  /// - Parameters:
  ///   - enough: The clock in hertz above which it need not be known better; `nil` for all rounds.
  ///   - progress: Called after each read.
  package init<Bus: I2CBus & ~Copyable, Clock: MonotonicClock>(
    _ bus: inout Bus, _ chip: SensorIdentity, clock: Clock, enough: Double? = nil,
    progress: () -> Void
  ) {
    // The first output register of an MPU; in the others, a register before the outputs.
    let start: UInt8 = chip.model.family === SensorModel.mpu6050.family ? 0x3B : 0x20
    var least = (short: Int64.max, long: Int64.max)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 1)
    defer { buffer.deallocate() }
    for index in 0..<2 * BusMeter.rounds.most {
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
      guard least.short < .max, least.long < .max, least.long > least.short else { continue }
      let bits = 9 * (BusMeter.lengths.long - BusMeter.lengths.short)
      let found = Double(bits) * 1e9 / Double(least.long - least.short)
      hertz = found < BusMeter.fastest ? found : nil
      if isLong, index >= 2 * BusMeter.rounds.least - 1, let enough, found >= enough { break }
    }
  }
}

/// A bus's clock as it is configured and as it was measured.
package struct BusClock: Equatable, Sendable {
  /// What the device tree or the board says, in hertz; `nil` when not known.
  package var configured: Int?
  /// `nil` when nothing was measured.
  package var measured: Double?

  package init(configured: Int?, measured: Double?) {
    (self.configured, self.measured) = (configured, measured)
  }

  /// The part of the configured clock from which on a measured one is taken to be as configured: so much the kernel may
  /// add to the longer reads of a busy computer.
  private static let usual = 0.9
  /// The kernel's share of the measured time.
  private static let kernel = 1.03

  /// The measured clock that is not slower than this is as configured.
  package var enough: Double? { configured.map { BusClock.usual * Double($0) } }

  /// Whether the bus is slower than configured.
  package var isSlow: Bool {
    guard let measured, let enough else { return false }
    return measured * BusClock.kernel < enough
  }

  /// What rates are planned by, in hertz; `nil` when neither is known.
  package var planned: Int? {
    guard let measured, isSlow || configured == nil else { return configured }
    return Int(configured == nil ? measured : measured * BusClock.kernel)
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import Recorder

/// Whether a chip that answers on a channel is there, or on the trunk, the bus before the multiplexer, and so on each channel:
/// then several names would each have a part of its samples.
///
/// Where another channel has no chip at the address, the trunk has none either. Where all have one, a register of the
/// chip is changed twice, and read on another channel: only the trunk's changes there, too.
struct TrunkSearch {
  let path: BusPath
  /// The adapters of the other channels that this process may open and close.
  let others: [Int]
  private let tree: SystemTree

  init(_ path: BusPath, _ tree: SystemTree, _ own: Int) {
    others = (tree.multiplexer(of: path)?.channels ?? []).map(\.adapter).filter {
      $0 != own && !LinuxI2CBus.hasReserved(on: $0)
    }
    (self.path, self.tree) = (path, tree)
  }

  /// Refuses a chip of the trunk. The chip must be this process's, and be set up afterwards: its registers are changed.
  func refuse<Bus: I2CBus & ~Copyable>(
    _ chip: SensorIdentity, on bus: inout Bus, _ configuration: RecorderConfiguration
  ) throws {
    guard path.channel != nil,
      try isOnTrunk(chip, on: &bus, configuration, read: { try read(chip.address, $1, on: $0) })
    else { return }
    throw CommandFailure(
      .configuration,
      "the \(chip.model.name) at \(chip.address) answers on each channel of the multiplexer, so it is on bus \(path.root) "
        + "itself: name it by @i2c-\(path.root)/\(chip.address), and give the channels' chips another address"
    )
  }

  /// - Parameter read: A register of the chip at the address on another channel; `nil` where none answers.
  func isOnTrunk<Bus: I2CBus & ~Copyable>(
    _ chip: SensorIdentity, on bus: inout Bus, _ configuration: RecorderConfiguration,
    read: (_ adapter: Int, _ register: UInt8) throws -> UInt8?
  ) throws -> Bool {
    let identity = chip.model.family.identityRegister.address
    for other in others {
      guard try read(other, identity) == chip.identity else { return false }
    }
    guard let other = others.first else { return false }
    let registers = try configuration.sensorConfiguration(for: chip.model, busClock: nil)
      .registers(of: chip.model)
    for (register, value) in registers {
      var seen: [UInt8?] = []
      for written in [value ^ 0x08, value] {
        try bus.write(chip.address, register: register.address, value: written)
        guard try bus.read(chip.address, register: register.address) == written else { break }
        seen.append(try read(other, register.address))
      }
      // A register that does not keep both values shows nothing.
      if seen.count == 2 { return seen[0] != seen[1] }
    }
    return false
  }

  private func read(_ address: I2CAddress, _ register: UInt8, on adapter: Int) throws -> UInt8? {
    var bus = try LinuxI2CBus(number: adapter, timeoutMilliseconds: nil, tree: tree)
    do throws(BusError) {
      return try bus.read(address, register: register)
    } catch {
      // These say nothing of a chip; a missing one is an adapter's own failure on some.
      guard ![.timeout, .busy, .arbitrationLost].contains(error.kind) else { throw error }
      return nil
    }
  }
}

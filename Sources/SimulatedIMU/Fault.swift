// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Something that goes wrong on a ``SimulatedBus``.
public enum Fault: Equatable, Sendable, BitwiseCopyable {
  /// The supply fails for a moment: all registers are back at reset, and the chips boot.
  case brownOut
  /// The same in the middle of a read: data bytes from number `byte` on are `rest`, FF from a chip that releases the line,
  /// 00 from one that continues with cleared registers. Without `boots` the chip answers again at once. A write or a
  /// shorter read completes first.
  case brownOutInBurst(byte: Int, rest: UInt8, boots: Bool)
  /// Output registers stand still for `nanoseconds`, or until the chip is reset unless `survivesReset`. With
  /// `keepsDataReady` the data-ready bits continue as if there were new samples.
  case freeze(nanoseconds: Int64, keepsDataReady: Bool, survivesReset: Bool = false)
  /// No chip is on the bus for `nanoseconds`; then the power comes back, and the chips boot.
  case unplug(nanoseconds: Int64)
  /// The same on an adapter that does not report it: reads give FF, writes are lost.
  case silence(nanoseconds: Int64)
  /// The identity registers answer `identity` for `nanoseconds`; everything else works.
  case misidentify(identity: UInt8, nanoseconds: Int64)
  /// `transfers` transfers fail for this cause, with the adapter's errno unless given. The chip does not see them.
  case fail(BusError.Kind, errno: Int32? = nil, transfers: Int = 1)
  /// In one transfer, the bits of `mask` are flipped in data byte number `byte`, unnoticed: the bus has no checksum.
  case corrupt(byte: Int, mask: UInt8)
  /// A read fails after `bytes` bytes, which have left the chip's FIFO. A write, or a shorter read, succeeds.
  case failInBurst(bytes: Int, BusError.Kind, errno: Int32? = nil)
  /// A chip holds the clock before data byte `byte` of a read. A BSC may follow with a pulse that is too short for the chip,
  /// which is then a bit behind: that byte comes shifted, the chip takes the line after it for the end, and the rest is FF.
  /// No error shows it (advamation.com, "Raspberry Pi I2C clock-stretching bug"; raspberrypi/linux, issue 254). Other
  /// adapters wait, as after a write or a shorter read.
  case stretch(byte: Int)
  /// The chips' oscillators are faster by this from now on; at most three times.
  case clockStep(partsPerMillion: Int)
  /// The bus runs at so many percent of the clock that it was made with, from that bit of the present transfer on. On a
  /// Raspberry Pi 0 to 4 the load changes it.
  case busClock(percent: Int, fromBit: Int = 0)
  /// A FIFO loses its oldest byte or word, and its count is right. Users report it of the LSM6DS3 and LSM6DSM when a sample
  /// is written during a read (ST community, threads 38884 and 39635).
  case loseFromFIFO
}

/// When a ``Fault`` happens.
public enum FaultTrigger: Equatable, Sendable, BitwiseCopyable {
  /// With a transfer, counted from 1 over the life of the bus: reads, writes and failures alike.
  case transfer(Int)
  /// At an instant of the bus's clock, or with the first transfer after it.
  case time(MonotonicTime)
  /// With the first read at or after this instant that begins at this register.
  case read(register: UInt8, from: MonotonicTime)
}

/// The pending faults.
struct FaultScript {
  private struct Entry {
    let trigger: FaultTrigger
    let fault: Fault
  }

  private static let capacity = 64
  private var entries: [Entry] = []

  init() { entries.reserveCapacity(Self.capacity) }

  mutating func add(_ fault: Fault, at trigger: FaultTrigger) {
    precondition(entries.count < Self.capacity, "a bus has at most 64 faults to come")
    entries.append(Entry(trigger: trigger, fault: fault))
  }

  /// Removes the earliest fault that is due with transfer number `transfer` at `instant`, which reads from the register
  /// `reading` on, or writes; returns it with its instant.
  mutating func removeDue(
    transfer: Int, at instant: Int64, reading: UInt8?
  ) -> (fault: Fault, instant: Int64)? {
    var due: (index: Int, instant: Int64)?
    for index in entries.indices {
      let happens: Int64
      switch entries[index].trigger {
      case .transfer(let number):
        guard number <= transfer else { continue }
        happens = instant
      case .time(let time):
        guard time.nanoseconds <= instant else { continue }
        happens = time.nanoseconds
      case .read(let register, let time):
        guard register == reading, time.nanoseconds <= instant else { continue }
        happens = instant
      }
      if let earliest = due, earliest.instant <= happens { continue }
      due = (index, happens)
    }
    guard let due else { return nil }
    // The rest keep their order, so that faults of one instant happen in the order given.
    return (entries.remove(at: due.index).fault, due.instant)
  }
}

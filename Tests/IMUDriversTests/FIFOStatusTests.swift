// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Testing

@Suite("The count of a FIFO")
struct FIFOStatusTests {
  /// What a status says, or why it says nothing.
  private func fill(
    _ sensor: inout FIFOSensor<FIFOBus>, _ bus: FIFOBus, _ status: [UInt8]
  ) -> Result<FIFOFill, FIFOError> {
    bus.statusBytes = status + [0, 0]
    do throws(FIFOError) {
      return .success(try sensor.readFill())
    } catch {
      return .failure(error)
    }
  }

  @Test("is read in one transfer")
  func oneTransfer() throws {
    for (model, status, count) in [
      (SensorModel.mpu6050, 0x72, 2), (.lsm6dso, 0x3A, 2), (.lsm6dsl, 0x3A, 4),
    ] as [(SensorModel, UInt8, Int)] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model)
      bus.chip.forgetTrace()
      _ = try sensor.readFill()
      #expect(bus.chip.trace == [.read(status, count)])
    }
  }

  @Test("of an MPU-6050 is of bytes, proves whole packets, and overruns three packets early")
  func packets() throws {
    for (model, size) in [
      (SensorModel.mpu6050, 1024), (.mpu6500, 512), (.mpu9250, 512), (.mpu9255, 512),
      (.icm20689, 4096),
    ] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model)
      let (capacity, losesAlignment) = (sensor.capacity, sensor.losesAlignment)
      #expect(capacity == (size - 1) / 14 - 3)
      #expect(losesAlignment)
      for count in 0...size where count % 14 == 0 || count > size - 60 {
        let found = fill(&sensor, bus, [UInt8(count >> 8), UInt8(count & 0xFF)])
        if count % 14 == 0 {
          let expected = FIFOFill(
            units: count, slots: count / 14, isOverrun: count >= size - 42, isProof: count > 0)
          #expect(found == .success(expected))
        } else if case .success(let fill) = found {
          #expect(fill.slots == count / 14)
          #expect(!fill.isProof)
          #expect(fill.isOverrun == (count >= size - 42))
        }
      }
      for count in [size + 1, size + 256, 0xFFFF] {
        let found = fill(&sensor, bus, [UInt8(count >> 8), UInt8(count & 0xFF)])
        #expect(found == .failure(.impossibleCount(UInt32(count))))
      }
    }
  }

  @Test(
    "of an MPU-6050 that is no whole number of packets 25 times in a row shows that they begin elsewhere"
  )
  func misaligned() throws {
    let bus = FIFOBus(.mpu6050)
    var sensor = try started(bus, .mpu6050)
    for _ in 0..<3 {
      for count in 1...24 {
        let found = fill(&sensor, bus, [0, UInt8(14 + count % 13 + 1)])
        #expect(try !found.get().isProof)
      }
      #expect(try fill(&sensor, bus, [0, 28]).get().isProof)
    }
    for _ in 0..<24 { _ = fill(&sensor, bus, [0, 15]) }
    #expect(fill(&sensor, bus, [0, 15]) == .failure(.misaligned))
    bus.statusBytes = [0, 0]
    try sensor.startFIFO()
    #expect(try fill(&sensor, bus, [0, 15]).get().slots == 1)
  }

  @Test("of an LSM6DSO is of words, its flags beside it")
  func words() throws {
    let bus = FIFOBus(.lsm6dso)
    var sensor = try started(bus, .lsm6dso)
    let (capacity, losesAlignment) = (sensor.capacity, sensor.losesAlignment)
    #expect(capacity == 255)
    #expect(!losesAlignment)
    for (status, units, isOverrun) in [
      ([0, 0], 0, false), ([1, 0], 1, false), ([0xFF, 0], 255, false), ([0, 1], 256, false),
      // Watermark, full at the next one, batch counter: no loss.
      ([6, 0xB0], 6, false), ([0xFD, 1], 509, false),
      // OVR_LATCHED; OVR_IA; full.
      ([6, 0x08], 6, true), ([6, 0x40], 6, true), ([0, 2], 512, true), ([0, 0x6A], 512, true),
    ] as [([UInt8], Int, Bool)] {
      let found = try fill(&sensor, bus, status).get()
      let expected = FIFOFill(
        units: units, slots: nil, isOverrun: isOverrun, isProof: units > 0)
      #expect(found == expected, "\(status)")
    }
    // Reserved; above 512; no chip; the low byte of before a carry with the high one of after it.
    for status in [[6, 0x04], [1, 2], [0, 3], [0xFF, 0xFF], [0xFE, 1], [0xFF, 1]] as [[UInt8]] {
      #expect(
        fill(&sensor, bus, status)
          == .failure(.impossibleCount(UInt32(status[1]) << 8 | UInt32(status[0]))))
    }
  }

  @Test("of an LSM6DSL is of words of two bytes, and its pattern says where a slot begins")
  func pattern() throws {
    for (model, size) in [
      (SensorModel.lsm6dsl, 4096), (.lsm6dsm, 4096), (.lsm6ds3trc, 4096), (.lsm6ds3, 8192),
      (.lsm6ds33, 8192),
    ] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model)
      let (capacity, losesAlignment) = (sensor.capacity, sensor.losesAlignment)
      #expect(capacity == size / 12 - 2)
      #expect(losesAlignment)
      for (status, units, isOverrun) in [
        ([0, 0x10], 0, false), ([12, 0], 12, false), ([0, 0x04], 1024, false),
        ([0xF0, 0xA7], 0x7F0, false), ([0, 0x60], 0, true), ([0, 0xE0], 0, true),
      ] as [([UInt8], Int, Bool)] {
        let expected = FIFOFill(
          units: units, slots: units / 6, isOverrun: isOverrun,
          isProof: units > 0 && !isOverrun)
        #expect(fill(&sensor, bus, status) == .success(expected), "\(model) \(status)")
      }
      // Empty and not empty; overrun and empty; a place beyond the slot; no chip; torn.
      for status in [
        [6, 0x10], [0, 0x50], [6, 0, 6], [6, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0xFB, 1],
      ]
        as [[UInt8]]
      {
        guard case .failure(.impossibleCount) = fill(&sensor, bus, status) else {
          Issue.record("\(model) \(status)")
          continue
        }
      }
      for place in 1...5 as ClosedRange<UInt8> {
        #expect(fill(&sensor, bus, [6, 0, place]) == .failure(.misaligned))
      }
    }
  }

  @Test("that is not 0 after the FIFO was emptied is an error")
  func notEmptied() throws {
    for model in [SensorModel.mpu6050, .lsm6dso, .lsm6dsl] {
      let bus = FIFOBus(model)
      var sensor = try started(bus, model)
      bus.statusBytes = model == .mpu6050 ? [0, 14] : [14, 0, 0, 0]
      let error = try #require(throws: FIFOError.self) { try sensor.startFIFO() }
      #expect(error == .notEmptied(14))
      #expect(!error.description.isEmpty)
      bus.statusBytes = [0, 0, 0, 0]
      try sensor.startFIFO()
    }
  }
}

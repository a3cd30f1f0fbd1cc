// SPDX-License-Identifier: Apache-2.0

@testable import Analysis
import IMUModel
import Testing

@Suite("Orientation where samples are missing")
struct MotionStretchTests {
  private let axis = SIMD3<Double>(0, 0, 1)

  /// A turn of 50 °/s at 100 Hz, of which some ticks have no sample.
  private func table(missing: Range<UInt64>) throws -> Turntable {
    var table = try Turntable(hertz: 100)
    for tick in 0..<1000 as Range<UInt64> where !missing.contains(tick) {
      try table.sample(tick, .identity, turning: axis * 50)
    }
    return table
  }

  @Test(
    "over at most a tenth of a second the sample before the gap is repeated, and has no motion of its own"
  )
  func bridged() throws {
    let table = try table(missing: 400..<410)
    #expect((table.columns.stretchCount, table.columns.repeatedCount) == (1, 10))
    let motions = table.motions()
    #expect(motions.count == 990)
    let turned = degrees(from: motions[399].orientation, to: motions[400].orientation)
    #expect(abs(turned - 11 * 0.5) < 0.01)
    #expect(abs(degrees(from: motions[0].orientation, to: motions[399].orientation) - 160.5) < 0.1)
  }

  @Test("after more than that the orientation begins anew")
  func cut() throws {
    let table = try table(missing: 400..<411)
    #expect((table.columns.stretchCount, table.columns.repeatedCount) == (2, 0))
    let motions = table.motions()
    #expect(motions.count == 989)
    #expect(degrees(from: motions[0].orientation, to: motions[400].orientation) < 0.01)
  }

  @Test("below 10 Hz every gap is too long, and at 10 Hz one tick is not")
  func slow() throws {
    for (hertz, stretches) in [(9, 2), (10, 1)] as [(UInt32, Int)] {
      var table = try Turntable(hertz: hertz)
      for tick in [0, 1, 3, 4] as [UInt64] { try table.sample(tick, .identity, turning: .zero) }
      #expect(table.columns.stretchCount == stretches)
      #expect(table.motions().count == 4)
    }
  }

  @Test("where the times place the ticks, the angle is that of the times")
  func ownTimes() throws {
    // Nominally 100 Hz, in truth 104.
    for (model, expected) in [(SensorDescription.importedModel, 300 / 104.0), ("MPU-6050", 3.0)] {
      var table = try Turntable(hertz: 100, model: model)
      for tick in 0...300 as ClosedRange<UInt64> {
        try table.sample(
          tick, at: Int64(tick) * 1_000_000_000 / 104, .identity, turning: axis * -50)
      }
      let motions = table.motions()
      let turned = motions[0].orientation.conjugate * motions[300].orientation
      #expect(degrees(from: turned, to: turn(-50 * expected, around: axis)) < 0.05, "\(model)")
    }
  }

  @Test("a rate that changes is found wherever it does, and jitter is none")
  func changingRate() throws {
    for (periods, expected) in [
      // ms of the first, the second and the last third, and by how much of the mean they are off at most.
      ([10.0, 10.4, 10.4], 1 - 10 / (30.8 / 3)), ([10, 10.4, 10], 10.4 / (30.4 / 3) - 1),
      ([10.2, 10.2, 10.2], 0),
    ] {
      var table = try Turntable(hertz: 100, model: SensorDescription.importedModel)
      var time = 0.0
      for tick in 0..<12_000 as Range<UInt64> {
        let jitter = [0, 1.9, -2.3, 0.7][Int(tick % 4)]
        try table.sample(tick, at: Int64((time + jitter) * 1e6), .identity, turning: .zero)
        time += periods[Int(tick / 4000)]
      }
      #expect(abs(table.columns.periodDeviation - expected) < 0.004, "\(periods)")
      #expect(table.columns.unevenCount == 0)
    }
    // On a grid the times are those of the readings.
    var grid = try Turntable(hertz: 100)
    for tick in 0..<2000 as Range<UInt64> {
      try grid.sample(tick, at: Int64(tick) * 10_400_000, .identity, turning: .zero)
    }
    #expect(grid.columns.periodDeviation == 0)
  }

  @Test("samples that come in bursts are counted")
  func bursts() throws {
    var table = try Turntable(hertz: 100, model: SensorDescription.importedModel)
    for tick in 0..<100 as Range<UInt64> {
      let burst = Int64(tick / 10) * 100_000_000 + Int64(tick % 10) * 1_000_000
      try table.sample(tick, at: burst, .identity, turning: .zero)
    }
    #expect(table.columns.unevenCount == 99)
  }

  @Test("one sample has an orientation, and no sample has none")
  func short() throws {
    var table = try Turntable(hertz: 100)
    #expect(table.motions().isEmpty)
    try table.sample(5, turn(90, around: SIMD3(1, 0, 0)), turning: SIMD3(7, 8, 9))
    let motions = table.motions()
    #expect(motions.count == 1)
    #expect(size(motions[0].linearAcceleration) < 1e-9)
  }

  @Test("more samples than the limit, those that are repeated included, are refused")
  func limit() throws {
    var table = try Turntable(hertz: 100, limit: 10)
    for tick in [0, 1, 2, 3, 4, 7] as [UInt64] {
      try table.sample(tick, .identity, turning: .zero)
    }
    #expect(table.hasRoom)
    try table.sample(11, .identity, turning: .zero)
    #expect(!table.hasRoom)
  }
}

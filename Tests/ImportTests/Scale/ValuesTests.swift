// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Counts of values")
struct ValuesTests {
  private func understanding(_ units: [Group: Unit]) -> Understanding {
    var understanding = Understanding("t.csv")
    for channel in 0..<7 where units[Group(channel: channel)] != nil {
      understanding.columns.append(
        Understanding.Column(
          index: channel, name: ChannelSet.names[channel],
          role: .channel(channel, isReversed: false),
          source: .file("the header")))
    }
    understanding.units = units.mapValues { Understanding.Stated($0, .file("the header")) }
    return understanding
  }

  private func row(_ values: [Double]) -> [Decimal] {
    values.map { Decimal(digits: Int64(($0 * 1000).rounded()), exponent: -3) }
  }

  private let request = ImportRequest(id: RecordingID(high: 1, low: 2))

  @Test("are what is written where that is counts, with or without a point")
  func counts() throws {
    var u = understanding([.accelerometer: .count, .gyroscope: .count])
    u.scales[.accelerometer] = .init(.usual(.accelerometer), .file("the header"))
    u.scales[.gyroscope] = .init(Scale(ratio: Fraction(7, 100)), .file("the header"))
    var values = Values(u, request)
    let first = [16398.0, -3, 32767, -32768, 0, 7].map {
      Decimal(digits: Int64($0 * 10), exponent: -1)
    }
    try values.add(first)
    try values.settle(u)
    let sample = try values.sample(first)
    #expect(sample == RawSample(ax: 16398, ay: -3, az: 32767, gx: -32768, gy: 0, gz: 7))
    #expect(values.isExact && values.remarks.isEmpty)
    #expect(values.scales[.gyroscope]?.ratio == Fraction(7, 100))
    let beyond = [0, 0, 32768, 0, 0, 0].map { Decimal(digits: Int64($0), exponent: 0) }
    #expect(throws: FieldError.self) { try values.sample(beyond) }
    #expect(throws: FieldError.self) { try values.sample(row([0.5, 0, 0, 0, 0, 0])) }
  }

  @Test("are rounded to the scale that the user gives, with a remark")
  func given() throws {
    let u = understanding([.accelerometer: .g])
    var request = request
    request.accelerometerScale = Fraction(1, 100)
    var values = Values(u, request)
    let first = row([0.987, -0.02, 0.304])
    try values.add(first)
    try values.settle(u)
    let sample = try values.sample(first)
    #expect((sample.ax, sample.ay, sample.az) == (99, -2, 30))
    #expect(!values.isExact)
    #expect(
      values.remarks
        == [
          "accelerations of t.csv are not whole counts of the given scale: they are up to 0.004 g off"
        ])
  }

  @Test("are refused beyond 16 bits of the given scale")
  func beyond() throws {
    let u = understanding([.accelerometer: .g])
    var request = request
    request.accelerometerScale = Fraction(1, 16384)
    var values = Values(u, request)
    try values.add(row([2.001, 0, 0]))
    #expect {
      try values.settle(u)
    } throws: {
      "\($0)".contains("accelerations reach 2.001 g, which needs more than 16 bits")
    }
  }
}

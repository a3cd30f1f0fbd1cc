// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import OldImport
import TestSupport
import Testing

@Suite("Round trips of tables in units")
struct TableUnitTests {
  private static let counts = ExportOptions(format: .csv, units: .raw)

  /// The sensors that this program drives, each in one of its ranges, and one that no data sheet has.
  struct Chip: CustomTestStringConvertible {
    let testDescription: String
    let accelerometer: Fraction
    let gyroscope: Fraction
    let temperature: (scale: Fraction, offset: Fraction)
  }

  static let chips: [Chip] = [
    Chip(
      testDescription: "MPU-9250, 16 g, 2000 °/s", accelerometer: Fraction(1, 2048),
      gyroscope: Fraction(10, 164), temperature: (Fraction(100, 33387), Fraction(21, 1))),
    Chip(
      testDescription: "LSM9DS1, 16 g, 245 °/s", accelerometer: Fraction(732, 1_000_000),
      gyroscope: Fraction(8750, 1_000_000), temperature: (Fraction(1, 16), Fraction(25, 1))),
  ]

  /// A log of all counts at their ends and many in between.
  private func log(_ chip: Chip, wall: Int64? = nil, note: String = "") throws -> TestLog {
    var description = TestLog.description(
      rate: hertz(100), timeUnit: 1000, accelerometerScale: chip.accelerometer,
      gyroscopeScale: chip.gyroscope, temperatureScale: chip.temperature.scale,
      temperatureOffset: chip.temperature.offset)
    description.note = note
    var log = TestLog(description)
    if let wall { log.clock(0, wall: wall) }
    var generator = SeededGenerator(seed: 7)
    for tick in 0..<400 as Range<UInt64> {
      var sample = RawSample(&generator)
      // One g upwards: what this program writes without units must be told apart.
      if tick > 1 {
        (sample.ax, sample.ay) = (sample.ax / 256, sample.ay / 300)
        sample.az = Int16(clamping: Int(1 / chip.accelerometer.value) + Int(sample.az / 300))
      } else {
        sample.ax = tick == 0 ? -32768 : 32767
      }
      log.sample(tick, Int64(tick) * 10_000_000 + Int64(generator.next() % 900) * 1000, sample)
    }
    log.end(TickLedger(sampled: 400))
    return log
  }

  @Test(
    "counts come back exactly from every unit, whatever the header says of it",
    arguments: chips, [ExportUnits.si, .gDps, .raw])
  func units(_ chip: Chip, _ units: ExportUnits) throws {
    let log = try log(chip)
    let expected = try log.export(Self.counts)
    for (names, preamble) in [(false, false), (true, false), (false, true), (true, true)] {
      var options = ExportOptions(format: .csv, units: units)
      (options.hasUnitNames, options.hasPreamble) = (names, preamble)
      let importer = try Imports.csv(log.export(options))
      if preamble || units != .raw {
        #expect(importer.description.sensor.accelerometerScale.value == chip.accelerometer.value)
        #expect(importer.description.sensor.gyroscopeScale.value == chip.gyroscope.value)
        #expect(importer.description.sensor.temperatureScale.value == chip.temperature.scale.value)
      }
      #expect(try TestLog.export(Imports.log(importer), Self.counts).text == expected)
    }
  }

  @Test(
    "every form of time comes back, and dates keep the date",
    arguments: [nil, .seconds, .unix, .utc, .local] as [ExportTime?])
  func times(_ form: ExportTime?) throws {
    let wall: Int64 = 1_795_228_687_123_456_789
    let log = try log(Self.chips[0], wall: wall, note: "a walk, with a comma")
    let expected = try log.export(Self.counts)
    for preamble in [false, true] {
      var options = ExportOptions(format: .csv)
      (options.time, options.hasPreamble) = (form, preamble)
      let importer = try Imports.csv(log.export(options))
      let isDated = form == .unix || form == .utc || form == .local
      if isDated || preamble {
        let first = try #require(importer.clockPairs.first?.wallAtStart)
        // Without the preamble time 0 is the first sample.
        #expect(preamble ? first == wall : first > wall && first < wall + 1_000_000)
      }
      let text = try TestLog.export(Imports.log(importer), Self.counts).text
      if !isDated || preamble {
        #expect(text == expected)
      } else {
        #expect(Self.values(text) == Self.values(expected))
        let dated = ExportOptions(format: .csv, units: .raw).with { $0.time = .utc }
        let again = try TestLog.export(Imports.log(Imports.csv(log.export(options))), dated).text
        #expect(again == (try log.export(dated)))
      }
    }
  }

  private static func values(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0[($0.firstIndex(of: ",") ?? $0.startIndex)...] }
  }

  @Test("values of no chip are counts of their decimal step, or their largest error is stated")
  func lattice() throws {
    let exact = try Imports.csv(
      "t_s,ax_mps2,ay_mps2,az_mps2\n0.0,-300.17,0.04,1\n0.1,9.81,-0.01,2\n0.2,0.0,300.0,3\n")
    #expect(exact.description.sensor.accelerometerScale == Fraction(200, 196_133))
    #expect(exact.remarks.isEmpty)
    #expect(try Imports.records(exact).map(\.sample.ax) == [-30017, 981, 0])

    let fine = try Imports.csv(
      "t_s,ax_g,ay_g,az_g\n0.0,-1.00000017,0.04,0\n0.1,0.981,-0.01,0\n0.2,0.0,0.333333333,0\n")
    let scale = fine.description.sensor.accelerometerScale.value
    #expect(abs(scale * 32766 - 1.00000017) < 1e-6)
    #expect(fine.remarks.count == 1)
    #expect(fine.remarks[0].contains("more digits than counts of 16 bits"))
    #expect(fine.remarks[0].contains(" g off"))
    #expect(try Imports.records(fine).map(\.sample.ax).first == -32766)
  }

  @Test("a scale that the user gives is used, and says what it costs")
  func forced() throws {
    var options = Imports.options
    options.accelerometerScale = Fraction(1, 1000)
    let importer = try Imports.csv("t_s,ax_g\n0.0,1.0004\n0.1,-0.25\n0.2,0.5\n", options)
    let remarks = importer.remarks
    #expect(try Imports.records(importer).map(\.sample.ax) == [1000, -250, 500])
    #expect(
      remarks == [
        "accelerations of table.csv are no whole counts of the given scale: they are up to 0.0004 g off"
      ])
    #expect(
      Imports.csvError("t_s,ax_g\n0.0,1.0\n0.1,40\n", options)?.description
        == "accelerations of table.csv reach 40.0 g, which needs more than 16 bits in the given scale: give fewer counts a unit, or leave the option out"
    )
  }

  @Test("units that nothing tells are taken from the user, two of a kind and unknown ones are not")
  func unknownUnits() throws {
    let text = "t_s,gx,gy,gz\n0.0,0.5,0.25,0.125\n0.1,0.5,0.1,0.3\n"
    let importer = try Imports.csv(text, Imports.given(units: "rad/s"))
    #expect(abs(importer.description.sensor.gyroscopeScale.value - 0.025 * 180 / .pi) < 1e-9)
    for wrong in ["g,m/s2", "si,g", "furlong"] { #expect(ImportUnits(wrong) == nil) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import TestSupport
import Testing

/// What this program writes in units, without a word about its scales, and reads again.
@Suite("Round trips of values in units")
struct UnitRoundTripTests {
  /// g and °/s a count of the chips that record, and two that no chip has.
  private static let scales: [(Fraction, Fraction)] = [
    (Fraction(1, 16384), Fraction(1, 131)), (Fraction(1, 8192), Fraction(10, 655)),
    (Fraction(1, 4096), Fraction(10, 328)), (Fraction(1, 2048), Fraction(10, 164)),
    (Fraction(61, 1_000_000), Fraction(4375, 1_000_000)),
    (Fraction(122, 1_000_000), Fraction(8750, 1_000_000)),
    (Fraction(244, 1_000_000), Fraction(17500, 1_000_000)),
    (Fraction(488, 1_000_000), Fraction(70, 1000)), (Fraction(1, 1000), Fraction(1, 7)),
    (Fraction(3, 70001), Fraction(11, 1009)),
  ]

  /// Counts of a sensor that lies still, that moves, and of the whole range.
  private static func sample(_ kind: Int, _ scale: Fraction, _ generator: inout SeededGenerator)
    -> RawSample
  {
    func noise(_ most: UInt64) -> Int { Int(generator.next() % (2 * most + 1)) - Int(most) }
    let gravity = Int(1 / scale.value)
    var sample = RawSample()
    for channel in 0..<7 {
      let count =
        switch kind {
        case 0: noise(12) + (channel == 2 ? -gravity : channel == 6 ? -521 : 0)
        case 1: noise(3000) + (channel == 0 ? gravity : 0)
        default: noise(40_000)
        }
      sample[channel] = Int16(clamping: count)
    }
    return sample
  }

  @Test(
    "values come back as they were written, or the import says how far they are off",
    arguments: [ExportUnits.si, .gDps, .raw], [ExportFormat.csv, .ndjson])
  func values(_ units: ExportUnits, _ format: ExportFormat) throws {
    for (index, scale) in Self.scales.enumerated() {
      for kind in 0..<3 {
        var generator = SeededGenerator(seed: UInt64(100 * index + kind))
        var log = TestLog(
          TestLog.description(
            rate: hertz(100), accelerometerScale: scale.0, gyroscopeScale: scale.1))
        for tick in 0..<400 as Range<UInt64> {
          log.sample(tick, Int64(tick) * 10_000_000, Self.sample(kind, scale.0, &generator))
        }
        log.end(TickTally(sampled: 400))
        for hasNames in format == .csv ? [false, true] : [false] {
          var options = ExportOptions(format: format, units: units)
          options.hasUnitNames = hasNames
          let text = try log.export(options)
          let place = "scale \(index), motion \(kind), names \(hasNames)"
          let request = Imports.given(units: hasNames && units != .raw ? nil : units.rawValue)
          let importer = try Imports.csv(text, request)
          let remarks = importer.remarks
          let again = try TestLog.export(Imports.log(importer), options).text
          let isSaid = remarks.contains { $0.contains(" off") }
          #expect(again == text || isSaid, "\(place): \(remarks)")
          #expect(index >= 8 || !isSaid, "\(place): \(remarks)")
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("Options that a format has no place for")
struct UnsupportedOptionTests {
  /// Whether a format takes an option is in its help, which has a test of its own.
  private static let options: [(ExportOption, @Sendable (inout ExportOptions) -> Void)] = [
    (.fill, { $0.fill = .hold }), (.gaps, { $0.gaps = .rows }), (.labels, { $0.hasLabels = true }),
    (.analysis, { $0.hasAnalysis = true }), (.hmacKeyFile, { $0.hmacKey = [1] }),
    (.unitNames, { $0.hasUnitNames = true }), (.orientation, { $0.hasOrientation = true }),
    (.linear, { $0.hasLinear = true }),
  ]

  private func expectRefusal(_ option: String, _ options: ExportOptions) {
    #expect(throws: ExportError.optionNotSupported(option: option, format: options.format)) {
      try TestLog.ramp(TestLog.description(rate: hertz(100)), [1, -2, 3]).export(options)
    }
  }

  @Test("are refused by their name", arguments: ExportFormat.allCases)
  func refused(_ format: ExportFormat) {
    for (option, set) in Self.options where !format.takes(option) {
      expectRefusal("--" + option.rawValue, ExportOptions(format: format).with(set))
    }
  }

  @Test("are units, where a format has its own")
  func units() {
    for format in [ExportFormat.gcsv, .kalibr] {
      expectRefusal("--units", ExportOptions(format: format, units: .si))
    }
    expectRefusal("--units", ExportOptions(format: .gyrodata, units: .si, channels: .accel))
    expectRefusal("--units", ExportOptions(format: .raw, units: .raw))
    expectRefusal("--units si", ExportOptions(format: .mseed, units: .si))
    for format in [ExportFormat.edgeImpulse, .mcap] {
      expectRefusal("--units raw", ExportOptions(format: format, units: .raw))
      expectRefusal("--units g-dps", ExportOptions(format: format, units: .gDps))
    }
  }
}

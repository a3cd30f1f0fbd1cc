// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("Options that a format has no place for")
struct UnsupportedOptionTests {
  struct Option: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Those that have it.
    let formats: [ExportFormat]
    let set: @Sendable (inout ExportOptions) -> Void
  }

  static let options: [Option] = [
    Option(testDescription: "--fill", formats: [.gyrodata, .edgeImpulse]) { $0.fill = .hold },
    Option(testDescription: "--gaps", formats: [.parquet, .csv, .ndjson, .raw]) { $0.gaps = .rows },
    Option(testDescription: "--labels", formats: [.parquet, .csv, .ndjson]) { $0.hasLabels = true },
    Option(testDescription: "--analysis", formats: [.html]) { $0.hasAnalysis = true },
    Option(testDescription: "--hmac-key-file", formats: [.edgeImpulse]) { $0.hmacKey = [1] },
    Option(testDescription: "--unit-names", formats: [.csv]) { $0.hasUnitNames = true },
    Option(
      testDescription: "--orientation", formats: [.json, .ndjson, .csv, .parquet, .mcap, .html]
    ) { $0.hasOrientation = true },
    Option(testDescription: "--linear", formats: [.json, .ndjson, .csv, .parquet]) {
      $0.hasLinear = true
    },
  ]

  private func expectRefusal(_ option: String, _ options: ExportOptions) {
    #expect(throws: ExportError.optionNotSupported(option: option, format: options.format)) {
      try TestLog.ramp(TestLog.description(rate: hertz(100)), [1, -2, 3]).export(options)
    }
  }

  @Test("are refused by their name", arguments: options)
  func refused(_ option: Option) {
    for format in ExportFormat.allCases where !option.formats.contains(format) {
      expectRefusal(option.testDescription, ExportOptions(format: format).with(option.set))
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

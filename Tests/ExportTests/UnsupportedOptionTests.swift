// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("Options that a format has no place for")
struct UnsupportedOptionTests {
  private typealias Setting = @Sendable (inout ExportOptions) -> Void

  /// Whether a format takes an option is in its help, which has a test of its own.
  private static let options: [(ExportOption, Setting)] = [
    (.fill, { $0.fill = .hold }), (.gaps, { $0.gaps = .rows }), (.labels, { $0.hasLabels = true }),
    (.analysis, { $0.hasAnalysis = true }), (.hmacKeyFile, { $0.hmacKey = [1] }),
    (.unitNames, { $0.hasUnitNames = true }), (.orientation, { $0.hasOrientation = true }),
    (.linear, { $0.hasLinear = true }), (.time, { $0.time = .utc }),
    (.preamble, { $0.hasPreamble = true }), (.uncertainty, { $0.hasUncertainty = true }),
    (.grid, { $0.isResampled = true }), (.take, { $0.takeDelay = 0 }),
  ]

  private func expectNoPlace(_ option: String, _ options: ExportOptions) {
    #expect(throws: ExportError.optionNotSupported(option: option, format: options.format)) {
      try TestLog.ramp(TestLog.description(rate: hertz(100)), [1, -2, 3]).export(options)
    }
  }

  @Test("are refused by their name", arguments: ExportFormat.allCases)
  func refused(_ format: ExportFormat) {
    for (option, set) in Self.options where !format.takes(option) {
      expectNoPlace("--" + option.rawValue, ExportOptions(format: format).with(set))
    }
    guard !format.takes(.follow) else { return }
    #expect(throws: ExportError.optionNotSupported(option: "--follow", format: format)) {
      try TestLog().follow(ExportOptions(format: format))
    }
  }

  @Test(
    "are refused together where one leaves no place for the other",
    arguments: [
      ("--gaps rows", "--grid"), ("--orientation", "--grid"), ("--linear", "--grid"),
      ("--labels", "--follow"), ("--preamble", "--follow"), ("--time utc", "--follow"),
      ("--gaps rows", "--follow"), ("--orientation", "--follow"), ("--uncertainty", "--follow"),
      ("--grid", "--follow"), ("--grid", "--units raw"),
      ("--take", "--preamble"), ("--take", "--analysis"),
    ] as [(String, String)])
  func together(_ one: String, _ other: String) {
    var options = ExportOptions(
      format: other == "--analysis" ? .html : .csv, units: other == "--units raw" ? .raw : nil)
    for (option, set) in Self.options {
      for name in [one, other] where name.hasPrefix("--" + option.rawValue) { set(&options) }
    }
    expectRefusal("\(one) does not go with \(other): ") {
      guard other == "--follow" else { return _ = try TestLog().export(options) }
      try TestLog().follow(options)
    }
  }

  @Test("are units, where a format has its own")
  func units() {
    for format in [ExportFormat.gcsv, .kalibr] {
      expectNoPlace("--units", ExportOptions(format: format, units: .si))
    }
    expectNoPlace("--units", ExportOptions(format: .gyrodata, units: .si, channels: .accel))
    expectNoPlace("--units", ExportOptions(format: .raw, units: .raw))
    expectNoPlace("a time range", ExportOptions(format: .raw, from: 5))
    expectNoPlace("--channels", ExportOptions(format: .raw, channels: .gyro))
    expectNoPlace("--units si", ExportOptions(format: .mseed, units: .si))
    for format in [ExportFormat.edgeImpulse, .mcap] {
      expectNoPlace("--units raw", ExportOptions(format: format, units: .raw))
      expectNoPlace("--units g-dps", ExportOptions(format: format, units: .gDps))
    }
  }
}

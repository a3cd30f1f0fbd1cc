// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

/// A command as a user types it, or as a refusal prints it.
struct ImportLine {
  var paths: [String] = []
  var request = ImportRequest(id: RecordingID(high: 1, low: 2))
  var format: FileKind?

  /// The words after `imulog import`.
  init(_ text: String) throws {
    var words = ImportLine.words(text)[...]
    func value() throws -> String {
      let next = words.popFirst()
      return try #require(next, "\(text) has no value")
    }
    while let word = words.popFirst() {
      switch word {
      case "--columns":
        request.columns = try #require(ColumnsOption(value()), "\(text)") as ColumnsOption
      case "--units": request.units = try #require(UnitsOption(value()), "\(text)") as UnitsOption
      case "--rate":
        // The place for a rate, which only the user knows.
        let rate = try value()
        request.rate =
          try #require(SampleRate(decimal: rate == "HZ" ? "100" : rate), "\(text)") as SampleRate
      case "--accel-lsb-per-g":
        request.accelerometerScale =
          try #require(ImportRequest.scale(countsPerUnit: value())) as Fraction
      case "--gyro-lsb-per-dps":
        request.gyroscopeScale =
          try #require(ImportRequest.scale(countsPerUnit: value())) as Fraction
      case "--note": request.note = try value()
      case "--each": request.isEach = true
      case "--sort": request.isSorted = true
      case "--anyway": request.isAnyway = true
      case "--format": format = FileKind(rawValue: try value())
      default:
        #expect(!word.hasPrefix("--"), "\(text)")
        paths.append(word)
      }
    }
  }

  /// The words of a shell.
  private static func words(_ text: String) -> [String] {
    var (words, word, isQuoted, isBegun): ([String], String, Bool, Bool) = ([], "", false, false)
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "'": (isQuoted, isBegun) = (!isQuoted, true)
      case "\\" where !isQuoted: word.append(rest.popFirst() ?? "\\")
      case " " where !isQuoted:
        if isBegun { words.append(word) }
        (word, isBegun) = ("", false)
      default:
        word.append(character)
        isBegun = true
      }
    }
    return isBegun ? words + [word] : words
  }

  /// Imports every recording of the file: how many samples each has.
  func run(in folder: String) throws(ImportError) -> [ImportedRecording.Result] {
    let paths = paths.map { $0.hasPrefix("/") ? $0 : folder + "/" + $0 }
    let kind = try ImportedRecording.kind(of: paths[0], given: format)
    let first = try ImportedRecording(paths, kind, request)
    guard request.isEach else { return [try first.result()] }
    var results: [ImportedRecording.Result] = []
    for session in first.understandings[0].sessions.indices {
      results.append(try first.another(session: session, id: request.id).result())
    }
    return results
  }
}

extension ImportedRecording {
  /// An import, for tests.
  struct Result {
    let summary: String
    let remarks: [String]
    let clockPairs: [ClockPair]
    /// The mean of each channel in g, °/s, °C.
    let means: [Double]
    let times: [Int64]
  }

  consuming func result() throws(ImportError) -> Result {
    var (sums, times) = ([Double](repeating: 0, count: 7), [Int64]())
    while let record = try next() {
      guard record.kind == .sample else { continue }
      times.append(record.time)
      for channel in 0..<7 { sums[channel] += Double(record.sample[channel]) }
    }
    let sensor = description.sensor
    let means = sums.enumerated().map { channel, sum in
      let mean = sum / Double(times.count)
      return channel < 3
        ? mean * sensor.accelerometerScale.value
        : channel < 6
          ? mean * sensor.gyroscopeScale.value
          : mean * sensor.temperatureScale.value + sensor.temperatureOffset.value
    }
    return Result(
      summary: summary, remarks: remarks, clockPairs: clockPairs, means: means, times: times)
  }
}

/// A command, what it is answered, and what the command of the answer imports.
struct Field: CustomTestStringConvertible {
  let line: String
  /// Parts of the refusal, in their order; empty where the file is imported.
  let asked: [String]
  /// What each recording has; empty where a person must decide.
  let summaries: [String]
  /// Means in g and °/s, by channel, to a hundredth.
  var means: [Int: Double] = [:]
  var started: String?
  var testDescription: String { line }

  init(
    _ line: String, asked: [String] = [], _ summaries: [String], means: [Int: Double] = [:],
    started: String? = nil
  ) {
    (self.line, self.asked, self.summaries) = (line, asked, summaries)
    (self.means, self.started) = (means, started)
  }

  static let all: [Field] = [
    Field(
      "bno08x-ms2.csv",
      asked: [
        "in which unit time and acc_x, acc_y, acc_z are", "50 Hz in s, 50000 Hz in ms",
        "0.996 g in m/s2", "--units s,m/s2",
      ],
      ["40 samples at 50 Hz for 0.78 s, no gaps by its times"], means: [2: 0.995]),
    Field(
      "savetxt-gyro-counts.csv --rate 100",
      asked: ["as counts at 131", "--units raw --rate 100"],
      ["30 samples at 100 Hz for 0.29 s, no gaps"], means: [3: -0.222, 4: 0.093]),
    Field(
      "counts-with-point-zero.csv --units raw",
      ["30 samples at 100 Hz for 0.29 s, no gaps by its times"],
      means: [2: 1.001, 3: -0.232]),
    Field(
      "e4-ACC.csv", ["64 samples at 32 Hz for 1.968 s, no gaps"], means: [0: -0.527, 2: 0.747],
      started: "2023-11-14T22:13:20Z"),
    Field(
      "e4-ACC.csv --columns ax=1,ay=2,az=3 --rate 32", ["64 samples at 32 Hz for 1.968 s, no gaps"],
      means: [2: 0.747], started: "2023-11-14T22:13:20Z"),
    Field(
      "e4-ACC-without-start.csv --columns ax=1,ay=2,az=3 --rate 32",
      asked: ["the first row repeats 32.000000", "as tail -n +2 does", "--anyway"], []),
    Field(
      "integer-mg.csv", asked: ["1 g in mg", "0.0611 g as counts at 16384", "--units mg,deg/s"],
      ["40 samples at 17.5439 Hz for 2.223 s, no gaps by its times"], means: [0: 0.741, 2: 0.541],
      started: "2025-02-03T09:30:15Z"),
    Field(
      "integer-mg.csv --units raw",
      asked: ["0.0611 g at 16384 counts a g", "1 g in mg", "--anyway"], []),
    Field(
      "millis-1hz.csv", asked: ["in us, 0.999 Hz in ms", "--units"],
      ["60 samples at 1000 Hz for 0.059 s, no gaps by its times"]),
    Field(
      "millis-1hz.csv --rate 1", asked: ["0.999 Hz in ms", "--units ms,g --rate 1"],
      ["60 samples at 1 Hz for 59 s, no gaps by its times"], means: [2: 0.998]),
    Field(
      "row-number-as-time.csv",
      asked: ["1000 Hz in ms, 1 Hz in s"],
      ["60 samples at 1000 Hz for 0.059 s, no gaps by its times"]),
    Field(
      "row-number-as-time.csv --rate 50",
      asked: [
        "no unit makes 50 Hz of steps of 1: leave the column out",
        "--columns ax=2,ay=3,az=4 --units g --rate 50",
      ],
      ["60 samples at 50 Hz for 1.18 s, no gaps"]),
    Field(
      "g-radps-own-names.csv",
      asked: ["1.58 °/s in deg/s, 90.2 °/s in rad/s", "--units s,g,deg/s"],
      ["60 samples at 20 Hz for 2.95 s, no gaps by its times"]),
    Field(
      "g-radps-own-names.csv --units s,g,rad/s",
      ["60 samples at 20 Hz for 2.95 s, no gaps by its times"],
      means: [1: 0.537]),
    Field(
      "loop-jitter-100hz.csv", asked: ["--units s,g"],
      ["800 samples at 100.6667 Hz for 7.931 s, no gaps by its times"]),
    Field(
      "loop-jitter-100hz.csv --units s,g --rate 98",
      ["800 samples at 98 Hz for 7.931 s, no gaps by its times"]),
    Field(
      "loop-jitter-100hz.csv --units s,g --rate 100",
      ["800 samples at 100 Hz for 7.931 s, no gaps by its times"]
    ),
    Field(
      "loop-jitter-100hz.csv --units s,g --rate 102",
      ["800 samples at 102 Hz for 7.931 s, no gaps by its times"]
    ),
    Field(
      "loop-period-step.csv", asked: ["--units g"],
      ["300 samples at 73.5 Hz for 4.066 s, no gaps by its times"]),
    Field(
      "late-sawtooth-1khz.csv", asked: ["--units s,g"],
      ["300 samples at 1000 Hz for 0.298 s, no gaps by its times"]),
    Field(
      "openlog-two-midnights.TXT",
      ["60 samples at 10 Hz for 86405.9 s, 1 gap of 864000 ticks by its times"],
      means: [2: 1.0], started: "2021-03-21T23:59:57Z"),
    Field(
      "time-of-day-decimal-comma.txt", asked: ["what \"Device name\" is"],
      ["40 samples at 10.4167 Hz for 3.744 s, no gaps by its times"],
      means: [2: 1.001, 3: 0.073]),
    Field(
      "time-of-day-decimal-comma.txt --columns time=Time,ax=4,ay=5,az=6,gx=7,gy=8,gz=9",
      ["40 samples at 10.4167 Hz for 3.744 s, no gaps by its times"], means: [2: 1.001, 3: 0.073]),
    Field(
      "units-in-names.csv", ["40 samples at 100 Hz for 0.39 s, no gaps by its times"],
      means: [2: 1.0, 5: -0.321]),
    Field(
      "crcrlf.csv", asked: ["--units ms,g"],
      ["30 samples at 100 Hz for 0.29 s, no gaps by its times"]),
    Field(
      "klipper-mm-per-s2.csv", ["60 samples at 3200 Hz for 0.018 s, no gaps by its times"],
      means: [1: 0.967]),
    Field("klipper-mm-per-s2.csv --units m/s2", asked: ["mm/s²", "Klipper", "--anyway"], []),
    Field(
      "klipper-mm-per-s2.csv --units m/s2 --anyway",
      ["60 samples at 3200 Hz for 0.018 s, no gaps by its times"],
      means: [1: 966.926]),
    Field(
      "latin1-units.csv", ["30 samples at 100 Hz for 0.29 s, no gaps by its times"],
      means: [2: 1.003]),
    Field(
      "header-again.csv", asked: ["holds 2 recordings: lines 2–41, 43–72", "--units ms,g --each"],
      [
        "40 samples at 50 Hz for 0.78 s, no gaps by its times",
        "30 samples at 50 Hz for 0.58 s, no gaps by its times",
      ]),
    Field(
      "gestures-blank-lines.csv --rate 119",
      asked: [
        "holds 3 recordings: lines 2–120, 122–240, 242–360", "--units g,deg/s --rate 119 --each",
      ],
      [String](repeating: "119 samples at 119 Hz for 0.991 s, no gaps", count: 3)),
    Field(
      "zone-after-blank.csv", asked: ["in which unit acc_x, acc_y, acc_z are", "--units g"],
      ["30 samples at 50 Hz for 0.58 s, no gaps by its times"], means: [2: 0.996],
      started: "2021-01-01T11:05:30Z"),
    Field(
      "rows-longer-than-header.csv --rate 256 --columns ax=5,ay=6,az=7,gx=2,gy=3,gz=4",
      ["40 samples at 256 Hz for 0.152 s, no gaps"], means: [2: 0.999, 3: 0.182]),
    Field(
      "first-row-zeros.csv", asked: ["100 Hz in s", "--units s,unix,g"],
      ["60 samples at 100 Hz for 0.589 s, no gaps by its times"], means: [2: -0.888]),
  ]
}

@Suite("Tables from the field")
struct FieldTests {
  static let folder = String(#filePath.dropLast("FieldTests.swift".count)) + "Field"

  @Test("are imported, or asked about with a command that imports them", arguments: Field.all)
  func imported(_ field: Field) throws {
    var line = try ImportLine(field.line)
    var results: [ImportedRecording.Result] = []
    do throws(ImportError) {
      results = try line.run(in: Self.folder)
      #expect(field.asked.isEmpty)
    } catch {
      var rest = "\(error)"[...]
      #expect(!field.asked.isEmpty, "\(error)")
      for words in field.asked {
        guard let parts = rest.parts(around: words) else {
          Issue.record("\(words) is not in \(error)")
          break
        }
        rest = parts.after
      }
      guard !field.summaries.isEmpty else { return }
      #expect(error.kind == .unclear, "\(error)")
      let printed = try #require("\(error)".parts(around: "If that is right: ")?.after)
      let command = try #require(
        printed.split(separator: "\n").first?.parts(around: "imulog import ")?.after)
      line = try ImportLine(String(command))
      results = try line.run(in: Self.folder)
    }
    #expect(results.map(\.summary) == field.summaries)
    for (channel, mean) in field.means { #expect(abs(results[0].means[channel] - mean) < 0.01) }
    if let started = field.started {
      #expect(results[0].clockPairs.map { RFC3339.text(nanoseconds: $0.wall) } == [started])
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Foundation
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("Edge Impulse's documents")
struct EdgeImpulseTests {
  /// 2025-11-22T08:26:40.9Z at tick 0, 10 Hz; ticks 0…2, 5…6 and 9 have samples.
  private static func log(
    _ channels: ChannelSet = .accelerometer, ticks: [UInt64] = [0, 1, 2, 5, 6, 9]
  ) -> TestLog {
    var log = TestLog(TestLog.description(channels: channels))
    log.clock(0, wall: 1_763_800_000_900_000_000, synchronised: true)
    var next: UInt64 = 0
    for tick in ticks {
      if tick > next { log.gap(next, tick - next, .missed) }
      let count = Int16(tick)
      log.sample(
        tick, Int64(tick) * 100_000_000,
        RawSample(
          ax: 16384 * (count % 2), ay: -count, az: -32768, gx: 131, gy: -7 * count, gz: 32767,
          temperature: 340))
      next = tick + 1
    }
    log.end(TickTally(sampled: UInt64(ticks.count)))
    return log
  }

  private static func options(
    fill: ExportFill? = nil, key: String? = nil, labels: [RecordingLabel] = []
  ) -> ExportOptions {
    var options = ExportOptions(format: .edgeImpulse)
    (options.fill, options.hmacKey, options.labels) = (fill, key.map { Array($0.utf8) }, labels)
    return options
  }

  private static let zeros = String(repeating: "0", count: 64)

  @Test("an unsigned document has the interval, the sensors and their units, and a row a sample")
  func document() throws {
    let text = try Self.log(ticks: [0, 1, 2]).export(Self.options())
    #expect(
      text
        == #"{"protected":{"ver":"v1","alg":"none","iat":1763800000},"signature":"\#(Self.zeros)","#
        + #""payload":{"device_name":"lab","device_type":"imulog","interval_ms":100,"#
        + #""sensors":[{"name":"accX","units":"m/s2"},{"name":"accY","units":"m/s2"},"#
        + #"{"name":"accZ","units":"m/s2"}],"#
        + #""values":[[0.0,0.0,-19.6133],[9.80665,-0.000599,-19.6133],[0.0,-0.001197,-19.6133]]}}"#)
  }

  @Test("rates are in rad/s, and temperatures in degrees Celsius")
  func allChannels() throws {
    let text = try Self.log(.all, ticks: [1]).export(Self.options())
    #expect(
      text.contains(#"{"name":"gyrZ","units":"rad/s"},{"name":"temperature","units":"Cel"}]"#))
    #expect(
      text.hasSuffix(
        #""values":[[9.80665,-0.000599,-19.6133,0.017453,-0.000933,4.365588,37.53]]}}"#))
  }

  @Test(
    "intervals are the period in milliseconds, in the fewest digits",
    arguments: [
      (hertz(1000), "1"), (hertz(104), "9.615384615384615"), (hertz(25, per: 2), "80"),
      (hertz(1, per: 10), "10000"),
    ])
  func intervals(_ rate: SampleRate, _ interval: String) throws {
    var log = TestLog(TestLog.description(channels: .accelerometer, rate: rate))
    log.sample(0, 0, RawSample())
    #expect(try log.export(Self.options()).contains(#""interval_ms":\#(interval),"#))
  }

  @Test("the signature is the code of the bytes with zeros in its place")
  func signature() throws {
    let text = try Self.log(ticks: Array(0..<3000)).export(Self.options(key: "secret"))
    let place = try #require(text.range(of: #""signature":""#)).upperBound
    let signature = text[place...].prefix(64)
    #expect(signature != Self.zeros)
    let unsigned = text.replacingOccurrences(of: signature, with: Self.zeros)
    var code = HMACSHA256(key: Array("secret".utf8))
    Array(unsigned.utf8).withUnsafeBytes { code.add($0) }
    #expect(code.code.description == signature)
    #expect(text.contains(#""alg":"HS256""#))
    let plain = try Self.log(ticks: Array(0..<3000)).export(Self.options())
    #expect(unsigned == plain.replacingOccurrences(of: #""none""#, with: #""HS256""#))
  }

  @Test("ticks without a sample are refused, repeated, or left out")
  func gaps() throws {
    #expect(throws: ExportError.ticksMissing(count: 4, format: .edgeImpulse)) {
      try Self.log().export(Self.options())
    }
    func second(_ fill: ExportFill) throws -> (values: [String], remarks: [String]) {
      let (text, report) = try TestLog.export(Self.log().bytes(), Self.options(fill: fill))
      let rows = text.components(separatedBy: #""values":[["#)[1].components(separatedBy: "],[")
      return (rows.map { $0.components(separatedBy: ",")[1] }, report.remarks)
    }
    let held = try second(.hold)
    #expect(
      held.values == [
        "0.0", "-0.000599", "-0.001197", "-0.001197", "-0.001197", "-0.002993", "-0.003591",
        "-0.003591", "-0.003591", "-0.005387",
      ])
    #expect(held.remarks == ["4 ticks without a sample repeat the sample before"])
    let left = try second(.leaveOut)
    #expect(
      left.values == ["0.0", "-0.000599", "-0.001197", "-0.002993", "-0.003591", "-0.005387"])
    #expect(
      left.remarks == ["4 ticks without a sample are left out: samples after them come too early"])
  }

  @Test("a range between two gaps needs no fill; a range without samples is an empty document")
  func ranges() throws {
    var options = Self.options()
    (options.from, options.to) = (500_000_000, 700_000_000)
    #expect(try Self.log().export(options).contains(#""values":[[9.80665,-0.002993,"#))
    (options.from, options.to) = (300_000_000, 400_000_000)
    // A document without values is none that Edge Impulse takes.
    #expect(throws: ExportError.noSamples(.edgeImpulse)) { try Self.log().export(options) }
  }

  private func pieces(_ log: TestLog, _ options: ExportOptions) throws
    -> (files: [String: String], report: Exporter.Report)
  {
    let directory = TemporaryDirectory()
    let path = "\(directory.path)/walk"
    var reader = try LogReader(TestLog.storage(log.bytes()))
    let report: Exporter.Report
    do {
      let pending = try PendingDirectory(path + "/")
      report = try Exporter(options).write(&reader, into: pending)
      try pending.publish()
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["walk"])
    return (
      try Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8))
        }),
      report
    )
  }

  @Test("a directory has a file for each part without gaps, each signed and dated by its own")
  func directory() throws {
    let (files, report) = try pieces(Self.log(), Self.options(key: "k"))
    #expect(Set(files.keys) == ["walk.1.json", "walk.2.json", "walk.3.json"])
    #expect(report.samples == 6)
    #expect(report.remarks == ["3 parts without gaps, each a file"])
    let ranges: [(String, Int64, Int64)] = [
      ("walk.1.json", 0, 300_000_000), ("walk.2.json", 500_000_000, 700_000_000),
      ("walk.3.json", 900_000_000, 1_000_000_000),
    ]
    for (name, from, to) in ranges {
      let options = Self.options(key: "k").with { ($0.from, $0.to) = (from, to) }
      let whole = try Self.log().export(options)
      #expect(files[name] == whole)
    }
    #expect(files["walk.2.json"]?.contains(#""iat":1763800001}"#) == true)
  }

  @Test(
    "the date is that of the first row, wherever the range begins",
    arguments: [
      (-3_600_000_000_000, 1_763_800_000), (0, 1_763_800_000), (1_950_000_000, 1_763_800_002),
    ])
  func dateOfRange(from: Int64, seconds: Int) throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.clock(0, wall: 1_763_800_000_000_000_000, synchronised: true)
    log.samples(0..<30) { _ in RawSample(ax: 3, ay: -4, az: 5) }
    log.end(TickTally(sampled: 30))
    let options = Self.options().with { $0.from = from }
    #expect(try log.export(options).contains("\"iat\":\(seconds)}"))
  }

  @Test("a date beyond 64 bits of nanoseconds is left out")
  func date() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.clock(0, wall: .max - 5_000_000_000, synchronised: true)
    log.samples(0..<200) { _ in RawSample(ax: 3, ay: -4, az: 5) }
    log.end(TickTally(sampled: 200))
    var options = Self.options()
    options.from = 1_000_000_000
    #expect(try log.export(options).contains(#""iat":9223372032}"#))
    options.from = 10_000_000_000
    #expect(try !log.export(options).contains("iat"))
  }

  @Test("every sample of every file has a label, by its number in the file; both ends are inside")
  func labels() throws {
    let labels = [
      try RecordingLabel("step", from: 100_000_000, to: 550_000_000),
      try RecordingLabel("left", from: 100_000_001, to: 250_000_000),
      try RecordingLabel("late", from: 600_000_000, to: 9_000_000_000),
    ]
    let (files, _) = try pieces(Self.log(), Self.options(labels: labels))
    #expect(
      files["structured_labels.labels"]
        == #"{"version":1,"type":"structured-labels","structuredLabels":{"#
        + #""walk.1.json":[{"startIndex":0,"endIndex":0,"label":"none"},"#
        + #"{"startIndex":1,"endIndex":1,"label":"step"},"#
        + #"{"startIndex":2,"endIndex":2,"label":"left;step"}],"#
        + #""walk.2.json":[{"startIndex":0,"endIndex":0,"label":"step"},"#
        + #"{"startIndex":1,"endIndex":1,"label":"late"}],"#
        + #""walk.3.json":[{"startIndex":0,"endIndex":0,"label":"late"}]}}"#)
  }

  @Test("labels without a sample are counted: in a gap, between two samples, after the last one")
  func emptyLabels() throws {
    let full = [
      try RecordingLabel("one", from: 900_000_000, to: 900_000_001),
      try RecordingLabel("all", from: 0, to: 9_000_000_000),
    ]
    func remarks(_ labels: [RecordingLabel]) throws -> [String] {
      try pieces(Self.log(), Self.options(labels: labels)).report.remarks
    }
    #expect(try !remarks(full).contains { $0.contains("left out") })
    let empty = [
      try RecordingLabel("gap", from: 210_000_000, to: 500_000_000),
      try RecordingLabel("between", from: 100_000_001, to: 200_000_000),
      try RecordingLabel("late", from: 900_000_001, to: 950_000_000),
    ]
    #expect(try remarks(full + empty).contains("3 labels have no sample, and are left out"))
    #expect(try remarks([empty[0]]).contains("1 label has no sample, and is left out"))
  }

  @Test("samples without a label have another name where a label is called none")
  func labelNone() throws {
    let labels = [try RecordingLabel("none", from: 100_000_000, to: 200_000_000)]
    let (files, report) = try pieces(Self.log(), Self.options(labels: labels))
    #expect(
      files["structured_labels.labels"]?.contains(
        #""walk.1.json":[{"startIndex":0,"endIndex":0,"label":"no label"},"#
          + #"{"startIndex":1,"endIndex":1,"label":"none"},"#
          + #"{"startIndex":2,"endIndex":2,"label":"no label"}]"#) == true)
    #expect(
      report.remarks.contains { $0.contains("samples without a label are called \"no label\"") })
  }

  @Test("times that are not even are told: late samples, and an import whose clock drifts")
  func unevenTimes() throws {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.sample(0, 5_000_000, RawSample())
    log.sample(1, 101_234_567, RawSample())
    let (_, report) = try TestLog.export(log.bytes(), Self.options())
    #expect(
      report.remarks == [
        "edge-impulse has a rate and no times: samples are up to 3.766 ms from where it puts them"
      ])
  }
}

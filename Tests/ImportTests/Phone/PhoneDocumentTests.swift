// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Import of the phone apps' recordings")
struct PhoneDocumentTests {
  static let first = """
    {"identifier":"1B4E28BA-2FA1-41D2-883F-0016D3CCA427","dataType":0,"coordinateList":[\
    {"x":0.5,"y":-1,"z":1.99},{"x":0,"y":0.00006,"z":-1.5}],\
    "date":816921487.5,"duration":0.2}
    """
  static let second = """
    {"sensor":1,"date":816921487.5,"time":0.3,"axisValues":[\
    {"x":1,"y":0,"z":-1},{"x":0.5,"y":0.25,"z":0},{"x":0,"y":0,"z":4.36}]}
    """

  private static func open(_ text: String, rate: SampleRate? = nil) throws(ImportError)
    -> ImportedRecording
  {
    var request = ImportRequest(id: RecordingID(high: 1, low: 2))
    request.rate = rate
    return try ImportedRecording(ByteSource(text, piece: 7), request)
  }

  private static func sentence(_ text: String) -> String {
    do throws(ImportError) {
      _ = try open(text)
      return "taken"
    } catch {
      return "\(error)"
    }
  }

  @Test("the first shape is dated at its last sample, and has the app's 10 Hz")
  func firstShape() throws {
    var recording = try Self.open(Self.first)
    let description = recording.description
    #expect(description.channels == .accelerometer && description.rate == SampleRate(10))
    #expect(recording.clockPairs.map(\.wallAtStart) == [1_795_228_687_400_000_000])
    let step = description.sensor.accelerometerScale.value
    let values = [[0.5, -1, 1.99], [0, 0.00006, -1.5]]
    for (row, expected) in values.enumerated() {
      let record = try #require(try recording.next())
      #expect(record.time == Int64(row) * 100_000_000)
      for (channel, value) in expected.enumerated() {
        #expect(abs(Double(record.sample[channel]) * step - value) <= 0.5 * step + 1e-12)
      }
    }
    let end = try recording.next()
    #expect(end == nil)
  }

  @Test("the second shape is dated at its first sample, in rad/s")
  func secondShape() throws {
    var recording = try Self.open(Self.second)
    #expect(recording.description.channels == .gyroscope)
    #expect(recording.clockPairs.map(\.wallAtStart) == [1_795_228_687_500_000_000])
    let step = recording.description.sensor.gyroscopeScale.value * .pi / 180
    let record = try #require(try recording.next())
    #expect(
      abs(Double(record.sample.gx) * step - 1) < 1e-6
        && abs(Double(record.sample.gz) * step + 1) < 1e-6)
  }

  @Test("the duration gives the rate where it is not that of 10 Hz, and an option before it")
  func rates() throws {
    let list = (1...4).map { "{\"x\":\($0),\"y\":0,\"z\":0}" }.joined(separator: ",")
    for (duration, rate) in [
      ("0.4", SampleRate(10)), ("0.39", SampleRate(10)), ("4", SampleRate(1)),
      ("0.004", SampleRate(1000)),
      ("0.3", SampleRate(13_333, per: 1000)),
    ] {
      for text in [
        "{\"dataType\":0,\"coordinateList\":[\(list)],\"duration\":\(duration)}",
        "{\"sensor\":0,\"time\":\(duration),\"axisValues\":[\(list)]}",
      ] {
        #expect(try Self.open(text).description.rate == rate)
        #expect(try Self.open(text, rate: SampleRate(30)).description.rate == SampleRate(30))
      }
    }
    let silent = try Self.open("{\"sensor\":0,\"axisValues\":[\(list)]}")
    #expect(
      silent.remarks.contains(
        "file: it does not say how long it took: 10 Hz is what the app asks for; state another rate with --rate"
      ))
  }

  @Test("documents that the apps do not write are refused with the place")
  func refused() {
    let sample = #"{"x":1,"y":0,"z":0}"#
    for (text, words) in [
      (#"{"sensor":0,"axisValues":[]}"#, "has no samples"),
      (
        #"{"sensor":2,"axisValues":[\#(sample)]}"#,
        "\"sensor\" is not 0 (accelerometer) or 1 (gyroscope)"
      ),
      (#"{"axisValues":[\#(sample)]}"#, "\"sensor\" is not 0"),
      (
        #"{"sensor":0,"axisValues":[{"x":1,"y":"a","z":0}]}"#,
        "sample 1, \"y\": \"a\" is not a number"
      ),
      (
        #"{"sensor":0,"axisValues":[\#(sample),7]}"#,
        "a sample is a number where an object with a time and values must be"
      ),
      (#"{"sensor":0,"axisValues":[\#(sample)"#, "the file ends inside a value or a list"),
      (
        #"{"sensor":0,"axisValues":[\#(sample)],"time":0}"#,
        "its duration makes no rate: state it with --rate"
      ),
      (#"{"sensor":0,"axisValues":[\#(sample)],"date":1e19}"#, "\"date\" is not a date"),
      (#"{"sensor":0,"axisValues":[\#(sample)]} x"#, "this is not JSON"),
    ] {
      let sentence = Self.sentence(text)
      #expect(sentence.contains(words), "\(sentence)")
    }
  }
}

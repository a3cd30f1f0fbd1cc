// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Import
import LogStore
import Recorder
import Text

/// Texts of people and of other programs; what is read is written as it is read back:
///
///     kind 0   │ a length of time, an instant, a rate, an amount, axes, units, columns
///     kind 1   │ a file of labels: its lines, or from 0x80 on with checks of their own
///     kind 2   │ a file of a calibration
///     kind 3   │ a configuration
///     kind 4   │ a request to the service, or its answer
public final class TextTarget: FuzzTarget {
  /// `texts`.
  public static let name = "texts"

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let kind = input.first else { return }
    let bytes = Array(input.dropFirst())
    let text = String(decoding: bytes, as: UTF8.self)
    do {
      switch (kind & 0x7F) % 5 {
      case 0: TextTarget.numbers(text)
      case 1:
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
        TextTarget.labels(kind & 0x80 == 0 ? lines.flatMap(CheckedLine.line) : bytes)
      case 2:
        let file = try SensorCalibration(bytes, ofFile: "fuzz").fileText
        let again = try SensorCalibration(Array(file.utf8), ofFile: "fuzz")
        precondition(again.fileText == file, "another calibration")
      case 3:
        _ = try RecorderConfiguration(text: bytes, file: "fuzz", boards: ["simulator"])
      default:
        if text.hasPrefix("{") { return try TextTarget.answer(text) }
        let request = try ControlRequest(line: text)
        let again = try ControlRequest(line: request.line)
        precondition(again == request, "another request")
      }
    } catch {
      precondition(!"\(error)".unicodeScalars.contains(where: ForeignText.isObeyed), "\(error)")
    }
  }

  private static func numbers(_ text: String) {
    if let time = SpanText.time(text) {
      precondition(SpanText.time(SpanText.text(time: time)) == time, "another time")
    }
    if let instant = RFC3339.nanoseconds(text) {
      precondition(RFC3339.nanoseconds(RFC3339.text(nanoseconds: instant)) == instant, text)
    }
    if let rate = SampleRate(decimal: text) { _ = Plain.hertz(rate) }
    if let map = AxisMap(text) { precondition(AxisMap("\(map)") == map, "another map") }
    _ = (ByteText.bytes(text), SampleRate.refusal(of: text), UnitsOption(text))
    _ = (ColumnsOption(text), LocalTime.text(seconds: Int64(text) ?? 0))
  }

  private static func labels(_ bytes: [UInt8]) {
    let list = LabelList(bytes)
    _ = (list.names, list.damageSentence)
    precondition(LabelList(list.lines).labels == list.labels, "other labels")
    let compacted = list.compacted
    precondition(LabelList(compacted).compacted == compacted, "another file of labels")
  }

  private static func answer(_ text: String) throws(ControlError) {
    let answer = try ControlAnswer(line: text)
    let again = try ControlAnswer(line: answer.line)
    precondition(again.line == answer.line, "another answer")
    if case .status(let status) = answer { _ = status.text }
  }
}

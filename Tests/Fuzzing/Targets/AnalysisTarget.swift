// SPDX-License-Identifier: Apache-2.0

import Analysis
import Calibration
import Export
import IMUModel
import LogFormat
import LogStore

/// Analyses the readable part of a log: figures and noise, a spectrogram, features of each second, or a calibration.
///
///     way, stretch or axis │ a log
public final class AnalysisTarget: FuzzTarget {
  /// `analyses`.
  public static let name = "analyses"

  private var forged = ForgedLog()

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let choice = cursor.byte()
    forged.with(&cursor) { log in
      do { try AnalysisTarget.analyse(log, choice) } catch { _ = "\(error)" }
    }
  }

  private static func analyse(_ log: UnsafeRawBufferPointer, _ choice: UInt8) throws {
    var reader = try LogReader(BytesStorage(bytes: log))
    let count = try reader.account(ofSamples: true).sampleCount
    guard count <= ExportTarget.sampleLimit else { return }
    let description = reader.description
    switch choice & 3 {
    case 0:
      let columns = try SampleColumns.read(
        &reader, from: choice & 4 == 0 ? nil : Int64(choice >> 6) * 1_000_000_000,
        to: choice & 8 == 0 ? nil : Int64(choice >> 4) * 1_000_000_000)
      let analysis = RecordingAnalysis(columns, bands: [0.5..<4, 4..<100_000])
      let report = AnalysisReport(
        number: 1, description: description, analysis: analysis, isMounted: false)
      let words = [report.subject, report.covered] + report.remarks + report.noiseReasons
      precondition(
        !(words + report.rows.flatMap(\.cells)).contains { $0.contains("nan") }, "no number")
      _ = try KalibrNoise.text(analysis, number: 1)
    case 1:
      let axis = Int(choice >> 4)
      let spectrogram = try Spectrogram(
        try SampleColumns.read(&reader), of: axis < 6 ? .channel(axis) : .magnitude)
      SpectrogramDrawing(spectrogram, number: 1).write { (text: String) in
        precondition(!text.contains("nan"), "no number")
      }
    case 2:
      var sink = ArraySink()
      let label = try RecordingLabel("walking", from: .min, to: 1_500_000_000)
      _ = try Exporter.writeFeatures(of: &reader, labels: [label], calibration: nil, to: &sink)
      precondition(sink.bytes.suffix(4).elementsEqual("PAR1".utf8), "another end")
    default:
      var study = CalibrationStudy(description)
      while let item = try reader.next() {
        if case .samples = item { study.add(reader.block) }
      }
      study.finish()
      let result = study.calibration(id: description.id, name: "fuzz", made: 0)
      guard let made = result.calibration?.text else { return }
      let again = try SensorCalibration(text: made)
      precondition(again.text == made, "another calibration")
    }
  }
}

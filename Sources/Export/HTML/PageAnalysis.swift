// SPDX-License-Identifier: Apache-2.0

import Analysis
import IMUModel
import LogStore
import Text

/// The page's section about vibration and noise: the figures of `imulog analyze`, and drawings of them.
///
///     Vibration and noise
///     what was analysed, what is doubtful
///     table of figures by axis
///     density of the accelerations, of the rates     (``PageCurves``)
///     Allan deviation of both
///     spectrogram
///
/// The drawings are SVG elements that the program makes: nothing is computed in the browser. At most 450 kB.
struct PageAnalysis {
  private let outcome: Result<SampleColumns, AnalysisError>
  /// Samples with a value that was at an end of the chip's range before it was calibrated.
  private let clippedCount: UInt64
  private let number: UInt32

  /// Reads what the plan shows. A recording that cannot be analysed has a section that says why.
  ///
  /// - Throws: What the storage or the log reports.
  init<Storage: LogStorage & ~Copyable>(
    _ plan: ExportPlan, _ reader: inout LogReader<Storage>
  ) throws(ExportError) {
    number = plan.description.number
    let clippedBefore = reader.hiddenClipCount
    let mask = ChannelSet(rawValue: plan.channels.reduce(0) { $0 | 1 << UInt8($1) })
    do throws(AnalysisError) {
      let columns = try SampleColumns.read(
        &reader, from: plan.from == .min ? nil : plan.from, to: plan.to == .max ? nil : plan.to,
        channels: mask.intersection([.accelerometer, .gyroscope]),
        limit: Int(Exporter.pageLimit))
      outcome = .success(columns)
    } catch .log(let error) {
      throw .log(error)
    } catch {
      outcome = .failure(error)
    }
    clippedCount = reader.hiddenClipCount - clippedBefore
    reader.rewind()
  }

  func write<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    try sink.write("<section id=\"analysis\"><h2>Vibration and noise</h2>\n")
    switch outcome {
    case .success(let columns) where columns.channels.isEmpty:
      try sink.write(paragraph("There is no axis of a sensor to analyse."))
    case .success(let columns): try write(columns, to: &sink)
    case .failure(let error): try sink.write(paragraph("Not analysed: \(error)."))
    }
    try sink.write("</section>\n")
  }

  private func write<Sink: ByteSink & ~Copyable>(
    _ columns: SampleColumns, to sink: inout Sink
  ) throws(ExportError) {
    let analysis = RecordingAnalysis(columns)
    let report = AnalysisReport(
      number: number, description: columns.description, analysis: analysis, isMounted: true)
    try sink.write(paragraph(report.subject))
    if clippedCount > 0 {
      let samples = Plain.count(clippedCount, "sample has", "samples have")
      try sink.write(
        paragraph(
          "Note: \(samples) a value that was at an end of the chip's range: the true one is further from zero"
        ))
    }
    for remark in report.remarks { try sink.write(paragraph("Note: \(remark)")) }
    try sink.write(paragraph(report.covered))
    try sink.write(table(report.rows))
    for reason in report.noiseReasons { try sink.write(paragraph(reason)) }
    for curves in PageCurves.all(analysis) { try sink.write(curves.text) }
    let axes = analysis.axes.map(\.channel)
    let source: Spectrogram.Source =
      Set(axes).isSuperset(of: [0, 1, 2]) ? .magnitude : .channel(axes.first ?? 0)
    let spectrogram: Spectrogram
    do throws(AnalysisError) {
      spectrogram = try Spectrogram(columns, of: source)
    } catch {
      preconditionFailure("the source is of channels that are there: \(error)")
    }
    try sink.write("<figure>")
    try SpectrogramDrawing(spectrogram, number: number)
      .write(isInPage: true) { (text: String) throws(ExportError) in try sink.write(text) }
    try sink.write("</figure>\n")
  }

  private func table(_ rows: [AnalysisReport.Row]) -> String {
    func line(_ name: String, _ cells: [String], _ tag: String) -> String {
      let cells = cells.map { "<\(tag)>\(MarkupText.escaped($0))</\(tag.prefix(2))>" }
      return "<tr>\(name)\(cells.joined())</tr>"
    }
    let head = line("<td></td>", rows.first?.cells ?? [], "th scope=\"col\"")
    let body = rows.dropFirst().map {
      "\n" + line("<th scope=\"row\">\(MarkupText.escaped($0.name))</th>", $0.cells, "td")
    }
    return
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures by axis\"><table>"
      + "<thead>\(head)</thead>\n<tbody>\(body.joined())</tbody></table></div>\n"
  }

  private func paragraph(_ text: String) -> String { "<p>\(MarkupText.escaped(text))</p>\n" }
}

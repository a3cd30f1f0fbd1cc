// SPDX-License-Identifier: Apache-2.0

import Analysis
import IMUModel
import LogStore

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
  private enum Outcome {
    case found(SampleColumns)
    case refused(AnalysisError)
  }

  private let outcome: Outcome
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
      outcome = .found(columns)
    } catch .log(let error) {
      throw .log(error)
    } catch {
      outcome = .refused(error)
    }
    clippedCount = reader.hiddenClipCount - clippedBefore
    reader.rewind()
  }

  /// Writes the section.
  func write<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    try sink.write(Array("<section id=\"analysis\"><h2>Vibration and noise</h2>\n".utf8))
    switch outcome {
    case .found(let columns) where columns.channels.isEmpty:
      try put(paragraph("There is no axis of a sensor to analyse."), to: &sink)
    case .found(let columns): try write(columns, to: &sink)
    case .refused(let error): try put(paragraph("Not analysed: \(error)."), to: &sink)
    }
    try put("</section>\n", to: &sink)
  }

  private func write<Sink: ByteSink & ~Copyable>(
    _ columns: SampleColumns, to sink: inout Sink
  ) throws(ExportError) {
    let analysis = RecordingAnalysis(columns)
    let report = AnalysisReport(
      number: number, description: columns.description, analysis: analysis, isMounted: true)
    try put(paragraph(report.subject), to: &sink)
    if clippedCount > 0 {
      let samples = clippedCount == 1 ? "1 sample has" : "\(clippedCount) samples have"
      try put(
        paragraph(
          "Note: \(samples) a value that was at an end of the chip's range: the true one is further from zero"
        ),
        to: &sink)
    }
    for remark in report.remarks { try put(paragraph("Note: \(remark)"), to: &sink) }
    try put(paragraph(report.covered), to: &sink)
    try put(table(report.rows), to: &sink)
    for reason in report.noiseReasons { try put(paragraph(reason), to: &sink) }
    for curves in PageCurves.all(analysis) { try put(curves.text, to: &sink) }
    let axes = analysis.axes.map(\.channel)
    let source: Spectrogram.Source =
      Set(axes).isSuperset(of: [0, 1, 2]) ? .magnitude : .channel(axes.first ?? 0)
    let spectrogram: Spectrogram
    do throws(AnalysisError) {
      spectrogram = try Spectrogram(columns, of: source)
    } catch {
      preconditionFailure("the source is of channels that are there: \(error)")
    }
    try put("<figure>", to: &sink)
    try SpectrogramDrawing(spectrogram, number: number)
      .write(isInPage: true) { (text: String) throws(ExportError) in try put(text, to: &sink) }
    try put("</figure>\n", to: &sink)
  }

  private func table(_ rows: [AnalysisReport.Row]) -> String {
    let lines = rows.enumerated().map { index, row in
      let tag = index == 0 ? "th scope=\"col\"" : "td"
      let cells = row.cells.map {
        "<\(tag)>\(MarkupText.escaped($0))</\(index == 0 ? "th" : "td")>"
      }
      let name =
        index == 0 ? "<td></td>" : "<th scope=\"row\">\(MarkupText.escaped(row.name))</th>"
      let line = "<tr>\(name)\(cells.joined())</tr>"
      return index == 0 ? "<thead>\(line)</thead>\n<tbody>" : line
    }
    return
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures by axis\"><table>"
      + lines.joined(separator: "\n") + "</tbody></table></div>\n"
  }

  private func paragraph(_ text: String) -> String { "<p>\(MarkupText.escaped(text))</p>\n" }

  private func put<Sink: ByteSink & ~Copyable>(
    _ text: String, to sink: inout Sink
  ) throws(ExportError) {
    try sink.write(Array(text.utf8))
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

extension Exporter {
  /// The most samples that a page may have: above it a browser would need hundreds of megabytes.
  static let pageLimit: UInt64 = 5_000_000

  /// Writes a self-contained page for a browser: facts in HTML, samples in base64, style and script.
  ///
  /// A first pass over the log finds the facts, a second one writes the samples. With an analysis, one between them holds
  /// all samples in memory: at most 60 MB.
  func writePage<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let report = try addToPage(&reader, after: nil, to: &sink)
    try sink.write(PageFrame.tail())
    return report
  }

  /// Writes what a page has of a recording, without the page's end.
  ///
  /// - Parameter before: How many recordings of its take, with how many samples, the page has already; `nil` at its beginning.
  func addToPage<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, after before: (recordings: Int, samples: UInt64)?,
    to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    let account = try LogAccount(&reader, plan, judgesSamples: true)
    let field = options.hasField(plan.description) ? plan.description.sensor.field : nil
    let sampleCount = account.tally.sampled.addingSaturated(before?.samples ?? 0)
    guard sampleCount <= Exporter.pageLimit else {
      throw .tooLong(samples: sampleCount, limit: Exporter.pageLimit, format: .html)
    }
    let log = plan.description
    let analysis = options.hasAnalysis ? try PageAnalysis(plan, &reader) : nil
    var blocks = PageBlock(
      channels: plan.channels, timeUnit: log.timeUnit, zero: plan.zero,
      period: log.rate.periodNanoseconds / log.timeUnit, derived: plan.derived)
    let about = RecordingFacts(plan: plan, account: account)
    let place = before.map { "-\($0.recordings)" } ?? ""
    if before == nil {
      try sink.write(PageFrame.head(about, hasAnalysis: analysis != nil))
      try analysis?.write(to: &sink)
      try sink.write("</main>\n")
    } else {
      try sink.write("</script>\n<template id=\"about\(place)\">")
      try sink.write(PageFrame.about(about) + "</template>\n")
    }
    try sink.write("<script type=\"application/json\" id=\"facts\(place)\">")
    var facts = JSONWriter()
    facts.addPage(plan, account, blocks, field)
    try sink.write(MarkupText.script(json: facts.bytes))
    if field != nil {
      try sink.write("</script>\n<script type=\"application/json\" id=\"field\(place)\">")
      var (list, end) = (JSONWriter(), 0 as Int64)
      list.open("[")
      for value in try notes(&reader, of: plan, hasField: true).field {
        end = list.addField(value, after: end, plan)
        guard list.bytes.count > 16 * 1024 else { continue }
        try sink.write(list.bytes)
        list.removeBytes()
      }
      list.close("]")
      try sink.write(list.bytes)
    }
    try sink.write("</script>\n<script type=\"text/plain\" id=\"samples\(place)\">")

    var report = try runSamples(plan, &blocks, &reader, to: &sink)
    report.damages = account[.damage].count
    try sink.write(blocks.base64.last)
    return report
  }
}

/// The page around its facts and samples.
///
/// The policy in its head forbids every connection, so the page needs no network and cannot send its contents anywhere.
enum PageFrame {
  static func head(_ facts: RecordingFacts, hasAnalysis: Bool) -> [UInt8] {
    let title = MarkupText.escaped(facts.title)
    var head: [UInt8] = Array("\(opening)<title>\(title)</title>\n<style>\n".utf8)
    head += PackageResources.page_css
    if hasAnalysis { head += PackageResources.analysis_css }
    head += Array("</style>\n</head>\n<body>\n\(header(facts))".utf8)
    head += PackageResources.body_html
    head += Array("\(list(facts))</section>\n</div>\n".utf8)
    return head
  }

  /// What the script puts in the place of the first recording's when the page is about another one.
  static func about(_ facts: RecordingFacts) -> String { header(facts) + list(facts) }

  private static func header(_ facts: RecordingFacts) -> String {
    let summary = facts.summary.enumerated().map { index, words in
      let words = MarkupText.escaped(words)
      return index == 0 ? "<strong>\(words)</strong>" : "<span>\(words)</span>"
    }.joined(separator: " · ")
    return "<header><h1>\(MarkupText.escaped(facts.title))</h1>\n<p>\(summary)</p></header>\n"
  }

  private static func list(_ facts: RecordingFacts) -> String {
    let rows = facts.rows.map { row in
      "<div><dt>\(MarkupText.escaped(row.name))</dt><dd>\(MarkupText.escaped(row.value))</dd></div>"
    }
    return "<dl>\n\(rows.joined(separator: "\n"))\n</dl>\n"
  }

  /// - Parameter hasOthers: Whether the page has several recordings.
  static func tail(hasOthers: Bool = false) -> [UInt8] {
    Array("</script>\n<script>\n(() => {\n\"use strict\";\n".utf8) + PackageResources.data_js
      + PackageResources.axis_js + PackageResources.line_js + PackageResources.panel_js
      + (hasOthers ? PackageResources.take_js : []) + PackageResources.view_js
      + PackageResources.box_js + PackageResources.stretch_js
      + PackageResources.input_js + PackageResources.player_js + PackageResources.page_js
      + Array("})();\n</script>\n</body>\n</html>\n".utf8)
  }

  private static let opening = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'">

    """
}

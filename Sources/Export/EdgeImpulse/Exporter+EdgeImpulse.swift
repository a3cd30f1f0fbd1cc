// SPDX-License-Identifier: Apache-2.0

public import Files
import IMUModel
import LogFormat
public import LogStore
import Text

extension Exporter {
  /// Writes Edge Impulse's document of one recording, which must have a sample at each tick unless the options name a fill.
  ///
  ///     {"protected":{"ver":"v1","alg":"HS256","iat":seconds since 1970},"signature":64 digits,
  ///      "payload":{"device_name":host,"device_type":"imulog","interval_ms":10,
  ///                 "sensors":[{"name":"accX","units":"m/s2"},…],"values":[[…],…]}}
  ///
  /// The signature is the HMAC of all bytes with zeros in its place, and stands before what it signs. So the document is
  /// made twice, first for the code alone; nothing of it is held. Without a key `alg` is `none`, and the zeros stay.
  /// `iat` is the date of the first row, absent where there is none.
  func writeEdgeImpulse<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try evenPlan(&reader)
    var scan = PieceScan(plan)
    _ = try runSamples(plan, &scan, &reader, to: &sink)
    guard let first = scan.pieces.first else { throw .noSamples(.edgeImpulse) }
    guard scan.pieceCount < 2 || options.fill != nil else {
      throw .ticksMissing(
        count: scan.missingTicks, format: .edgeImpulse, isResampled: options.isResampled)
    }
    let repeated = options.fill == .hold ? scan.missingTicks : 0
    guard repeated < Exporter.heldLimit else {
      throw .tooLong(samples: repeated, limit: Exporter.heldLimit, format: .edgeImpulse)
    }
    let notes = try notes(&reader, of: plan)
    var report = try writeDocument(
      plan, date: Exporter.date(first, notes), &reader, to: &sink)
    if options.fill == nil { report.remarks += displacement(scan.displacement) }
    report.remarks += missingRemarks(scan.missingTicks)
    report.remarks += leftOut(labels: 0, marks: notes.markCount)
    if !plan.labels.isEmpty {
      let labels = Plain.count(plan.labels.count, "label is", "labels are")
      report.remarks.append(
        "\(labels) left out: the directory of `imulog export -o DIR/` carries them")
    }
    return report
  }

  /// Writes a document for each part of a recording without gaps, `walk.1.json` and so on in a directory `walk`, and the
  /// labels of their samples. Edge Impulse reads the name up to its first point as a label.
  ///
  /// - Throws: ``ExportError``, also for too many parts; the directory is not published then.
  public func write<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, into directory: borrowing PendingDirectory
  ) throws(ExportError) -> Report {
    try refuseOptions()
    if options.fill != nil {
      throw .optionsTogether("--fill", "-o DIR/", reason: "a directory has a file for each part")
    }
    reader.rewind()
    let corrections = try correct(&reader)
    let plan = try evenPlan(&reader)
    var scan = PieceScan(plan)
    var nowhere = ArraySink()
    var report = try runSamples(plan, &scan, &reader, to: &nowhere)
    guard scan.pieceCount <= PieceScan.limit else {
      throw .refused(
        "the recording has more than \(PieceScan.limit) parts without gaps, and each would be a file",
        remedy: "choose some with --from and --to, or add --fill hold and write one file")
    }
    guard scan.pieceCount > 0 else { throw .noSamples(.edgeImpulse) }
    let notes = try notes(&reader, of: plan)
    var names: [String] = []
    for piece in scan.pieces {
      let name = "\(directory.name).\(names.count + 1).json"
      names.append(name)
      try add(name, to: directory) { (sink) throws(ExportError) in
        _ = try writeDocument(
          plan.only(from: piece.from, to: piece.to), date: Exporter.date(piece, notes), &reader,
          to: &sink)
      }
    }
    if !plan.labels.isEmpty, !names.isEmpty {
      let labels = Exporter.structuredLabels(zip(names, scan.pieces))
      try add("structured_labels.labels", to: directory) { (sink) throws(ExportError) in
        try sink.write(labels)
      }
    }
    let empty = scan.emptyLabels.count
    if empty > 0 {
      report.remarks.append(
        Plain.count(empty, "label has no sample, and is", "labels have no sample, and are")
          + " left out")
    }
    if names.count > 1 { report.remarks.append("\(names.count) parts without gaps, each a file") }
    report.remarks += displacement(scan.displacement)
    if !plan.labels.isEmpty, scan.noLabel != PieceScan.usualNoLabel {
      report.remarks.append(
        "samples without a label are called \"\(scan.noLabel)\", because a label of the recording is "
          + "\"\(PieceScan.usualNoLabel)\"")
    }
    report.remarks += leftOut(labels: 0, marks: notes.markCount)
    report.remarks += corrections + correctionRemarks(reader)
    return report
  }

  private func add(
    _ file: String, to directory: borrowing PendingDirectory,
    _ fill: (inout BufferedSink) throws(ExportError) -> Void
  ) throws(ExportError) {
    try directory.add(file, error: { ExportError.output(name: $0, code: $1) }) {
      (descriptor, name) throws(ExportError) in
      var sink = BufferedSink(descriptor, name: name)
      try fill(&sink)
      try sink.flush()
    }
  }

  private func writeDocument<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, date: Int64?, _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    var signature = String(repeating: "0", count: 64)
    if let key = options.hmacKey {
      var sum = HMACSHA256(key: key)
      var code = BufferedSink(name: "the signature") { bytes in
        sum.add(bytes)
        return 0
      }
      _ = try writeDocument(plan, date: date, signature, &reader, to: &code)
      try code.flush()
      signature = sum.code.description
    }
    return try writeDocument(plan, date: date, signature, &reader, to: &sink)
  }

  private func writeDocument<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, date: Int64?, _ signature: String, _ reader: inout LogReader<Storage>,
    to sink: inout Sink
  ) throws(ExportError) -> Report {
    var head = JSONWriter()
    head.open("{")
    head.member("protected") { json in
      json.member("ver", "v1")
      json.member("alg", options.hmacKey == nil ? "none" : "HS256")
      if let date { json.member("iat", Int64.floored(date, by: 1_000_000_000).whole) }
    }
    head.member("signature", signature)
    head.key("payload")
    head.open("{")
    let log = plan.description
    if !log.host.isEmpty { head.member("device_name", log.host) }
    head.member("device_type", "imulog")
    // The fewest digits that read back exactly.
    let interval = "\(1000 * Double(log.rate.denominator) / Double(log.rate.numerator))"
    let isWhole = interval.hasSuffix(".0")
    head.member("interval_ms", number: isWhole ? String(interval.dropLast(2)) : interval)
    head.member("sensors", plan.channels) { json, channel in
      json.object { json in
        json.member("name", Exporter.sensorNames[channel])
        json.member("units", ["m/s2", "rad/s", "Cel"][channel / 3])
      }
    }
    head.key("values")
    try sink.write(head.bytes)

    let layout = RowLayout(
      prefix: ",[", time: nil, keys: plan.channels.indices.map { $0 == 0 ? "" : "," }, suffix: "]")
    let report = try writeRows(
      plan, layout, opening: UInt8(ascii: "["), gaps: options.fill == .hold ? .hold : .leaveOut,
      &reader, to: &sink)
    try sink.write(report.samples == 0 ? "[]}}" : "]}}")
    return report
  }

  /// Nanoseconds since 1970 of a piece's first row; `nil` without a wall clock, and beyond 64 bits.
  private static func date(_ piece: ExportPiece, _ notes: RecordingNotes) -> Int64? {
    guard let begin = notes.started?.addingReportingOverflow(piece.from) else { return nil }
    return begin.overflow ? nil : begin.partialValue
  }

  private static let sensorNames = [
    "accX", "accY", "accZ", "gyrX", "gyrY", "gyrZ", "temperature",
  ]

  /// The file `structured_labels.labels`, which names the label of every sample of every file.
  ///
  ///     {"version":1,"type":"structured-labels","structuredLabels":
  ///       {"walk.1.json":[{"startIndex":0,"endIndex":41,"label":"none"},…],…}}
  ///
  /// Both indices are of samples and inside. Samples without a label are `none`, or `no label` where a label has that name;
  /// those with several have their names with `;` between them.
  private static func structuredLabels(_ files: some Sequence<(String, ExportPiece)>) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("version", 1)
      json.member("type", "structured-labels")
      json.member("structuredLabels") { json in
        for (name, piece) in files {
          let ends = piece.labels.dropFirst().map(\.start) + [piece.sampleCount]
          json.member(name, zip(piece.labels, ends)) { json, label in
            json.object { json in
              json.member("startIndex", label.0.start)
              json.member("endIndex", label.1 - 1)
              json.member("label", label.0.name)
            }
          }
        }
      }
    }
    return json.bytes
  }
}

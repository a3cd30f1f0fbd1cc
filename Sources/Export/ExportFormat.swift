// SPDX-License-Identifier: Apache-2.0

import LogStore

/// The formats of an export. Raw values are command-line names.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// One document with everything in the log, and a list of flat sample records.
  case json
  /// The flat sample records alone, one a line.
  case ndjson
  /// One header line, then one sample a line.
  case csv
  /// The phone app's document: one sensor, no times, accelerations in g or rates in rad/s.
  case gyrodata
  /// The log's own bytes.
  case raw
  /// One page for a browser, which needs nothing else.
  case html
  /// A drawing for papers.
  case svg
  /// Gyroflow's table of counts and their scales, for the stabilisation of video.
  case gcsv
  /// Kalibr's table: dates in nanoseconds, rad/s, m/s².
  case kalibr
  /// Columns for data frames and databases.
  case parquet
  /// Messages of ROS 2 in a file for robotics programs; SI units.
  case mcap
  /// Records of seismology: counts of each channel, packed.
  case mseed
  /// Edge Impulse's document: one interval, no times; m/s² and rad/s.
  case edgeImpulse = "edge-impulse"
  /// The file of an Axivity AX6 for research on movement: counts at a fixed rate, local times.
  case cwa
}

extension ExportFormat {
  /// What the program knows of a format, beside how to write it.
  private struct Facts {
    /// What it is, in a few words.
    let meaning: String
    /// Of its files, in lower case, the usual one first.
    let extensions: [String]
    var isBinary = false
    var hasChipTimes = false
    var hasRowsOnRequest = false
    var hasGrid = false
    var hasOrientation = false
    var hasLinear = false
  }

  /// The usual format comes first among those that share an extension.
  private var facts: Facts {
    switch self {
    case .json:
      Facts(
        meaning: "all in one document", extensions: ["json"], hasChipTimes: true, hasGrid: true,
        hasOrientation: true, hasLinear: true)
    case .ndjson:
      Facts(
        meaning: "a sample a line", extensions: ["ndjson", "jsonl"], hasChipTimes: true,
        hasRowsOnRequest: true, hasGrid: true, hasOrientation: true, hasLinear: true)
    case .csv:
      Facts(
        meaning: "a table", extensions: ["csv"], hasChipTimes: true, hasRowsOnRequest: true,
        hasGrid: true, hasOrientation: true, hasLinear: true)
    case .gyrodata: Facts(meaning: "as the phone app has it", extensions: ["json"])
    case .raw: Facts(meaning: "the log itself", extensions: ["imulog"], isBinary: true)
    case .html:
      Facts(
        meaning: "a page for a browser", extensions: ["html", "htm"], hasOrientation: true)
    case .svg: Facts(meaning: "a drawing", extensions: ["svg"])
    case .gcsv: Facts(meaning: "for Gyroflow", extensions: ["gcsv"])
    case .kalibr: Facts(meaning: "for Kalibr", extensions: ["csv"])
    case .parquet:
      Facts(
        meaning: "columns for data tools", extensions: ["parquet"], isBinary: true,
        hasChipTimes: true, hasRowsOnRequest: true, hasOrientation: true, hasLinear: true)
    case .mcap:
      Facts(
        meaning: "for robotics programs", extensions: ["mcap"], isBinary: true,
        hasOrientation: true)
    case .mseed:
      Facts(meaning: "for seismology", extensions: ["mseed", "miniseed"], isBinary: true)
    case .edgeImpulse: Facts(meaning: "for training", extensions: ["json"], hasGrid: true)
    case .cwa:
      Facts(meaning: "as an AX6 has it", extensions: ["cwa"], isBinary: true, hasGrid: true)
    }
  }

  /// What it is, in a few words.
  public var meaning: String { facts.meaning }

  /// The extensions of its files in lower case, the usual one first.
  public var extensions: [String] { facts.extensions }

  /// The formats of files with this extension in lower case, the usual one first; none for an unknown extension.
  public static func named(extension ending: String) -> [ExportFormat] {
    allCases.filter { $0.extensions.contains(ending) }
  }

  /// Whether its extension alone says that a file is in it.
  public var isUsual: Bool { ExportFormat.named(extension: extensions[0]).first == self }

  /// Whether its files are bytes for programs and no text for people.
  public var isBinary: Bool { facts.isBinary }

  /// Whether it has a place for the interval that holds a sample's instant.
  var hasChipTimes: Bool { facts.hasChipTimes }

  /// Whether it has a column of labels, and rows of gaps, on request; JSON, MCAP and pages always have both.
  var hasRowsOnRequest: Bool { facts.hasRowsOnRequest }

  /// Whether its files hold samples and little else, so that one without samples may surprise.
  var hasRowsOnly: Bool {
    switch self {
    case .ndjson, .csv, .gcsv, .kalibr, .parquet, .mcap: true
    case .json, .gyrodata, .raw, .html, .svg, .mseed, .edgeImpulse, .cwa: false
    }
  }

  /// Whether it has a place for resampled values.
  var hasGrid: Bool { facts.hasGrid }

  /// Whether it has a place for orientations.
  var hasOrientation: Bool { facts.hasOrientation }

  /// Whether it has a place for accelerations without gravity.
  var hasLinear: Bool { facts.hasLinear }
}

extension Exporter {
  /// Writes the options' format; traps for ``ExportFormat/raw``, which copies storage.
  func writeFormat<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    switch options.format {
    case .json: try writeJSON(&reader, to: &sink)
    case .ndjson: try writeRecords(&reader, to: &sink)
    case .csv: try writeTable(&reader, to: &sink)
    case .gcsv: try writeGCSV(&reader, to: &sink)
    case .kalibr: try writeKalibr(&reader, to: &sink)
    case .gyrodata: try writeGyroData(&reader, to: &sink)
    case .html: try writePage(&reader, to: &sink)
    case .svg: try writeDrawing(&reader, to: &sink)
    case .parquet: try writeParquet(&reader, to: &sink)
    case .mcap: try writeMCAP(&reader, to: &sink)
    case .mseed: try writeMiniSEED(&reader, to: &sink)
    case .cwa: try writeCWA(&reader, to: &sink)
    case .edgeImpulse: try writeEdgeImpulse(&reader, to: &sink)
    case .raw: preconditionFailure("raw is a copy of storage: pass the storage and not a reader")
    }
  }
}

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

/// An option of an export that not every format has a place for, as it stands on the command line.
public enum ExportOption: String, CaseIterable, Sendable {
  case fill, gaps, time
  case unitNames = "unit-names"
  case preamble, labels, uncertainty, grid, orientation, linear, analysis
  case hmacKeyFile = "hmac-key-file"
  case follow
  /// The recordings of all sensors of a take.
  case take
  /// A directory as the output, with a file for each part without gaps.
  case directory

  /// The formats that have a place for it.
  public var formats: [ExportFormat] { ExportFormat.allCases.filter { $0.takes(self) } }

  /// These formats, such as `ndjson, csv and parquet`.
  public var formatNames: String { ExportFormat.list(formats) }
}

extension ExportFormat {
  struct Entry {
    enum Units: Equatable {
      /// Any; these if none are asked for.
      case any(ExportUnits)
      /// These alone.
      case only(ExportUnits)
      /// Its own: to ask for any is refused.
      case own
    }

    /// The times that it can hold, in words, and the year with which those of a recording without a date begin.
    struct Times {
      var words = "1970 to 2038-01-19T03:14:07Z"
      var firstYear = 1970
    }

    let meaning: String
    let extensions: [String]
    var isBinary = false
    /// Whether its files hold samples and little else, so that one without samples may surprise.
    var hasRowsOnly = false
    /// Whether it always has labels.
    var hasLabels = false
    var units = Units.any(.si)
    var times = Times()
    /// The options that it has a place for; all others are refused.
    var options: Set<ExportOption> = []
  }

  /// What tables that other programs read row by row have places for.
  private static let ofRows: Set<ExportOption> = [
    .gaps, .labels, .uncertainty, .orientation, .linear,
  ]

  /// The usual format comes first among those that share an extension.
  var entry: Entry {
    switch self {
    case .json:
      Entry(
        meaning: "all in one document", extensions: ["json"], hasLabels: true,
        options: [.uncertainty, .grid, .orientation, .linear, .take])
    case .ndjson:
      Entry(
        meaning: "a sample a line", extensions: ["ndjson", "jsonl"], hasRowsOnly: true,
        options: ExportFormat.ofRows.union([.grid, .follow, .take]))
    case .csv:
      Entry(
        meaning: "a table", extensions: ["csv"], hasRowsOnly: true,
        times: Entry.Times(words: "1678 to 2261"),
        options: ExportFormat.ofRows.union([.grid, .follow, .take, .time, .unitNames, .preamble]))
    case .gyrodata:
      Entry(
        meaning: "as the phone app has it", extensions: ["json"], units: .own,
        times: Entry.Times(words: "1708 to 2261"), options: [.fill])
    case .raw:
      Entry(
        meaning: "the log itself", extensions: ["imulog"], isBinary: true, units: .own,
        options: [.follow])
    case .html:
      Entry(
        meaning: "a page for a browser", extensions: ["html", "htm"], hasLabels: true,
        options: [.orientation, .analysis, .take])
    case .svg: Entry(meaning: "a drawing", extensions: ["svg"])
    case .gcsv:
      Entry(meaning: "for Gyroflow", extensions: ["gcsv"], hasRowsOnly: true, units: .own)
    case .kalibr:
      Entry(
        meaning: "for Kalibr", extensions: ["csv"], hasRowsOnly: true, units: .own,
        times: Entry.Times(words: "1970-01-01T00:00:01Z to 2261"))
    case .parquet:
      Entry(
        meaning: "columns for data tools", extensions: ["parquet"], isBinary: true,
        hasRowsOnly: true, units: .any(.raw), options: ExportFormat.ofRows.union([.take]))
    case .mcap:
      Entry(
        meaning: "for robotics programs", extensions: ["mcap"], isBinary: true,
        hasRowsOnly: true, hasLabels: true, units: .only(.si), options: [.orientation, .take])
    case .mseed:
      Entry(
        meaning: "for seismology", extensions: ["mseed", "miniseed"], isBinary: true,
        units: .only(.raw), times: Entry.Times(words: "1970 to 2261"))
    case .edgeImpulse:
      Entry(
        meaning: "for training", extensions: ["json"], units: .only(.si),
        options: [.fill, .grid, .hmacKeyFile, .directory])
    case .cwa:
      Entry(
        meaning: "as an AX6 has it", extensions: ["cwa"], isBinary: true, units: .only(.raw),
        times: Entry.Times(words: "2000 to the end of 2063", firstYear: 2000), options: [.grid])
    }
  }

  /// What it is, in a few words.
  public var meaning: String { entry.meaning }

  /// The extensions of its files in lower case, the usual one first.
  public var extensions: [String] { entry.extensions }

  /// The formats of files with this extension in lower case, the usual one first; none for an unknown extension.
  public static func named(extension ending: String) -> [ExportFormat] {
    allCases.filter { $0.extensions.contains(ending) }
  }

  /// Whether its extension alone says that a file is in it.
  public var isUsual: Bool { ExportFormat.named(extension: extensions[0]).first == self }

  /// Whether its files are bytes for programs and no text for people.
  public var isBinary: Bool { entry.isBinary }

  /// Whether it has a place for an option.
  public func takes(_ option: ExportOption) -> Bool { entry.options.contains(option) }

  /// The units of its values where none are asked for.
  var usualUnits: ExportUnits {
    switch entry.units {
    case .any(let units), .only(let units): units
    case .own: .si
    }
  }

  /// The formats whose values are counts where no units are asked for, and that can be asked for units.
  public static var ofCounts: [ExportFormat] {
    allCases.filter { $0.entry.units != .own && $0.usualUnits == .raw }
  }

  /// Names in a sentence, such as `ndjson, csv and parquet`.
  public static func list(_ formats: [ExportFormat]) -> String {
    let names = formats.map(\.rawValue)
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
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

import Export
import Glibc
import LogStore

/// A recording written out as a file of another form, beside the copy that the store has.
struct Conversion {
  let format: ExportFormat
  let directory: String

  /// Writes the file unless it is there; how many parts of the recording cannot be read.
  func run(_ entry: CatalogueEntry, in catalogue: Catalogue) throws -> UInt64 {
    let path = "\(directory)/\(entry.fileName.dropLast(".imulog".count)).\(suffix)"
    guard access(path, F_OK) != 0 else { return 0 }
    let file = try PendingFile(path, remedy: "choose another --to DIR")
    var sink = FileDescriptorSink(file.descriptor, name: path)
    var options = ExportOptions(format: format)
    options.number = entry.number
    let report = try Exporter(options).write(try catalogue.storage(of: entry), to: &sink)
    try file.publish()
    return report.damages
  }

  private var suffix: String {
    switch format {
    case .json, .gyrodata: return "json"
    case .ndjson: return "ndjson"
    case .csv: return "csv"
    case .raw: return "imulog"
    case .html: return "html"
    case .svg: return "svg"
    }
  }
}

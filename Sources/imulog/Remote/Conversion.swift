import Export
import Glibc
import LogStore

/// A recording written out as a file of another form, beside the copy that the store has.
struct Conversion {
  let format: ExportFormat
  let directory: String
  let fill: ExportFill?

  /// Writes the file; what came out, or `nil` when it is there already.
  func run(_ entry: CatalogueEntry, in catalogue: Catalogue) throws -> Exporter.Report? {
    let path = "\(directory)/\(entry.fileName.dropLast(".imulog".count)).\(suffix)"
    guard access(path, F_OK) != 0 else { return nil }
    let file = try PendingFile(path, remedy: "choose another --to DIR")
    var sink = FileDescriptorSink(file.descriptor, name: path)
    var options = ExportOptions(format: format)
    options.number = entry.number
    options.fill = fill
    let report = try Exporter(options).write(try catalogue.storage(of: entry), to: &sink)
    try file.publish()
    return report
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

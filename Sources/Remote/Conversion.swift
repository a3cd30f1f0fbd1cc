import IMUModel
import Export
import Glibc
import LogStore

/// A recording written out as a file of another form, beside the copy that the store has.
struct Conversion {
  let format: ExportFormat
  let directory: String
  let fill: ExportFill?

  /// Writes the file; what came out, or `nil` when it is there already: its name says which recording in which form,
  /// which never changes.
  func run(_ entry: CatalogueEntry, in catalogue: Catalogue) throws -> Exporter.Report? {
    let path = "\(directory)/\(entry.fileName.dropLast(".imulog".count)).\(suffix)"
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        throw CommandFailure(
          .cannotCreate, "\(path) is there and is no export; delete it, or choose another --to DIR")
      }
      return nil
    }
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
    case .json: return "json"
    // Another file than the one of JSON, and for ticks without a sample another one each.
    case .gyrodata: return (fill.map { "gyrodata-\($0.rawValue)" } ?? "gyrodata") + ".json"
    case .ndjson: return "ndjson"
    case .csv: return "csv"
    case .raw: return "imulog"
    case .html: return "html"
    case .svg: return "svg"
    }
  }
}

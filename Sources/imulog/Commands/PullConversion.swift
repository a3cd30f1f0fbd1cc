// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Remote

/// An export of a fetched recording, beside the copy in the store.
struct PullConversion: Sendable {
  let format: ExportFormat
  let directory: String
  let fill: ExportFill?

  /// Writes the file; `nil` when it exists already: its name identifies recording and format, and only labels change.
  func run(_ entry: CatalogueEntry, in catalogue: Catalogue) throws -> PullSettings.Derived? {
    let path = "\(directory)/\(entry.fileName.dropLast(".imulog".count)).\(suffix)"
    let id = try catalogue.reader(of: entry).description.id
    // Before they are read: the next pull writes a change meanwhile.
    let labelled = try catalogue.labelsModified(of: id)
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        throw CommandFailure(
          .cannotCreate,
          "\(path) exists and is not an export; delete it, or choose another --to DIR")
      }
      // The file has the time of the labels in it.
      guard format != .raw, let labelled, !PullConversion.isSame(status.st_mtim, labelled) else {
        return nil
      }
    }
    let file = try PendingFile(path, remedy: "choose another --to DIR")
    var sink = BufferedSink(file.descriptor, name: path)
    var options = ExportOptions(format: format)
    let remark = try options.take(entry, in: catalogue)
    options.fill = fill
    let storage = try catalogue.storage(of: entry)
    var report: Exporter.Report
    do throws(ExportError) {
      report = try Exporter(options).write(storage, to: &sink)
    } catch {
      guard error.exitStatus == .usage else { throw error }
      throw CommandFailure.usage(refusal(error, entry))
    }
    if let labelled {
      let times = [labelled, labelled]
      guard futimens(file.descriptor, times) == 0 else {
        throw CommandFailure(
          .inputOutput,
          "cannot set the time of \(path): \(Errno.words(errno)); choose another --to DIR")
      }
    }
    // A file that is there is of the same recording, and as little whole.
    try file.publish(isWhole: report.damages == 0 && !report.areLabelsDamaged)
    report.add(remark)
    return (
      isDamaged: report.damages > 0 || report.areLabelsDamaged, remarks: report.remarks
    )
  }

  /// Whether a file has the time of labels, as a file system keeps it that rounds to one or two seconds.
  private static func isSame(_ time: timespec, _ labels: timespec) -> Bool {
    guard time.tv_nsec == 0 else {
      return time.tv_sec == labels.tv_sec && time.tv_nsec == labels.tv_nsec
    }
    return [labels.tv_sec, labels.tv_sec & ~1].contains(time.tv_sec)
  }

  /// Why a format cannot hold the recording, with the remedies that `pull` has: --format and --fill.
  private func refusal(_ error: ExportError, _ entry: CatalogueEntry) -> String {
    var remedies = ["choose another --format"]
    if error.option == "--fill hold" {
      remedies.insert("add --fill hold to repeat the sample before them or --fill none", at: 0)
    }
    let verb = "imulog export \(entry.number) --format \(format.rawValue)"
    let place = format == .edgeImpulse ? " -o DIR/" : ""
    remedies.append("see `imulog export --help` for what `\(verb)\(place)` can do here")
    return "\(error.problem): \(remedies.joined(separator: ", or "))"
  }

  /// The file's extension, one for each format and way to fill.
  private var suffix: String {
    let kind = format.isUsual ? "" : format.rawValue + (fill.map { "-\($0.rawValue)" } ?? "") + "."
    return kind + format.extensions[0]
  }
}

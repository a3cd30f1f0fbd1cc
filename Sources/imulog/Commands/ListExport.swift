// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LogStore
import Terminal

/// The list's export: to the working directory, named by number and format, and never over another file.
struct ListExport {
  let entry: CatalogueEntry
  let format: ExportFormat
  let catalogue: Catalogue

  /// The formats that the list offers, and what each is.
  static var formats: [(name: String, meaning: String)] {
    ExportFormat.allCases.map { ($0.rawValue, $0.meaning) }
  }

  init(_ entry: CatalogueEntry, as name: String, in catalogue: Catalogue) {
    guard let format = ExportFormat(rawValue: name) else {
      preconditionFailure("a format of the list")
    }
    (self.entry, self.format, self.catalogue) = (entry, format, catalogue)
  }

  private var fileName: String {
    "recording-\(entry.number)" + (format.isUsual ? "." : "-\(format.rawValue).")
      + format.extensions[0]
  }

  /// - Returns: The sentence to show, and whether it reports a problem.
  /// - Throws: What happened to the recording.
  func write() throws -> (sentence: String, isAlert: Bool) {
    guard !isTaken else { return (taken, true) }
    var options = ExportOptions(format: format)
    let remark = try options.take(entry, in: catalogue)
    let file = try PendingFile(
      fileName, remedy: "start the list in a directory where you may write")
    var sink = BufferedSink(file.descriptor, name: fileName)
    var report: Exporter.Report
    do throws(ExportError) {
      report = try Exporter(options).write(try storage(), to: &sink)
    } catch .log(let error) {
      throw error
    } catch {
      return (refusal(error), true)
    }
    // It may have come while this one was written.
    guard !isTaken else { return (taken, true) }
    try file.publish()
    report.add(remark)
    let damage =
      report.damages > 0 ? ["parts of the recording are damaged and missing in it"] : []
    return (
      (["written to \(fileName)"] + damage + report.remarks).joined(separator: "; "),
      report.damages > 0 || report.areLabelsDamaged
    )
  }

  private func storage() throws(ExportError) -> FileStorage {
    do {
      return try catalogue.storage(of: entry)
    } catch {
      throw .log(.storage(error))
    }
  }

  /// Whether anything has the name, a link to nothing too.
  private var isTaken: Bool {
    var status = stat()
    return lstat(fileName, &status) == 0
  }

  private var taken: String {
    "\(fileName) exists already and is not overwritten; move or rename it"
  }

  /// Why the export failed. The remedies of `imulog export` are options, which this screen has none of.
  private func refusal(_ error: ExportError) -> String {
    switch error {
    case .output(let name, let code): "writing to \(name): \(Errno.meaning(code))"
    case .log: error.problem
    case .refused, .unusable:
      if let option = error.option, let effect = ListExport.effects[option] {
        "\(error.problem); \(command(option)) \(effect)"
      } else {
        "\(error.problem); press x for another format"
      }
    }
  }

  /// What the options do that an error may name.
  private static let effects = [
    "--fill hold": "repeats the sample before them", "--from 0s --to 1h": "writes a part",
    "--units raw": "writes counts", "--grid": "resamples it to even times",
  ]

  private func command(_ options: String) -> String {
    "`imulog export \(entry.number) \(options) --format \(format.rawValue) -o FILE`"
  }
}

// SPDX-License-Identifier: Apache-2.0

public import LogStore

extension ExportOptions {
  /// Takes what the store knows of a recording beside its log: its number there, whether a program is writing it, and its
  /// labels.
  ///
  /// - Returns: A remark about labels that cannot be read, or that are not in the log; `nil` without such.
  /// - Throws: Why labels cannot be read at all, when a column of them is wanted.
  public mutating func take(
    _ entry: CatalogueEntry, in catalogue: Catalogue
  ) throws(CatalogueError) -> String? {
    number = entry.number
    do {
      isLive = try catalogue.isLive(entry)
    } catch {
      throw .storage(error)
    }
    // A header that cannot be read is the export's to report.
    guard let id = catalogue.identity(of: entry) else { return nil }
    do {
      let list = try catalogue.labels(of: id)
      guard format != .raw else {
        let count = list.labels.count
        return count == 0
          ? nil
          : "\(count == 1 ? "1 label is" : "\(count) labels are") not in it: the store keeps labels beside the log"
      }
      labels = list.labels
      return list.damageSentence
    } catch {
      guard !hasLabels else { throw error }
      areLabelsKnown = false
      return "its labels are left out: \(error)"
    }
  }
}

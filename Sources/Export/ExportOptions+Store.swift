// SPDX-License-Identifier: Apache-2.0

public import LogStore
import Text

/// A remark on what the store has beside a log.
public struct StoreRemark: Sendable {
  let sentence: String
  /// Whether some of it is damaged, and missing in the export.
  var isDamage = false
}

extension Exporter.Report {
  /// Adds a remark on what the store has beside the log.
  public mutating func add(_ remark: StoreRemark?) {
    guard let remark else { return }
    remarks.append(remark.sentence)
    if remark.isDamage { areLabelsDamaged = true }
  }
}

extension ExportOptions {
  /// Takes what the store knows of a recording beside its log: its number, whether a program is writing it, its labels.
  ///
  /// - Returns: A remark about labels that cannot be read, or that are not in the log; `nil` without such.
  /// - Throws: Why labels cannot be read at all, when a column of them is wanted.
  public mutating func take(
    _ entry: CatalogueEntry, in catalogue: Catalogue
  ) throws(CatalogueError) -> StoreRemark? {
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
        guard !list.labels.isEmpty else { return nil }
        let words = Plain.count(list.labels.count, "label is", "labels are")
        return StoreRemark(sentence: "\(words) not in it: the store keeps labels beside the log")
      }
      labels = list.labels
      return list.damageSentence.map { StoreRemark(sentence: $0, isDamage: true) }
    } catch {
      guard !hasLabels else { throw error }
      areLabelsKnown = false
      return StoreRemark(sentence: "its labels are left out: \(error)")
    }
  }
}

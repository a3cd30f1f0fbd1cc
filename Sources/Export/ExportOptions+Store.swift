// SPDX-License-Identifier: Apache-2.0

public import LogStore

/// What an export is to say of what a store has beside a log.
public struct StoreRemark: Sendable {
  let sentence: String
  /// Whether some of it is damaged, and missing in the export.
  let isDamage: Bool
}

extension Exporter.Report {
  /// Adds what is to be said of what the store has beside the log.
  public mutating func add(_ remark: StoreRemark?) {
    guard let remark else { return }
    remarks.append(remark.sentence)
    if remark.isDamage { areLabelsDamaged = true }
  }
}

extension ExportOptions {
  /// Takes what the store knows of a recording beside its log: its number there, whether a program is writing it, and its
  /// labels.
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
        let count = list.labels.count
        guard count > 0 else { return nil }
        let words = count == 1 ? "1 label is" : "\(count) labels are"
        return StoreRemark(
          sentence: "\(words) not in it: the store keeps labels beside the log", isDamage: false)
      }
      labels = list.labels
      return list.damageSentence.map { StoreRemark(sentence: $0, isDamage: true) }
    } catch {
      guard !hasLabels else { throw error }
      areLabelsKnown = false
      return StoreRemark(sentence: "its labels are left out: \(error)", isDamage: false)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Files
package import Glibc
public import IMUModel

// Labels are in a file beside the recording, which stays as it was recorded:
//
//     DIR/.labels/UUID.labels
//
// The file belongs to the UUID: it stays while the recording is in the trash or was taken away by a person, and is deleted
// with the recording for good, or 30 days later where that was to make room. Writers hold the number lock; readers need
// none, because lines are appended whole or fail their check. A file without room for another line is replaced by one
// without the lines that later ones took back:
//
//     UUID.labels + new lines ─► UUID.new, synced ─► renamed to UUID.labels

extension Catalogue {
  static let labelsName = ".labels"
  private static let labelsSuffix = ".labels"
  private static let newSuffix = ".new"

  /// Most bytes of a file of labels: some 20,000 changes of the longest.
  static let labelsLimit = 2 << 20

  /// The path of a recording's file of labels, which may be missing.
  public func labelsPath(of id: RecordingID) -> String {
    path(of: "\(Catalogue.labelsName)/\(id)\(Catalogue.labelsSuffix)")
  }

  /// The labels of a recording; none without a file of them.
  public func labels(of id: RecordingID) throws(CatalogueError) -> LabelList {
    let path = labelsPath(of: id)
    do throws(StorageError) {
      // A link could lead to another user's file.
      let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      return try labels(in: file)
    } catch {
      if error.isMissing { return LabelList() }
      throw Catalogue.problem(error)
    }
  }

  /// When a recording's file of labels changed last; `nil` without one.
  package func labelsModified(of id: RecordingID) throws(CatalogueError) -> timespec? {
    try wrapped { () throws(StorageError) in
      try StorageError.unlessMissing { () throws(StorageError) in
        try files.status(labelsPath(of: id), followsLink: false).st_mtim
      }
    }
  }

  /// The recordings that have a file of labels, here or in the trash. Reads a directory and no file.
  public func labelled() throws(CatalogueError) -> Set<RecordingID> {
    let names = try wrapped { () throws(StorageError) in
      try StorageError.unlessMissing { () throws(StorageError) in
        try files.names(in: path(of: Catalogue.labelsName))
      }
    }
    return Set(
      (names ?? []).compactMap {
        $0.hasSuffix(Catalogue.labelsSuffix)
          ? RecordingID($0.dropLast(Catalogue.labelsSuffix.count)) : nil
      })
  }

  /// The recordings with a label of this name, newest first, and why files of labels cannot be read. Reads the files of
  /// labels, and the header of each recording found.
  public func entries(
    labelled name: String
  ) throws(CatalogueError) -> (entries: [CatalogueEntry], problems: [CatalogueError]) {
    let all = try list().entries
    var found: [CatalogueEntry] = []
    var problems: [CatalogueError] = []
    for id in try labelled() {
      do throws(CatalogueError) {
        guard try labels(of: id).names.contains(name), let entry = entry(of: id, among: all) else {
          continue
        }
        found.append(entry)
      } catch {
        problems.append(error)
      }
    }
    return (Catalogue.newestFirst(found), problems)
  }

  /// Adds a label unless it is there already; durable on return.
  public func add(_ label: RecordingLabel, to id: RecordingID) throws(CatalogueError) {
    try changeLabels(of: id) { list in
      list.present.contains(label)
        ? [] : [LabelChange(label, revision: list.revision(of: label, adding: true))]
    }
  }

  /// Takes the changes of another store that have a higher revision; durable on return.
  ///
  /// - Returns: How many labels are gone.
  @discardableResult
  public func merge(
    _ changes: [LabelChange], into id: RecordingID
  ) throws(CatalogueError) -> Int {
    var removed = 0
    try changeLabels(of: id) { list in
      let newer = changes.filter { $0.revision > list.revision(of: $0.label) }
      removed = newer.count { $0.isRemoval && list.present.contains($0.label) }
      return newer
    }
    return removed
  }

  /// Removes a label, which must be there; durable on return.
  public func remove(_ label: RecordingLabel, from id: RecordingID) throws(CatalogueError) {
    var existing: [RecordingLabel]?
    try changeLabels(of: id) { list in
      if !list.present.contains(label) { existing = list.labels }
      return existing == nil
        ? [LabelChange(label, revision: list.revision(of: label, adding: false))] : []
    }
    guard let existing else { return }
    let more = existing.count > 5 ? " and \(existing.count - 5) more" : ""
    let some = existing.prefix(5).map { "\($0)" }.joined(separator: ", ") + more
    throw .refused(
      "there is no label \(label); "
        + (existing.isEmpty ? "the recording has none" : "there is \(some)"), .noInput)
  }

  /// - Parameter changes: The changes to append to a list.
  private func changeLabels(
    of id: RecordingID, _ changes: (LabelList) -> [LabelChange]
  ) throws(CatalogueError) {
    let path = labelsPath(of: id)
    do throws(StorageError) {
      let lock = try numberLock()
      try makeOwnDirectory(Catalogue.labelsName)
      let file = try labelsFile(id, Catalogue.labelsSuffix)
      let list = try labels(in: file)
      let lines = changes(list)
      let added = lines.count { !$0.isRemoval && !list.present.contains($0.label) }
      guard list.present.count + added <= RecordingLabel.mostOfRecording else {
        throw StorageError(.write, path: path, errno: E2BIG)
      }
      guard lines.allSatisfy({ $0.revision <= LabelChange.last }) else {
        throw StorageError(.write, path: path, errno: EOVERFLOW)
      }
      var bytes = list.isOpen ? [UInt8(ascii: "\n")] : []
      bytes += lines.flatMap { LabelList.line($0) }
      guard list.wholeByteCount + bytes.count <= Catalogue.labelsLimit else {
        try replaceLabels(of: id, list.compacted + bytes.drop { $0 == UInt8(ascii: "\n") })
        _ = consume lock
        return
      }
      // Synced even without a change: the sync of an earlier attempt may have failed.
      if try file.regularFileSize() > UInt64(list.wholeByteCount) {
        try file.truncate(to: UInt64(list.wholeByteCount))
      }
      do throws(StorageError) {
        try bytes.withBytes { bytes throws(StorageError) in
          try file.write(bytes, at: UInt64(list.wholeByteCount))
        }
      } catch {
        // Half a line fails its check, and the next change would cut it off, too.
        try file.truncate(to: UInt64(list.wholeByteCount))
        throw error
      }
      try file.sync()
      try files.syncDirectory(self.path(of: Catalogue.labelsName))
      try files.syncDirectory(self.path)
      _ = consume lock
    } catch {
      throw Catalogue.problem(error)
    }
  }

  /// Names the store's own limits; no kernel gives these numbers for a regular file.
  private static func problem(_ error: StorageError) -> CatalogueError {
    switch (error.operation, error.errno) {
    case (.write, E2BIG):
      .refused(
        "\(error.path) would have more than \(RecordingLabel.mostOfRecording) labels; remove some with "
          + "`imulog label ID --remove`", .cannotCreate)
    case (.write, EOVERFLOW):
      .refused(
        "\(error.path) is full of removed labels, which it remembers so that a pull does not bring them back; "
          + "note its labels with `imulog label ID`, move the file away, and add them again",
        .cannotCreate)
    case (.read, EFBIG):
      .refused(
        "\(error.path) is larger than imulog makes a file of labels (\(labelsLimit >> 20) MiB); move it away",
        .damagedData)
    default: .storage(error)
    }
  }

  /// Replaces the file of labels: whatever happens, either the old one or the new one is there.
  private func replaceLabels(of id: RecordingID, _ bytes: [UInt8]) throws(StorageError) {
    let path = labelsPath(of: id)
    guard bytes.count <= Catalogue.labelsLimit else {
      throw StorageError(.write, path: path, errno: EOVERFLOW)
    }
    // What an interrupted attempt left.
    try files.remove(self.path(of: "\(Catalogue.labelsName)/\(id)\(Catalogue.newSuffix)"))
    let file = try labelsFile(id, Catalogue.newSuffix)
    try bytes.withBytes { bytes throws(StorageError) in try file.write(bytes, at: 0) }
    try file.sync()
    try files.rename(file.path, to: path)
    try files.syncDirectory(self.path(of: Catalogue.labelsName))
    try files.syncDirectory(self.path)
  }

  private func labelsFile(_ id: RecordingID, _ suffix: String) throws(StorageError) -> OpenFile {
    let name = "\(Catalogue.labelsName)/\(id)\(suffix)"
    guard let file = try ownFile(name, .changing) else {
      throw StorageError(.open, path: path(of: name), errno: EPERM)
    }
    return file
  }

  private func labels(in file: borrowing OpenFile) throws(StorageError) -> LabelList {
    let bytes = try file.beginning(Catalogue.labelsLimit + 1)
    guard bytes.count <= Catalogue.labelsLimit else {
      throw StorageError(.read, path: file.path, errno: EFBIG)
    }
    return LabelList(bytes)
  }

  /// Notes, before a recording is deleted to make room, that its labels expire; until then a pull fetches them.
  func noteExpiry(ofLabels id: RecordingID) throws(StorageError) {
    guard try files.facts(labelsPath(of: id)) != nil else { return }
    _ = try ownFile("\(Leftover.deletedPrefix)\(id)")
  }

  /// Deletes the labels of a recording that is neither in the store nor in the trash.
  public func forgetLabels(of id: RecordingID) throws(StorageError) {
    let path = labelsPath(of: id)
    guard try files.facts(path) != nil else { return }
    let lock = try numberLock()
    do throws(CatalogueError) {
      guard try entry(of: id) == nil else { return }
      let trashed = try trashed().map(\.entry)
      guard entry(of: id, among: trashed) == nil else { return }
    } catch {
      guard case .storage(let error) = error else { return }
      throw error
    }
    try files.remove(path)
    _ = consume lock
  }
}

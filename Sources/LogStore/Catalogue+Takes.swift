// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The recordings of a take: a verb that is given one of them acts on all, and `NUMBER/NAME` means one sensor's alone.
extension Catalogue {
  /// The recordings that a user means by `text`, in the order of the take's sensors; one where it has no take.
  ///
  /// Recordings of the take that were removed, or never fetched, are missing. Costs the headers of the recordings that began
  /// in the same seconds.
  ///
  /// - Throws: As ``entry(for:)``; ``CatalogueError/refused(_:_:)`` for the name of a sensor that the take has not.
  public func entries(ofTake text: String) throws(CatalogueError) -> [CatalogueEntry] {
    let (word, sensor) = Catalogue.parts(text)
    let entry = try entry(for: word)
    return try members(of: entry, among: try list().entries, \.self, sensor, word)
  }

  /// The same in the trash.
  public func trashedRecordings(
    ofTake text: String
  ) throws(CatalogueError) -> [TrashedRecording] {
    let (word, sensor) = Catalogue.parts(text)
    let recording = try trashedRecording(for: word)
    var names: Set<String> = []
    let distinct = try trashed().filter { names.insert($0.formerName).inserted }
    return try members(of: recording, among: distinct, \.entry, sensor, word)
  }

  private static func parts(_ text: String) -> (word: String, sensor: String?) {
    text.parts(around: "/").map { (String($0.before), String($0.after)) } ?? (text, nil)
  }

  private func members<Recording: Equatable>(
    of recording: Recording, among all: [Recording], _ entry: (Recording) -> CatalogueEntry,
    _ sensor: String?, _ word: String
  ) throws(CatalogueError) -> [Recording] {
    let seconds = entry(recording).startSeconds
    // A header that cannot be read has no take.
    guard let own = description(of: entry(recording)), let take = own.take else {
      guard let sensor else { return [recording] }
      throw .refused(
        "\(word) is no recording of several sensors, and \(Plain.text(sensor)) none of it; leave /\(Plain.text(sensor)) out",
        .usage)
    }
    var members: [(place: Int, name: String, recording: Recording)] = []
    for other in all where abs(entry(other).startSeconds - seconds) <= 2 {
      guard let there = description(of: entry(other)), there.take?.id == take.id else { continue }
      members.append((there.take?.index ?? 0, there.sensorName, other))
    }
    members.sort { $0.place < $1.place }
    guard let sensor else { return members.map(\.recording) }
    guard let member = members.first(where: { $0.name == sensor }) else {
      throw .refused(
        "the take of \(word) has no sensor \(Plain.text(sensor)) here; it has "
          + members.map(\.name).joined(separator: ", "), .usage)
    }
    return [member.recording]
  }

  /// A recording's header; `nil` when it cannot be read.
  func description(of entry: CatalogueEntry) -> RecordingDescription? {
    do {
      return try reader(of: entry).description
    } catch {
      return nil
    }
  }
}

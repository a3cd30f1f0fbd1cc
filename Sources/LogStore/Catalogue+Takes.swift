// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The recordings of a take in a store, or in its trash.
public struct TakeMembers<Recording: Equatable & Sendable>: Equatable, Sendable {
  /// One of each sensor, in the order of the take; the one alone where a recording has no take.
  public let recordings: [Recording]
  /// Recordings of the take that are not here, or whose headers cannot be read.
  public let missing: Int
  /// Numbers of further recordings of its sensors: copies, or what was salvaged of one.
  public let others: [UInt32]

  /// What a user must know who acts on all: sentences.
  public var remarks: [String] {
    var remarks: [String] = []
    if missing > 0 {
      let all = missing + recordings.count
      remarks.append(
        "\(missing) of the take's \(all) recordings \(missing == 1 ? "is" : "are") not here, or cannot be read"
      )
    }
    if !others.isEmpty {
      let numbers = others.map { "\($0)" }.joined(separator: ", ")
      remarks.append("its sensors have further recordings here, which are left alone: \(numbers)")
    }
    return remarks
  }
}

/// A verb that is given one recording of a take acts on all, and `NUMBER/NAME` means one sensor's alone.
extension Catalogue {
  /// The recordings that a user means by `text`.
  ///
  /// Costs the headers of the recordings that began in the same seconds, and of all others if one is not among them.
  ///
  /// - Parameter isRemoval: Whether they are to be removed: then a recording whose sensor has another one here, of which it
  ///   is a copy or the salvage, is meant alone. Costs all headers.
  /// - Throws: As ``entry(for:)``; ``CatalogueError/refused(_:_:)`` for the name of a sensor that the take has not.
  public func take(
    _ text: String, isRemoval: Bool = false
  ) throws(CatalogueError) -> TakeMembers<CatalogueEntry> {
    let (word, sensor) = Catalogue.parts(text)
    let entry = try entry(for: word)
    return try members(
      of: entry, among: try list().entries, \.self, sensor, word, isRemoval: isRemoval)
  }

  /// The recordings of a recording's take, or it alone.
  ///
  /// - Parameter isRemoval: As in ``take(_:isRemoval:)``.
  public func take(
    of entry: CatalogueEntry, isRemoval: Bool = false
  ) throws(CatalogueError) -> TakeMembers<CatalogueEntry> {
    try members(
      of: entry, among: try list().entries, \.self, nil, "\(entry.number)", isRemoval: isRemoval)
  }

  /// The same in the trash.
  public func trashedTake(_ text: String) throws(CatalogueError) -> TakeMembers<TrashedRecording> {
    let (word, sensor) = Catalogue.parts(text)
    let recording = try trashedRecording(for: word)
    var names: Set<String> = []
    let distinct = try trashed().filter { names.insert($0.formerName).inserted }
    return try members(of: recording, among: distinct, \.entry, sensor, word)
  }

  private static func parts(_ text: String) -> (word: String, sensor: String?) {
    text.parts(around: "/").map { (String($0.before), String($0.after)) } ?? (text, nil)
  }

  private func members<Recording: Equatable & Sendable>(
    of recording: Recording, among all: [Recording], _ entry: (Recording) -> CatalogueEntry,
    _ sensor: String?, _ word: String, isRemoval: Bool = false
  ) throws(CatalogueError) -> TakeMembers<Recording> {
    // A header that cannot be read has no take.
    guard let take = description(of: entry(recording))?.take else {
      guard let sensor else {
        return TakeMembers(recordings: [recording], missing: 0, others: [])
      }
      throw .refused(
        "\(word) is no recording of several sensors; leave /\(ForeignText.shown(sensor)) out",
        .usage)
    }
    let seconds = entry(recording).startSeconds
    func isNear(_ other: Recording) -> Bool { abs(entry(other).startSeconds - seconds) <= 2 }
    var found: [Int: (name: String, recordings: [Recording])] = [:]
    for other in all.filter(isNear) + all.filter({ !isNear($0) }) {
      if !isRemoval, !isNear(other), found.count == take.count { break }
      guard let there = description(of: entry(other)), let place = there.take, place.id == take.id,
        place.count == take.count
      else { continue }
      found[place.index, default: (there.sensorName, [])].recordings.append(other)
    }
    if isRemoval, sensor == nil, let twins = found[take.index]?.recordings, twins.count > 1 {
      let others = twins.filter { $0 != recording }.map { entry($0).number }
      return TakeMembers(recordings: [recording], missing: 0, others: others.sorted())
    }
    let sensors = found.sorted { $0.key < $1.key }.map { _, sensor in
      // The one that was asked for, else the one with the lowest number.
      let chosen =
        sensor.recordings.first { $0 == recording }
        ?? sensor.recordings.min { entry($0).number < entry($1).number } ?? recording
      return (name: sensor.name, chosen: chosen, others: sensor.recordings.filter { $0 != chosen })
    }
    guard let sensor else {
      return TakeMembers(
        recordings: sensors.map(\.chosen), missing: take.count - sensors.count,
        others: sensors.flatMap(\.others).map { entry($0).number }.sorted())
    }
    guard let member = sensors.first(where: { $0.name == sensor }) else {
      throw .refused(
        "the take of \(word) has no sensor \(ForeignText.shown(sensor)) here; it has "
          + sensors.map(\.name).joined(separator: ", "), .usage)
    }
    return TakeMembers(recordings: [member.chosen], missing: 0, others: [])
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

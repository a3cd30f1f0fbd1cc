// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

/// The labels of a host's recordings, which are added to those here.
///
///     labelled ─► UUID and digest of each ─► those that differ from here: labels UUID ─► add and remove what is new
///
/// They come before any recording is freed there, and before exports. The higher revision of a label wins, whenever it was
/// made. Labels of recordings that are then not fetched are deleted again. Names that `imulog label` would refuse are left
/// out and reported. Labels beyond the end of the copy here stay: the recording there may be longer.
extension HostPull {
  /// Pending questions for labels at a time.
  private static var labelWindow: Int { 64 }

  mutating func fetchLabels(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    var wanted: ArraySlice<RecordingID>
    do throws(FarEnd.Failure) {
      wanted = try differing(&farEnd)[...]
    } catch {
      guard case .refused(let failure) = error else { throw error }
      for offer in todo { labelFailures[offer.id] = failure }
      board.talk("\(host): its labels cannot be read: \(failure.sentence)")
      return result.note(failure)
    }
    while !wanted.isEmpty {
      let part = wanted.prefix(HostPull.labelWindow)
      for id in part { try farEnd.ask(.labels(id)) }
      for id in part { try addAnswer(about: id, &farEnd) }
      patience.progressed(now: clock.now())
      wanted = wanted.dropFirst(part.count)
    }
  }

  /// The wanted recordings whose labels there are not those here.
  private mutating func differing(
    _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) -> [RecordingID] {
    let offered = Set(todo.map(\.id))
    try farEnd.ask(.labelled)
    var wanted: [RecordingID] = []
    var seen: Set<RecordingID> = []
    while true {
      switch try farEnd.reply() {
      case .labelled(let id, let digest):
        guard seen.insert(id).inserted, seen.count <= HostPull.most else {
          throw farEnd.violation("lists labels without end")
        }
        if isWanted(id, offered) || findLabelStore(id), isNew(digest, of: id) {
          wanted.append(id)
        }
      case .end: return wanted
      default: throw farEnd.violation("lists something that is not a recording with labels")
      }
    }
  }

  /// Whether labels of a recording belong here: it is fetched now, or is here and not offered any more.
  private mutating func isWanted(_ id: RecordingID, _ offered: Set<RecordingID>) -> Bool {
    if offered.contains(id) || settled.contains(id) { return true }
    guard settings.ids.isEmpty else { return false }
    do {
      return try fetch.local.entry(of: id) != nil
    } catch {
      fail(id, fetch.local.failure(error))
      return false
    }
  }

  /// Finds the store for the labels of a recording that is not wanted here.
  private mutating func findLabelStore(_ id: RecordingID) -> Bool {
    guard settings.ids.isEmpty else { return false }
    do {
      guard let store = try settings.witness?.labelStore(of: id) else { return false }
      labelStores[id] = store
      return true
    } catch {
      fail(id, fetch.local.failure(error))
      return false
    }
  }

  private func store(of id: RecordingID) -> Catalogue {
    labelStores[id] ?? fetch.local.catalogue
  }

  private mutating func isNew(_ digest: SHA256Digest, of id: RecordingID) -> Bool {
    do {
      return SHA256.digest(of: try store(of: id).labels(of: id).lines) != digest
    } catch {
      fail(id, fetch.local.failure(error))
      return false
    }
  }

  /// More than a file of labels can have.
  private static var mostChanges: Int { 100_000 }

  /// Adds the labels in an answer. A refusal or an unreadable line holds back only this recording's labels.
  private mutating func addAnswer(
    about id: RecordingID, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) {
    var changes: [LabelChange] = []
    var wrong: String?
    for _ in 0...HostPull.mostChanges {
      do throws(FarEnd.Failure) {
        switch try farEnd.reply() {
        case .label(let change): changes.append(change)
        case .unreadableLabel(let line): wrong = wrong ?? line
        case .end:
          guard let wrong else { return add(changes, to: id) }
          return fail(
            id,
            CommandFailure(
              .damagedData,
              "`\(Plain.text(wrong.cut(to: 60)))` is not a label; install the same imulog here and there"
            ))
        default: throw farEnd.violation("lists something that is not a label")
        }
      } catch {
        guard case .refused(let failure) = error else { throw error }
        return fail(id, failure)
      }
    }
    throw farEnd.violation("lists more labels than a recording has")
  }

  private mutating func add(_ changes: [LabelChange], to id: RecordingID) {
    let sound = changes.filter { $0.isRemoval || $0.label.isGivable }
    say(changes.count - sound.count, of: id, "left out, whose names `imulog label` refuses")
    guard !sound.isEmpty else { return }
    do {
      // Labels that were here before stay, whatever this pull fetches.
      if labelStores[id] == nil, try fetch.local.entry(of: id) == nil,
        try fetch.local.catalogue.labelsModified(of: id) == nil
      {
        labelledAhead.insert(id)
      }
      let removed = try store(of: id).merge(sound, into: id)
      say(removed, of: id, "removed here, as there")
    } catch {
      fail(id, fetch.local.failure(error))
    }
  }

  private func say(_ count: Int, of id: RecordingID, _ what: String) {
    guard count > 0 else { return }
    board.talk("\(host): \(Plain.count(count, "label")) of recording \(id) \(what)")
  }

  /// Deletes the labels of recordings that were not fetched after all.
  mutating func forgetLabelsAhead() {
    for id in labelledAhead {
      do {
        try fetch.local.catalogue.forgetLabels(of: id)
      } catch {
        fail(id, fetch.local.failure(error))
      }
    }
  }

  /// Reports labels that could not be fetched; their recording is not freed.
  private mutating func fail(_ id: RecordingID, _ failure: CommandFailure) {
    labelFailures[id] = failure
    board.talk("\(host): labels of recording \(id) could not be fetched: \(failure.sentence)")
    result.note(failure)
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// The labels of a host's recordings, which are added to those here.
///
///     labelled ─► UUID and digest of each ─► those that differ from here: labels UUID   ─► add what is new
///                                                                         removals UUID ─► remove what was removed
///
/// They come before any recording is freed there, and before exports beside the copies are made. An older far end closes
/// the connection at the question, and is not asked again. Of a label that was removed, or removed and added again, the
/// higher revision wins, whenever it was made. Labels of recordings that are then not fetched do not stay. Names that `imulog label`
/// would refuse are left out, and said. Labels that are not within the copy here stay: the recording there may be longer.
extension HostPull {
  /// Questions for labels without an answer at a time.
  private static var labelWindow: Int { 64 }

  /// Adds the labels of the recordings that are wanted.
  mutating func fetchLabels(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    guard !isWithoutLabels else { return }
    var wanted: [RecordingID] = []
    do throws(FarEnd.Failure) {
      wanted = try differing(&farEnd)
    } catch {
      switch error {
      case .broken:
        isWithoutLabels = true
        board.talk(
          "\(host): the connection closed at the question for labels, which an older imulog does not know; "
            + "recordings are fetched without them")
        throw .abandoned(isOurs: true)
      case .refused(let status, let sentence):
        let failure = CommandFailure(ExitStatus(rawValue: status) ?? .inputOutput, sentence)
        for offer in todo { labelFailures[offer.id] = failure }
        board.talk("\(host): its labels cannot be read: \(sentence)")
        return result.note(failure)
      default: throw error
      }
    }
    while !wanted.isEmpty {
      let part = wanted.prefix(HostPull.labelWindow)
      for id in part { try farEnd.ask(.labels(id)) }
      for id in part {
        if let labels = try answer(about: id, limit: RecordingLabel.mostOfRecording, &farEnd) {
          guard !labels.contains(where: \.isRemoval) else {
            throw farEnd.violation("lists a removed label as one that is there")
          }
          add(labels, to: id)
        }
      }
      try fetchRemovals(part, &farEnd)
      patience.progressed(now: clock.now())
      wanted = Array(wanted.dropFirst(part.count))
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
      default: throw farEnd.violation("lists something that is no recording with labels")
      }
    }
  }

  /// Whether labels of a recording belong here: it is fetched now, or was earlier and is not offered any more.
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

  /// Finds the store that gets the labels of a recording that is not wanted; returns whether there is one.
  private mutating func findLabelStore(_ id: RecordingID) -> Bool {
    guard settings.ids.isEmpty else { return false }
    do {
      guard let store = try settings.witness?.labelStore(id) else { return false }
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

  /// Removes what was removed there.
  private mutating func fetchRemovals(
    _ part: ArraySlice<RecordingID>, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) {
    guard !isWithoutRemovals else { return }
    // The answer to the first question was a refusal, which was said.
    let part = part.filter { labelFailures[$0] == nil }
    do throws(FarEnd.Failure) {
      for id in part { try farEnd.ask(.removals(id)) }
      for id in part {
        if let removals = try answer(about: id, limit: HostPull.mostRemovals, &farEnd) {
          // The second revision is not sent.
          let changes = removals.map { $0.revision == 1 ? LabelChange($0.label, revision: 2) : $0 }
          guard changes.allSatisfy(\.isRemoval) else {
            throw farEnd.violation("lists a label that is there as a removed one")
          }
          add(changes, to: id)
        }
      }
    } catch {
      guard case .broken = error else { throw error }
      isWithoutRemovals = true
      board.talk(
        "\(host): the connection closed at the question for removed labels, which an older imulog does not know; "
          + "labels that were removed there stay here")
      throw .abandoned(isOurs: true)
    }
  }

  /// More than a file of labels can have.
  private static var mostRemovals: Int { 100_000 }

  /// The labels in an answer; `nil` when the far end refuses, which is reported.
  private mutating func answer(
    about id: RecordingID, limit: Int, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) -> [LabelChange]? {
    var labels: [LabelChange] = []
    while true {
      do throws(FarEnd.Failure) {
        switch try farEnd.reply() {
        case .label(let label): labels.append(label)
        case .end: return labels
        default: throw farEnd.violation("lists something that is no label")
        }
      } catch {
        guard case .refused(let status, let sentence) = error else { throw error }
        fail(id, CommandFailure(ExitStatus(rawValue: status) ?? .inputOutput, sentence))
        return nil
      }
      guard labels.count <= limit else {
        throw farEnd.violation("lists more labels than a recording has")
      }
    }
  }

  private mutating func add(_ changes: [LabelChange], to id: RecordingID) {
    let sound = changes.filter { $0.isRemoval || $0.label.isGivable }
    say(changes.count - sound.count, of: id, "left out, whose names `imulog label` refuses")
    guard !sound.isEmpty else { return }
    do {
      if labelStores[id] == nil, try fetch.local.entry(of: id) == nil { labelledAhead.insert(id) }
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

  /// Reports labels that are not here; their recording stays there.
  private mutating func fail(_ id: RecordingID, _ failure: CommandFailure) {
    labelFailures[id] = failure
    board.talk("\(host): labels of recording \(id) could not be fetched: \(failure.sentence)")
    result.note(failure)
  }
}

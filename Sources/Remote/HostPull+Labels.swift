// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// The labels of a host's recordings, which are added to those here.
///
///     labelled ─► UUID and digest of each ─► those that differ from here: labels UUID ─► add what is new
///
/// They come before any recording is freed there, and before exports beside the copies are made. An older far end closes
/// the connection at the question, and is not asked again.
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
        return result.note(failure.status)
      default: throw error
      }
    }
    while !wanted.isEmpty {
      let part = wanted.prefix(HostPull.labelWindow)
      for id in part { try farEnd.ask(.labels(id)) }
      for id in part {
        do throws(FarEnd.Failure) {
          add(try labels(&farEnd), to: id)
        } catch {
          guard case .refused(let status, let sentence) = error else { throw error }
          fail(id, CommandFailure(ExitStatus(rawValue: status) ?? .inputOutput, sentence))
        }
      }
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
        if isWanted(id, offered), isNew(digest, of: id) { wanted.append(id) }
      case .end: return wanted
      default: throw farEnd.violation("lists something that is no recording with labels")
      }
    }
  }

  /// Whether labels of a recording belong here: it is fetched now, or was earlier and is not offered any more.
  private mutating func isWanted(_ id: RecordingID, _ offered: Set<RecordingID>) -> Bool {
    if offered.contains(id) { return true }
    guard settings.ids.isEmpty else { return false }
    do {
      return try fetch.local.entry(of: id) != nil
    } catch {
      fail(id, CommandFailure(error, else: .inputOutput))
      return false
    }
  }

  private mutating func isNew(_ digest: SHA256Digest, of id: RecordingID) -> Bool {
    do {
      return SHA256.digest(of: try fetch.local.catalogue.labels(of: id).lines) != digest
    } catch {
      fail(id, CommandFailure(error, else: .inputOutput))
      return false
    }
  }

  private func labels(_ farEnd: inout FarEnd) throws(FarEnd.Failure) -> [RecordingLabel] {
    var labels: [RecordingLabel] = []
    while true {
      switch try farEnd.reply() {
      case .label(let label): labels.append(label)
      case .end: return labels
      default: throw farEnd.violation("lists something that is no label")
      }
      guard labels.count <= RecordingLabel.mostOfRecording else {
        throw farEnd.violation("lists more labels than a recording has")
      }
    }
  }

  private mutating func add(_ labels: [RecordingLabel], to id: RecordingID) {
    do {
      try fetch.local.catalogue.merge(labels, into: id)
    } catch {
      fail(id, CommandFailure(error, else: .inputOutput))
    }
  }

  /// Reports labels that are not here; their recording stays there.
  private mutating func fail(_ id: RecordingID, _ failure: CommandFailure) {
    labelFailures[id] = failure
    board.talk("\(host): labels of recording \(id) could not be fetched: \(failure.sentence)")
    result.note(failure.status)
  }
}

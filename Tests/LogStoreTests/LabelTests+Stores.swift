// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import Testing

/// Labels of a recording that several stores have.
extension LabelTests {
  @Test("what another store has is added, but not what was removed here")
  func merge() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    try store.remove(LabelTests.walking, from: id)
    try store.add(LabelTests.step, to: id)
    let others = [LabelTests.walking, LabelTests.step, LabelTests.edge].map { LabelChange($0) }
    #expect(try store.merge(others, into: id) == 0)
    #expect(try store.labels(of: id).labels == [LabelTests.edge, LabelTests.step])
  }

  @Test("what was removed in another store is removed here, and does not come back from a third")
  func mergeRemovals() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    try store.add(LabelTests.step, to: id)
    let both = [LabelTests.walking, LabelTests.edge]
    let removals = both.map { LabelChange($0, revision: 2) }
    #expect(try store.merge(removals, into: id) == 1)
    #expect(try store.labels(of: id).labels == [LabelTests.step])
    #expect(try store.labels(of: id).removed == [LabelTests.walking, LabelTests.edge])
    let bytes = directory.bytes(of: file(id))
    #expect(try store.merge(both.map { LabelChange($0) } + removals, into: id) == 0)
    #expect(directory.bytes(of: file(id)) == bytes)
    try store.add(LabelTests.edge, to: id)
    #expect(try store.labels(of: id).labels == [LabelTests.edge, LabelTests.step])
  }

  @Test("of a label that was removed and added again, the later change wins in either direction")
  func again() throws {
    let (here, there) = (try store(), try Catalogue(path: directory.path + "/there", create: true))
    let (_, id) = try addRecording(here)
    func exchange() throws {
      for (from, to) in [(here, there), (there, here)] {
        let list = try from.labels(of: id)
        let known = list.labels + list.removed.sorted()
        try to.merge(known.map { LabelChange($0, revision: list.revision(of: $0)) }, into: id)
      }
    }
    for round in 0..<3 {
      let (one, other) = round % 2 == 0 ? (here, there) : (there, here)
      try one.add(LabelTests.walking, to: id)
      try exchange()
      #expect(try other.labels(of: id).labels == [LabelTests.walking], "round \(round)")
      try other.remove(LabelTests.walking, from: id)
      try exchange()
      #expect(try one.labels(of: id).labels.isEmpty, "round \(round)")
    }
    try here.add(LabelTests.walking, to: id)
    #expect(try here.labels(of: id).revision(of: LabelTests.walking) == 7)
  }

  @Test("a label that is here already takes a higher revision though no label more has room")
  func fullOfLabels() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    let all = try (0..<Int64(RecordingLabel.mostOfRecording)).map {
      try RecordingLabel("x", from: $0, to: $0 + 1)
    }
    try store.merge(all.map { LabelChange($0) }, into: id)
    try store.merge([LabelChange(all[7], revision: 3)], into: id)
    #expect(try store.labels(of: id).revision(of: all[7]) == 3)
    #expect(try store.labels(of: id).labels == all)
  }

  @Test(
    "after the last revision, which only a lying store gives, a label is refused and not lost unsaid"
  )
  func lastRevision() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.merge([LabelChange(LabelTests.walking, revision: LabelChange.last)], into: id)
    let bytes = directory.bytes(of: file(id))
    #expect(
      sentence { try store.add(LabelTests.walking, to: id) }
        .hasPrefix("\(directory.path)/\(file(id)) is full of removed labels, "))
    #expect(directory.bytes(of: file(id)) == bytes)
  }

  private func sweep(_ store: Catalogue, afterDays days: Int64) {
    store.sweep(
      now: WallTime(
        nanoseconds: (Int64(time(nil)) + days * 86400) * 1_000_000_000, isSynchronised: true)
    ) { Issue.record("\($0)") }
  }

  @Test(
    "labels outlive a recording that made room by 30 days, unless it is here again; one that cannot be read stops nothing"
  )
  func room() throws {
    let store = try store()
    let (entry, id) = try addRecording(store)
    let (later, other) = try addRecording(store, 2)
    for id in [id, other] { try store.add(LabelTests.walking, to: id) }
    let bytes = directory.bytes(of: later.fileName)
    let room = try store.makeRoom(for: 2, deletesOldest: true) {
      UInt64(2 - directory.names().count { $0.hasSuffix(".imulog") })
    }
    #expect(room.deleted == [entry.number, later.number])
    #expect(try store.leftovers().map(\.state) == [.deleted, .deleted])
    sweep(store, afterDays: 0)
    directory.write(bytes, to: later.fileName)
    sweep(store, afterDays: 29)
    #expect(try store.leftovers().map(\.id) == [id])
    #expect(try store.labelled() == [id, other])
    let part = directory.path + "/.part-\(RecordingID(high: 5, low: 6))"
    #expect(mkdir(part, 0o700) == 0)
    sweep(store, afterDays: 31)
    #expect(try store.labelled() == [other] && store.leftovers().map(\.state) == [.partial])
  }

  @Test("labels of a recording that a person took away stay")
  func takenAway() throws {
    let store = try store()
    let (entry, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    #expect(rename(entry.path, entry.path + ".mine") == 0)
    for days in [0, 31, 400] as [Int64] { sweep(store, afterDays: days) }
    #expect(try store.labels(of: id).labels == [LabelTests.walking])
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import LogStoreTesting
import Testing
import TestSupport

@testable import Remote

@Suite("Labels that come before their recording", .waitsForPrograms)
struct LabelsAheadTests {
  @Test(
    "stay after a failed fetch where there were some before, else go", arguments: [true, false])
  func failed(wereHere: Bool) throws {
    let (store, id) = (PullingStore(), Conversation.log("a").description.id)
    if wereHere {
      let label = try RecordingLabel("left", from: 3, to: 40)
      try store.catalogue().merge([LabelChange(label)], into: id)
    }
    try PullCase(
      "labels ahead", after: [],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < labelled $a \(String(repeating: "1", count: 64)) | < end
      > labels $a | < label 1000 2000 walking | < end
      > fetch $a 0 | < refused 75 later
      = pump-1: recording 9: later
      = 1 offered, 1 failed; status 74
      """
    ).play(in: store)
    let names = try store.catalogue().labels(of: id).names
    #expect(names == (wereHere ? ["left", "walking"] : []))
  }
}

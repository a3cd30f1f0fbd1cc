// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat
import LogStoreTesting
import Testing
import TestSupport

@testable import Remote

/// A pull as one of the two ends of a conversation; the other end is played.
struct PullCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// What is in the store before, as ``PullingStore/contents`` has it: `000003 a`, or `.part a 100`.
  var before: [String] = []
  var settings: @Sendable (inout PullSettings) -> Void = { _ in }
  let text: String
  /// What is in the store afterwards.
  var after: [String]?

  init(
    _ name: String, before: [String] = [], after: [String]? = nil,
    with settings: @escaping @Sendable (inout PullSettings) -> Void = { _ in }, _ text: String
  ) {
    (testDescription, self.before, self.after) = (name, before, after)
    (self.settings, self.text) = (settings, text)
  }

  /// Plays it; returns the store for what else is to be seen there.
  ///
  /// - Parameter isKept: Whether the store is to be what ``after`` says.
  @discardableResult
  func play(in store: PullingStore = PullingStore(), isKept: Bool = true) throws -> PullingStore {
    let conversation = Conversation(text)
    for file in before {
      let words = file.split(separator: " ")
      let number = Int(words[0])
      store.put(words[1].first ?? "a", words.count > 2 ? Int(words[2]) : nil, number: number)
    }
    let hosts = PlayedHosts(["pi@pump": conversation])
    // A pause after a broken connection is a sixtieth of it.
    var settings = PullSettings(timeout: 12_000_000_000)
    settings.openFiles = 16
    self.settings(&settings)
    try store.pull(hosts, settings) { try $0.marks().routes }
    #expect(hosts.requests(of: "pi@pump") == conversation.requests)
    #expect(store.outcome == conversation.reports)
    if isKept { #expect(store.contents == after ?? before) }
    return store
  }
}

@Suite("A pull asks, proves and keeps", .waitsForPrograms)
struct PullConversationTests {
  @Test(arguments: [
    PullCase(
      "all that is new, newest first, and says what cannot be read there",
      after: ["000003 b", "000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < unreadable 5 it is damaged
      < recording 3 $b $b.n complete 100 | < end
      > labelled | < end
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < alive | < whole $a.n $a.h complete
      > fetch $b 0 | < bytes 100 | @ $b 0 100 | < bytes 1 | @ $b 100 101 | < bytes $b.n-101 | @ $b 101 $b.n
      < whole $b.n $b.h complete
      = pump-1: recording 5 cannot be read there: it is damaged
      = pump-1: recording 9 is here as 9, $a.n bytes
      = pump-1: recording 3 is here as 3, $b.n bytes
      = 3 offered, 2 fetched, 1 failed; status 65
      """),
    PullCase(
      "nothing of an empty store", after: [],
      """
      < imulog-pull 1 free | > list | < end
      > labelled | < end
      =
      """),
    PullCase(
      "the rest of a partial copy", before: [".part a 5000"], after: ["000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 4888 | < prefix $a.h4888 | < bytes 1000 | @ $a 4888 5888 | < bytes $a.n-5888 | @ $a 5888 $a.n
      < whole $a.n $a.h complete
      = pump-1: recording 9 is here as 9, $a.n bytes, resumed where an earlier attempt stopped
      = 1 offered, 1 fetched
      """),
    PullCase(
      "a partial copy that began otherwise anew, and keeps the other aside",
      before: [".part a 8192"], after: [".aside a 8192", "000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 8192 | < prefix $x.h8192 | < bytes 20 | @ $a 8192 8212 | < whole $a.n $a.h complete
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      = pump-1: recording 9 is here as 9, $a.n bytes: it was changed there and now begins differently; the earlier copy is kept as STORE/.aside-$a-1
      = 1 offered, 1 fetched; status 65
      """),
    PullCase(
      "what is here is not fetched again", before: ["000004 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      = 1 offered, 1 here
      """),
    PullCase(
      "what is here and differs stays", before: ["000004 x", "000005 b"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < recording 3 $b $b.n recovered 100 | < end
      > labelled | < end
      = pump-1: recording 9: is not what was fetched as 4 ($a.n bytes there, $x.n here): one of them was changed; `imulog --store STORE rm 4` and pull again to have theirs
      = pump-1: recording 3: is no longer what was fetched as 5 ($b.n bytes there, $b.n here): it was recovered there after a power loss, or its medium fails; the copy here is kept unchanged; remove the recording there
      = 2 offered, 2 failed; status 65
      """),
    PullCase(
      "goes on after a cut where it was", after: ["000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 0 | < bytes $a.n | @ $a 0 8200 | ~
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 8192 | < prefix $a.h8192 | < bytes $a.n-8192 | @ $a 8192 $a.n | < whole $a.n $a.h complete
      = pump-1: the connection broke, it was cut; reconnecting
      = pump-1: recording 9 is here as 9, $a.n bytes, resumed where an earlier attempt stopped
      = 1 offered, 1 fetched
      """),
    PullCase(
      "a recording that is being written so far as it is", after: [".part r"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $r 8192 running 200 | < end
      > labelled | < end
      > fetch $r 0 | < bytes $r.n | @ $r 0 $r.n | < whole $r.n $r.h running
      = pump-1: recording 9 is being written, or locked by another program; everything so far is here, --follow waits for the rest
      = 1 offered, 1 running; status 75
      """),
    PullCase(
      "a recording that is being written to its end, last", after: ["000008 b", "000009 a"],
      with: { $0.follow = true },
      """
      < imulog-pull 1 keep | > list | < recording 9 $a 8192 running 200 | < recording 8 $b $b.n complete 200 | < end
      > labelled | < end
      > fetch $b 0 | < bytes $b.n | @ $b 0 $b.n | < whole $b.n $b.h complete
      > follow $a 0 | < bytes 8192 | @ $a 0 8192 | < alive | < bytes $a.n-8192 | @ $a 8192 $a.n | < whole $a.n $a.h complete
      = pump-1: recording 8 is here as 8, $b.n bytes
      = pump-1: recording 9 is here as 9, $a.n bytes
      = 2 offered, 2 fetched
      """),
    PullCase(
      "one that another program leaves running is for a later pull", after: [],
      with: { $0.leavesRunning = true },
      """
      < imulog-pull 1 keep | > list | < recording 9 $r 8192 running 200 | < end
      > labelled | < end
      = 1 offered, 1 running
      """),
    PullCase(
      "a recovered recording", after: ["000009 r"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $r $r.n recovered 200 | < end
      > labelled | < end
      > fetch $r 0 | < bytes $r.n | @ $r 0 $r.n | < whole $r.n $r.h recovered
      = pump-1: recording 9 is here as 9, $r.n bytes
      = 1 offered, 1 fetched
      """),
    PullCase(
      "a number of more than six digits is kept", after: ["1234567 a"],
      """
      < imulog-pull 1 keep | > list | < recording 1234567 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      = pump-1: recording 1234567 is here as 1234567, $a.n bytes
      = 1 offered, 1 fetched
      """),
    PullCase(
      "a number that is taken here becomes the next one", before: ["000009 b"],
      after: ["000009 b", "000012 a"],
      """
      < imulog-pull 1 keep | > list | < recording 11 $r $r.n running 300 | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $r 0 | < refused 66 it is gone
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      = pump-1: recording 11: it is gone
      = pump-1: recording 9 is here as 12, $a.n bytes
      = 2 offered, 1 fetched, 1 failed; status 74
      """),
  ])
  func copies(_ pull: PullCase) throws { try pull.play() }

  @Test("a partial copy that is damaged here goes on where it is intact")
  func damagedHere() throws {
    let (store, name) = (PullingStore(), ".part-\(Conversation.log("a").description.id)")
    store.put("a", 8192)
    var bytes = store.directory.bytes(of: name)
    bytes[5000] ^= 1
    store.directory.write(bytes, to: name)
    try PullCase(
      "", after: ["000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 8192 | < prefix $a.h8192 | < bytes 20 | @ $a 8192 8212 | < whole $a.n $a.h complete
      > fetch $a 4888 | < prefix $a.h4888 | < bytes $a.n-4888 | @ $a 4888 $a.n | < whole $a.n $a.h complete
      = pump-1: recording 9 is here as 9, $a.n bytes, resumed where an earlier attempt stopped
      = 1 offered, 1 fetched
      """
    ).play(in: store)
  }

  @Test("a partial copy that another program holds is left to it after some looks")
  func held() throws {
    let (store, name) = (PullingStore(), ".part-\(Conversation.log("a").description.id)")
    store.put("a", 8192)
    let copy = open("\(store.directory.path)/\(name)", O_RDONLY | O_CLOEXEC)
    #expect(flock(copy, LOCK_EX) == 0)
    // What looks without end finds it free at last, and asks for it.
    let release = Task.detached {
      try await Task.sleep(for: .seconds(20))
      flock(copy, LOCK_UN)
    }
    defer {
      release.cancel()
      close(copy)
    }
    try PullCase(
      "", after: [".part a 8192"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      = pump-1: recording 9: another program is at it here
      = 1 offered, 1 failed; status 75
      """
    ).play(in: store)
  }

  @Test(arguments: [
    PullCase(
      "what is proved to be here, new or not", before: ["000005 b"],
      after: ["000005 b", "000009 a"],
      with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 | < recording 5 $b $b.n complete 100 | < end
      > labelled | < end
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      > free $b $b.n $b.h | < freed
      > free $a $a.n $a.h | < refused 75 a program reads it
      = pump-1: recording 5 is here as 5, and in the trash there
      = pump-1: recording 9 is here as 9, $a.n bytes: it stays there: a program reads it
      = 2 offered, 1 here, 1 fetched, 1 freed; status 75
      """),
    PullCase(
      "nothing that differs, is running or is not allowed", before: ["000004 x", "000005 b"],
      after: [".part r 8192", "000004 x", "000005 b"], with: { $0.thenFree = true },
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < recording 8 $r 8192 running 200
      < recording 5 $b $b.n complete 100 | < end
      > labelled | < end
      > fetch $r 0 | < bytes 8192 | @ $r 0 8192 | < whole 8192 $r.h8192 running
      > free $b $b.n $b.h | < refused 77 this key may not free recordings
      = pump-1: recording 9: is not what was fetched as 4 ($a.n bytes there, $x.n here): one of them was changed; `imulog --store STORE rm 4` and pull again to have theirs
      = pump-1: recording 8 is being written, or locked by another program; everything so far is here, --follow waits for the rest
      = pump-1: recording 5 is here as 5: it stays there: this key may not free recordings
      = 3 offered, 1 here, 1 running, 1 failed; status 65
      """),
    PullCase(
      "what came before a cut at the request, and fetches it once", after: ["000009 a"],
      with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      > free $a $a.n $a.h | ~
      < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < end
      > free $a $a.n $a.h | < freed
      = pump-1: the connection broke, it was cut; reconnecting
      = pump-1: recording 9 is here as 9, $a.n bytes, and in the trash there
      = 1 offered, 1 fetched, 1 freed
      """),
    PullCase(
      "a second time when the first answer was lost", before: ["000005 b"],
      with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 5 $b $b.n complete 100 | < end
      > labelled | < end
      > free $b $b.n $b.h | ~
      < imulog-pull 1 free | > list | < recording 5 $b $b.n complete 100 | < end
      > labelled | < end
      > free $b $b.n $b.h | < freed
      = pump-1: the connection broke, it was cut; reconnecting
      = pump-1: recording 5 is here as 5, and in the trash there
      = 1 offered, 1 here, 1 freed
      """),
  ])
  func frees(_ pull: PullCase) throws { try pull.play() }

  @Test(
    "a request to free that got no answer is repeated by the next pull, though it is not offered any more"
  )
  func unanswered() throws {
    let conversation = Conversation(
      """
      < imulog-pull 1 free | > list | < recording 5 $b $b.n complete 100 | < end
      > labelled | < end
      > free $b $b.n $b.h | < end
      -
      < imulog-pull 1 free | > list | < end
      > free $b $b.n $b.h | < refused 66 there is no recording any more
      > labelled | < end
      -
      < imulog-pull 1 free | > list | < end
      > free $b $b.n $b.h | < freed
      > labelled | < end
      -
      < imulog-pull 1 free | > list | < end
      > labelled | < end
      """)
    let (store, hosts) = (PullingStore(), PlayedHosts(["pi@pump": conversation]))
    store.put("b", number: 5)
    var settings = PullSettings(timeout: 12_000_000_000)
    settings.thenFree = true
    var outcomes: [[String]] = []
    for _ in 0..<4 {
      try store.pull(hosts, settings) { try $0.marks().routes }
      outcomes.append(store.outcome)
      #expect(store.contents.contains { $0.hasPrefix(".freeing") } == (outcomes.count < 3))
    }
    #expect(hosts.requests(of: "pi@pump") == conversation.requests)
    #expect(
      outcomes == [
        [
          "pump-1: pi@pump sends an answer that was not requested, which imulog never does; verified data is kept, check what answers there",
          "pump-1: recording 5 is here as 5: it is not known whether it was freed there: the host was given up",
          "1 offered, 1 here; status 69",
        ],
        [
          "pump-1: recording 5 here: it is not known whether it was freed there: there is no recording any more",
          "",
        ], ["pump-1: recording 5 here is in the trash there", "1 freed"], [""],
      ])
  }

  /// SHA-256 of nothing, from FIPS 180-4's examples.
  static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  static let other = String(repeating: "1", count: 64)

  @Test(arguments: [
    PullCase(
      "of what is wanted, and what was removed there goes", before: ["000005 b", "000009 a"],
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < end
      > labelled | < labelled $b \(nothing) | < labelled $a \(other) | < labelled $r \(other) | < end
      > labels $a | < label 1000 2000 walking | < label -5 7 left%20foot 5 | < label 0 1 %3dSUM
      < label 30 40 gone 2 | < label 31 40 gone 8 | < end
      = pump-1: 1 label of recording $a left out, whose names `imulog label` refuses
      = 1 offered, 1 here
      """),
    PullCase(
      "that cannot be read there keep their recording there", before: ["000005 b", "000009 a"],
      with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 | < recording 5 $b $b.n complete 100 | < end
      > labelled | < labelled $a \(other) | < end
      > labels $a | < refused 65 its labels are damaged
      > free $b $b.n $b.h | < freed
      = pump-1: labels of recording $a could not be fetched: its labels are damaged
      = pump-1: recording 9 is here as 9: it stays there: its labels could not be added here: its labels are damaged
      = pump-1: recording 5 is here as 5, and in the trash there
      = 2 offered, 2 here, 1 freed; status 65
      """),
    PullCase(
      "none of which can be read there", before: ["000005 b"], with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 5 $b $b.n complete 100 | < end
      > labelled | < refused 74 Input/output error
      = pump-1: its labels cannot be read: Input/output error
      = pump-1: recording 5 is here as 5: it stays there: its labels could not be added here: Input/output error
      = 1 offered, 1 here; status 74
      """),
  ])
  func labels(_ pull: PullCase) throws {
    let store = try pull.play()
    let labels = try store.catalogue().labels(of: Conversation.log("a").description.id)
    if pull.text.contains("walking") {
      #expect(labels.names == ["left foot", "walking"])
      #expect(labels.labels.map { labels.revision(of: $0) } == [5, 1])
    }
  }
}

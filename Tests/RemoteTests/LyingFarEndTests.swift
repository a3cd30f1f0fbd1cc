// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@testable import Remote

@Suite(
  "Whatever a far end says, a pull keeps what is proved and says what is wrong", .waitsForPrograms)
struct LyingFarEndTests {
  private static let nothing = PullConversationTests.nothing
  private static let other = PullConversationTests.other

  /// What a far end may say where it should send `a`, and what it does by that.
  @Test(arguments: [
    ("< freed", "sends an answer that was not requested"),
    ("< prefix \(Self.other)", "sends an answer that was not requested"),
    ("< end", "sends an answer that was not requested"),
    ("< hello, world", "answers `hello, world`"),
    ("< label 2 1 a", "sends an answer that was not requested"),
    (
      "< bytes $a.n | @ $a 0 $a.n | < bytes 1",
      "sends more of recording 9 than the $a.n bytes that it offered"
    ),
  ])
  func violations(_ replies: String, _ what: String) throws {
    try check(
      "< end | > labelled | < end | > fetch $a 0 | " + replies,
      "pi@pump \(what), \(Self.never) | = 1 offered; status 69")
  }

  private static let never =
    "which imulog never does; verified data is kept, check what answers there"

  @Test(arguments: [
    (
      "< bytes $a.n | @ $a 0 $a.n | < whole $a.n \(Self.other) complete",
      "the copy differs from what was sent; it was discarded, so pull again"
    ),
    ("< bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h recovered", changed("$a.n, recovered")),
    ("< bytes 8192 | @ $a 0 8192 | < whole 8192 $a.h8192 complete", changed("8192, complete")),
    ("< bytes 8192 | @ $x 0 8192 | < whole 8192 $x.h8192 complete", changed("8192, complete")),
    ("< whole 0 \(Self.nothing) complete", changed("0, complete")),
    (
      "< bytes 8192 | @ $r 0 8192 | < whole 8192 $r.h8192 complete",
      "the data received is not recording $a; check what answers there"
    ), ("< refused 66 it is gone", "it is gone"), ("< refused 65 ?", "?"),
  ])
  func useless(_ replies: String, _ sentence: String) throws {
    let store = try check(
      "< end | > labelled | < end | > fetch $a 0 | " + replies,
      "recording 9: \(sentence) | = 1 offered, 1 failed; status 74")
    #expect(store.contents.allSatisfy { !$0.hasPrefix("0") })
  }

  private static func changed(_ what: String) -> String {
    "it changed there meanwhile: $a.n bytes, complete, were offered, and \(what), came; pull again"
  }

  /// Checks what is reported after the offer of `a`.
  @discardableResult
  private func check(_ replies: String, _ report: String) throws -> PullingStore {
    let offer = "< imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200"
    return try PullCase(replies, "\(offer) | \(replies)\n= pump-1: \(report)").play(isKept: false)
  }

  private static let labelled = "> labelled | < labelled $a \(other) | < end | > labels $a"

  @Test(arguments: [
    (
      "> labelled | < labelled $b \(Self.other) | < labelled $b \(Self.other)", "labels without end"
    ),
    (
      "> labelled | < recording 9 $a $a.n complete 200",
      "something that is not a recording with labels"
    ),
    ("\(labelled) | < freed", "something that is not a label"),
  ])
  func lists(_ replies: String, _ what: String) throws {
    try check("< end | " + replies, "pi@pump lists \(what), \(Self.never) | = 1 offered; status 69")
  }

  @Test(
    "one label that is none holds back the labels of its recording alone, which stays there",
    arguments: [
      ("< label 2 1 a", "label 2 1 a"), ("< label 1 2 a | < label 1 2", "label 1 2"),
      ("< label 1 2 a 1 | < label x", "label 1 2 a 1"), ("< label 1 2 b 2 | < label", "label"),
    ])
  func falseLabels(_ labels: String, _ what: String) throws {
    let wrong = "`\(what)` is not a label; install the same imulog here and there"
    let store = try PullCase(
      what, before: ["000005 b", "000009 a"], with: { $0.thenFree = true },
      """
      < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 | < recording 5 $b $b.n complete 100 | < end
      > labelled | < labelled $a \(Self.other) | < labelled $b \(Self.other) | < end
      > labels $a | > labels $b | \(labels) | < end | < label 5 6 step | < end
      > free $b $b.n $b.h | < freed
      = pump-1: labels of recording $a could not be fetched: \(wrong)
      = pump-1: recording 9 is here as 9: it stays there: its labels could not be added here: \(wrong)
      = pump-1: recording 5 is here as 5, and in the trash there
      = 2 offered, 2 here, 1 freed; status 65
      """
    ).play()
    let names = try (["a", "b"] as [Character]).map {
      try store.catalogue().labels(of: Conversation.log($0).description.id).names
    }
    #expect(names == [[], ["step"]])
  }

  @Test("of two recordings with one UUID it fetches the first, and names the other")
  func twins() throws {
    try check(
      "< recording 8 $a $a.n complete 200 | < end | > labelled | < end | > fetch $a 0 | < refused 75 later",
      "recording 8 cannot be read there: it has the UUID of recording 9 | = pump-1: recording 9: later | = 2 offered, 2 failed; status 65"
    )
    try check(
      "< freed", "pi@pump lists something that is not a recording, \(Self.never) | = status 69")
    // Of a sentence about one, 500 characters are kept.
    let words = String(repeating: "z", count: 499)
    try check(
      "< unreadable 8 \(words)zz | < end | > labelled | < end | > fetch $a 0 | < refused 75 later",
      "recording 8 cannot be read there: \(words)… | = pump-1: recording 9: later | = 2 offered, 2 failed; status 65"
    )
  }

  @Test(arguments: [
    (
      "< imulog-pull 2 keep",
      "imulog on pi@pump speaks version 2 of the pull protocol, this one 1; install the same version"
    ),
    (
      "< Welcome to pump",
      "pi@pump answers, but not as imulog; start-up files of its shell must print nothing"
    ),
    (
      "? sh: 1: imulog: not found | ~ 127",
      "there is no imulog on pi@pump: sh: 1: imulog: not found; install it where its ssh finds it"
    ),
    (
      "? Host key verification failed. | ~ 255",
      "ssh does not know the host key of pi@pump; run `ssh pi@pump` once, compare the fingerprint that it shows with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on that machine, and try again"
    ),
    (
      "? ssh: connect to host pump port 22: No route to host | ~ 255",
      "cannot connect to pi@pump: ssh: connect to host pump port 22: No route to host; try `ssh pi@pump` first"
    ),
    ("< end", "pi@pump answers, but not as imulog; start-up files of its shell must print nothing"),
    ("< refused 77 no", "pi@pump refuses: no"),
    (
      "? @ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @ | ? Offending ED25519 key in /home/me/.ssh/known_hosts:3 | ? Host key verification failed. | ~ 255",
      "the host key of pi@pump is not the one that ssh knows: another machine answers, or it was reinstalled; only if you know that it was, delete the line /home/me/.ssh/known_hosts:3, run `ssh pi@pump` once and try again"
    ),
    ("? Segmentation fault | ~ 139", "imulog on pi@pump ended with status 139: Segmentation fault"),
  ])
  func greetings(_ text: String, _ report: String) throws {
    try PullCase(text, after: [], text + "\n= pump-1: \(report)\n= status 69").play()
  }

  @Test(arguments: [
    (
      "latest", "> fetch $a 0 | < refused 75 later",
      "pump-1: recording 9: later | = 1 offered, 1 failed; status 74"
    ),
    ("4", "", "pump-1: there is no recording 4 on pump-1: the newest is 9 | = status 66"),
    (
      "3", "> fetch $b 0 | < refused 75 later",
      "pump-1: recording 3: later | = 1 offered, 1 failed; status 74"
    ),
    (
      "00000000", "",
      "pump-1: there is no recording 00000000 on pump-1: the newest is 9 | = status 66"
    ),
    (
      "9", "> fetch $a 0 | < refused 75 later",
      "pump-1: recording 9: later | = 1 offered, 1 failed; status 74"
    ),
    ("5", "", "pump-1: recording 5 cannot be read on pump-1: it is damaged | = status 65"),
  ])
  func choices(_ id: String, _ fetch: String, _ report: String) throws {
    let reference = try RecordingReference(request: id)
    let labels = "> labelled | < labelled $r \(Self.other) | < end | "
    try PullCase(
      id, after: [], with: { $0.ids = [reference] },
      """
      < imulog-pull 1 keep | > list | < recording 9 $a $a.n complete 200 | < unreadable 5 it is damaged
      < recording 3 $b $b.n complete 100 | < end
      \(fetch.isEmpty ? "" : labels + fetch)
      = \(report)
      """
    ).play()
  }

  @Test(
    "a keeper of stores decides on each offer, and learns what comes and what the machine is like")
  func witness() throws {
    let witness = Witness()
    let id = ExampleLog.description(77).id
    try PullCase(
      "", after: ["000009 b"], with: { $0.witness = witness },
      """
      ? Host key fingerprint is SHA256:abc
      < imulog-pull 1 keep | > list | < recording 9 $b $b.n complete 300 | < recording 8 $r $r.n recovered 200
      < recording 7 $a 5 complete 100 | < recording 5 \(id) 5 complete 100 | < end
      > labelled | < labelled \(id) \(Self.nothing) | < end
      > fetch $r $r.n | < prefix $r.h | < whole $r.n $r.h recovered
      > fetch $b 0 | < bytes $b.n | @ $b 0 $b.n | < whole $b.n $b.h complete
      > machine | < fact software 0%2e1%2e0 | < fact time 5 | < fact free 77 | < fact later x%20y | < end
      = pump-1: recording 7 has other bytes
      = pump-1: recording 9 is here as 9, $b.n bytes
      = 4 offered, 1 here, 1 fetched, 1 failed; status 65
      """
    ).play()
    #expect(
      witness.seen.all == [
        "connected SHA256:abc", "admit 9", "admit 8", "admit 7", "admit 5", "compared 8 true",
        "arrival 9 \(Conversation.log("b").bytes.count)", "learned 0.1.0 77",
      ])
  }
}

/// A keeper of stores that notes what it is asked and learns.
private final class Witness: PullWitness {
  let seen = Reports()

  func connected(_ hostKey: String?) { seen.add("connected \(hostKey ?? "-")") }

  func admit(_ offer: PullOffer) -> PullAdmission {
    seen.add("admit \(offer.number)")
    switch offer.number {
    case 9: return .fetch
    case 8: return .compare
    case 7: return .refuse(CommandFailure(.damagedData, "has other bytes"))
    case 6: return .refuse(nil)
    default: return .here
    }
  }

  func compared(_ offer: PullOffer, _ digest: SHA256Digest) {
    seen.add("compared \(offer.number) \(digest == SHA256.digest(of: Conversation.log("r").bytes))")
  }

  func willPublish(_ arrivals: [PullArrival]) -> [RecordingID: CommandFailure] {
    for arrival in arrivals { seen.add("arrival \(arrival.offer.number) \(arrival.byteCount)") }
    return [:]
  }

  func labelStore(of id: RecordingID) -> Catalogue? { nil }

  func learned(_ machine: RemoteMachine?) {
    seen.add("learned \(machine?.software ?? "-") \(machine?.freeBytes ?? 0)")
  }
}

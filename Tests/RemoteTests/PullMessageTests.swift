// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
@testable import Remote
import Testing

@Suite("The protocol of a pull")
struct PullMessageTests {
  private static let id = RecordingID(high: 0x1b4e_28ba_2fa1_41d2, low: 0x883f_0016_d3cc_a427)
  private static let digest = SHA256().digest

  @Test("every request is read back from its line")
  func requests() {
    let all: [PullRequest] = [
      .list, .fetch(PullMessageTests.id, offset: 0, follow: false),
      .fetch(PullMessageTests.id, offset: .max, follow: true),
      .free(PullMessageTests.id, byteCount: 4096, digest: PullMessageTests.digest),
      .labelled, .labels(PullMessageTests.id), .machine,
    ]
    for request in all { #expect(PullRequest(line: request.line) == request) }
  }

  @Test("a request is read exactly or not at all")
  func wrongRequests() {
    let id = PullMessageTests.id.description
    let wrong = [
      "", " ", "list ", " list", "LIST", "list 1", "fetch", "fetch \(id)", "fetch \(id) -1",
      "fetch \(id) 01", "fetch \(id) +1", "fetch \(id) 18446744073709551616", "fetch  \(id) 1",
      "fetch \(id) 1 2", "fetch ../x 1", "fetch \(id.uppercased()) 1", "follow \(id) 0x1",
      "free \(id) 1 abc", "free \(id) 1 \(String(repeating: "A", count: 64))", "free \(id) 1",
      "labelled \(id)", "labels", "labels x", "labels \(id) ", "machine 1", "machine ",
    ]
    for line in wrong { #expect(PullRequest(line: line) == nil, "\(line)") }
  }

  @Test("every reply is read back from its line")
  func replies() throws {
    let offer = PullOffer(
      number: 7, id: PullMessageTests.id, byteCount: 123, state: .recovered, start: -5)
    var member = offer
    member.take = PullMessageTests.id
    let label = try RecordingLabel("left foot, 50 % ü", from: .min, to: -3)
    var all: [PullReply] = [
      .hello(version: 1, mayFree: true), .hello(version: 1, mayFree: false), .recording(offer),
      .recording(member),
      .end, .alive, .prefix(PullMessageTests.digest), .bytes(1), .bytes(1 << 20), .freed,
      .unreadable(number: 7, "page 0 is damaged; run verify"),
      .refused(status: 66, "no such recording; run it again"),
      .labelled(PullMessageTests.id, PullMessageTests.digest),
      .label(LabelChange(label)), .label(LabelChange(label, revision: 2)),
      .label(LabelChange(label, revision: 7)), .fact("free", "12 345 %"),
      .fact("problem", "no sensor at 0x68; é"),
    ]
    for state in PullState.allCases {
      all.append(.whole(byteCount: 5, digest: PullMessageTests.digest, state: state))
    }
    for reply in all { #expect(PullReply(line: reply.line) == reply) }
  }

  @Test("a reply of another form, or one that would need too much memory, is refused")
  func wrongReplies() {
    let wrong = [
      "", "bytes", "bytes -1", "bytes 0", "unreadable 1", "unreadable x y", "bytes 1048577",
      "bytes 99999999999999999999", "bytes 1 ", "hello", "imulog-pull 1 all", "imulog-pull 1",
      "recording 1", "recording 1 \(PullMessageTests.id) 1 complete 0 x",
      "recording 1 \(PullMessageTests.id) 1 complete 0 \(PullMessageTests.id) 1",
      "recording 4294967296 \(PullMessageTests.id) 1 complete 0",
      "recording 1 \(PullMessageTests.id) 1 done 0", "whole 1 \(PullMessageTests.digest)",
      "refused 0 x", "labelled \(PullMessageTests.id)", "labelled x \(PullMessageTests.digest)",
      "fact", "fact free", "fact free 1 2", "fact free %zz", "fact \u{1B}[2J 1", "labels",
      " label 1 2 x", "refused 255 x", "refused 64", "prefix 00", "end end",
    ]
    for line in wrong { #expect(PullReply(line: line) == nil, "\(line)") }
  }

  @Test("a label that cannot be read is told from nonsense")
  func wrongLabels() {
    let wrong = [
      "label", "label ", "label 1 2", "label 2 1 x", "label 1 2 a b", "label 1 2 a 1 1",
      "label 1 2 a 1", "label 1 2 a 0", "label 1 2 %3b", "label 1 2 %", "label 1 2 %g0",
      "label 1 2 %41", "label 1 2 %FF", "label 1 2 %ff",
      "label 1 2 \(String(repeating: "x", count: 61))", "label +1 2 x",
    ]
    for line in wrong { #expect(PullReply(line: line) == .unreadableLabel(line), "\(line)") }
    #expect(PullReply(line: "label 1 2 \u{1B}[2J") == .unreadableLabel("label 1 2 ?[2J"))
  }

  @Test("a sentence of the other side cannot control a terminal or begin a new line")
  func sentences() {
    let reply = PullReply.refused(status: 74, "a\u{1B}[2Jb\nwhole 1\u{9B}é")
    #expect(reply.line == "refused 74 a?[2Jb?whole 1????")
  }
}

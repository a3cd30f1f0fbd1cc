// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat
import LogStoreTesting
import Testing

@testable import Remote

/// The far end, asked what a conversation asks.
@Suite("The far end of a pull answers", .excludesProgramStarts)
struct PullServerTests {
  private let store = PullingStore()
  private let journal = TemporaryDirectory()
  private static let machine = RemoteMachine(
    software: "0.1.0", wall: WallTime(nanoseconds: 17, isSynchronised: true), freeBytes: 99,
    recorder: "armed", problem: "no sensor")

  /// What it answers, and how it ends.
  private func answers(
    _ conversation: Conversation, mayFree: Bool = true
  ) throws -> (bytes: [UInt8], failure: CommandFailure?) {
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try #require(pipe(&input) == 0 && pipe(&output) == 0)
    let requests = Array(
      conversation.requests.joined().map { $0 + "\n" }.joined().utf8)
    try #require(write(input[1], requests, requests.count) == requests.count)
    close(input[1])
    let kept = try ServeJournal(path: journal.path + "/journal")
    var server = PullServer(
      try store.catalogue(), mayFree: mayFree, journal: kept, describe: { PullServerTests.machine })
    (server.input, server.output) = (input[0], ReplyBuffer(output[1]))
    var failure: CommandFailure?
    do { try server.run() } catch { failure = CommandFailure(error, else: .inputOutput) }
    close(output[1])
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65536))
    while case let count = read(output[0], &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    for end in [input[0], output[0]] { close(end) }
    return (bytes, failure)
  }

  /// Checks that it says what the conversation has for it.
  private func check(_ text: String, mayFree: Bool = true) throws {
    let conversation = Conversation(text)
    let (bytes, failure) = try answers(conversation, mayFree: mayFree)
    let wanted = conversation.connections.flatMap(\.replies)
    #expect(bytes == wanted, "\(String(decoding: bytes.prefix(3000), as: UTF8.self))")
    #expect(failure == nil)
  }
  /// Each recording in the store began at this time, by its name.
  private static let start = 1_795_228_687

  @Test("which recordings it has, newest first, and why others cannot be read")
  func list() throws {
    for (log, count, number) in [
      ("a", nil, 9), ("r", nil, 6), ("b", nil, 5), ("b", nil, 4), ("x", 100, 3),
    ] as [(Character, Int?, Int)] {
      store.put(log, count, number: number)
    }
    let id = "\(Conversation.log("b").description.id)"
    let (bytes, _) = try answers(Conversation("> list"))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    #expect(
      lines.prefix(6).dropLast() == [
        "imulog-pull 1 free",
        "recording 9 \(Conversation.log("a").description.id) \(Conversation.log("a").bytes.count) complete \(Self.start)",
        "recording 6 \(Conversation.log("r").description.id) \(Conversation.log("r").bytes.count) recovered \(Self.start)",
        "recording 5 \(id) \(Conversation.log("b").bytes.count) complete \(Self.start)",
        "unreadable 4 it has the UUID of recording 5, a copy made by hand",
      ])
    #expect(
      lines.count == 7 && lines[5].hasPrefix("unreadable 3 ") && lines[6] == "end", "\(lines)")
  }

  @Test("the bytes of a recording from any byte on, and the digest of those before")
  func bytes() throws {
    store.put("a", number: 9)
    store.put("r", number: 6)
    try check(
      """
      < imulog-pull 1 free
      > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
      > fetch $a 4097 | < prefix $a.h4097 | < bytes $a.n-4097 | @ $a 4097 $a.n
      < whole $a.n $a.h complete
      > fetch $a $a.n | < prefix $a.h | < whole $a.n $a.h complete
      > follow $r 0 | < bytes $r.n | @ $r 0 $r.n | < whole $r.n $r.h recovered
      > fetch $a 1000000 | < refused 65 recording $a has $a.n bytes, and byte 1000000 was asked for
      > fetch $b 0 | < refused 66 there is no recording $b any more
      """)
  }

  @Test(
    "a recording goes to the trash only for the bytes that it has, and the answer is the same again"
  )
  func free() throws {
    store.put("a", number: 9)
    store.put("b", number: 5)
    try check(
      """
      < imulog-pull 1 free
      > free $a 5 $a.h | < refused 65 recording 9 differs from the copy; it is kept
      > free $a $a.n $b.h | < refused 65 recording 9 differs from the copy; it is kept
      > free $a $a.n $a.h | < freed
      > free $a $a.n $a.h | < freed
      > free $a $a.n $b.h | < refused 65 recording 9 differs from the copy; it is kept
      > free $r 1 $r.h | < refused 66 there is no recording $r any more
      """)
    #expect(store.contents.filter { $0.hasPrefix("0") } == ["000005 b"])
    #expect(try store.catalogue().trashed().map(\.entry.number) == [9])
    try check(
      """
      < imulog-pull 1 keep
      > free $b $b.n $b.h | < refused 77 this key may not free recordings; add --allow-delete to its line in authorized_keys
      """, mayFree: false)
    #expect(store.contents.filter { $0.hasPrefix("0") } == ["000005 b"])
  }

  @Test("labels with their revisions, and what was removed")
  func labels() throws {
    store.put("b", number: 5)
    let (catalogue, id) = (try store.catalogue(), Conversation.log("b").description.id)
    let step = try RecordingLabel("left foot", from: -5, to: 7)
    for _ in 0..<2 {
      try catalogue.add(step, to: id)
      try catalogue.remove(step, from: id)
    }
    try catalogue.add(step, to: id)
    let gone = try RecordingLabel("gone", from: 0, to: 9)
    try catalogue.add(gone, to: id)
    try catalogue.remove(gone, from: id)
    let digest = SHA256.digest(of: try catalogue.labels(of: id).lines)
    try check(
      """
      < imulog-pull 1 free
      > labelled | < labelled $b \(digest) | < end
      > labels $b | < label -5 7 left%20foot 5 | < label 0 9 gone 2 | < end
      > labels $a | < end
      """)
    store.directory.write(Array("nonsense\n".utf8), to: ".labels/\(id).labels")
    let (bytes, _) = try answers(Conversation("> labelled\n> labels $b"))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines[1] != "labelled \(id) \(digest)" && lines[1].hasPrefix("labelled \(id) "))
    #expect(lines[3].hasPrefix("refused 65 ") && lines[3].contains("is damaged there"), "\(lines)")
  }

  @Test("what the machine is like, and nothing that is no request")
  func machine() throws {
    try check(
      """
      < imulog-pull 1 keep
      > machine | < fact software 0%2e1%2e0 | < fact time 17 | < fact synchronised 1 | < fact free 99 | < fact recorder armed
      < fact problem no%20sensor | < end
      """, mayFree: false)
    for line in [
      "LIST", "list ", "fetch x 0", "free 1", "\u{1B}[2J", String(repeating: "x", count: 1025),
    ] {
      let (_, failure) = try answers(Conversation("> \(line)\n> list"))
      #expect(failure?.status == .usage, "\(line)")
      #expect(
        failure?.sentence.hasSuffix("is not a request of a pull; use the same version of imulog")
          == true)
    }
  }

  @Test("each refusal and each recording that is sent or freed has a line in the journal")
  func journalLines() throws {
    store.put("b", number: 5)
    let id = Conversation.log("b").description.id
    _ = try answers(
      Conversation("> fetch $b 0\n> fetch $a 0\n> free $b $b.n $b.h\n> say \"it\""))
    let text = String(decoding: journal.bytes(of: "journal"), as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }
    #expect(
      lines == [
        "sends recording \(id) from byte 0",
        "refuses \"fetch \(Conversation.log("a").description.id) 0\": there is no recording \(Conversation.log("a").description.id) any more",
        "moved recording 5, \(id), to the trash",
        "refuses \"say \\x22it\\x22\": is not a request of a pull",
      ])
  }
}

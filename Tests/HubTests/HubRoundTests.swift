// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Hub
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("A round of a hub", .waitsForPrograms)
struct HubRoundTests {
  private let fleet = PlayedFleet()
  private let pump = PlayedFleet.host("pump-1", [("site", "oslo")])
  private let twin = PlayedFleet.host("pump-2")

  private static let time = "2028-11-26T10:00:00Z"
  private static let a = Conversation.log("a")
  private static let b = Conversation.log("b")

  private static func fetched(_ log: ExampleLog, from host: String, key: String = "-") -> String {
    "fetched \(log.description.id) \(log.bytes.count) \(SHA256.digest(of: log.bytes)) complete \(time) pi@\(host) \(key)"
  }

  /// What a machine says at the end of a visit, whose clock is so many seconds ahead.
  static func machine(ahead: Int64 = 0) -> String {
    """
    > machine
    < fact software 0%2e1%2e0
    < fact time \(1_000_000_000 * (PlayedFleet.now + ahead))
    < fact synchronised 1
    < fact free 5000000
    < fact recorder armed
    < end
    """
  }

  static let fetchOfA = """
    > fetch $a 0
    < bytes $a.n
    @ $a 0 $a.n
    < whole $a.n $a.h complete
    """
  private static let fetchOfB = fetchOfA.replacing("$a", with: "$b")

  /// A visit: what is offered, what is said of it, and what the machine says at its end.
  static func visit(
    _ offers: [String], _ answers: String, _ end: String = machine(), labels: String = "",
    mayFree: Bool = false
  ) -> String {
    let list = offers.map { "< recording \($0)\n" }.joined()
    return
      "< imulog-pull 1 \(mayFree ? "free" : "keep")\n> list\n\(list)< end\n> labelled\n\(labels)< end\n\(answers)\n\(end)"
  }

  private static let offersA = "9 $a $a.n complete 200"
  private static let offersB = "3 $b $b.n complete 100"
  /// A first visit that fetches both, and a later one.
  private static let both = visit([offersA, offersB], fetchOfA + "\n" + fetchOfB)
  private static let quiet = visit([offersA, offersB], "")

  @Test("fetches, keeps where it came from, and asks for nothing again")
  func ordinary() throws {
    let text = "? Host key fingerprint is SHA256:abc\n" + Self.both
    let (said, requests) = try fleet.round([(pump, text)])
    #expect(
      said == [
        "pump-1: recording 9 is here as 9, \(Self.a.bytes.count) bytes",
        "pump-1: recording 3 is here as 3, \(Self.b.bytes.count) bytes",
        "pump-1: 2 offered, 2 fetched, 2 derived, all here",
      ])
    #expect(requests == [Conversation(text).requests])
    #expect(
      fleet.ledger(of: "pump-1") == [
        Self.fetched(Self.a, from: "pump-1", key: "SHA256:abc"),
        Self.fetched(Self.b, from: "pump-1", key: "SHA256:abc"),
      ])
    #expect(try fleet.verify().isEmpty)
    let again = Self.visit(["12 $r 5 running 300", Self.offersA, Self.offersB], "")
    let (next, asked) = try fleet.round([(pump, again)])
    #expect(next == ["pump-1: 3 offered, 2 here, 1 running"])
    #expect(asked == [Conversation(again).requests])
    let host = try #require(try fleet.status([pump]).hosts.first)
    #expect(host.state.backlog == 1)
    #expect(host.recordings == 2)
    #expect(host.byteCount == Int64(Self.a.bytes.count + Self.b.bytes.count))
    #expect(host.seen == PlayedFleet.now)
  }

  @Test("of two hosts with one recording the second is compared, once")
  func twins() throws {
    let (first, second) = (
      Self.visit([Self.offersA], Self.fetchOfA),
      Self.visit(
        ["4 $a $a.n complete 200", Self.offersB],
        "> fetch $a $a.n\n< prefix $a.h\n< whole $a.n $a.h complete\n" + Self.fetchOfB)
    )
    let (said, requests) = try fleet.round([(pump, first), (twin, second)])
    #expect(
      said.suffix(2) == [
        "pump-1: 1 offered, 1 fetched, 1 derived, all here",
        "pump-2: 2 offered, 1 fetched, 1 derived, all here",
      ])
    #expect(requests[1] == Conversation(second).requests)
    #expect(
      fleet.ledger(of: "pump-2") == [
        "also \(Self.a.description.id) \(Self.a.bytes.count) \(SHA256.digest(of: Self.a.bytes)) pump-1 \(Self.time)",
        Self.fetched(Self.b, from: "pump-2"),
      ])
    let next = Self.visit(["4 $a $a.n complete 200", Self.offersB], "")
    let (again, asked) = try fleet.round([(twin, next)])
    #expect(again == ["pump-2: 2 offered, 1 here, all here"])
    #expect(asked == [Conversation(next).requests])
    #expect(try fleet.verify().isEmpty)
    // Which has nothing else is another name of the first.
    let alone = try fleet.round([
      (pump, Self.visit([Self.offersA], "")), (twin, Self.visit(["4 $a $a.n complete 200"], "")),
    ])
    #expect(
      alone.said == [
        "pump-2: its recording is one of pump-1: these are two names of one machine, or its card is from there; leave one of them out of the host file",
        "pump-1: 1 offered, 1 here, all here", "pump-2: 1 offered, status 78, all here",
      ])
  }

  @Test(
    "of two hosts with one UUID and other bytes the second is not fetched, whether by length or by digest"
  )
  func differing() throws {
    _ = try fleet.round([(pump, Self.visit([Self.offersA], Self.fetchOfA))])
    let sentence =
      "has the UUID of a recording of pump-1 and other bytes: one of them was changed or made from a copy; it is not fetched, and the one here stays"
    let longer = try fleet.round([(twin, Self.visit(["4 $x $x.n complete 200"], ""))])
    #expect(
      longer.said == ["pump-2: recording 4 \(sentence)", "pump-2: 1 offered, 1 failed, status 65"])
    let same = "> fetch $a $a.n\n< prefix $x.h\n< whole $a.n $x.h complete"
    let digest = try fleet.round([(twin, Self.visit(["4 $a $a.n complete 200"], same))])
    #expect(digest.said == longer.said)
    let again = try fleet.round([(twin, Self.visit(["4 $a $a.n complete 200"], ""))])
    #expect(again.said == longer.said)
    #expect(fleet.ledger(of: "pump-2").map { $0.prefix { $0 != " " } } == ["differs"])
  }

  @Test("what comes while a clock is wrong has no date, until a visit shows that it is right")
  func clocks() throws {
    let day: Int64 = 86400
    let wrong = Self.visit([Self.offersA], Self.fetchOfA, Self.machine(ahead: 3 * day))
    let (said, _) = try fleet.round([(pump, wrong)])
    #expect(
      said == [
        "pump-1: recording 9 is here as 9, \(Self.a.bytes.count) bytes",
        "pump-1: its clock is 3 days ahead of the hub's: `timedatectl` on both shows which one is wrong",
        "pump-1: 1 offered, 1 fetched, 1 derived, status 78, all here",
      ])
    #expect(fleet.ledger(of: "pump-1").last == "undated \(Self.a.description.id)")
    // The clock was wrong the last time, so the line comes at once, and a visit without a machine's clock changes nothing.
    let older = Self.visit([Self.offersA, Self.offersB], Self.fetchOfB, "> machine\n~")
    _ = try fleet.round([(pump, older)])
    #expect(
      fleet.ledger(of: "pump-1").suffix(2) == [
        Self.fetched(Self.b, from: "pump-1"), "undated \(Self.b.description.id)",
      ])
    _ = try fleet.round([
      (pump, Self.visit([Self.offersA, Self.offersB], "", Self.machine(ahead: day)))
    ])
    let ids = [Self.a, Self.b].map { "\($0.description.id)" }.sorted()
    #expect(fleet.ledger(of: "pump-1").suffix(2) == ids.map { "dated \($0) \(Self.time)" })
  }

  @Test("what was pruned is not fetched again, and is no backlog")
  func pruned() throws {
    _ = try fleet.round([(pump, Self.both)])
    let hub = try fleet.hub()
    let lock = try hub.lock()
    let prune = HubPrune(hub, now: PlayedFleet.time(PlayedFleet.now))
    var rule = HubPrune.Rule()
    rule.mostBytes = UInt64(Self.a.bytes.count)
    let victims = try prune.victims(rule).victims
    #expect(victims.map(\.number) == [3])
    #expect(
      try prune.remove(victims, by: rule, isFinal: true, lock) { Issue.record("\($0)") } == (1, 1))
    _ = consume lock
    for host in [pump, twin] {
      let visit = host == pump ? Self.quiet : Self.visit([Self.offersB], "")
      let (said, asked) = try fleet.round([(host, visit)])
      #expect(
        said == [
          "\(host.name): \(host == pump ? 2 : 1) offered\(host == pump ? ", 1 here" : ""), all here"
        ])
      #expect(asked == [Conversation(visit).requests])
    }
    #expect(try fleet.status([pump]).hosts[0].state.backlog == 0)
    #expect(try fleet.verify().isEmpty)
  }

  @Test("frees what is proved to be here")
  func frees() throws {
    let visit = Self.visit(
      [Self.offersA], Self.fetchOfA + "\n> free $a $a.n $a.h\n< freed", mayFree: true)
    let (said, requests) = try fleet.round([(pump, visit)], thenFree: true)
    #expect(
      said == [
        "pump-1: recording 9 is here as 9, \(Self.a.bytes.count) bytes, and in the trash there",
        "pump-1: 1 offered, 1 fetched, 1 freed, 1 derived, all here",
      ])
    #expect(requests == [Conversation(visit).requests])
  }

  @Test("a table that cannot be written is a failure of its host")
  func table() throws {
    _ = try fleet.hub()
    fleet.directory.write([1], to: "fleet/recordings")
    let said = try fleet.round([(pump, Self.visit([Self.offersA], Self.fetchOfA))]).said
    #expect(said.contains { $0.hasPrefix("pump-1: ") && $0.contains("HUB/recordings") }, "\(said)")
  }

  @Test("a host that cannot be reached keeps what is known of it, with its problem")
  func unreachable() throws {
    _ = try fleet.round([(pump, Self.visit([Self.offersA], Self.fetchOfA))])
    let down = "? ssh: connect to host pump-1 port 22: No route to host\n~ 255"
    let (said, _) = try fleet.round([(pump, down)], now: PlayedFleet.now + 60)
    let sentence =
      "cannot connect to pi@pump-1: ssh: connect to host pump-1 port 22: No route to host; try `ssh pi@pump-1` first"
    #expect(said == ["pump-1: \(sentence)", "pump-1: status 69"])
    let host = try fleet.status([pump], now: PlayedFleet.now + 60).hosts[0]
    #expect(host.problems == [sentence])
    #expect(host.seen == PlayedFleet.now)
    #expect(host.state.machine?.software == "0.1.0")
    #expect(host.state.backlog == 0)
  }

  @Test("damaged lines of a ledger are said once, and what they were about is found anew")
  func damagedLedger() throws {
    _ = try fleet.round([(pump, Self.both)])
    var bytes = fleet.directory.bytes(of: "fleet/ledger/pump-1")
    bytes[20] ^= 1
    fleet.directory.write(bytes, to: "fleet/ledger/pump-1")
    let said =
      "pump-1: damaged lines in HUB/ledger/pump-1: 1; what they were about counts as found anew, and as not pruned"
    #expect(
      try fleet.verify() == [
        "\(said); the next round takes them out",
        "pump-1: recording 9: its digest is not in the ledger: run a round",
      ])
    let (first, _) = try fleet.round([(pump, Self.quiet)])
    #expect(
      first == [
        "\(said); they are taken out", "pump-1: 2 offered, 2 here, 1 derived, status 65, all here",
      ])
    #expect(
      fleet.ledger(of: "pump-1").last
        == "found \(Self.a.description.id) \(Self.a.bytes.count) \(SHA256.digest(of: Self.a.bytes)) \(Self.time)"
    )
    #expect(try fleet.round([(pump, Self.quiet)]).said == ["pump-1: 2 offered, 2 here, all here"])
    #expect(try fleet.verify().isEmpty)
  }

  @Test("a host whose line is gone keeps its tables, and one whose store is gone too has none")
  func gone() throws {
    _ = try fleet.round([(pump, Self.visit([Self.offersA], Self.fetchOfA))])
    #expect(try fleet.round([]).said.isEmpty)
    let host = try fleet.status([]).hosts[0]
    #expect(!host.isListed && host.labels == pump.labels && host.recordings == 1)
    // Its recordings are not fetched from another one, whose labels of them come to it.
    let other = Self.visit(
      ["4 $a $a.n complete 200"], "> fetch $a $a.n\n< prefix $a.h\n< whole $a.n $a.h complete")
    #expect(try fleet.round([(twin, other)]).said == ["pump-2: 1 offered, all here"])
    let labels =
      "< labelled $a \(String(repeating: "1", count: 64))\n< end\n> labels $a\n< label 1000000000 2000000000 step\n"
    let labelled = Self.visit(["4 $a $a.n complete 200"], "", labels: labels)
    #expect(try fleet.round([(twin, labelled)]).said == ["pump-2: 1 offered, all here"])
    let catalogue = try Catalogue(path: fleet.path + "/logs/pump-1")
    #expect(try catalogue.labels(of: Self.a.description.id).names == ["step"])
    #expect(rename(fleet.path + "/logs/pump-1", fleet.directory.path + "/away") == 0)
    #expect(
      try fleet.round([]).said == [
        "pump-1: it has neither a line in the host file nor a store here: removed \(HubTable.all.count + 1) of its files in the tables, as nothing can verify them"
      ])
    #expect(try fleet.verify().isEmpty)
  }

  @Test("verify names what is not what the logs say, and a round mends what is derived")
  func verification() throws {
    _ = try fleet.round([(pump, Self.both)])
    let (idA, idB) = (Self.a.description.id, Self.b.description.id)
    let folder = "host=pump-1/date=1970-01-01"
    func flip(_ name: String, _ place: Int) {
      var bytes = fleet.directory.bytes(of: "fleet/" + name)
      bytes[place] ^= 1
      fleet.directory.write(bytes, to: "fleet/" + name)
    }
    for (name, whose) in [
      ("samples/\(folder)/\(idA).parquet", "recording 9: "),
      ("features/\(folder)/\(idB).parquet", "recording 3: "),
      ("recordings/host=pump-1/recordings.parquet", ""),
    ] {
      flip(name, 9)
      #expect(
        try fleet.verify() == [
          "pump-1: \(whose)HUB/\(name) is not what is derived from the log: delete it, and run a round"
        ])
      #expect(unlink(fleet.path + "/" + name) == 0)
      #expect(try fleet.round([(pump, Self.quiet)]).said.last?.hasSuffix("all here") == true)
      #expect(try fleet.verify().isEmpty)
    }
    fleet.directory.makeDirectory("fleet/samples/host=pump-9")
    fleet.directory.write([1], to: "fleet/samples/host=pump-9/stray.parquet")
    #expect(
      try fleet.verify() == [
        "HUB/samples/host=pump-9/stray.parquet belongs to no recording here: run a round; if that leaves it, delete it"
      ])
    #expect(unlink(fleet.path + "/samples/host=pump-9/stray.parquet") == 0)
    // A log that changed is named, and nothing of it is made anew.
    let log = try #require(
      fleet.directory.names(in: "fleet/logs/pump-1").first { $0.hasPrefix("000009") })
    flip("logs/pump-1/\(log)", 5000)
    let changed = try fleet.verify()
    #expect(
      changed.count == 1 && changed[0].hasPrefix("pump-1: recording 9: HUB/logs/pump-1/\(log) "),
      "\(changed)")
    flip("logs/pump-1/\(log)", 5000)
    #expect(try fleet.verify().isEmpty)
    // A log that is gone without a trace, and its samples are all that is left.
    #expect(rename(fleet.path + "/logs/pump-1/\(log)", fleet.directory.path + "/log") == 0)
    let lost = try fleet.verify()
    #expect(
      lost.count == 1 && lost[0].hasPrefix("pump-1: ") && lost[0].contains("\(idA)"), "\(lost)")
    // Neither a mark nor the beginning of a copy is that log: what is left of it stays, and its loss is named.
    for mark in [".freeing-\(idA)", ".part-\(idA)"] {
      fleet.directory.write([0], to: "fleet/logs/pump-1/\(mark)")
      #expect(try fleet.verify() == lost)
    }
    #expect(unlink(fleet.path + "/logs/pump-1/.freeing-\(idA)") == 0)
    _ = try fleet.round([(pump, Self.visit([Self.offersB], ""))])
    #expect(try fleet.verify() == lost)
  }
}

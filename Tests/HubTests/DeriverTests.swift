// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Hub
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("Whatever one recording does, the round goes on", .waitsForPrograms)
struct DeriverTests {
  private let fleet = PlayedFleet()
  private let hosts = [PlayedFleet.host("pump-1"), PlayedFleet.host("pump-2")]
  private static let bad = Conversation.log("a").description.id

  /// A round over two hosts, of which the first has two recordings.
  private func round(
    _ deriver: Deriver, isFirst: Bool = false, offersBad: Bool = true, days: Int64 = 0
  ) throws -> [String] {
    func visit(_ offers: [String]) -> String {
      let logs = offers.map { $0.split(separator: " ")[1] }
      let fetches = logs.map { HubRoundTests.fetchOfA.replacing("$a", with: $0) }
      return HubRoundTests.visit(offers, isFirst ? fetches.joined(separator: "\n") : "")
    }
    let said = try fleet.round(
      [
        (
          hosts[0],
          visit(["9 $c $c.n complete 200"] + (offersBad ? ["8 $a $a.n complete 100"] : []))
        ),
        (hosts[1], visit(["3 $b $b.n complete 100"])),
      ], now: PlayedFleet.now + 86400 * days, deriver: deriver
    ).said
    return said.filter { !$0.contains(" is here as ") }
  }

  private func putCalibration() {
    let calibration = SensorCalibration.shoe(2, offset: Vector3(1, 2, 3))
    fleet.directory.write(Array(calibration.fileText.utf8), to: "fleet/calibrations/pump-1")
  }

  /// The places of the finished files.
  private func finished(_ table: String, of host: String) -> [String] {
    let place = "fleet/\(table)/host=\(host)"
    return fleet.directory.names(in: place).flatMap { fleet.directory.names(in: "\(place)/\($0)") }
  }

  /// A program of shell for the bad recording; each start of it adds a line to `starts`.
  private func deriver(_ lines: String, patience: Int64) throws -> Deriver {
    let path = fleet.directory.path
    fleet.directory.write(
      Array("#!/bin/sh\necho >> \(path)/starts\n\(lines)\n".utf8), to: "program")
    #expect(chmod("\(path)/program", 0o755) == 0)
    let program = Deriver(program: "\(path)/program", patience: patience)
    return Deriver { order in
      try order.id == DeriverTests.bad ? program.ask(order) : Deriver.inside.ask(order)
    }
  }

  @Test(
    "a fault is named, all else is derived; what traps or is late is left to the next day, all else to the next round",
    arguments: [
      ("kill -ILL $$", 60, 65, true, "deriving from it ended with signal 4: report that"),
      ("kill -SEGV $$", 60, 65, true, "deriving from it ended with signal 11: "),
      (
        "kill -BUS $$", 60, 75, false,
        "the program that derives from it ended with status 135; the next"
      ),
      (
        "kill -KILL $$", 60, 75, false,
        "the program that derives from it ended with status 137; the next"
      ),
      ("exec sleep 60", 2, 65, true, "deriving from it took too long: report that"),
      ("echo 1b2c3d4e made", 60, 75, false, "the program that derives from it gave no answer"),
    ])
  func fault(lines: String, patience: Int64, status: Int, lasts: Bool, words: String) throws {
    let patience = patience * 1_000_000_000 + 40_000_000
    func expectStarts(_ count: Int) {
      #expect(fleet.directory.bytes(of: "starts").count == count)
    }
    let bad = try deriver(lines, patience: patience)
    for turn in 1...3 {
      let said = try round(bad, isFirst: turn == 1)
      #expect(said.first?.hasPrefix("pump-1: recording 8: \(words)") == true, "\(said)")
      let kept = try #require(try fleet.status(hosts).hosts.first)
      #expect(said.first == "pump-1: \(kept.problems.joined())")
      #expect(kept.recordings == 2 && kept.verdicts[""] == 1)
      #expect(kept.byteCount == Int64("ac".reduce(0) { $0 + Conversation.log($1).bytes.count }))
      let counts = turn == 1 ? "2 offered, 2 fetched, 1 derived" : "2 offered, 2 here"
      #expect(said.contains("pump-1: \(counts), status \(status), all here"), "\(said)")
      #expect(
        said.last == "pump-2: 1 offered, 1 \(turn == 1 ? "fetched, 1 derived" : "here"), all here")
      for table in ["samples", "features"] {
        #expect(hosts.map { finished(table, of: $0.name).count } == [1, 1])
      }
      #expect(fleet.directory.names(in: "fleet/.work").isEmpty)
      expectStarts(lasts ? 1 : turn)
      let found = try fleet.verify()
      #expect(found.count == 1 && found[0].hasPrefix("pump-1: recording 8"), "\(found)")
    }
    #expect(try round(bad, days: 1).first?.hasPrefix("pump-1: recording 8: \(words)") == true)
    expectStarts(lasts ? 2 : 4)
    #expect(try round(.inside).first == "pump-1: 2 offered, 2 here, 1 derived, all here")
    #expect(try fleet.verify().isEmpty)
  }

  @Test(
    "a log that was never derived is named once it is gone, unless a person removed it",
    arguments: [false, true])
  func lost(isRemoved: Bool) throws {
    let bad = try deriver("kill -ILL $$", patience: 60_000_000_000)
    _ = try round(bad, isFirst: true)
    let catalogue = try Catalogue(path: "\(fleet.path)/logs/pump-1")
    let entry = try #require(try catalogue.list().entries.first { $0.number == 8 })
    let away = "\(fleet.directory.path)/away"
    if isRemoved {
      try catalogue.remove(entry, now: PlayedFleet.time(PlayedFleet.now))
    } else {
      #expect(rename(entry.path, away) == 0)
    }
    let loss =
      isRemoved
      ? []
      : [
        "pump-1: recording \(Self.bad) came here, and its log is neither in HUB/logs/pump-1 nor in its trash: restore a copy of it, or restore it on its machine, and run a round"
      ]
    let counts = "pump-1: 1 offered, 1 here"
    let rest = ["pump-2: 1 offered, 1 here, all here"]
    #expect(try fleet.verify() == loss)
    #expect(
      try round(bad, offersBad: false)
        == loss + ["\(counts)\(isRemoved ? "" : ", status 65"), all here"] + rest)
    #expect(
      catalogue.emptyTrash(now: PlayedFleet.time(PlayedFleet.now), ofAnyAge: true).deleted.count
        == (isRemoved ? 1 : 0))
    #expect(try round(bad, offersBad: false) == ["\(counts), all here"] + rest)
    #expect(try fleet.verify().isEmpty)
    guard !isRemoved else { return }
    #expect(rename(away, entry.path) == 0)
    #expect(try round(.inside, days: 1).first == "pump-1: 2 offered, 2 here, 1 derived, all here")
  }

  @Test("what does not fit of one recording keeps no other, and no table, from being made")
  func full() throws {
    let full = Deriver { order in
      try order.id == Self.bad
        ? Deriver.answer(order.words, gate: FaultScript(.from(0, errno: ENOSPC)).gate)
        : Deriver.inside.ask(order)
    }
    let said = try round(full, isFirst: true)
    #expect(said.first?.hasPrefix("pump-1: recording 8: opening ") == true, "\(said)")
    #expect(said.contains("pump-1: 2 offered, 2 fetched, 1 derived, status 73, all here"))
    #expect(fleet.directory.names(in: "fleet/recordings/host=pump-1") == ["recordings.parquet"])
    #expect(try round(.inside).first == "pump-1: 2 offered, 2 here, 1 derived, all here")
  }

  @Test("a trap does not count once its cause is gone, and ends no verification")
  func outlived() throws {
    _ = try round(.inside, isFirst: true)
    let bad = try deriver("kill -SEGV $$", patience: 60_000_000_000)
    let sentence = "pump-1: recording 8: deriving from it ended with signal 11: "
    putCalibration()
    // Of a host without a line, too.
    _ = try fleet.round([], deriver: bad)
    #expect(try fleet.status([]).hosts[0].problems.joined().hasPrefix(sentence.dropFirst(8)))
    #expect(try round(bad).first?.hasPrefix(sentence) == true)
    try #require(unlink("\(fleet.path)/calibrations/pump-1") == 0)
    #expect(try round(bad).first == "pump-1: 2 offered, 2 here, 1 derived, all here")
    #expect(try fleet.verify().isEmpty)
    let found = try fleet.verify(bad)
    #expect(found.count == 1 && found[0].hasPrefix(sentence), "\(found)")
  }

  @Test("what traps is kept when other lines are dropped, and tried again once its row is there")
  func compaction() throws {
    let hub = try fleet.hub()
    let lock = try hub.lock()
    var rows = try HostRows(of: "pump-1", in: hub)
    try rows.trap(Self.bad, "2026-11-26-s", signal: SIGILL)
    for _ in 0..<40 { try rows.begin(Self.bad, date: "2026-11-26") }
    try rows.compact()
    rows = try HostRows(of: "pump-1", in: hub)
    #expect(rows.traps[Self.bad]?.trial == "2026-11-26-s" && rows.traps[Self.bad]?.signal == SIGILL)
    #expect(fleet.directory.bytes(of: "fleet/rows/pump-1").count { $0 == UInt8(ascii: "\n") } == 2)
    let row = HostRows.Row(
      id: Self.bad, log: HostRows.LogMark(fileName: "x.imulog", byteCount: 7, modified: 8),
      source: "s", date: "2026-11-26", byteCounts: HubTable.all.map { _ in 1 }, rowSum: 0)
    try rows.add(row, json: "{}")
    #expect(try rows.traps.isEmpty && HostRows(of: "pump-1", in: hub).traps.isEmpty)
    _ = consume lock
  }

  @Test("a row is filed under what was read, and files of another length than was said are none")
  func changes() throws {
    let directory = fleet.directory
    let late = Deriver { order in
      if order.id == DeriverTests.bad { putCalibration() }
      return try Deriver.inside.ask(order)
    }
    _ = try round(late, isFirst: true)
    // The one that was made after it came is of it, too.
    #expect(try round(.inside).first == "pump-1: 2 offered, 2 here, all here")
    #expect(try fleet.verify().isEmpty)
    try #require(unlink("\(fleet.path)/calibrations/pump-1") == 0)
    let longer = Deriver { order in
      let answer = try Deriver.inside.ask(order)
      let name = "fleet/.work/" + order.name(of: .features)
      directory.write(directory.bytes(of: name) + [0], to: name)
      return answer
    }
    let said = try round(longer)
    #expect(
      said.first
        == "pump-1: recording 8: the program that derives from it wrote files of other lengths than it says; the next round tries again"
    )
    #expect(try round(.inside).first == "pump-1: 2 offered, 2 here, 2 derived, all here")
  }
}

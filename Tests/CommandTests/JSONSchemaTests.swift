// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Testing
import TestSupport

/// The tables of JSON.md beside what the program writes.
@Suite("The written schema of JSON", .waitsForPrograms, .timeLimit(.minutes(60)))
struct JSONSchemaTests {
  static let golden =
    #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    + "/LogFormatTests/Golden/"

  @Test("info and export state the same of every log: complete, ticks, and how it stopped")
  func sameInBoth() throws {
    let bench = Bench()
    let names = TemporaryDirectory.names(at: Self.golden).filter { $0.hasSuffix(".imulog") }
      .sorted()
    try #require(names.count > 30)
    var compared = 0
    for (index, name) in names.enumerated() {
      let number = String(index + 1)
      let digits = String(repeating: "0", count: 6 - number.utf8.count) + number
      let file = "store/\(digits)-20261121T023807Z-1b4e28ba.imulog"
      try #require(bench.shell("mkdir -p store; cp \(Self.golden)\(name) \(file)").status == 0)
      let (info, export) = (bench.run("info", number, "--json"), bench.run("export", number))
      // Some logs cannot be read at all, which both say.
      guard info.output != "" else {
        #expect(export.status == info.status, "\(name)")
        continue
      }
      let documents = try [info.json(), export.json()]
      for key in ["complete", "ticks", "stopReason"] {
        #expect(documents[0][key] == documents[1][key], "\(name): \(key)")
      }
      compared += 1
    }
    #expect(compared > 30)
  }

  /// One document of each kind that the program writes, by its heading in JSON.md.
  private static func documents() throws -> [(heading: String, documents: [JSON])] {
    let bench = Bench()
    let recorded = try bench.run(Bench.simulated + ["--json", "--for", "30s"]).json()
    try #require(bench.run("label", "1", "3s..8s", "walking").status == 0)
    let labels = try bench.run("label", "1", "--json").json()
    let calibrated = Bench()
    try calibrated.record("--for", "5s", "--rate", "100", "--calibration", calibrated.calibration())
    let machine = FakeMachine()
    machine.makePiWithBus()
    machine.bind("rtc-ds1307", to: "1-0068", as: "ds3231")
    let scan = try bench.run("boards", "--scan", "--json", "--root", machine.root).json()
    let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
    bench.directory.write([7], to: "store/.part-\(id)")
    let exports = try [
      "recovered", "marks", "sensor-events", "constant", "readings", "kernel-clocks",
      "magnetometer",
    ].map { name in
      let bench = Bench()
      // Logs without an end are imported up to their last sample.
      try #require([0, 65].contains(bench.run("import", golden + name + ".imulog").status))
      return try bench.run("export", "1").json()
    }
    let damaged = Bench()
    try damaged.record("--for", "60s", "--rate", "100", "--motion", "tumble")
    let gaps = Bench()
    try #require(gaps.run("import", golden + "recovered.imulog").status == 0)
    let chip = Bench()
    try #require(chip.run("import", golden + "readings.imulog").status == 0)
    let part = try damaged.run("export", "1", "--from", "1s", "--to", "2s").json()
    damaged.directory.change(try damaged.logName()) { $0[2 * 4096 + 2000] ^= 0x10 }
    let chipExports = try ["--uncertainty", "--grid"].map {
      try chip.run("export", "1", $0).json()
    }
    let field = Bench()
    let iron = field.file(
      "iron.cal",
      """
      imulog-calibration 1
      id 1b4e28ba-2fa1-41d2-883f-0016d3cca427
      name iron
      sensor ICM-20948
      made 0
      field-offset 12 4 20
      field-matrix 1 0 0 0 1 0 0 0 1
      end

      """)
    try field.record(
      "--for", "5s", "--sensor", "icm20948", "--field", "10", "--calibration", iron)
    let lines =
      bench.run("export", "1", "--format", "ndjson").lines
      + chip.run("export", "1", "--format", "ndjson", "--grid").lines
      + bench.run("export", "1", "--format", "ndjson", "--orientation", "--linear").lines
      + field.run("export", "1", "--format", "ndjson").lines
    let facts = try [
      gaps.run("export", "1", "--format", "html").output,
      bench.run("export", "1", "--format", "html", "--orientation").output,
    ].map { page in
      let facts = try #require(
        page.split(separator: "id=\"facts\">").last?.split(separator: "</script>").first)
      return try JSON(Array(facts.utf8))
    }
    let take = Bench()
    let both = try take.run(
      Bench.simulated + [
        "--json", "--for", "5s", "--sensor", "left=mpu6050", "--sensor", "right=lsm6dso rate=100",
      ]
    ).json()
    let taken = try take.run("export", "1", "--take").json()
    let later = Bench()
    try later.recordUnreadableAxes()
    try #require(later.run("info", "1").output.contains("axes        cannot be read: \"up\""))
    var info = try [bench, gaps, chip, calibrated, field, later].map {
      try $0.run("info", "1", "--json").json()
    }
    info.append(try take.run("info", "1/left", "--json").json())
    let takes = try [[], ["--check"]].map {
      try take.run(["info", "2", "--json"] + $0).json()
    }
    let check = try [bench, gaps].map { try $0.run("info", "1", "--check", "--json").json() }
    let labelled = try bench.run("export", "1").json()
    let oriented = try bench.run("export", "1", "--orientation", "--linear").json()
    let list = try bench.run("list", "--json").json()
    let partial = try bench.run("list", "--partial", "--json").json()
    let analyses = try [bench, damaged].map { try $0.run("analyze", "1", "--json").json() }
    try #require(bench.run("rm", "1").status == 0)
    return [
      ("list", [list, try take.run("list", "--json").json()]),
      ("list --trash", [try bench.run("list", "--trash", "--json").json()]),
      ("list --partial", [partial]),
      ("info", info), ("info of a take", takes),
      ("info --check", check),
      ("label", [labels]),
      ("calibrate", [try calibrated.run("calibrate", "1", "--json").json()]),
      ("analyze", analyses),
      ("verify", try [damaged, chip].map { try $0.run("verify", "1", "--json").json() }),
      ("record", [recorded, both]),
      ("boards", [try bench.run("boards", "--json").json()]), ("boards --scan", [scan]),
      ("doctor", [try bench.run("doctor", "--card", "--card-seconds", "0", "--json").json()]),
      ("certify", [try bench.run("certify", "--board", "simulator", "--json").json()]),
      (
        "export",
        exports + chipExports + [
          try calibrated.run("export", "1").json(), labelled, oriented, part,
          taken["recordings"][0], taken["recordings"][1],
          try damaged.run("export", "1").json(),
          try field.run("export", "1", "--orientation", "--calibrated").json(),
        ]
      ),
      ("export --take", [taken]),
      ("export --format ndjson", try lines.map { try JSON(Array($0.utf8)) }),
      ("export --format html", facts),
    ] + (try served())
  }

  /// Documents of the service and of a pull.
  private static func served() throws -> [(heading: String, documents: [JSON])] {
    let service = DaemonBench([
      "rate": "500", "trigger": "peak 2g", "sensor.left": "mpu6050@0x68",
      "sensor.right": "mpu6050@0x69 rate=100",
    ])
    let child = try service.startArmed()
    let begun = try JSON(Array(service.send(Array("start\n".utf8)).utf8))
    let status = try service.wait(for: "recording") {
      $0["lateness"] != .null && $0["chipClock"] != .null
    }
    let refused = try JSON(Array(service.send(Array("dance\n".utf8)).utf8))
    service.end(child)
    let remote = RemoteBench()
    try remote.pi.record("--for", "1s")
    let fleet = FleetBench()
    try fleet.machine("one").record("--for", "1s")
    fleet.hosts("one site=bergen\ngone\n")
    return [
      ("hub", [try fleet.round("--json").json()]),
      (
        "hub status",
        [try fleet.hub.run(["hub", "status", "fleet", "--hosts", "hosts", "--json"]).json()]
      ),
      ("list", [try fleet.hub.run(["--store", "fleet", "list", "--json"]).json()]),
      ("status", [status]), ("start, stop, mark, keep, discard", [begun]), ("Refusal", [refused]),
      ("pull", [try remote.pull("--json").json()]),
    ]
  }

  @Test("every key that the program writes is in the tables, and every key in them is written")
  func keys() throws {
    let schema = try Schema()
    let found = try Self.documents()
    #expect(Set(found.map(\.heading)) == Set(schema.documents))
    var written: Set<String> = []
    for (heading, documents) in found {
      for document in documents {
        schema.check(document, Schema.Kind.object(heading), heading, &written)
        // Lines have none, and each recording of a take has its own.
        if heading != "export --format ndjson", heading != "export --take" {
          let unsaid = TimeWordsTests.unsaid(document, words: document["words"])
          #expect(unsaid.isEmpty, "\(heading): no words for \(unsaid)")
        }
      }
    }
    for (table, keys) in schema.tables {
      for key in keys.keys where !written.contains("\(table): \(key)") {
        Issue.record("the program never writes \(key) of \(table)")
      }
    }
  }
}

/// The tables of JSON.md.
private struct Schema {
  /// The kind of a value; every value that may not be absent may be `null`.
  indirect enum Kind {
    case object(String)
    case list(Kind?)
    case byCause(Kind)
    case byName(Kind)
    case number
    case text
    case bool

    init?(_ words: Substring) {
      switch words {
      case "number": self = .number
      case "text": self = .text
      case "bool": self = .bool
      case "list": self = .list(nil)
      case _ where words.hasPrefix("list of "):
        let name = words.dropFirst(8)
        self = .list(Kind(name) ?? .object(String(name)))
      case "object by name of text": self = .byName(.text)
      case _ where words.hasPrefix("object by cause of "):
        let name = words.dropFirst(19)
        self = .byCause(Kind(name) ?? .object(String(name)))
      case _ where words.hasPrefix("object "): self = .object(String(words.dropFirst(7)))
      default: return nil
      }
    }
  }

  /// Headings of documents, in order.
  private(set) var documents: [String] = []
  /// Keys with their kinds and whether they may be absent, by table.
  private(set) var tables: [String: [String: (kind: Kind, mayBeAbsent: Bool)]] = [:]
  /// The table whose keys a table includes.
  private var bases: [String: String] = [:]

  init() throws {
    let file =
      #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
      + "/Sources/imulog/imulog.docc/JSON.md"
    let lines = try text(at: file).split(separator: "\n")
    var table = ""
    for line in lines {
      if line.hasPrefix("## ") || line.hasPrefix("### ") {
        table = String(line.drop { $0 == "#" }.dropFirst())
        if line.hasPrefix("## "), table != "Rules", table != "Shared objects" {
          documents.append(table)
        }
      } else if line.hasPrefix("| all keys of | object ") {
        bases[table] = line.split(separator: "|")[1].dropFirst(8).trimmed
      } else if line.hasPrefix("| `") {
        let cells = line.split(separator: "|").map(\.trimmed)
        let key = String(cells[0].dropFirst().dropLast())
        guard let kind = Kind(cells[1][...]) else {
          Issue.record("\(table), \(key): no such kind: \(cells[1])")
          continue
        }
        tables[table, default: [:]][key] = (kind, cells[2].contains("absent"))
      }
    }
  }

  /// Compares a value with its table, and notes the keys that it has.
  func check(_ value: JSON, _ kind: Kind, _ place: String, _ written: inout Set<String>) {
    switch (kind, value) {
    case (_, .null), (.text, .string), (.bool, .bool), (.number, .integer), (.number, .number),
      (.list(nil), .array):
      break
    case (.list(let item?), .array(let values)):
      for value in values { check(value, item, place + "[]", &written) }
    case (.byCause(let kind), .object(let members)):
      for (name, value) in members {
        #expect(GapCause.allCases.contains { $0.name == name }, "\(place).\(name)")
        check(value, kind, "\(place).\(name)", &written)
      }
    case (.byName(let kind), .object(let members)):
      for (name, value) in members { check(value, kind, "\(place).\(name)", &written) }
    case (.object(let table), .object(let members)):
      var missing = Set(members.keys)
      for table in sequence(first: table, next: { bases[$0] }) {
        for (key, entry) in tables[table] ?? [:] {
          guard let value = members[key] else {
            if !entry.mayBeAbsent { Issue.record("\(place) has no \(key)") }
            continue
          }
          missing.remove(key)
          written.insert("\(table): \(key)")
          check(value, entry.kind, "\(place).\(key)", &written)
        }
      }
      for key in missing { Issue.record("\(place).\(key) is not in the table \(table)") }
    default: Issue.record("\(place) is not as the table says: \(value)")
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let rest = drop { $0 == " " }
    return String(
      rest.prefix(upTo: rest.lastIndex { $0 != " " }.map(rest.index(after:)) ?? rest.startIndex))
  }
}

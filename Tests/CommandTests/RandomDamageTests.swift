// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

/// Damage as by a failing card.
enum Spoiling: String, CaseIterable {
  case flips, zeros, garbage, cut, copiedPage

  /// Damages bytes after the header.
  func spoil(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    let sector = Int.random(in: 4..<bytes.count / 512, using: &generator) * 512
    let end = min(sector + 512 * Int.random(in: 1...9, using: &generator), bytes.count)
    switch self {
    case .flips:
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let byte = Int.random(in: 1024..<bytes.count, using: &generator)
        bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    case .zeros: for byte in sector..<end { bytes[byte] = 0 }
    case .garbage:
      for byte in sector..<end { bytes[byte] = UInt8.random(in: 0...255, using: &generator) }
    case .cut: bytes.removeLast(bytes.count - sector - Int.random(in: 1..<512, using: &generator))
    case .copiedPage:
      let page = Array(bytes[4096..<8192])
      bytes.replaceSubrange(8192..<12288, with: page)
    }
  }
}

@Suite("Damage at random places", .waitsForPrograms)
struct RandomDamageTests {
  static let kinds: [Spoiling] = CaseSelection.sample(2, of: Spoiling.allCases)
  private let bench = Bench()

  @Test(
    "every export is valid, holds exactly the samples that verify counts, and reports the losses",
    arguments: kinds)
  func exports(_ kind: Spoiling) throws {
    try bench.record("--for", "60s", "--rate", "50", "--motion", "tumble")
    let whole = try bench.run("export", "1", "--units", "raw").json()
    let name = try bench.logName()
    let bytes = bench.directory.bytes(of: name)
    try #require(bytes.count > 3 * 4096)
    var generator = SeededGenerator(seed: CaseSelection.seed)
    var spoilt = bytes
    kind.spoil(&spoilt, &generator)
    bench.directory.write(spoilt, to: name)
    try check(against: whole, "\(kind), seed \(CaseSelection.seed)")
  }

  private func check(against whole: JSON, _ place: String) throws {
    let outcome = bench.run("export", "1", "--units", "raw")
    let json = try outcome.json()
    let samples = json["samples"].items
    var rest = whole["samples"].items[...]
    for sample in samples {
      let index = try #require(rest.firstIndex(of: sample), "invented or twice, \(place)")
      rest = rest[(index + 1)...]
    }
    let ticks = json["ticks"]
    #expect(ticks["sampled"] == .integer(Int64(samples.count)), "\(place)")
    let lost = json["ticksLost"].integer ?? 0
    #expect(ticks["lost"].integer ?? 0 == lost, "\(place)")
    #expect(ticks["scheduled"] == .integer(Int64(samples.count) + lost), "\(place)")
    let hasEnd = json["stopReason"] != .string("recovered")
    if hasEnd { #expect(ticks["scheduled"] == .integer(3000), "\(place)") }
    let damage = json["damage"].items
    #expect(json["complete"].isTrue == (hasEnd && damage.isEmpty && lost == 0), "\(place)")
    #expect(outcome.status == (damage.isEmpty ? 0 : 65), "\(place)")
    #expect(damage.allSatisfy { $0["what"].text != nil && $0["offset_bytes"].integer != nil })

    let verify = bench.run("verify", "1", "--json")
    #expect(verify.status == 65, "\(place)")
    let report = try verify.json()
    #expect(report["sampleCount"] == .integer(Int64(samples.count)), "\(place)")
    #expect(report["damageCount"] == .integer(Int64(damage.count)), "\(place)")
    #expect(verify.talk.contains("\(samples.count) "), "\(verify.talk), \(place)")

    let other = bench.directory.path + "/other"
    let imported = bench.run(
      "import", "\(bench.directory.path)/\(try bench.logName())", "--store", other)
    #expect(imported.status == 65, "\(place)")
    let number = String(imported.lines.last ?? "")
    let copy = try bench.run("export", number, "--units", "raw", "--store", other).json()
    #expect(copy["samples"] == json["samples"], "\(place)")
    #expect(copy["damage"] == json["damage"], "\(place)")
    #expect(bench.run("rm", number, "--store", other).status == 0)
  }
}

// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import FuzzTargets
import Foundation
import LogStoreTesting
import TestSupport
import Testing

/// Replays the inputs that a fuzzer has found to matter; `Tests/Fuzzing/fuzz` finds more.
@Suite("Inputs of the fuzzer")
struct CorpusTests {
  static var all: [any FuzzTarget.Type] { FuzzTargets.all + [ScreenTarget.self] }

  @Test(
    "no input of the corpus, and none that differs in a few bytes, makes a target misbehave",
    arguments: all.map { $0.name }
  )
  func replay(_ name: String) throws {
    let type = try #require(CorpusTests.all.first { $0.name == name })
    let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count > 9)
    let target = type.init()
    let seed = UInt64.random(in: 0..<1_000_000)
    print("changes of \(name) with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for file in files.sorted() {
      var bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      bytes.withUnsafeBytes { target.run($0) }
      for _ in bytes.prefix(3) {
        bytes[Int.random(in: bytes.indices, using: &generator)] =
          UInt8.random(in: .min ... .max, using: &generator)
      }
      bytes.withUnsafeBytes { target.run($0) }
    }
  }

  @Test(
    "a log damaged anywhere, of a host's time or of a chip's, is read alike and exported as valid output",
    arguments: [false, true])
  func damaged(isOfChip: Bool) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("damage with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var simulation = Simulation(hertz: 500, seconds: 5, trouble: .stall(0.3e9), seed: seed)
    simulation.troubleAt = 2.5e9
    let log = isOfChip ? try ChipLog(simulation).bytes : try ExampleLog(ticks: 300).bytes
    let (logs, exports) = (LogTarget(), ExportTarget())
    for turn in 0..<20 as Range<UInt8> {
      var bytes = log
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let byte = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[byte] ^= UInt8.random(in: 1...255, using: &generator)
      }
      if turn % 5 == 4 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
      }
      ([turn, 0] + bytes).withUnsafeBytes { logs.run($0) }
      // Format and units, range with --uncertainty, --grid, --orientation and --linear, the log's own bytes.
      for choices in [
        [0x00, 4], [0x01, 8], [0x12, 4], [0x02, 0], [0x05, 0], [0x00, 64], [0x22, 192], [0x0A, 64],
        [0x00, 0], [0x10, 0], [0x31, 0], [0x43, 0],
      ] as [[UInt8]] {
        (choices + [0] + bytes).withUnsafeBytes { exports.run($0) }
      }
    }
  }
}

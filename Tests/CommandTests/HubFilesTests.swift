// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "What is not a hub's file where one should be, or is half of it", .waitsForPrograms,
  .timeLimit(.minutes(60)))
struct HubFilesTests {
  private let bench = FleetBench()

  @Test(
    "a pipe or a link in place of a file of the tables is replaced by the file",
    arguments: ["mkfifo", "ln -s /dev/null"])
  func replaced(_ command: String) throws {
    _ = try bench.roundOfOne(recordings: 1)
    let right = (bench.contents(of: "samples"), bench.contents(of: "recordings"))
    let places = [right.0, right.1].flatMap { $0.keys }
    for place in places {
      #expect(bench.hub.shell("cd fleet && rm '\(place)' && \(command) '\(place)'").status == 0)
      let outcome = bench.round()
      #expect(outcome.status == 0, "\(place): \(outcome.talk)")
      #expect(
        bench.contents(of: "samples") == right.0 && bench.contents(of: "recordings") == right.1)
    }
  }

  @Test("verify advises a round, and deletes nothing, where a recording has a part of its files")
  func unfinished() throws {
    _ = try bench.roundOfOne(recordings: 1)
    // Directories among the files that are being made stop nothing.
    #expect(bench.hub.shell("mkdir fleet/.work/lost+found").status == 0)
    let rows = String(decoding: bench.hub.directory.bytes(of: "fleet/rows/pump-1"), as: UTF8.self)
    // As of a hub that was killed when it had made the files and no line said so.
    let making = rows.split(separator: "\n", omittingEmptySubsequences: false)[0] + "\n"
    #expect(making.contains("making "))
    bench.hub.directory.write(Array(making.utf8), to: "fleet/rows/pump-1")
    let outcome = bench.hub.run("hub", "verify", "fleet").expect(
      65, "recording 1 has no derived files yet: run a round")
    #expect(
      !outcome.talk.contains("/samples/") && !outcome.talk.contains("/features/"), "\(outcome.talk)"
    )
    #expect(bench.round().status == 0)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
  }
}

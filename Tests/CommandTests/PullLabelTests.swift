// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite("A pull brings labels with recordings", .waitsForPrograms, .timeLimit(.minutes(60)))
struct PullLabelTests {
  private func machines(freeing: Bool = false) throws -> RemoteBench {
    let bench = RemoteBench(serveOptions: freeing ? "--allow-delete" : "")
    try bench.pi.record("--for", "10s")
    try bench.pi.record("--for", "10s")
    #expect(bench.pi.run("label", "1", "3s..8s", "left", "foot").status == 0)
    return bench
  }

  @Test("with the recordings, and later ones of recordings that were fetched before")
  func both() throws {
    let bench = try machines()
    #expect(bench.pull().status == 0)
    #expect(bench.laptop.run("label", "1").lines == ["3s..8s left foot"])
    #expect(bench.laptop.run("label", "2").lines.isEmpty)
    #expect(bench.pi.run("label", "1", "0s..1s", "ä, ö").status == 0)
    #expect(bench.laptop.run("label", "1", "9s..10s", "mine").status == 0)
    #expect(bench.pull().status == 0)
    #expect(
      bench.laptop.run("label", "1").lines == ["0s..1s ä, ö", "3s..8s left foot", "9s..10s mine"])
    #expect(bench.pi.run("label", "1").lines == ["0s..1s ä, ö", "3s..8s left foot"])
  }

  @Test("a removal goes here too and is said, and a label that is added again comes and stays")
  func removals() throws {
    let bench = try machines()
    #expect(bench.pi.run("label", "1", "0s..1s", "other").status == 0)
    #expect(bench.pull().status == 0)
    #expect(bench.pi.run("label", "1", "3s..8s", "left", "foot", "--remove").status == 0)
    bench.pull().expect(0, "1 label of recording", "removed here, as there")
    #expect(bench.laptop.run("label", "1").lines == ["0s..1s other"])
    #expect(bench.pi.run("label", "1", "3s..8s", "left", "foot").status == 0)
    for _ in 0..<2 {
      let again = bench.pull()
      #expect(again.status == 0 && !again.talk.contains("removed"), "\(again.talk)")
      #expect(bench.laptop.run("label", "1").lines == ["0s..1s other", "3s..8s left foot"])
    }
  }

  @Test("a file of an export is made anew when the labels changed, and else stays as it is")
  func exported() throws {
    let bench = try machines()
    let directory = bench.laptop.directory.path + "/ex"
    try #require(mkdir(directory, 0o755) == 0)
    func labels() -> [[String]] {
      #expect(bench.pull("--to", directory, "--format", "json").status == 0)
      return bench.laptop.directory.names(in: "ex").sorted().map { name in
        bench.laptop.directory.text(of: "ex/" + name).split(separator: "\"name\":\"").dropFirst()
          .map { String($0.prefix { $0 != "\"" }) }
          .filter { $0.hasPrefix("left") || $0.hasPrefix("other") }
      }
    }
    #expect(labels() == [["left foot"], []])
    let before = bench.laptop.shell("stat -c %i ex/*").lines
    #expect(labels() == [["left foot"], []])
    #expect(bench.laptop.shell("stat -c %i ex/*").lines == before)
    #expect(bench.pi.run("label", "1", "0s..1s", "other").status == 0)
    #expect(bench.laptop.run("label", "1", "3s..8s", "left", "foot", "--remove").status == 0)
    #expect(labels() == [["other"], []])
    let after = bench.laptop.shell("stat -c %i ex/*").lines
    #expect(after.count == 2 && after[0] != before[0] && after[1] == before[1])
  }

  @Test("a recording is freed only after its labels are here; later ones come from the trash there")
  func freed() throws {
    let bench = try machines(freeing: true)
    #expect(bench.pull("--then-free").status == 0)
    #expect(bench.pi.recordings.isEmpty)
    #expect(bench.laptop.run("label", "1").lines == ["3s..8s left foot"])
    #expect(bench.pi.run("restore", "1").status == 0)
    #expect(bench.pi.run("label", "1", "0s..1s", "late").status == 0)
    #expect(bench.pi.run("rm", "1").status == 0)
    #expect(bench.pull().status == 0)
    #expect(bench.laptop.run("label", "1").lines == ["0s..1s late", "3s..8s left foot"])
  }

  @Test("a recording whose labels cannot be kept here stays there")
  func refusedHere() throws {
    let bench = try machines(freeing: true)
    bench.laptop.directory.makeDirectory("store")
    // In the place of the directory of labels.
    bench.laptop.directory.write([7], to: "store/.labels")
    let outcome = bench.pull("--then-free")
    #expect(outcome.status != 0)
    #expect(outcome.talk.contains("its labels could not be added here"), "\(outcome.talk)")
    #expect(bench.pi.recordings.count == 1)
    #expect(bench.laptop.recordings.count == 2)
  }

  @Test(
    "a far end that sends labels without end is given up in bounded memory",
    arguments: [
      "yes 'labelled \(id) \(digest)'",
      "echo labelled \(id) \(digest); echo end; read request; yes 'label 1 2 x'",
    ])
  func hostile(_ answer: String) throws {
    let far = try ScriptedFarEnd(
      """
      echo imulog-pull 1 keep; read request
      echo recording 1 \(PullLabelTests.id) 8192 complete 0; echo end; read request
      \(answer); exec sleep 1000
      """)
    far.pull("--timeout", "5s").expect(69, "which imulog never does")
    #expect(far.goes)
    #expect(far.laptop.recordings.isEmpty)
  }

  private static let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
  private static let digest = String(repeating: "0", count: 64)
}

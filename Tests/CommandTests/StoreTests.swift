// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("The command line or the environment names the store", .waitsForPrograms)
struct StoreLocationTests {
  private let bench = Bench()

  private func place(_ name: String) -> String { "\(bench.directory.path)/\(name)" }

  private func recordings(in name: String) -> Int {
    bench.directory.names(in: name).filter { $0.hasSuffix(".imulog") }.count
  }

  @Test("--store before or after the verb takes precedence over IMULOG_STORE")
  func option() {
    let recording = Bench.simulated + ["--for", "100ms"]
    #expect(bench.run(["--store", place("a")] + recording).status == 0)
    #expect(bench.run(recording + ["--store", place("b")]).status == 0)
    #expect(bench.run(["--store=" + place("a")] + recording).status == 0)
    #expect(recordings(in: "a") == 2)
    #expect(recordings(in: "b") == 1)
    #expect(recordings(in: "store") == 0)
    // After the verb it takes precedence over that before it.
    #expect(bench.run(["--store", place("a")] + recording + ["--store", place("b")]).status == 0)
    #expect(recordings(in: "a") == 2 && recordings(in: "b") == 2)
  }

  @Test("every verb takes --store before and after it")
  func everyVerb() {
    _ = bench.run(Bench.simulated + ["--for", "100ms", "--store", place("a")])
    for words in [["list"], ["info", "1"], ["export", "1"], ["verify", "1"]] {
      let before = bench.run(["--store", place("a")] + words)
      #expect(before.status == 0 && !before.bytes.isEmpty)
      expectSame(before.bytes, bench.run(words + ["--store", place("a")]).bytes)
      #expect(bench.run(words).status == 66)
    }
  }

  @Test(
    "without either, recordings go to the user's data directory; a relative one is ignored",
    arguments: [
      (["HOME": "/home"], "home/.local/share/imulog/recordings"),
      (["HOME": "/home", "XDG_DATA_HOME": "/data"], "data/imulog/recordings"),
      (["XDG_DATA_HOME": "/data"], "data/imulog/recordings"),
      (["HOME": "/home", "XDG_DATA_HOME": "data"], "home/.local/share/imulog/recordings"),
    ])
  func defaults(_ variables: [String: String], _ place: String) {
    var bench = bench
    bench.environment = variables.mapValues {
      $0.hasPrefix("/") ? bench.directory.path + $0 : $0
    }
    #expect(bench.run(Bench.simulated + ["--for", "100ms"]).status == 0)
    #expect(recordings(in: place) == 1)
  }

  @Test("files that no store wrote are mentioned, and can be read by path")
  func strangers() throws {
    try bench.record("--for", "1s")
    let bytes = bench.directory.bytes(of: try bench.logName())
    bench.directory.write(bytes, to: "store/mine.imulog")
    bench.directory.write([1, 2, 3], to: "store/notes.txt")
    let list = bench.run("list")
    #expect(list.lines.count == 2)
    #expect(list.talk.contains("mine.imulog"))
    #expect(!list.talk.contains("notes.txt"))
    #expect(bench.run("verify", place("store/mine.imulog")).status == 0)
    // A name without a slash or a dot too, but never instead of a recording's number.
    bench.directory.write(bytes, to: "mylog")
    bench.directory.write([1, 2, 3], to: "1")
    #expect(bench.run("verify", "mylog").status == 0)
    #expect(bench.run("verify", "1").status == 0)
  }
}

import LogStoreTesting
import Testing
import TestScheduling

@Suite("The store is where the command line or the environment says", .waitsForPrograms)
struct StoreLocationTests {
  private let bench = Bench()

  private func place(_ name: String) -> String { "\(bench.directory.path)/\(name)" }

  private func recordings(in name: String) -> Int {
    bench.directory.names(in: name).filter { $0.hasSuffix(".imulog") }.count
  }

  @Test("--store stands before the verb or after it, and wins over IMULOG_STORE")
  func option() {
    let take = Bench.simulated + ["--for", "100ms"]
    #expect(bench.run(["--store", place("a")] + take).status == 0)
    #expect(bench.run(take + ["--store", place("b")]).status == 0)
    #expect(bench.run(["--store=" + place("a")] + take).status == 0)
    #expect(recordings(in: "a") == 2)
    #expect(recordings(in: "b") == 1)
    #expect(recordings(in: "store") == 0)
  }

  @Test(
    "every verb takes --store before and after it",
    arguments: ["list", "info", "export", "verify"])
  func everyVerb(_ verb: String) {
    let id = verb == "list" ? [] : ["1"]
    _ = bench.run(Bench.simulated + ["--for", "100ms", "--store", place("a")])
    let before = bench.run(["--store", place("a"), verb] + id)
    let behind = bench.run([verb, "--store", place("a")] + id)
    #expect(before.status == 0)
    #expect(!before.bytes.isEmpty)
    expectSame(before.bytes, behind.bytes)
    #expect(bench.run([verb] + id).status == 66)
  }

  @Test("the --store after the verb wins over the one before it")
  func both() {
    let take = Bench.simulated + ["--for", "100ms"]
    #expect(bench.run(["--store", place("a")] + take + ["--store", place("b")]).status == 0)
    #expect(recordings(in: "a") == 0)
    #expect(recordings(in: "b") == 1)
  }

  struct Default: CustomTestStringConvertible {
    let variables: [String]
    let place: String
    var testDescription: String { variables.joined(separator: " ") }
  }

  @Test(
    "without either, recordings go to the user's data directory",
    arguments: [
      Default(variables: ["HOME=home"], place: "home/.local/share/imulog/recordings"),
      Default(variables: ["HOME=home", "XDG_DATA_HOME=data"], place: "data/imulog/recordings"),
      Default(variables: ["XDG_DATA_HOME=data"], place: "data/imulog/recordings"),
    ])
  func defaults(_ place: Default) {
    var bench = bench
    bench.environment = [:]
    for variable in place.variables {
      let parts = variable.split(separator: "=")
      bench.environment[String(parts[0])] = "\(bench.directory.path)/\(parts[1])"
    }
    #expect(bench.run(Bench.simulated + ["--for", "100ms"]).status == 0)
    #expect(recordings(in: place.place) == 1)
  }

  @Test("a relative XDG_DATA_HOME is ignored, as its specification says")
  func relativeDataHome() {
    var bench = bench
    bench.environment = ["HOME": place("home"), "XDG_DATA_HOME": "data"]
    #expect(bench.run(Bench.simulated + ["--for", "100ms"]).status == 0)
    #expect(recordings(in: "home/.local/share/imulog/recordings") == 1)
  }

  @Test("without a home there is a sentence")
  func homeless() {
    var bench = bench
    bench.environment = [:]
    expectSentence(bench.run("list"), 78, ["no home directory", "--store DIR"])
  }

  @Test("files that no store made are mentioned, and can be read by path")
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

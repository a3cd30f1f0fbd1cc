import LogStoreTesting
import Testing
import TestScheduling

@Suite("Freeing recordings whose copy is proved", .waitsForPrograms)
struct FreeingTests {
  @Test("a key must be allowed to; without, everything comes and stays")
  func notAllowed() throws {
    let bench = RemoteBench()
    try bench.pi.record("--for", "1s")
    let outcome = bench.pull("--then-free")
    #expect(outcome.status == 77)
    #expect(outcome.talk.contains("--allow-delete"))
    #expect(bench.laptop.recordings == bench.pi.recordings)
    #expect(bench.pi.recordings.count == 1)
  }

  @Test("with it, recordings that are here go to the trash there, also those that were here before")
  func allowed() throws {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    try bench.pi.record("--for", "1s")
    #expect(bench.pull().status == 0)
    try bench.pi.record("--for", "2s")
    let outcome = bench.pull("--then-free", "--json")
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(try outcome.json()[0]["freed"] == .integer(2))
    #expect(bench.pi.recordings.isEmpty)
    #expect(bench.pi.directory.names(in: "store/.trash").count == 2)
    #expect(bench.laptop.recordings.count == 2)
  }

  @Test("a recording that is not what the copy is stays")
  func different() throws {
    let bench = RemoteBench(serveOptions: "--allow-delete")
    try bench.pi.record("--for", "20s", "--rate", "100")
    #expect(bench.pull().status == 0)
    let name = try bench.pi.logName()
    var bytes = bench.pi.directory.bytes(of: name)
    bytes[bytes.count / 2] ^= 1
    bench.pi.directory.write(bytes, to: name)
    let outcome = bench.pull("--then-free")
    #expect(outcome.status == 77)
    #expect(outcome.talk.contains("is not what the copy is"))
    #expect(bench.pi.recordings.count == 1)
  }
}

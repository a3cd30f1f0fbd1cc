import LogStore
import LogStoreTesting
import Testing

@Suite("200 takes by the button", .timeLimit(.minutes(15)))
struct ServiceSoakTests {
  @Test("every take is complete, numbers have no holes, and no sample is in two takes")
  func soak() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("200 takes by the button: seed \(seed)")
    let service = try ButtonService(TakeWriterTests.rate(100), seed: seed)
    while service.fileCount < 200 { try service.doSomething() }
    try service.stopWhatRuns()
    #expect(service.machine.problem == nil)

    let listing = try service.catalogue.list()
    #expect(listing.strangers == [])
    let kept = listing.entries.map(\.number)
    let numbers = Set(kept).union(service.discarded)
    #expect(kept.count + service.discarded.count == service.fileCount)
    #expect(numbers == Set(1...UInt32(service.fileCount)))
    #expect(!service.discarded.isEmpty)
    #expect(service.markCount > 0)
    let promises = service.promises.values
    #expect(promises.contains { $0.reason == .completed })
    #expect(promises.contains { $0.isHistory })

    var owners: Set<UInt64> = []
    for entry in listing.entries {
      let ticks = try expectWhole(entry, of: service)
      #expect(owners.isDisjoint(with: ticks), "recording \(entry.number)")
      owners.formUnion(ticks)
    }
    #expect(service.directory.names().filter { $0.hasPrefix(".new-") } == [])
  }

  @Test(
    "a press whose release is never known ends neither a take nor the service, and costs no sample",
    arguments: [false, true])
  func pressWithoutRelease(afterAnother isSecond: Bool) throws {
    let service = try ButtonService(TakeWriterTests.rate(100), seed: 5)
    try service.press()
    try service.pass(2_000_000_000)
    if isSecond { try service.press() }
    try service.pressWithoutRelease()
    #expect(service.machine.state == .armed)
    #expect(service.promises[1]?.reason == .completed)
    let entry = try #require(try service.catalogue.list().entries.first)
    let ticks = try expectWhole(entry, of: service)
    #expect(ticks.count >= Int(ButtonService.ticksAfter))
  }

  /// Expects every sample to its length or to its press; the sampler's ticks that are in it.
  private func expectWhole(
    _ entry: CatalogueEntry, of service: ButtonService
  ) throws -> [UInt64] {
    var reader = try service.catalogue.reader(of: entry)
    let report = try reader.verify()
    let promise = try #require(service.promises[entry.number])
    var ticks: [UInt64] = []
    for case .sample(_, _, let sample) in try reader.readAll() {
      ticks.append(WriterBench.tick(sample))
    }
    let first = try #require(ticks.first)
    let isWhole = ticks == Array(first..<promise.end)
    #expect(isWhole, "recording \(entry.number): \(ticks.count) samples from \(first), \(promise)")
    #expect(report.isIntact, "recording \(entry.number): \(report)")
    #expect(report.end?.reason == promise.reason)
    #expect(report.end?.ledger.scheduled == UInt64(ticks.count))
    #expect(report.description.number == entry.number)
    if !promise.isHistory {
      #expect(first + ButtonService.ticksBefore >= promise.own)
      #expect(promise.end <= promise.own + ButtonService.ticksAfter)
    }
    return ticks
  }
}

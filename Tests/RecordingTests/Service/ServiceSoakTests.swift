import LogStore
import LogStoreTesting
import Testing

@Suite("200 takes by the button", .timeLimit(.minutes(2)))
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

    var owners: [UInt64: UInt32] = [:]
    var doubles: [UInt64] = []
    for entry in listing.entries {
      var reader = try service.catalogue.reader(of: entry)
      let report = try reader.verify()
      #expect(report.isIntact, "recording \(entry.number): \(report)")
      #expect(report.sampleCount == report.end?.ledger.scheduled)
      #expect(report.sampleCount > 0)
      #expect(report.description.number == entry.number)
      for case .sample(_, _, let sample) in try reader.readAll() {
        let tick = WriterBench.tick(sample)
        if owners.updateValue(entry.number, forKey: tick) != nil { doubles.append(tick) }
      }
    }
    #expect(doubles == [])
    #expect(service.directory.names().filter { $0.hasPrefix(".new-") } == [])
  }
}

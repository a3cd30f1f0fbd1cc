import Glibc
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

  #if compiler(>=6.2)
    @Test(
      "they leave no memory and no open files behind",
      .enabled(if: !isSanitized, "a sanitizer keeps what was freed"))
    func leavings() async throws {
      // In a process of its own: the other tests take memory and open files meanwhile.
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        let seed = UInt64.random(in: 0 ... .max)
        let service = try ButtonService(TakeWriterTests.rate(100), seed: seed, isLean: true)
        while service.fileCount < 50 { try service.doSomething() }
        let descriptors = ProcessResources.descriptorCount()
        let memory = ProcessResources.residentByteCount()
        while service.fileCount < 250 { try service.doSomething() }
        let growth = ProcessResources.residentByteCount() - memory
        let leaked = ProcessResources.descriptorCount() - descriptors
        let report = Array("\(growth) bytes and \(leaked) descriptors more, seed \(seed)".utf8)
        _ = write(STDERR_FILENO, report, report.count)
        // A take of 6 s has 20 kB: leaked, 200 of them would be 4 MB.
        exit(growth < 1 << 20 && leaked == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      print("200 takes after 50:", said)
    }
  #endif

  private static let isSanitized = dlsym(nil, "__sanitizer_report_error_summary") != nil
}

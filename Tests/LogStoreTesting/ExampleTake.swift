public import IMUModel
public import LogStore

/// A small recording made in a store as a program makes one: create, append, sync, finish; and on a
/// full disk, end cleanly.
public struct ExampleTake: Sendable {
  /// Samples that were durable when each sync returned.
  public var syncedSampleCount: UInt64 = 0
  /// The recording, once it was created.
  public var entry: CatalogueEntry?
  /// How it ended, if it could be ended.
  public var end: RecordingEnd?
  /// Why it did not go as planned.
  public var failure: CatalogueError?

  /// Makes the recording: `syncs` times `samplesPerSync` samples of seven channels that do not
  /// compress.
  public init(
    in catalogue: Catalogue, syncs: Int = 3, samplesPerSync: Int = 5,
    description: RecordingDescription = ExampleLog.description(), wall: Int64 = ExampleTake.wall,
    ends: Bool = true
  ) {
    do {
      try record(in: catalogue, syncs, samplesPerSync, description, wall, ends)
    } catch {
      failure = error
    }
  }

  /// 2026-11-21T02:38:07Z in nanoseconds.
  public static let wall: Int64 = 1_795_228_687_000_000_000

  private mutating func record(
    in catalogue: Catalogue, _ syncs: Int, _ samplesPerSync: Int, _ asked: RecordingDescription,
    _ wall: Int64, _ ends: Bool
  ) throws(CatalogueError) {
    let live = try catalogue.create(asked, wall: wall)
    let description = live.description
    entry = live.entry
    var storage = live.takeStorage()
    do {
      var writer = try LogWriter(after: description)
      var ledger = TickLedger()
      var generator = SeededGenerator(seed: 5)
      var stop = StopReason.completed
      do {
        for sync in 0..<syncs {
          for index in 0..<samplesPerSync {
            let tick = UInt64(sync * samplesPerSync + index)
            var sample = RawSample()
            for channel in 0..<7 { sample[channel] = Int16(truncatingIfNeeded: generator.next()) }
            writer.append(TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: sample))
            ledger.sampled += 1
            try writer.drain(into: &storage)
          }
          writer.flush()
          try writer.drain(into: &storage)
          try storage.sync()
          syncedSampleCount = ledger.sampled
        }
      } catch {
        guard error.isFull else { throw error }
        stop = .storageFull
        failure = .storage(error)
      }
      guard ends else { return }
      let end = RecordingEnd(reason: stop, ledger: ledger, lateness: LatenessSummary())
      writer.finish(end)
      try writer.drain(into: &storage)
      try storage.finish()
      self.end = end
      syncedSampleCount = ledger.sampled
    } catch let error as StorageError {
      throw .storage(error)
    } catch let error as LogError {
      throw .log(error)
    } catch {
      preconditionFailure("nothing else is thrown")
    }
  }
}

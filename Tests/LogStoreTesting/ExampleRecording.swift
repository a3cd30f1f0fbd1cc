// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogStore
import TestSupport

/// A small recording made in a store as the program makes one: created, then fed through the queue
/// to the flusher's loop, a sync after each piece of its story; ended cleanly where that can be, or
/// as the storage allows.
///
/// One thread plays both ends of the queue, so that the same faults give the same calls.
public struct ExampleRecording: Sendable {
  /// The data that the program took for durable after some of its calls.
  public struct Acknowledgement: Equatable, Sendable {
    /// Operations of the disk before.
    public var operationCount: Int
    /// Events, of ``ExampleRecording/events``.
    public var eventCount: Int
  }

  /// The recording, once it was created.
  public var entry: CatalogueEntry?
  /// Its header.
  public var description: RecordingDescription
  /// The events given to the log, in order; the end is the last.
  public var events: [ReadEvent] = []
  /// The data taken for durable, from the creation on; the counts rise.
  public var acknowledgements: [Acknowledgement] = []
  /// How it ended, if the end was given to the log.
  public var end: RecordingEnd?
  /// Why it did not go as planned.
  public var failure: CatalogueError?

  /// 2026-11-21T02:38:07Z in nanoseconds.
  public static let wall: Int64 = 1_795_228_687_000_000_000

  /// The reading of a synchronised clock some days and seconds after ``wall``.
  public static func time(days: Int64 = 0, seconds: Int64 = 0) -> WallTime {
    WallTime(nanoseconds: wall + (days * 86400 + seconds) * 1_000_000_000, isSynchronised: true)
  }

  /// Makes a recording of `syncs` times `samplesPerSync` samples of seven channels that do not
  /// compress.
  public init(
    in catalogue: Catalogue, syncs: Int = 3, samplesPerSync: Int = 5,
    description: RecordingDescription = ExampleLog.description(),
    wall: Int64 = ExampleRecording.wall,
    ends: Bool = true
  ) {
    var generator = SeededGenerator(seed: 5)
    let pieces = (0..<syncs).map { sync in
      (sync * samplesPerSync..<(sync + 1) * samplesPerSync).map { tick in
        var sample = RawSample()
        for channel in 0..<7 { sample[channel] = Int16(truncatingIfNeeded: generator.next()) }
        return ReadEvent.sample(tick: UInt64(tick), time: Int64(tick) * 100_000_000, sample)
      }
    }
    self.init(of: pieces, in: catalogue, description: description, wall: wall, ends: ends)
  }

  /// Makes a recording of `pieces`, each synced.
  ///
  /// - Parameter script: Whose operations acknowledgements count.
  public init(
    of pieces: [[ReadEvent]], in catalogue: Catalogue, script: FaultScript? = nil,
    description: RecordingDescription = ExampleLog.description(),
    wall: Int64 = ExampleRecording.wall,
    ends: Bool = true
  ) {
    self.description = description
    do {
      try record(pieces, in: catalogue, script, wall, ends)
    } catch {
      failure = error
    }
  }

  private mutating func record(
    _ pieces: [[ReadEvent]], in catalogue: Catalogue, _ script: FaultScript?, _ wall: Int64,
    _ ends: Bool
  ) throws(CatalogueError) {
    let live = try catalogue.create(description, wall: wall)
    description = live.description
    entry = live.entry
    let feeder: RecordingFeeder
    do {
      feeder = try RecordingFeeder(pieces, description: description, script: script, finishes: ends)
    } catch {
      throw .log(error)
    }
    feeder.feed()
    var storage = WatchedStorage(live.takeStorage(), witness: feeder)
    let result = feeder.queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    feeder.acknowledge()
    events = feeder.events
    acknowledgements = feeder.acknowledgements
    end = feeder.end
    if let error = feeder.queue.failure ?? result { throw .storage(error) }
  }
}

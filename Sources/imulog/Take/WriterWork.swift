import IMUModel
import LinuxIO
import LogStore
import Recorder

/// What the writer thread of a take works on, and gives back.
struct WriterWork: ~Copyable {
  var recorder: Recorder<QueueOutput>
  var watch: ClockWatch
  /// Where what is sampled is shown, if it is.
  let watching: TakeWatching?
  private var seen: [TickRecord] = []

  init(
    recorder: consuming Recorder<QueueOutput>, watch: ClockWatch, watching: TakeWatching?
  ) {
    self.recorder = recorder
    self.watch = watch
    self.watching = watching
  }

  /// Nanoseconds between two looks at the ring: a frame's time when it is shown.
  var period: Int64 { watching == nil ? 50_000_000 : TakeWatching.framePeriod }

  /// Hands on what came, and logs what the user marked.
  mutating func showNews() {
    guard let watching else { return }
    seen.removeAll(keepingCapacity: true)
    recorder.look(into: &seen)
    watching.feed.offer(seen)
    for mark in watching.marks.take() { recorder.note(mark) }
  }
}

/// What the writer and whoever shows a take have in common.
struct TakeWatching: Sendable {
  /// Nanoseconds of a frame: 25 a second.
  static let framePeriod: Int64 = 40_000_000

  /// What is sampled.
  let feed: LiveFeed
  /// What is to be marked.
  let marks: Inbox<Mark>
}

/// A take that has its end, and the sensor for another.
struct EndedTake<Sensor: ~Copyable>: ~Copyable {
  let outcome: TakeOutcome
  let entry: CatalogueEntry
  /// `nil` when its thread hangs, which keeps it.
  let sensor: Sensor?
}

// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat
import LogStore

/// The writer thread of an ``ExampleRecording``: gives the queue the next piece when the one before is
/// durable, and the end after the last one or after an error.
final class RecordingFeeder: StorageWitness {
  let queue = FlushQueue(capacity: 40_000)
  let finishes: Bool
  private(set) var events: [ReadEvent] = []
  private(set) var acknowledgements: [ExampleRecording.Acknowledgement] = []
  private(set) var end: RecordingEnd?

  private var writer: LogEncoder
  private let headerByteCount: UInt64
  private var pieces: ArraySlice<[ReadEvent]>
  private let script: FaultScript?
  private var tally = TickTally()
  /// Bytes given to the queue, and events in them, after each piece.
  private var puts: [(byteCount: UInt64, eventCount: Int)] = [(0, 0)]
  private var isClosed = false

  init(
    _ pieces: [[ReadEvent]], description: RecordingDescription, script: FaultScript?,
    finishes: Bool
  ) throws(LogError) {
    writer = try LogEncoder.after(description)
    headerByteCount = writer.byteCount
    self.pieces = pieces[...]
    self.script = script
    self.finishes = finishes
  }

  /// Gives the queue the next piece, or the end.
  func feed() {
    acknowledge()
    guard let piece = pieces.popFirst() else {
      if finishes { finish(.completed) }
      return close()
    }
    for event in piece { append(event) }
    writer.flush()
    deliver()
    queue.requestSync()
  }

  /// Notes the data that the queue takes for durable.
  func acknowledge() {
    let count = puts.last { $0.byteCount <= queue.durableByteCount }?.eventCount ?? 0
    acknowledgements.append(
      ExampleRecording.Acknowledgement(
        operationCount: script?.operations.count ?? 0, eventCount: count))
  }

  func willOperate() { acknowledge() }

  func didSync() { feed() }

  func didFail(_ error: StorageError) {
    guard !isClosed else { return }
    if finishes { finish(error.isFull ? .storageFull : .storageError) }
    close()
  }

  private func append(_ event: ReadEvent) {
    events.append(event)
    switch event {
    case .sample(let tick, let time, let sample):
      writer.append(TickRecord(tick: tick, time: time, sample: sample))
      tally.sampled += 1
    case .other(.gap(let gap)):
      writer.append(TickRecord(gap))
      tally.add(gap.count, gap.cause)
    case .other(.mark(let mark)): writer.append(mark)
    case .other(.clock(let pair)): writer.append(pair)
    case .other(.sensor(let event)): writer.append(TickRecord(event))
    case .other: preconditionFailure("nothing else is in a story")
    }
  }

  private func finish(_ reason: StopReason) {
    let end = RecordingEnd(reason: reason, tally: tally, lateness: LatenessSummary())
    writer.finish(end)
    self.end = end
    events.append(.other(.end(end)))
    deliver()
  }

  private func close() {
    isClosed = true
    queue.close()
  }

  private func deliver() {
    let isTaken = writer.drain(into: queue)
    precondition(isTaken, "an example recording fits into its queue")
    puts.append((writer.byteCount - headerByteCount, events.count))
  }
}

// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LogFormat

/// A recording's date and marks, which formats with dates need before the first sample.
public struct RecordingNotes: Equatable, Sendable {
  /// The pair that dates the recording, as in a pass over the whole log; `nil` without one.
  public var clock: ClockPair?
  /// The sensor's certificate; `nil` without one.
  public var certificate: SensorCertificate?
  /// Marks in order of time.
  public var marks: [Mark] = []
  /// The earliest time of marks and of the magnetometer's intervals, wanted or not; `nil` without one.
  public var firstTime: Int64?
  /// Wanted marks in the log, which may be more than ``marks`` can hold.
  public var markCount: UInt64 = 0
  /// The magnetometer's wanted values in order of time.
  public var field: [FieldReading] = []

  /// Most marks that are kept: with labels of 200 bytes 5 MB.
  public static let markLimit = 20_000

  /// Nanoseconds since 1970 at tick 0's deadline; `nil` without a pair.
  public var started: Int64? { clock?.wallAtStart }
}

extension LogReader where Storage: ~Copyable {
  /// Reads the whole log but its samples and gaps, passes over damage, and goes back to the beginning.
  ///
  /// - Parameters:
  ///   - fieldLimit: The most values of the magnetometer that are kept.
  ///   - isNoted: Whether what has a time is wanted.
  /// - Throws: ``LogError/storage(_:)`` only.
  /// - Complexity: a read and a check of each page; a sixth of the time of reading the samples.
  public mutating func notes(
    fieldLimit: Int = 0, of isNoted: (Int64) -> Bool
  ) throws(LogError) -> RecordingNotes {
    rewind()
    var notes = RecordingNotes()
    while try openNextPage() {
      do throws(FormatError) {
        while let record = try decoder.nextBesidesTicks() {
          switch record {
          case .clock(let pair) where pair.isBetter(than: notes.clock): notes.clock = pair
          case .certificate(let certificate): notes.certificate = certificate
          case .mark(let mark):
            notes.firstTime = min(notes.firstTime ?? mark.time, mark.time)
            guard isNoted(mark.time) else { continue }
            notes.markCount += 1
            if notes.marks.count < RecordingNotes.markLimit { notes.marks.append(mark) }
          case .field(let value):
            let begin = value.time - Int64(value.width)
            notes.firstTime = min(notes.firstTime ?? begin, begin)
            guard notes.field.count < fieldLimit, isNoted(value.time) else { continue }
            notes.field.append(value)
          default: break
          }
        }
      } catch {
        // The rest of the page is damaged.
        continue
      }
    }
    rewind()
    // Marks of several sources may be out of order.
    notes.marks.sort { $0.time < $1.time }
    notes.field.sort { $0.time < $1.time }
    return notes
  }
}

extension LogReader where Storage: ~Copyable {
  /// When the recording begins and ends, for labels: from tick 0, or where the rate puts it before an import's first sample,
  /// to a period after the last sample or the end of the schedule, whichever is later; an import's rate gives the ticks
  /// after its last sample. No end while it is being written.
  public mutating func labelTimes(isLive: Bool) throws(LogError) -> (first: Int64, end: Int64?) {
    let period = description.rate.periodNanoseconds
    let first = try description.isImported ? firstTickTime() ?? 0 : 0
    guard !isLive else { return (first, nil) }
    var last: (tick: UInt64, time: Int64)?
    rewind()
    while let item = try next() {
      guard case .samples = item, let time = block.times.last, let tick = block.ticks.last else {
        continue
      }
      last = (tick, time)
    }
    let after = last.map { max(1, nextTick - min(nextTick, $0.tick)) } ?? 1
    let scheduled =
      description.isFreeRunning ? first : description.rate.nanoseconds(atTick: nextTick)
    let (end, overflow) = (last?.time ?? first).addingReportingOverflow(
      description.isFreeRunning ? description.rate.nanoseconds(atTick: after) : period)
    return (first, max(overflow ? .max : end, scheduled))
  }

  /// When tick 0 of an import was, in nanoseconds, by its first sample and the rate; `nil` without a sample.
  public mutating func firstTickTime() throws(LogError) -> Int64? {
    rewind()
    while let item = try next() {
      guard case .samples = item, let time = block.times.first, let tick = block.ticks.first else {
        continue
      }
      return time &- description.rate.nanoseconds(atTick: tick)
    }
    return nil
  }
}

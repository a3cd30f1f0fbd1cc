// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The table's rows of events in the motion, and the presses that cause some.
extension RecorderMachine {
  /// How long after an event's instant a press may go down that caused the event, in nanoseconds: the finger shakes the
  /// device before the contact closes, and the press is stamped when the contact has been still for 20 ms. Nobody reacts
  /// to the light that fast.
  static var touch: Int64 { 200_000_000 }

  /// The first press that can end the recording: an earlier one began it by shaking the device, or came with a cycle of the duty cycle.
  private var firstPress: MonotonicTime? {
    begun.map { $0.reason == .trigger ? $0.at + (RecorderMachine.touch + 1) : $0.at }
  }

  /// Whether the recording began by itself, too late for this press to be meant for it.
  func hasBegun(by press: MonotonicTime) -> Bool {
    guard let firstPress, begun?.reason != .button else { return false }
    return press < firstPress
  }

  /// Gives a recording that began by itself to the person who pressed the button.
  mutating func takeOver(at press: MonotonicTime) -> [RecorderEffect] {
    begun = RecordingStart(at: press, reason: .button)
    return [.takeOver]
  }

  /// Notes that the recording ends by itself with the tick at `time`.
  mutating func noteOwnEnd(at time: MonotonicTime) -> [RecorderEffect] {
    lastPresses = firstPress.flatMap { $0 <= time ? $0..<time + 1 : nil }
    return closePress(by: time)
  }

  mutating func handleMotion(_ event: RecorderInput) -> [RecorderEffect] {
    switch event {
    case .triggered(let time, let tick, let label):
      return trigger(RecordingStart(at: time, reason: .trigger, tick: tick, label: label))
    case .quiet(let time):
      if waiting?.start.isOfMotion == true {
        waiting?.end = time
      } else if state.isLogging, begun?.isOfMotion == true {
        // Also while the meaning of a press is open: an end or a mark, the event is over.
        return endQuietly(at: time)
      }
    default: break
    }
    return []
  }

  private mutating func trigger(_ start: RecordingStart) -> [RecorderEffect] {
    switch state {
    case .armed: return begin(start)
    case .starting, .recording, .stopping: return mark(of: start)
    case .saving where isSensorLost: return [.report(RefusalText.eventIsLost)]
    case .saving:
      if waiting == nil {
        waiting = WaitingRecording(start: start)
      } else {
        // The recording that waits has this event too.
        waiting?.mark(at: start.at, start.label)
        waiting?.end = nil
      }
      return []
    case .asleep, .waking: return [.report(RefusalText.eventIsLost)]
    case .ending: return [.report(RefusalText.endCallsEventOff)]
    case .ended: return []
    }
  }

  /// Ends a recording whose motion was over at `time`.
  mutating func endQuietly(at time: MonotonicTime) -> [RecorderEffect] {
    noteOwnEnd(at: time) + end(at: time, .completed)
  }

  /// The mark of an event that begins a recording or would have.
  func mark(of start: RecordingStart?) -> [RecorderEffect] {
    guard let start, start.reason == .trigger else { return [] }
    return [.mark(at: start.at, label: start.label)]
  }

  /// Forgets an event that waits: its samples are lost with the sensor. A person who took it over still waits.
  mutating func forgetEvent() -> [RecorderEffect] {
    guard let start = waiting?.start, start.reason == .trigger else { return [] }
    if let taker = start.taker {
      waiting?.start = RecordingStart(at: taker.at, reason: taker.reason)
    } else {
      waiting = nil
    }
    return [.report(RefusalText.eventIsLost)]
  }

  /// Cancels a start that waits; `report` is the sentence if it was an event's.
  mutating func callOff(_ report: String) -> [RecorderEffect] {
    let isOfEvent = waiting?.start.isOfMotion == true
    waiting = nil
    return isOfEvent ? [.report(report)] : []
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The table's rows of events in the motion.
extension RecorderMachine {
  /// Whether motion began the recording, and so ends it.
  private var isTriggered: Bool { begun?.reason == .trigger }

  mutating func handleMotion(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .triggered(let time, let tick, let label):
      return trigger(RecordingStart(at: time, reason: .trigger, tick: tick, label: label))
    case .quiet(let time):
      if waitingStart?.reason == .trigger {
        waitingEnd = time
      } else if state.isLogging, isTriggered {
        // Also while the meaning of a press is open: an end or a mark, the event is over.
        return end(at: time, .completed)
      }
    default: break
    }
    return []
  }

  private mutating func trigger(_ start: RecordingStart) -> [RecorderEffect] {
    switch state {
    case .armed: return begin(start)
    case .starting, .recording: return mark(of: start)
    case .stopping, .saving:
      // Of two events that wait, the recording of the first one has both.
      waitingEnd = nil
      return wait(start, isRequest: false)
    case .asleep, .waking, .ending, .ended: return []
    }
  }

  /// The mark of an event that begins a recording or would have.
  func mark(of start: RecordingStart?) -> [RecorderEffect] {
    guard let start, start.reason == .trigger else { return [] }
    return [.mark(at: start.at, label: start.label)]
  }

  /// Forgets an event that waits: its samples are gone with the sensor's.
  mutating func forgetEvent() {
    if waitingStart?.reason == .trigger { (waitingStart, waitingEnd) = (nil, nil) }
  }
}

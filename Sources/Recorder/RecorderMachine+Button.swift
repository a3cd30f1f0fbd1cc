// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension RecorderMachine {
  mutating func handleGesture(_ event: RecorderInput) -> [RecorderEffect] {
    isButtonHeld = false
    switch event {
    case .press(let time): return press(at: time)
    case .double(let time): return double(at: time)
    // A second press that is still held stays open.
    case .single: return state == .stopping ? endByPress() : []
    case .long(let time): return long(at: time)
    case .veryLong:
      if state != .stopping { openPress = nil }
      return terminate(.button)
    // It may have been the second press of a mark: too long a recording is better than too short a one.
    case .forgotten:
      guard state.isLogging else { return [] }
      return resume()
    default:
      isButtonHeld = true
      return []
    }
  }

  /// Holds later ticks back until it is known whether a button that goes down ends the recording.
  mutating func hold(at press: MonotonicTime) -> [RecorderEffect] {
    guard state == .starting || state == .recording, !hasBegun(by: press) else { return [] }
    openPress = press
    return [.holdBack(at: press)]
  }

  private mutating func double(at time: MonotonicTime) -> [RecorderEffect] {
    switch state {
    case .starting, .recording:
      openPress = nil
      // Else the first press was ignored, because another start waited.
      guard let begun, begun.at < time, !begun.isBegun(by: time) else {
        return noteDouble(time) + [.release]
      }
      return [.mark(at: time, label: ""), .release]
    case .stopping:
      return [.mark(at: time, label: "")] + resume()
    case .asleep, .waking, .armed, .saving, .ending, .ended:
      guard let start = waiting?.start, start.at < time, !start.isBegun(by: time) else {
        return noteDouble(time)
      }
      waiting?.mark(at: time, "")
      return []
    }
  }

  /// Notes two presses that mark no present recording: they begin a guided one, or belong to the last one.
  private mutating func noteDouble(_ press: MonotonicTime) -> [RecorderEffect] {
    guard let pastPress, pastPress.at == press else {
      doublePress = press
      return []
    }
    return pastPress.isMarked ? [] : [.refuse(RefusalText.markIsLate)]
  }

  /// Marks an open press in a recording that ends otherwise, with its last tick at `end`.
  mutating func closePress(by end: MonotonicTime?) -> [RecorderEffect] {
    guard let press = openPress else { return [] }
    openPress = nil
    guard let end, press > end else {
      pastPress = PastPress(at: press, isMarked: true)
      return [.mark(at: press, label: "")]
    }
    // A button that went down after the end belongs to no recording.
    if state == .stopping { pastPress = PastPress(at: press, isMarked: false) }
    return []
  }

  private mutating func press(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasJustEnded)] }
    (openPress, pastPress) = (state == .stopping ? openPress : nil, nil)
    if state.isLogging, hasBegun(by: time) { return takeOver(at: time) }
    let start = RecordingStart(at: time, reason: .button)
    switch state {
    case .asleep:
      waiting = WaitingRecording(start: start)
      return arm()
    case .waking, .saving: return wait(start, isRequest: false)
    case .armed: return begin(start)
    case .starting, .recording:
      state = .stopping
      openPress = time
      return [.holdBack(at: time)]
    // The recogniser reports a gesture between two presses; if it did not, none would be lost.
    case .stopping: return endByPress() + wait(start, isRequest: false)
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  private mutating func long(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasJustEnded)] }
    if state != .stopping { openPress = nil }
    if state.isLogging, hasBegun(by: time) {
      return takeOver(at: time) + [.refuse(RefusalText.endsBeforeKeeping)]
    }
    switch state {
    case .asleep, .waking, .armed, .saving: return keep(upTo: time, by: .button)
    case .starting, .recording: return discard(andBegin: RecordingStart(at: time, reason: .button))
    case .stopping: return endByPress()
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  /// Whether a press was meant for the last recording, which ended otherwise.
  private func isMeantForLast(_ press: MonotonicTime) -> Bool {
    if press == pastPress?.at { return true }
    guard let lastPresses, state.isIdle || state == .saving else { return false }
    return lastPresses.contains(press)
  }

  private mutating func resume() -> [RecorderEffect] {
    state = hasFirstSample ? .recording : .starting
    openPress = nil
    return [.release]
  }

  mutating func endByPress() -> [RecorderEffect] {
    let press = openPress
    openPress = nil
    return end(at: press, .button)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Analysis
import IMUModel

/// A calibration by hand without a screen: two presses begin the recording, and its light says what
/// ``CalibrationGuide`` sees. The guide gets the records as a watcher does; the recording is one like any other.
extension RecorderLoop {
  /// Begins a guide with its recording, and ends it with it.
  func followGuide(_ now: MonotonicTime) {
    guard machine.isGuided, machine.state.isLogging else {
      guide = nil
      return
    }
    guard guide == nil, let sensor else { return }
    guide = CalibrationGuide(
      sensor.sensor, channels: setup.configuration.channels, rate: sensor.schedule.rate)
    feed.isWatched = true
    watchAt = watchAt ?? now
    send(.look)
  }

  /// The machine's light, or the guide's while the recording runs.
  var light: Light {
    guard machine.light == .recording, let guide else { return machine.light }
    if guide.next == .done { return .guide(.done) }
    if guide.isTaken { return .guide(.taken) }
    return .guide(guide.stillFor == nil ? .move : .hold)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Calibration
import IMUModel

/// A calibration by hand without a screen: two presses begin the recording, and its light says what
/// ``CalibrationGuide`` sees. The guide gets the records as a watcher does; the recording is one like any other.
extension RecorderLoop {
  /// Begins a guide with its recording, and ends it with it.
  func followGuide(_ now: MonotonicTime) {
    guard machine.isGuided, machine.state.isLogging else {
      if let guide, guide.next != .done { journal(.notice, unfinished(guide)) }
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

  /// That the guided recording ended early, which its light alone would not show who was away.
  private func unfinished(_ guide: CalibrationGuide) -> String {
    let turns = guide.hasTurns ? " and \(guide.turns.count) of 3 turns" : ""
    let edges = min(guide.edges.count, 6)
    return
      "the guided recording ended with \(guide.faces.count) of 6 faces, \(edges) of 6 edges"
      + "\(turns); all of it takes about 2 min: a rate of 50 Hz and a length of 3 min are enough"
  }

  /// The machine's light, or the guide's while the recording runs.
  var light: Light {
    guard machine.light == .recording, let guide else { return machine.light }
    if guide.next == .done { return .guide(.done) }
    if guide.isTaken { return .guide(.taken) }
    return .guide(guide.stillFor == nil ? .move : .hold)
  }
}

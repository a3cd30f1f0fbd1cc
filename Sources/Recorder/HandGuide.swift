// SPDX-License-Identifier: Apache-2.0

import Calibration
import IMUModel

/// A calibration by hand without a screen: two presses begin a recording, and the light shows the ``CalibrationGuide``.
struct HandGuide {
  private var guide: CalibrationGuide?

  var isOn: Bool { guide != nil }

  mutating func begin(_ sensor: SensorStart, channels: ChannelSet) {
    guide = CalibrationGuide(sensor.sensor, channels: channels, rate: sensor.schedule.rate)
  }

  mutating func add(_ records: [TickRecord]) {
    for record in records { guide?.add(record) }
  }

  /// Ends with the recording; returns what is missing, or `nil`: the light does not show it to who was away.
  mutating func end() -> String? {
    defer { guide = nil }
    guard let guide, guide.next != .done else { return nil }
    let turns = guide.hasTurns ? " and \(guide.turns.count) of 3 turns" : ""
    let edges = min(guide.diagonals.count, 6)
    return
      "the guided recording ended with \(guide.faces.count) of 6 faces, \(edges) of 6 edges"
      + "\(turns); all of it takes about 2 min: a rate of 50 Hz and a length of 3 min are enough"
  }

  /// The machine's light, or the guide's while the recording runs.
  func light(_ light: Light) -> Light {
    guard light == .recording, let guide else { return light }
    if guide.next == .done { return .guide(.done) }
    if guide.isTaken { return .guide(.taken) }
    return .guide(guide.stillFor == nil ? .move : .hold)
  }
}

extension RecorderLoop {
  func followGuide() {
    guard machine.isGuided, machine.state.isLogging else {
      if let sentence = guide.end() { journal(.notice, sentence) }
      return
    }
    guard !guide.isOn, let sensor else { return }
    guide.begin(sensor, channels: setup.configuration.channels)
    look()
  }
}

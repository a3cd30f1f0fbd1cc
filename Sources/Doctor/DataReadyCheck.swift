// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Recorder

/// Whether the line from the chip's interrupt output is wired and fires: sets the known chip up as a recording does,
/// which also shows whether it keeps its configuration, and watches the line while the FIFO fills.
struct DataReadyCheck<Clock: MonotonicClock>: Sendable {
  let configuration: RecorderConfiguration
  /// In words.
  let line: String
  let clock: Clock

  /// Drains, and nanoseconds between them: more than a recorder's, so that the fill passes the watermark before each.
  private var drains: (count: Int, pause: Int64) { (10, 60_000_000) }

  /// - Parameter bus: With the line, where there is a use for it.
  func run<Bus: I2CBus & Sendable & ~Copyable>(
    _ bus: consuming Bus, _ found: SensorIdentity, busClock: Int?, _ progress: () -> Void
  ) -> Finding {
    var unused: Finding {
      let remarks = configuration.remarks(found.model, usesInterrupt: false)
      return .advice(remarks.joined(separator: "; "))
    }
    guard configuration.usesInterrupt(found.model) else { return unused }
    // The line needs no magnetometer.
    var plain = configuration
    plain.field = nil
    do {
      switch try plain.open(bus, found, busClock: busClock) {
      case .polled: return .unchecked("the computer keeps the time: the line is not used")
      case .buffered(var sensor):
        guard sensor.hasInterrupt else { return unused }
        let (edges, samples) = try watch(&sensor, progress)
        let figures: Finding.Figures = [
          ("edges", "\(edges)"), ("samples", "\(samples)"), ("drains", "\(drains.count)"),
        ]
        guard samples > 0 else { return .unchecked("the chip made no samples", figures: figures) }
        guard edges > 0 else {
          return .wrong(
            "\(line) does not fire while the FIFO fills: connect the chip's INT2 to it, or take the line out of the "
              + "configuration (interrupt = none)", figures: figures)
        }
        return .ok(
          "\(line) fires: \(edges) edges in \(drains.count) fills of the FIFO", figures: figures)
      }
    } catch {
      return .wrong("\(error)")
    }
  }

  private func watch<Bus: I2CBus & ~Copyable>(
    _ sensor: inout FIFOSensor<Bus>, _ progress: () -> Void
  ) throws -> (edges: Int, samples: Int) {
    while case .wait(let nanoseconds) = try sensor.bringUp() {
      progress()
      clock.sleep(until: clock.now() + nanoseconds)
    }
    // Edges from before the FIFO ran prove nothing.
    while sensor.nextEdge() != nil {}
    try sensor.startFIFO()
    var (edges, samples) = (0, 0)
    for _ in 0..<drains.count {
      clock.sleep(until: clock.now() + drains.pause)
      samples += try sensor.drain(try sensor.readFill())
      while sensor.nextEdge() != nil { edges += 1 }
      progress()
    }
    return (edges, samples)
  }
}

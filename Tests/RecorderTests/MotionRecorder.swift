// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import Recorder
import Testing

/// The shipped service with a trigger, stepped in simulated time at 100 Hz: 0.5 g, with 0.5 s before an event and 1 s after
/// it. The sensor is at rest but for spikes at ticks of the test.
struct MotionRecorder {
  /// Ticks at which a sample differs from rest, and by how many of 8192 counts a g.
  var spikes: [UInt64: Int16] = [:]
  /// Seconds from the first tick at which the button goes down.
  var presses: [Double] = []
  /// Nanoseconds of each press.
  var pressLength: Int64 = 100_000_000
  /// Seconds from the first tick in which the writer's thread does not run.
  var writerStall: Range<Double> = 0..<0
  var length: Int64? = 60_000_000_000
  var setting = TriggerSetting()
  var samplesWhileIdle = true
  /// Seconds from the first tick until which there is a file in place of the store.
  var blockedUntil: Double?
  /// Seconds until the service ends.
  var end = 30.0

  init(spikes: [UInt64: Int16]) {
    self.spikes = spikes
    setting.threshold = TriggerSetting.Threshold(.peak, 0.5)
    setting.postTrigger = 1_000_000_000
  }

  /// Runs the service.
  ///
  /// - Returns: Its recordings, and its warnings.
  func run(
    didTurn: @escaping (RecorderLoop) -> Void = { _ in }
  ) throws -> (takes: [WholeRecording], warnings: [String]) {
    let (spikes, writerStall) = (spikes, writerStall)
    let source = CountingSource { tick in
      // The rates number the sample.
      RawSample(
        ax: -40, ay: 25, az: 8190 + (spikes[tick] ?? 0), gx: Int16(truncatingIfNeeded: tick),
        gy: Int16(truncatingIfNeeded: tick >> 16))
    }
    var service = SteppedRecorder(source) {
      ($0.length, $0.trigger, $0.samplesWhileIdle) = (length, setting, samplesWhileIdle)
    }
    let (store, warnings) = (service.store + "/store", SentenceList())
    (service.store, service.warnings) = (store, warnings)
    if blockedUntil != nil { service.directory.write([], to: "store") }
    let start = source.clock.now() + 2_000_000
    func at(_ seconds: Double) -> MonotonicTime { start + Int64(seconds * 1e9) }
    var blockedUntil = blockedUntil.map(at)
    try service.run(
      .presses(presses.map(at), of: pressLength, until: at(end)),
      isWriterHeld: { writerStall.contains(Double($0 - start) / 1e9) },
      afterTick: { loop, now in
        if let end = blockedUntil, now >= end {
          blockedUntil = nil
          #expect(unlink(store) == 0)
        }
        didTurn(loop)
      })
    let takes = try service.recordings { reader in
      try WholeRecording(reader) { sample in
        UInt64(UInt16(bitPattern: sample.gx)) | UInt64(UInt16(bitPattern: sample.gy)) << 16
      }
    }
    return (takes, warnings.all)
  }
}

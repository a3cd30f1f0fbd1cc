// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import Testing

/// The shipped service with a trigger, stepped in simulated time at 100 Hz: 0.5 g, with 0.5 s before an event and 1 s after
/// it. The sensor is at rest but for spikes at ticks of the test.
struct MotionRecorder {
  static let before: UInt64 = 50
  static let after: UInt64 = 100

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
  let directory = TemporaryDirectory(inMemory: true)

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
    var configuration = RecorderConfiguration.default
    configuration.rate = ExampleLog.rate(100)
    (configuration.length, configuration.trigger) = (length, setting)
    configuration.preTrigger = 500_000_000
    (configuration.reserve, configuration.samplesWhileIdle) = (0, samplesWhileIdle)
    let (spikes, writerStall) = (spikes, writerStall)
    let source = CountingSource { tick in
      // The rates number the sample.
      RawSample(
        ax: -40, ay: 25, az: 8190 + (spikes[tick] ?? 0), gx: Int16(truncatingIfNeeded: tick),
        gy: Int16(truncatingIfNeeded: tick >> 16))
    }
    let start = source.clock.now() + 2_000_000
    let end = start + Int64(end * 1e9)
    var edges: [LineEdge]? = ScriptedButton.edges(
      presses.map { start + Int64($0 * 1e9) }, of: pressLength)
    let button = ScriptedButton { now in
      defer { edges = [] }
      return now > end ? nil : edges
    }
    let warnings = SentenceList()
    let store = directory.path + "/store"
    if blockedUntil != nil { directory.write([], to: "store") }
    var blockedUntil = blockedUntil.map { start + Int64($0 * 1e9) }
    let surroundings = RecorderLoop.Surroundings { priority, sentence in
      if priority.rawValue <= JournalPriority.warning.rawValue { warnings.add(sentence) }
    } openPanel: { _ in
      button
    }
    _ = try SimulatedRecorder(
      RecorderSetup(configuration, sensor: source, store: store), surroundings,
      isWriterHeld: { writerStall.contains(Double($0 - start) / 1e9) },
      afterTick: { loop, now in
        if let end = blockedUntil, now >= end {
          blockedUntil = nil
          #expect(unlink(store) == 0)
        }
        didTurn(loop)
      }
    ).run()
    let catalogue = try Catalogue(path: store)
    let takes = try catalogue.list().entries.sorted { $0.number < $1.number }.map { entry in
      var reader = try catalogue.reader(of: entry)
      return try WholeRecording(&reader) { sample in
        UInt64(UInt16(bitPattern: sample.gx)) | UInt64(UInt16(bitPattern: sample.gy)) << 16
      }
    }
    return (takes, warnings.all)
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Sampling
import Testing

/// Records at 100 Hz of a sensor with 8192 counts a g, at rest with 1 g along Z unless a test moves it.
struct Shaker {
  static let rate = ExampleLog.rate(100)
  let schedule = Schedule(start: MonotonicTime(nanoseconds: 7_000_000_123), rate: rate)
  private(set) var watch: TriggerWatch
  private(set) var tick: UInt64 = 0
  /// What the watch reported, as `began TICK` and `quiet TICK`.
  private(set) var reports: [String] = []
  private(set) var events: [TriggerWatch.Event] = []
  /// The counts of rest.
  var rest = RawSample(ax: -31, ay: 17, az: 8192)

  init(
    _ measure: TriggerSetting.Threshold.Measure = .peak, _ limit: Double = 0.5,
    clock: ClockSource = .grid, _ change: (inout TriggerSetting) -> Void = { _ in }
  ) throws {
    var setting = TriggerSetting()
    setting.threshold = TriggerSetting.Threshold(measure, limit)
    setting.postTrigger = 1_000_000_000
    change(&setting)
    watch = try #require(TriggerWatch(setting, schedule, clock, ExampleLog.description().sensor))
  }

  /// A sample that was read 0.4 ms after its deadline.
  mutating func sample(_ sample: RawSample) {
    let time = Shaker.rate.nanoseconds(atTick: tick) + 400_000
    note(TickRecord(tick: tick, time: time, sample: sample))
    tick += 1
  }

  mutating func rest(_ ticks: Int) { for _ in 0..<ticks { sample(rest) } }

  /// One sample that differs from rest by so many counts along an axis.
  mutating func spike(_ counts: Int, axis: Int = 2) {
    var moved = rest
    moved[axis] = Int16(Int(moved[axis]) + counts)
    sample(moved)
  }

  mutating func gap(_ ticks: UInt64) {
    note(TickRecord(Gap(firstTick: tick, count: ticks, cause: .busError, code: 121)))
    tick += ticks
  }

  mutating func note(_ record: TickRecord) {
    guard let event = watch.note(record) else { return }
    events.append(event)
    switch event {
    case .began(_, let tick, _): reports.append("began \(tick)")
    case .quiet(_, let tick): reports.append("quiet \(tick)")
    }
  }

  /// The sine by its series: no library of the platform's.
  static func sine(_ angle: Double) -> Double {
    var x = angle.remainder(dividingBy: 2 * .pi)
    var (term, sum, n) = (x, x, 1.0)
    x *= x
    while term.magnitude > 1e-17 {
      term *= -x / ((n + 1) * (n + 2))
      sum += term
      n += 2
    }
    return sum
  }
}

/// What one sensor of the chip has in its output registers.
struct OutputStage: Sendable, BitwiseCopyable {
  /// Ticks from one sample to the next; 0 while the sensor is off.
  var period: Int64 = 0
  /// Samples are made at ticks after this one.
  var start: Int64 = 0
  /// Samples up to this tick are garbage.
  var settled: Int64 = 0
  /// The newest sample at the last time when the data-ready bit was cleared.
  var acknowledged: Int64 = 0
  /// What the registers held when the configuration was last changed, and the tick of that sample.
  var held = SIMD3<Int16>(repeating: 0)
  var heldTick: Int64 = 0
  /// The last sample looked at: a burst looks at each up to six times.
  var recent = SIMD3<Int16>(repeating: 0)
  var recentTick: Int64 = -1

  init(at tick: Int64 = 0) {
    start = tick
    acknowledged = tick
    heldTick = tick
  }

  /// The tick of the newest sample made until `tick`.
  func newest(atTick tick: Int64) -> Int64 {
    guard period > 0 else { return heldTick }
    let sample = tick / period * period
    return sample > start ? sample : heldTick
  }
}

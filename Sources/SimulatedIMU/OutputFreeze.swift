import IMUModel

/// Output registers that stand still from one tick to another.
struct OutputFreeze: Sendable, BitwiseCopyable {
  let first: Int64
  let last: Int64
  /// Whether the data-ready bits continue as if all was well.
  let keepsDataReady: Bool
  /// What the outputs show whatever becomes of the chip; `nil` when a reset ends the freeze.
  let kept: RawSample?

  /// The tick whose outputs show at `tick`.
  func shown(at tick: Int64) -> Int64 {
    (first...last).contains(tick) ? first : tick
  }

  /// What the outputs show at `tick`, when that is not the chip's doing.
  func kept(at tick: Int64) -> RawSample? {
    (first...last).contains(tick) ? kept : nil
  }

  /// The tick whose data-ready state shows at `tick`.
  func flagged(at tick: Int64) -> Int64 {
    keepsDataReady ? tick : shown(at: tick)
  }
}

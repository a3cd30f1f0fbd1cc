// SPDX-License-Identifier: Apache-2.0

/// Where the knots of a recording's clock are, and how far apart its slots are.
///
///     slots    0         500       1000   1234
///     knots    ●──────────●──────────●─────●──────────●──────────●
///                                          0         500       1000   slots of a joined epoch
///
/// Both follow the numbers of an epoch and the nominal period, not the readings. So each part of a recording has the same
/// knots as the whole, and its samples get the same instants.
struct SlotGrid: Equatable {
  /// Nanoseconds a slot, as configured.
  let period: Double
  /// Slots from one knot to the next.
  let step: Int64
  /// The line's numbers of the slots 0 of its epochs, as far as they are needed.
  private var origins: [Int64] = [0]

  /// The seconds from one knot to the next.
  private static let spacing = 0.5

  /// The grid of a recording; the period is positive.
  init(period: Double) {
    self.period = period
    step = Int64(max(1, min(SlotGrid.spacing * 1e9 / period, 0x1p40)).rounded())
  }

  /// Seconds from one slot to another, and a part of the next one.
  func seconds(from start: Int64, to end: Int64, _ part: Double = 0) -> Double {
    (Double(end - start) + part) * period * 1e-9
  }

  /// How many slots so many seconds are.
  func slots(_ seconds: Double) -> Int64 { Int64(min(seconds * 1e9 / period, 0x1p50).rounded(.up)) }

  /// From this slot on, slots are numbered anew.
  mutating func renumber(at slot: Int64) {
    if slot > origins[origins.count - 1] { origins.append(slot) }
  }

  /// Forgets the numbers that only slots before `slot` have.
  mutating func forget(before slot: Int64) {
    while origins.count > 1, origins[1] <= slot { origins.removeFirst() }
  }

  /// The next knot after a slot.
  func knot(after slot: Int64) -> Int64 {
    let (origin, next) = numbering(of: slot)
    let knot = multiple(of: step, below: slot, from: origin) + step
    return next.map { min($0, knot) } ?? knot
  }

  /// The first slot of the second in which a slot is.
  func second(of slot: Int64) -> Int64 {
    multiple(of: 2 * step, below: slot, from: numbering(of: slot).origin)
  }

  private func numbering(of slot: Int64) -> (origin: Int64, next: Int64?) {
    let next = origins.firstIndex { $0 > slot } ?? origins.count
    return (origins[max(0, next - 1)], next < origins.count ? origins[next] : nil)
  }

  private func multiple(of step: Int64, below slot: Int64, from origin: Int64) -> Int64 {
    let distance = slot - origin
    let rest = distance % step
    return origin + distance - (rest < 0 ? rest + step : rest)
  }
}

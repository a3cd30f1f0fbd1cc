// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// A state of the light; each has its own rhythm:
///
///      off             ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
///      armed           ▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   a flash of 50 ms each 2 s
///      waking          ▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁   0.5 s on, 0.5 s off
///      recording       ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
///      saving          ▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁   0.1 s on, 0.1 s off
///      problem(2)      ▔▔▁▁▔▔▁▁▁▁▁▁▁▁▁▁▁▁▔▔▁▁▔▔▁▁▁▁▁▁▁▁▁▁▁▁▔▔▁▁   2 blinks of 0.2 s, then 1.2 s dark
///      guide(move)     ▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁▔▔▁▁   0.2 s on, 0.2 s off
///      guide(hold)     ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
///      guide(taken)    ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
///      guide(done)     ▔▔▔▔▔▔▔▔▔▁▔▔▔▔▔▔▔▔▔▁▔▔▔▔▔▔▔▔▔▁▔▔▔▔▔▔▔▔▔▁   0.9 s on, 0.1 s off
package enum Light: Equatable, Sendable {
  /// The sensor sleeps, or the service has ended.
  case off
  /// Sampling; a recording can begin.
  case armed
  case waking
  case recording
  /// A recording is starting or being made durable.
  case saving
  /// No recording is running, and there is a problem: as many blinks as its raw value.
  case problem(Problem)
  /// The button is held and its meaning is still open: the opposite of the level before.
  case acknowledged(isLit: Bool)
  /// A recording for a calibration by hand runs.
  case guide(GuideLight)
}

/// What the light says during a calibration by hand.
package enum GuideLight: CaseIterable, Equatable, Sendable {
  /// The sensor moves: lay it on another face or edge, or turn it.
  case move
  /// It is still: hold it.
  case hold
  /// It was still for long enough: go on.
  case taken
  /// All faces, edges and turns are there.
  case done
}

/// Plays a light's rhythm: which level holds now, and when the next one is due. Asks no clock.
package struct LightPlayer: Sendable {
  private var light = Light.off
  private var start = MonotonicTime(nanoseconds: 0)

  package init() {}

  /// Changes to `light`; its rhythm begins at `now`.
  package mutating func show(_ light: Light, at now: MonotonicTime) {
    guard light != self.light else { return }
    self.light = light
    start = now
  }

  /// Whether the light is on at `now`.
  package func level(at now: MonotonicTime) -> Bool {
    switch light.rhythm {
    case .constant(let isOn): return isOn
    case .repeated(let lengths): return place(of: now, in: lengths).index % 2 == 0
    }
  }

  /// The first instant after `now` at which the level changes; `nil` when it stays.
  package func nextChange(after now: MonotonicTime) -> MonotonicTime? {
    switch light.rhythm {
    case .constant: return nil
    case .repeated(let lengths): return now + place(of: now, in: lengths).rest
    }
  }

  /// Which length of the rhythm `now` falls into, and how much of it is left.
  private func place(of now: MonotonicTime, in lengths: [Int64]) -> (index: Int, rest: Int64) {
    // Before the start, as for a stamp that is older than the light: the rhythm's beginning.
    var phase = max(0, now - start) % lengths.reduce(0, +)
    for (index, length) in lengths.enumerated() {
      guard phase >= length else { return (index, length - phase) }
      phase -= length
    }
    preconditionFailure("a phase lies inside its rhythm")
  }
}

private enum Rhythm {
  case constant(Bool)
  /// Nanoseconds on, off, on, off … and from the beginning; an even number of them.
  case repeated([Int64])
}

extension Light {
  fileprivate var rhythm: Rhythm {
    let millisecond: Int64 = 1_000_000
    switch self {
    case .off: return .constant(false)
    case .recording: return .constant(true)
    case .acknowledged(let isLit): return .constant(isLit)
    case .armed: return .repeated([50 * millisecond, 1950 * millisecond])
    case .waking: return .repeated([500 * millisecond, 500 * millisecond])
    case .saving: return .repeated([100 * millisecond, 100 * millisecond])
    case .guide(.move): return .repeated([200 * millisecond, 200 * millisecond])
    case .guide(.hold): return .constant(true)
    case .guide(.taken): return .constant(false)
    case .guide(.done): return .repeated([900 * millisecond, 100 * millisecond])
    case .problem(let problem):
      let blinks = [Int64](repeating: 200 * millisecond, count: 2 * Int(problem.rawValue) - 1)
      return .repeated(blinks + [1200 * millisecond])
    }
  }
}

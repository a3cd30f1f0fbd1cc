// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds axes of the gyroscope that show nothing but noise while gravity turns about them.
///
///     angle of gravity about x   ▁▁▂▃▅▇█     70° or more within ten seconds, beyond what the rates explain
///     rate about x               ▁▁▁▁▁▁▁     never 2 °/s from its rate at rest
///
/// The rates explain a part because turns about y and z carry gravity around x too. Other accelerations turn the direction by
/// 25° at most to either side while the magnitude is within a tenth of 1 g; elsewhere each sequence begins anew.
struct SilentAxes {
  private struct Sequence {
    var windowCount = 0
    var angle = 0.0
    var least = 0.0
    var greatest = 0.0
  }

  private var sequences = [Sequence](repeating: Sequence(), count: 3)
  private var answered = [false, false, false]
  private var wasTurned = [false, false, false]

  /// In radians: 70°.
  private static let leastAngle = 1.22
  /// Most windows for that: a slower turn may be a change of the rate at rest.
  private static let longest = 100
  /// The least square of gravity across the axis: half a g.
  private static let leastAcross = 0.25
  /// The largest turn of a silent axis in a window of a tenth of a second, in radians: 2 °/s.
  private static let largestTurn = 0.0035

  /// Begins anew: the next window does not follow the last one.
  mutating func restart() { sequences = [Sequence](repeating: Sequence(), count: 3) }

  /// Adds a window.
  ///
  /// - Parameters:
  ///   - seen: The turn of the acceleration that the gyroscope does not explain, times its square, in radians and g².
  ///   - acceleration: In g.
  ///   - turned: The gyroscope's turn, less its bias, in radians.
  mutating func add(
    _ seen: SIMD3<Double>, _ acceleration: SIMD3<Double>, turned: SIMD3<Double>
  ) {
    for axis in 0..<3 {
      if abs(turned[axis]) > SilentAxes.largestTurn { answered[axis] = true }
      let across = (acceleration * acceleration).sum() - acceleration[axis] * acceleration[axis]
      guard across >= SilentAxes.leastAcross, sequences[axis].windowCount < SilentAxes.longest
      else {
        sequences[axis] = Sequence()
        continue
      }
      var sequence = sequences[axis]
      sequence.windowCount += 1
      sequence.angle += atan2(seen[axis], across)
      sequence.least = min(sequence.least, sequence.angle)
      sequence.greatest = max(sequence.greatest, sequence.angle)
      if sequence.greatest - sequence.least >= SilentAxes.leastAngle { wasTurned[axis] = true }
      sequences[axis] = sequence
    }
  }

  var axes: [Int] { (0..<3).filter { wasTurned[$0] && !answered[$0] } }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds axes of the gyroscope that have nothing but noise while gravity turns about them.
///
///     angle of gravity about x   ▁▁▂▃▅▇█     by 70° or more within ten seconds, less what the rates say of it
///     rate about x               ▁▁▁▁▁▁▁     never 2 °/s from its rate at rest
///
/// What the rates say is taken off, because turns about y and z carry gravity around x too. An acceleration that is not
/// gravity's turns the direction by 25° at most to either side while the magnitude is within a tenth of 1 g; where it is not,
/// each sequence begins anew.
struct SilentAxes {
  /// Of an axis, since it began anew.
  private struct Sequence {
    var windowCount = 0
    var angle = 0.0
    var least = 0.0
    var greatest = 0.0
  }

  private var sequences = [Sequence](repeating: Sequence(), count: 3)
  /// By axis, whether it ever answered, and whether gravity turned about it while it did not.
  private var answered = [false, false, false]
  private var wasTurned = [false, false, false]

  /// What gravity must turn, in radians: 70°.
  private static let leastAngle = 1.22
  /// The most windows of a tenth of a second for that: a slower turn is within what a rate at rest may change by.
  private static let longest = 100
  /// Of gravity at right angles to the axis, in g²: half a g.
  private static let leastAcross = 0.25
  /// What an axis that does not answer has at most, in radians a window of a tenth of a second: 2 °/s.
  private static let largestTurn = 0.0035

  /// Windows no longer follow each other.
  mutating func restart() { sequences = [Sequence](repeating: Sequence(), count: 3) }

  /// Takes a window.
  ///
  /// - Parameters:
  ///   - seen: By how much the acceleration turned beyond what the gyroscope says, times its square, in radians and g².
  ///   - acceleration: In g.
  ///   - turned: What the gyroscope turned, less its bias, in radians.
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

  /// The axes that do not answer: 0 for x.
  var axes: [Int] { (0..<3).filter { wasTurned[$0] && !answered[$0] } }
}

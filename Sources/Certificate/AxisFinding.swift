// SPDX-License-Identifier: Apache-2.0

import Calibration
import IMUModel

extension AxisJudge {
  var finding: CertificateFinding {
    func finding(_ value: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding("axes", value, "both sensors turn alike", verdict)
    }
    if !silent.isEmpty {
      let names = silent.map { ChannelSet.names[3 + $0] }.joined(separator: ", ")
      return finding("\(names) \(silent.count == 1 ? "does" : "do") not answer", .fail)
    }
    guard case .columns(let found) = verdict else {
      return finding(verdict == .unclear ? "not clear" : "not turned enough", .unknown)
    }
    let columns = found.compactMap { $0 }
    guard columns.count == 3 else { return finding("not turned enough", .unknown) }
    let gyroscope = columns.map { column in
      var direction = Vector3()
      direction[column.axis] = column.factor < 0 ? -1 : 1
      return direction
    }
    if (gyroscope[0].cross(gyroscope[1]) * gyroscope[2]).sum() < 0 {
      return finding("the gyroscope's are \(AxisJudge.text(gyroscope))", .fail)
    }
    let order = (0..<3).map { row in
      Vector3(gyroscope[0][row], gyroscope[1][row], gyroscope[2][row])
    }
    // Reversed axes of the accelerometer look the same; the fewer minus signs are shown.
    let isFlipped = order.reduce(0) { $0 + $1.sum() } < 0
    let text = AxisJudge.text(isFlipped ? order.map { -$0 } : order)
    return text == "x, y, z"
      ? finding(text, .pass) : finding("the accelerometer's are \(text)", .fail)
  }

  /// Directions along axes, such as `z, y, -x`.
  private static func text(_ directions: [Vector3]) -> String {
    directions.map { direction in
      let axis = (0..<3).first { direction[$0] != 0 } ?? 0
      return (direction[axis] < 0 ? "-" : "") + ["x", "y", "z"][axis]
    }.joined(separator: ", ")
  }
}

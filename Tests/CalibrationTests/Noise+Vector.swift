// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport

extension Noise {
  /// Three values of a standard deviation.
  mutating func vector(_ deviation: Double = 1) -> Vector3 {
    Vector3(normal(), normal(), normal()) * deviation
  }
}

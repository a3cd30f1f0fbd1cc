// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The configuration of a Raspberry Pi's firmware.
package struct BootConfiguration {
  /// Its file.
  package let path: String
  private let lines: [Substring]

  /// The first of its usual files that is there.
  package init?(_ tree: SystemTree) {
    for path in ["/boot/firmware/config.txt", "/boot/config.txt"] {
      guard let text = tree.text(path, limit: 1 << 16) else { continue }
      self.path = path
      lines = text.split(whereSeparator: \.isNewline)
      return
    }
    return nil
  }

  /// Whether some line switches a bus on.
  package var asksForI2C: Bool {
    lines.contains { line in
      if line.hasPrefix("dtoverlay=i2c") { return true }
      guard line.hasPrefix("dtparam=") else { return false }
      return line.dropFirst(8).split(separator: ",").contains { parameter in
        ["i2c", "i2c_arm", "i2c1"].contains { parameter == $0 || parameter == $0 + "=on" }
      }
    }
  }

  /// The line that gives a sensor to a driver of the kernel.
  package var sensorOverlay: String? {
    let chips = ["mpu6050", "mpu9250", "lsm6ds", "lsm9ds1"]
    let line = lines.first { line in
      line.hasPrefix("dtoverlay=") && chips.contains { line.parts(around: $0) != nil }
    }
    return line.map { String($0) }
  }
}

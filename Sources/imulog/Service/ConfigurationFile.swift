// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUModel
import LinuxIO
import Recorder

/// The service's configuration file, and the options that replace its values.
struct ConfigurationFile: Sendable {
  /// Its path without an option; it need not exist.
  static let usualPath = "/etc/imulog/imulog.conf"

  let path: String?
  let board: String?
  let preTrigger: String?
  /// The store if the configuration names none.
  let usualStore: String

  /// - Parameter options: Values from the command line, by the option's name.
  static func read(
    _ text: [UInt8], file: String, options: [String: String] = [:],
    within confinement: Confinement? = nil
  ) throws(ConfigurationError) -> RecorderConfiguration {
    try RecorderConfiguration(
      text: text, file: file, boards: Board.all.map(\.id), options: options
    ) {
      confinement?.refusal($1, isStore: $0 == "store")
    }
  }

  /// Reads the file, and completes it with defaults of this machine.
  func setup() throws -> RecorderSetup {
    let file = path ?? ConfigurationFile.usualPath
    let isThere = path != nil || access(file, F_OK) == 0
    let mounts = SystemTree.live.text("/proc/self/mountinfo", limit: 1 << 20)
    let configuration = try ConfigurationFile.read(
      isThere ? try WholeFile.read(file) : [], file: file,
      options: ["board": board, "pre-trigger": preTrigger].compactMapValues { $0 },
      within: Confinement(mounts: mounts ?? ""))
    let sensor = SensorRequest(configuration)
    let board = sensor.presentBoard()
    return RecorderSetup(
      configuration, sensor: sensor,
      store: configuration.store ?? usualStore,
      button: configuration.button.spec(board?.button?.name),
      light: configuration.light.spec(board?.led?.name),
      calibration: try configuration.calibration.map { try SensorCalibration(readingFile: $0) })
  }
}

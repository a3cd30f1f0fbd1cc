// SPDX-License-Identifier: Apache-2.0

import Boards
import Doctor
import Files
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
  func setup(on tree: SystemTree = .live) throws -> RecorderSetup {
    let file = path ?? ConfigurationFile.usualPath
    let isThere = path != nil || access(file, F_OK) == 0
    let mounts = SystemTree.live.text("/proc/self/mountinfo", limit: 1 << 20)
    let text = isThere ? try WholeFile.read(file) : []
    let options = ["board": board, "pre-trigger": preTrigger].compactMapValues { $0 }
    let confinement = Confinement(mounts: mounts ?? "")
    let configuration = try ConfigurationFile.read(
      text, file: file, options: options, within: confinement)
    let members = try ConfigurationFile.members(
      of: configuration, text, file: file, options, confinement)
    let setups = try members.map {
      (name: String, configuration: RecorderConfiguration) in
      let sensor = SensorRequest(configuration)
      let board = sensor.presentBoard(tree)
      var setup = RecorderSetup(
        configuration, sensor: sensor,
        store: configuration.store ?? usualStore,
        button: configuration.button.spec(board?.button?.name),
        light: configuration.light.spec(board?.led?.name),
        calibration: try configuration.calibration.map { try SensorCalibration(readingFile: $0) })
      setup.name = name
      if !name.isEmpty { setup.busPath = try sensor.busPath(tree) }
      return setup
    }
    return .take(setups)
  }

  /// The configuration of each sensor: the file's, with what its own line has instead.
  static func members(
    of configuration: RecorderConfiguration, _ text: [UInt8], file: String,
    _ options: [String: String], _ confinement: Confinement? = nil
  ) throws -> [(name: String, configuration: RecorderConfiguration)] {
    guard !configuration.sensors.isEmpty else { return [("", configuration)] }
    var sensors: [NamedSensor] = []
    return try configuration.sensors.map { line in
      let sensor: NamedSensor
      do throws(NamedSensor.Fault) {
        sensor = try NamedSensor(name: line.name, line.text)
        if sensor.settings["motion"] != nil {
          throw NamedSensor.Fault("motion is for record with the simulator; take it out")
        }
        if let clause = sensor.refusal(after: sensors) { throw NamedSensor.Fault(clause) }
        if configuration.sensors.count > 1, configuration.calibration != nil,
          sensor.settings["calibration"] == nil
        {
          throw NamedSensor.Fault(
            "the file's calibration is of one chip; take it out, and give each sensor its own with calibration=FILE"
          )
        }
      } catch {
        throw ConfigurationError(line, in: file, error.clause)
      }
      sensors.append(sensor)
      do throws(ConfigurationError) {
        return (
          sensor.name,
          try ConfigurationFile.read(
            text, file: file, options: options.merging(sensor.options) { $1 }, within: confinement)
        )
      } catch {
        throw error.ofOwnSetting.map { ConfigurationError(line, in: file, $0) } ?? error
      }
    }
  }
}

/// The service's configuration, where it has a file.
struct ConfigurationCheck {
  let tree: SystemTree
  let unit: ServiceUnit?
  /// The command that puts a corrected file in force, after a comma.
  var then = ""
  /// Whether to leave out lines of the file, which may name people and places.
  var isPrivate = false

  func run() -> (RecorderConfiguration?, [Check]) {
    let (path, name) = (tree.path(ConfigurationFile.usualPath), ConfigurationFile.usualPath)
    func check(_ state: Finding.State, _ words: String) -> [Check] {
      [Check("configuration", Finding(state, words))]
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      return (nil, errno == EACCES ? check(.unchecked, "you may not look at \(name)") : [])
    }
    guard status.st_size <= ServiceUnit.longestFile else {
      return (nil, check(.wrong, "\(name) is longer than 1 MB"))
    }
    do {
      let configuration = try ConfigurationFile.read(
        try WholeFile.read(path), file: path, within: unit.map { Confinement(unit: $0) })
      if let calibration = configuration.calibration {
        // The service's rights count, and not the caller's.
        if unit?.isShut(above: calibration) == true {
          let words = "the calibration: \(ServiceUnit.shut); move it\(then)"
          return (configuration, check(.wrong, words))
        }
        if access(calibration, F_OK) == 0,
          unit?.user?.mayUse(calibration, .live, bits: 0o4) == false
        {
          let words = "the service's user may not read the calibration: let it\(then)"
          return (configuration, check(.wrong, words))
        }
        if access(calibration, R_OK) != 0, errno == EACCES {
          return (configuration, check(.unchecked, "you may not read the calibration"))
        }
      }
      let file = ConfigurationFile(
        path: path, board: nil, preTrigger: nil, usualStore: ServiceUnit.store)
      _ = try file.setup(on: tree)
      return (configuration, check(.ok, "\(name) is right"))
    } catch let error as ConfigurationError where error.line > 0 {
      let found = isPrivate ? nil : error.description.parts(around: ":\(error.line): ")?.after
      // A drop-in is the remedy, and not another line.
      let isUnits = error.description.hasSuffix(Confinement.opening)
      let words =
        isUnits ? "line \(error.line) of \(name)" : "correct line \(error.line) of \(name)\(then)"
      return (nil, check(.wrong, words + (found.map { ": \($0)" } ?? "")))
    } catch {
      let sentence = (error as? CommandFailure)?.sentence ?? "\(error)"
      return (nil, check(.wrong, isPrivate ? "\(name) cannot be used" : sentence + then))
    }
  }
}

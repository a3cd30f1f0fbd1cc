// SPDX-License-Identifier: Apache-2.0

import Doctor
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder

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
      _ = try file.setup()
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

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Remote
import Text

/// The facts of this machine for `imulog hub`.
enum ServedMachine {
  /// Nanoseconds that the service may take to answer.
  private static let patience: Int64 = 2_000_000_000

  /// The version, the clock, the free space of a store, and the service's state, as far as they are known.
  static func facts(of catalogue: Catalogue) -> RemoteMachine {
    let status = serviceStatus()
    return RemoteMachine(
      software: Software.version, wall: SystemClock().wallTime,
      freeBytes: SystemTree.live.freeBytes(at: catalogue.path),
      recorder: status?.state.rawValue,
      problem: status.flatMap { $0.failure ?? $0.problem?.name })
  }

  /// `nil` where no service answers: the machine may only keep recordings.
  private static func serviceStatus() -> RecorderStatus? {
    do {
      let path = try ControlPath.path(
        nil, isService: false, environment: Environment.value, exists: { access($0, F_OK) == 0 })
      let line = try ControlClient.ask(
        path: path, line: ControlRequest.status.line, timeoutNanoseconds: patience)
      guard case .status(let status) = try ControlAnswer(line: line) else { return nil }
      return status
    } catch {
      return nil
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

/// The caller's side of a request.
enum ControlReply {
  /// Nanoseconds to wait for the answer: longer than the service lets a caller wait.
  private static func patience(_ request: ControlRequest) -> Int64 {
    request == .status
      ? 10_000_000_000
      : PendingRequests<Int>.patience(period: .max) + 10_000_000_000
  }

  /// Sends a request to the service at `path`, and throws its refusal.
  ///
  /// - Returns: The answer, parsed and as its line.
  @discardableResult
  static func ask(
    _ request: ControlRequest, at path: String
  ) throws -> (ControlAnswer, line: String) {
    let line = try ControlClient.ask(
      path: path, line: request.line, timeoutNanoseconds: patience(request))
    let answer: ControlAnswer
    do {
      answer = try ControlAnswer(line: line)
    } catch {
      throw CommandFailure(.inputOutput, "asking the service (\(path)): \(error)")
    }
    if case .refused(let status, let message) = answer {
      throw CommandFailure(ExitStatus(rawValue: status) ?? .tryAgain, message)
    }
    return (answer, line)
  }
}

/// Finds the service's control socket.
enum ControlPath {
  /// The first of: `given`, `IMULOG_SOCKET`, `$RUNTIME_DIRECTORY/control` (set by systemd for the service),
  /// `/run/imulog/control` where such a service runs, `$XDG_RUNTIME_DIR/imulog/control`.
  static func path(_ given: String?, isService: Bool) throws(CommandFailure) -> String {
    for candidate in [given, Environment.value("IMULOG_SOCKET")] {
      if let candidate, !candidate.isEmpty { return candidate }
    }
    // The first of several run directories is imulog's.
    let run = Environment.value("RUNTIME_DIRECTORY")?.split(separator: ":").first
    if isService, let run { return "\(run)/control" }
    let system = "/run/imulog/control"
    if !isService, access(system, F_OK) == 0 { return system }
    if let own = Environment.value("XDG_RUNTIME_DIR"), own.hasPrefix("/") {
      return own + "/imulog/control"
    }
    if !isService { return system }
    throw CommandFailure(
      .configuration,
      "there is no directory for the control socket (neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set);"
        + " give --socket PATH")
  }
}

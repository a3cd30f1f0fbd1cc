import IMUModel
import LinuxIO
import Recorder

/// The caller's side of a request.
enum ControlReply {
  /// How long to wait for the answer, in nanoseconds: longer than the service lets a caller wait.
  private static func patience(_ request: ControlRequest) -> Int64 {
    request == .status
      ? 10_000_000_000
      : PendingRequests<Int>.patience(period: .max) + 10_000_000_000
  }

  /// Asks the service at `path`, and fails as it says when it did not do what was asked.
  ///
  /// - Returns: The answer, read and as it came.
  @discardableResult
  static func ask(_ request: ControlRequest, at path: String) throws -> (
    ControlAnswer, line: String
  ) {
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

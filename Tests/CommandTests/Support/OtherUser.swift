// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting

/// A user of this machine who need not be in its list of users; only root can act as one.
struct OtherUser {
  var user = 4001
  var group = 4001
  /// Groups beside their own.
  var groups: [Int] = []
  var umask = "022"

  private static let setpriv = "/usr/bin/setpriv"

  /// Why no one else can run the program here, if no one can.
  static let refusal: String? = {
    guard geteuid() == 0 else { return "acting as another user needs root" }
    guard access(setpriv, X_OK) == 0 else { return "there is no setpriv" }
    let bench = Bench()
    chmod(bench.directory.path, 0o755)
    let isReadable = OtherUser().run(bench, "--version").status == 0
    return isReadable ? nil : "the build directory is not open to others"
  }()

  static let isPossible = refusal == nil
  static let reason = "needs other users: \(refusal ?? "they can be had")"

  /// Runs the program as this user, on the bench's store.
  func run(_ bench: Bench, _ arguments: String...) -> Outcome { run(bench, arguments) }

  func run(_ bench: Bench, _ arguments: [String]) -> Outcome {
    start(bench, arguments).outcome()
  }

  func start(_ bench: Bench, _ arguments: [String]) -> Child {
    let membership =
      groups.isEmpty
      ? "--clear-groups" : "--groups=\(groups.map { "\($0)" }.joined(separator: ","))"
    return Child(
      ["--reuid=\(user)", "--regid=\(group)", membership, "--", "/bin/sh", "-c"]
        + ["umask \(umask); exec \"$0\" \"$@\"", Child.program] + arguments,
      environment: bench.environment, directory: bench.directory.path, stdout: nil,
      program: OtherUser.setpriv)
  }
}

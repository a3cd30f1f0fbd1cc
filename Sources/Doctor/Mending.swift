// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
package import LinuxIO

/// `doctor --fix`: asks before each command, carries it out, and reports the result.
package struct Mending {
  private let tree: SystemTree

  package init(_ tree: SystemTree) { self.tree = tree }

  /// Where the system keeps programs for root.
  private static let directories = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  /// Nanoseconds that a command may take.
  private static var patience: Int64 { 300_000_000_000 }

  /// Asks for each command of the checks that can be carried out now.
  ///
  /// - Returns: Whether anything was carried out.
  package func run(_ checks: [Check]) throws -> Bool {
    var mends: [(check: String, mend: Mend)] = []
    for check in checks {
      for mend in check.mends where mend.action != .none {
        if !mends.contains(where: { $0.mend == mend }) { mends.append((check.title, mend)) }
      }
    }
    guard !mends.isEmpty else {
      try Console.data("\nnothing here can be mended without a restart or a choice of yours")
      return false
    }
    guard geteuid() == 0 else {
      throw CommandFailure(
        .noPermission, "these commands need root: run `sudo imulog doctor --fix`")
    }
    var isChanged = false
    for (check, mend) in mends {
      try Console.data("\n\(check): \(mend.command)")
      guard isAgreed("carry it out? [y/N] ") else {
        try Console.data("left as it is")
        continue
      }
      if let failure = carryOut(mend) {
        try Console.data("failed: \(failure)")
      } else {
        try Console.data("done" + (mend.isLater ? ": it takes effect when you log in again" : ""))
      }
      isChanged = true
    }
    return isChanged
  }

  /// Asks at the terminal. Anything but a yes is a no, and so is a closed terminal.
  private func isAgreed(_ question: String) -> Bool {
    // What was typed before the question answers nothing.
    tcflush(STDIN_FILENO, TCIFLUSH)
    _ = Array(question.utf8).withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    return ["y", "yes"].contains(readLine()?.lowercased())
  }

  /// - Returns: Why it failed; `nil` when it is done.
  private func carryOut(_ mend: Mend) -> String? {
    switch mend.action {
    case .run(let words): start(words)
    case .write(let line, let path): write(line + "\n", to: path)
    case .none: preconditionFailure("a command that is left to the person")
    }
  }

  /// Writes in one call of write(2), as files of the kernel need it.
  private func write(_ text: String, to path: String) -> String? {
    let isKernels = path.hasPrefix("/sys/")
    let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (isKernels ? 0 : O_CREAT | O_TRUNC)
    let descriptor = open(tree.path(path), flags, 0o644)
    guard descriptor >= 0 else { return "\(path): \(Errno.words(errno))" }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    // Safe: the count is the array's.
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      return "\(path): \(Errno.words(errno))"
    }
    return nil
  }

  private func start(_ words: [String]) -> String? {
    let paths = Mending.directories.map { tree.path("\($0)/\(words[0])") }
    guard let program = paths.first(where: { access($0, X_OK) == 0 }) else {
      return "\(words[0]) is not installed"
    }
    // The caller's PATH has no say in what that program starts.
    setenv("PATH", Mending.directories.joined(separator: ":"), 1)
    do {
      let ending = try OtherProcess(program, Array(words.dropFirst())).finish(
        within: Mending.patience)
      return ending.trouble.map { "\(words[0]) \($0)" }
    } catch {
      return "\(error)"
    }
  }
}

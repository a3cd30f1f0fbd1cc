// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A machine that a hub collects from: its name at the hub, how `ssh` reaches it, and labels for questions.
public struct HubHost: Equatable, Sendable {
  /// A label of the machine, such as `site=bergen`.
  public struct Label: Equatable, Sendable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: String
  }

  /// Its name: the name of its folders, and of `host=` in paths.
  public let name: String
  /// What `ssh` connects to.
  public let destination: String
  /// Its labels, in the order of the line.
  public let labels: [Label]
  /// The line of the host file.
  public let line: Int
}

/// A line of a host file that cannot be used. The other lines are.
public struct HostFileError: StatusError, Equatable {
  /// The file's name.
  public let file: String
  /// The line, from 1 on.
  public let line: Int
  /// What is wrong, and what a right line looks like.
  public let problem: String

  /// One sentence that names file and line.
  public var description: String { "\(file):\(line): \(problem)" }
  /// A configuration.
  public var exitStatus: ExitStatus { .configuration }
}

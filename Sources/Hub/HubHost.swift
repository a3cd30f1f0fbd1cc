// SPDX-License-Identifier: Apache-2.0

/// A machine that a hub collects from: its name at the hub, how `ssh` reaches it, and labels for questions.
public struct HubHost: Equatable, Sendable {
  /// A label of the machine, such as `site=bergen`.
  public struct Label: Equatable, Sendable {
    /// Lower-case letters, digits and `_`.
    public let name: String
    /// A text that can be shown, without spaces.
    public let value: String
  }

  /// Its name: the name of its folders, and of `host=` in paths.
  public let name: String
  /// What `ssh` connects to.
  public let destination: String
  /// Its labels, in the order of the line.
  public let labels: [Label]
  /// The line of the host file; 0 without one.
  let line: Int
}

extension HubHost {
  /// A host that has no line.
  init(unlisted name: String, labels: [Label] = []) {
    self.init(name: name, destination: "", labels: labels, line: 0)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A machine that a hub collects from.
public struct HubHost: Equatable, Sendable {
  /// A label of the machine, such as `site=bergen`.
  public struct Label: Equatable, Sendable {
    /// Lower-case letters, digits and `_`.
    public let name: String
    /// Printable text without spaces.
    public let value: String
  }

  /// Its name, also of its folders, and after `host=` in paths.
  public let name: String
  /// What `ssh` connects to.
  public let destination: String
  /// In the order of the line.
  public let labels: [Label]
  /// The line of the host file; 0 without one.
  let line: Int
}

extension HubHost {
  /// A host without a line.
  init(unlisted name: String, labels: [Label] = []) {
    self.init(name: name, destination: "", labels: labels, line: 0)
  }
}

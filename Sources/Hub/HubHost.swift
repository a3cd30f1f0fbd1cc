// SPDX-License-Identifier: Apache-2.0

package struct HubHost: Equatable, Sendable {
  /// A label of the machine, such as `site=bergen`.
  package struct Label: Equatable, Sendable {
    /// Lower-case letters, digits and `_`.
    package let name: String
    /// Printable text without spaces.
    package let value: String
  }

  /// Its name, also of its folders, and after `host=` in paths.
  package let name: String
  package let destination: String
  /// In the order of the line.
  package let labels: [Label]
  /// The line of the host file; 0 without one.
  let line: Int
}

extension HubHost {
  /// A host without a line.
  init(unlisted name: String, labels: [Label] = []) {
    self.init(name: name, destination: "", labels: labels, line: 0)
  }
}

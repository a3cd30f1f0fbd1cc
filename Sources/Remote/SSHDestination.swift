// SPDX-License-Identifier: Apache-2.0

/// What `ssh` connects to.
public enum SSHDestination {
  /// Whether a word can be given to ssh as a destination: printable ASCII, and no option in place of a name.
  public static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("-")
      && text.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Words of a command that a person copies, or that another machine's shell gets.
public enum ShellWord {
  /// A word for a POSIX shell: as it is if no shell obeys a byte of it, else in quotes.
  public static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      $0 &- 48 < 10 || $0 &- 97 < 26 || $0 &- 65 < 26 || "/._-+,:@%=".utf8.contains($0)
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

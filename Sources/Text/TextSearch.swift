// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// What is before and after the first place of `text`; `nil` where it is not in this one. Compared by bytes.
  ///
  /// The standard library's own search of a text in a text is part of its regular expressions, and a static program that
  /// calls it is 1 MB larger.
  package func parts(around text: String) -> (before: SubSequence, after: SubSequence)? {
    let (bytes, wanted) = (utf8, text.utf8)
    var start = bytes.startIndex
    while true {
      if bytes[start...].starts(with: wanted) {
        return (self[..<start], self[bytes.index(start, offsetBy: wanted.count)...])
      }
      guard start < bytes.endIndex else { return nil }
      bytes.formIndex(after: &start)
    }
  }
}

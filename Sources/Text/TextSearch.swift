// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// What is before and after the first place of `text`, compared by bytes; `nil` without one.
  ///
  /// The standard library's search of a text belongs to its regular expressions, which make a static program 1 MB larger.
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

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Remote

/// Input that a stranger with a key may send:
///
///     kind 0   │ a request to `imulog serve`, up to the program's own parser
///     kind 1   │ a line to the far end of a pull
///     kind 2   │ a line from it
public final class RequestTarget: FuzzTarget {
  /// `requests`.
  public static let name = "requests"

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let kind = input.first else { return }
    let bytes = Array(input.dropFirst())
    let line = String(decoding: bytes, as: UTF8.self)
    switch kind % 3 {
    case 0: serve(bytes)
    case 1:
      guard let request = PullRequest(line: line) else { return }
      precondition(request.line.utf8.elementsEqual(bytes), "a request is read to the letter")
    default:
      guard let reply = PullReply(line: line) else { return }
      precondition(PullReply(line: reply.line) == reply, "a reply is read back")
      precondition(RequestTarget.isPlain(reply.line), "a reply that speaks to a terminal")
    }
  }

  private func serve(_ bytes: [UInt8]) {
    do throws(RequestRefusal) {
      let words = try RequestTokeniser.words(bytes)
      precondition(words.count <= RequestTokeniser.mostWords, "too many words")
      precondition(words.reduce(0) { $0 + $1.utf8.count } <= bytes.count, "words out of nothing")
      precondition(words.allSatisfy { RequestTarget.isPlain($0) }, "a word that is not plain")
      let quoted = words.map { RequestTarget.quoted($0) }.joined(separator: " ")
      if quoted.utf8.count <= RequestTokeniser.longest {
        let again = try RequestTokeniser.words(Array(quoted.utf8))
        precondition(again == words, "words that do not come back")
      }
      // A recording's ID can be neither an option nor a path.
      for word in words {
        let text = try RecordingReference(request: word).text
        precondition(!text.hasPrefix("-") && !text.contains("/") && !text.contains("."), text)
      }
    } catch {
      precondition(RequestTarget.isPlain(error.description), "a refusal that is not plain")
      precondition(error.description.utf8.count < 400, "a long refusal")
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

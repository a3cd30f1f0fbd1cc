// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// The state of a recording at the far end.
package enum PullState: String, CaseIterable, Sendable {
  /// Being written: its bytes so far are final, and more will follow.
  case running
  /// Ended, with its end record.
  case complete
  /// Cut off by a power loss: its end is missing and no program is writing it.
  case recovered
}

/// A recording that the far end offers.
package struct PullOffer: Equatable, Sendable {
  package var number: UInt32
  package var id: RecordingID
  /// Its final bytes so far.
  package var byteCount: UInt64
  package var state: PullState
  /// When it began, in seconds since 1970.
  package var start: Int64
  /// The take of several sensors that it belongs to.
  package var take: RecordingID?
}

/// A line from `imulog pull` to the far end.
///
///     list                      fetch UUID OFFSET
///     free UUID BYTES SHA256    follow UUID OFFSET
///     labelled                  labels UUID
///     machine
package enum PullRequest: Equatable, Sendable {
  case list
  /// The bytes of a recording from an offset on; with `follow`, until it ends.
  case fetch(RecordingID, offset: UInt64, follow: Bool)
  /// A complete copy with this digest is safe here: move the recording to the trash.
  case free(RecordingID, byteCount: UInt64, digest: SHA256Digest)
  case labelled
  /// The labels of a recording, and those that were removed from it.
  case labels(RecordingID)
  case machine

  /// The line, without its line feed.
  package var line: String {
    switch self {
    case .list: return "list"
    case .fetch(let id, let offset, let follow):
      return "\(follow ? "follow" : "fetch") \(id) \(offset)"
    case .free(let id, let count, let digest): return "free \(id) \(count) \(digest)"
    case .labelled: return "labelled"
    case .labels(let id): return "labels \(id)"
    case .machine: return "machine"
    }
  }

  /// Reads a line without its line feed; `nil` for any other.
  package init?(line: some StringProtocol) {
    var words = PullWords(line)
    do throws(PullWords.Wrong) {
      switch try words.next() {
      case "list": self = .list
      case "fetch": self = .fetch(try words.id(), offset: try words.number(), follow: false)
      case "follow": self = .fetch(try words.id(), offset: try words.number(), follow: true)
      case "free":
        self = .free(
          try words.id(), byteCount: try words.number(), digest: try words.digest())
      case "labelled": self = .labelled
      case "labels": self = .labels(try words.id())
      case "machine": self = .machine
      default: return nil
      }
      try words.end()
    } catch {
      return nil
    }
    guard PullLine.isSame(self.line, line) else { return nil }
  }
}

/// A line from the far end to `imulog pull`; bytes follow ``bytes(_:)``.
///
///     list    ─► recording, unreadable, recording, …, end
///     fetch   ─► prefix, bytes, bytes, …, whole         alive, between any two lines
///     free    ─► freed                                  refused, instead of any of them
///     labelled ─► labelled, labelled, …, end
///     labels  ─► label, label, …, end
///     machine ─► fact, fact, …, end
package enum PullReply: Equatable, Sendable {
  /// The greeting, with the protocol's version and whether recordings may be freed.
  case hello(version: Int, mayFree: Bool)
  /// A recording, newest first.
  case recording(PullOffer)
  /// A recording that cannot be read, and why.
  case unreadable(number: UInt32, String)
  case end
  /// The far end is busy.
  case alive
  /// The digest of the bytes before the requested offset.
  case prefix(SHA256Digest)
  /// So many bytes follow.
  case bytes(Int)
  /// Everything was sent: the recording's length and digest.
  case whole(byteCount: UInt64, digest: SHA256Digest, state: PullState)
  case freed
  /// A recording with labels, and the digest of their lines.
  case labelled(RecordingID, SHA256Digest)
  /// A label, and its revision if not 1; an even one was removed.
  case label(LabelChange)
  /// A `label` line that cannot be read, in the protocol's alphabet.
  case unreadableLabel(String)
  case fact(String, String)
  /// The request failed: an exit status, and a sentence.
  case refused(status: Int32, String)

  /// The line, without its line feed.
  package var line: String {
    switch self {
    case .hello(let version, let mayFree):
      return "imulog-pull \(version) \(mayFree ? "free" : "keep")"
    case .recording(let offer):
      return "recording \(offer.number) \(offer.id) \(offer.byteCount) \(offer.state.rawValue) "
        + "\(offer.start)" + (offer.take.map { " \($0)" } ?? "")
    case .unreadable(let number, let sentence):
      return "unreadable \(number) \(PullLine.plain(sentence))"
    case .end: return "end"
    case .alive: return "alive"
    case .prefix(let digest): return "prefix \(digest)"
    case .bytes(let count): return "bytes \(count)"
    case .whole(let count, let digest, let state):
      return "whole \(count) \(digest) \(state.rawValue)"
    case .freed: return "freed"
    case .labelled(let id, let digest): return "labelled \(id) \(digest)"
    case .label(let change):
      let label = change.label
      let revision = change.revision > 1 ? " \(change.revision)" : ""
      return "label \(label.from) \(label.to) \(PullLine.escaped(label.name))\(revision)"
    case .unreadableLabel(let line): return line
    case .fact(let name, let value):
      return "fact \(PullLine.escaped(name)) \(PullLine.escaped(value))"
    case .refused(let status, let sentence): return "refused \(status) \(PullLine.plain(sentence))"
    }
  }

  /// Reads a line without its line feed; `nil` for any other.
  package init?(line: some StringProtocol) {
    var words = PullWords(line)
    do throws(PullWords.Wrong) {
      switch try words.next() {
      case "imulog-pull":
        self = .hello(version: Int(try words.number(upTo: 999)), mayFree: try words.mayFree())
      case "recording":
        self = .recording(
          PullOffer(
            number: UInt32(try words.number(upTo: UInt64(UInt32.max))), id: try words.id(),
            byteCount: try words.number(), state: try words.state(), start: try words.signed(),
            take: try words.idIfAny()))
      case "unreadable":
        self = .unreadable(
          number: UInt32(try words.number(upTo: UInt64(UInt32.max))), try words.sentence())
      case "end": self = .end
      case "alive": self = .alive
      case "prefix": self = .prefix(try words.digest())
      case "bytes": self = .bytes(Int(try words.number(from: 1, upTo: PullLine.largestChunk)))
      case "whole":
        self = .whole(
          byteCount: try words.number(), digest: try words.digest(), state: try words.state())
      case "freed": self = .freed
      case "labelled": self = .labelled(try words.id(), try words.digest())
      case "label":
        do {
          self = .label(try words.label())
        } catch {
          self = .unreadableLabel(PullLine.plain(String(line)))
          return
        }
      case "fact": self = .fact(try words.text(), try words.text())
      case "refused":
        self = .refused(
          status: Int32(try words.number(from: 1, upTo: 254)), try words.sentence())
      default: return nil
      }
      try words.end()
    } catch {
      return nil
    }
  }
}

/// The words of a line, taken one by one.
private struct PullWords {
  /// A word is missing, invalid, or one too many.
  struct Wrong: Error {}

  private var words: ArraySlice<Substring>

  init(_ line: some StringProtocol) {
    words =
      line.utf8.count <= PullLine.longest
      ? Substring(line).split(separator: " ", omittingEmptySubsequences: false)[...] : []
  }

  mutating func next() throws(Wrong) -> Substring { try PullWords.known(words.popFirst()) }
  mutating func id() throws(Wrong) -> RecordingID { try PullWords.known(RecordingID(next())) }
  mutating func idIfAny() throws(Wrong) -> RecordingID? { words.isEmpty ? nil : try id() }
  mutating func digest() throws(Wrong) -> SHA256Digest {
    try PullWords.known(SHA256Digest(next()))
  }
  mutating func signed() throws(Wrong) -> Int64 { try PullWords.known(PullLine.signed(next())) }
  mutating func text() throws(Wrong) -> String { try PullWords.known(PullLine.unescaped(next())) }
  mutating func state() throws(Wrong) -> PullState {
    try PullWords.known(PullState(rawValue: String(next())))
  }

  mutating func number(from least: UInt64 = 0, upTo most: UInt64 = .max) throws(Wrong) -> UInt64 {
    let number = try PullWords.known(PullLine.number(next()))
    return try PullWords.known((least...most).contains(number) ? number : nil)
  }

  mutating func mayFree() throws(Wrong) -> Bool {
    let word = try next()
    return try PullWords.known(word == "free" ? true : word == "keep" ? false : nil)
  }

  /// The rest, at least a word.
  mutating func sentence() throws(Wrong) -> String {
    defer { words = [] }
    return try PullLine.plain(([next()] + words).joined(separator: " "))
  }

  /// The rest, as a label.
  mutating func label() throws -> LabelChange {
    let (from, to, name) = (try signed(), try signed(), try text())
    let revision = words.isEmpty ? 1 : try number(from: 2, upTo: LabelChange.last)
    try end()
    return LabelChange(try RecordingLabel(name, from: from, to: to), revision: revision)
  }

  func end() throws(Wrong) { guard words.isEmpty else { throw Wrong() } }

  private static func known<Value>(_ value: Value?) throws(Wrong) -> Value {
    guard let value else { throw Wrong() }
    return value
  }
}

/// The syntax of requests and replies: words of printable ASCII, separated by single spaces.
enum PullLine {
  static let version = 1
  /// Most bytes of a line.
  static let longest = 1024
  /// Most bytes that may follow a line.
  static let largestChunk: UInt64 = 1 << 20

  /// A decimal number without sign or leading zeros.
  static func number(_ word: some StringProtocol) -> UInt64? {
    let digits = Array(word.utf8)
    guard (1...20).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      digits.count == 1 || digits[0] != 48
    else { return nil }
    return UInt64(word)
  }

  static func signed(_ word: some StringProtocol) -> Int64? {
    guard word.utf8.first == UInt8(ascii: "-") else {
      return number(word).flatMap { Int64(exactly: $0) }
    }
    return number(word.dropFirst()).flatMap { _ in Int64(word) }
  }

  /// A text as one word: ASCII letters and digits, and each other byte as `%` and two hexadecimal digits.
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      let digits = String(byte, radix: 16)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// The text of a word from ``escaped(_:)``; `nil` for any other.
  static func unescaped(_ word: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // Invalid UTF-8 and other spellings come back changed.
    return isSame(escaped(text), word) ? text : nil
  }

  /// Whether two lines have the same bytes, which equal strings need not.
  static func isSame(_ line: String, _ other: some StringProtocol) -> Bool {
    line.utf8.elementsEqual(other.utf8)
  }

  /// A text as printable ASCII, with `?` for other bytes, cut to leave room on the line.
  static func plain(_ text: String) -> String {
    let bytes = text.utf8.prefix(longest - 64).map { (0x20...0x7E).contains($0) ? $0 : 63 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

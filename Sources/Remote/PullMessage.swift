// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogFormat

/// The state of an offered recording.
public enum PullState: String, CaseIterable, Sendable {
  /// It is being written: its bytes so far are final, and more will follow.
  case running
  /// It has ended and has its end record.
  case complete
  /// Its end is missing and no program is writing it: a power loss cut it off.
  case recovered
}

/// A recording that the far end offers.
public struct PullOffer: Equatable, Sendable {
  /// Its number in its store.
  public var number: UInt32
  /// Its identity.
  public var id: RecordingID
  /// Bytes that are there and final.
  public var byteCount: UInt64
  /// Its state.
  public var state: PullState
  /// When it began, in seconds since 1970.
  public var start: Int64

  /// An offer.
  public init(
    number: UInt32, id: RecordingID, byteCount: UInt64, state: PullState, start: Int64
  ) {
    self.number = number
    self.id = id
    self.byteCount = byteCount
    self.state = state
    self.start = start
  }
}

/// A line from `imulog pull` to the far end.
///
///     list                      fetch UUID OFFSET
///     free UUID BYTES SHA256    follow UUID OFFSET
///     labelled                  labels UUID
///     machine                   removals UUID
public enum PullRequest: Equatable, Sendable {
  /// Which recordings are there?
  case list
  /// The bytes of a recording from an offset on; with `follow`, until it ends.
  case fetch(RecordingID, offset: UInt64, follow: Bool)
  /// A complete copy with this digest is safe here: move the recording to the trash.
  case free(RecordingID, byteCount: UInt64, digest: SHA256Digest)
  /// Which recordings have labels? An older far end does not know it, and closes the connection.
  case labelled
  /// The labels of a recording.
  case labels(RecordingID)
  /// The labels that were removed from a recording. An older far end does not know it, and closes the connection.
  case removals(RecordingID)
  /// What is this machine like? An older far end does not know it, and closes the connection.
  case machine

  /// The line, without its line feed.
  public var line: String {
    switch self {
    case .list: return "list"
    case .fetch(let id, let offset, let follow):
      return "\(follow ? "follow" : "fetch") \(id) \(offset)"
    case .free(let id, let count, let digest): return "free \(id) \(count) \(digest)"
    case .labelled: return "labelled"
    case .labels(let id): return "labels \(id)"
    case .removals(let id): return "removals \(id)"
    case .machine: return "machine"
    }
  }

  /// Reads a line without its line feed; `nil` unless it is exactly one of these.
  public init?(line: some StringProtocol) {
    let words = PullLine.words(line)
    switch (words.first, words.count) {
    case ("list", 1): self = .list
    case ("fetch", 3), ("follow", 3):
      guard let id = RecordingID(words[1]), let offset = PullLine.number(words[2]) else {
        return nil
      }
      self = .fetch(id, offset: offset, follow: words[0] == "follow")
    case ("free", 4):
      guard let id = RecordingID(words[1]), let count = PullLine.number(words[2]),
        let digest = SHA256Digest(words[3])
      else { return nil }
      self = .free(id, byteCount: count, digest: digest)
    case ("labelled", 1): self = .labelled
    case ("labels", 2):
      guard let id = RecordingID(words[1]) else { return nil }
      self = .labels(id)
    case ("removals", 2):
      guard let id = RecordingID(words[1]) else { return nil }
      self = .removals(id)
    case ("machine", 1): self = .machine
    default: return nil
    }
    guard PullLine.isSame(self.line, line) else { return nil }
  }
}

/// A line from the far end to `imulog pull`. So many bytes follow ``bytes(_:)``.
///
///     list    ─► recording, unreadable, recording, …, end
///     fetch   ─► prefix, bytes, bytes, …, whole         alive, between any two lines
///     free    ─► freed                                  refused, instead of any of them
///     labelled ─► labelled, labelled, …, end
///     labels  ─► label, label, …, end
///     removals ─► label, label, …, end
///     machine ─► fact, fact, …, end
public enum PullReply: Equatable, Sendable {
  /// The greeting: the protocol's version, and whether recordings may be freed.
  case hello(version: Int, mayFree: Bool)
  /// A recording, newest first.
  case recording(PullOffer)
  /// A recording that cannot be read: its number, and why.
  case unreadable(number: UInt32, String)
  /// There are no more.
  case end
  /// The other side is busy.
  case alive
  /// The digest of the bytes before the requested offset.
  case prefix(SHA256Digest)
  /// Bytes follow.
  case bytes(Int)
  /// Everything was sent: so many bytes from the first one on, with this digest.
  case whole(byteCount: UInt64, digest: SHA256Digest, state: PullState)
  /// The recording is in the trash.
  case freed
  /// A recording that has labels, and the digest of their lines.
  case labelled(RecordingID, SHA256Digest)
  /// A label, and its revision if it was added and removed more than once: a last word that an older end does not know.
  case label(LabelChange)
  /// A line that should be one and cannot be read, in the protocol's alphabet.
  case unreadableLabel(String)
  /// What the machine is like: a fact's name, and its value.
  case fact(String, String)
  /// The request failed: the exit status that it would have as a command, and a sentence.
  case refused(status: Int32, String)

  /// The line, without its line feed.
  public var line: String {
    switch self {
    case .hello(let version, let mayFree):
      return "imulog-pull \(version) \(mayFree ? "free" : "keep")"
    case .recording(let offer):
      return "recording \(offer.number) \(offer.id) \(offer.byteCount) \(offer.state.rawValue) "
        + "\(offer.start)"
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
      let revision = change.revision > 2 ? " \(change.revision)" : ""
      return "label \(label.from) \(label.to) \(PullLine.escaped(label.name))\(revision)"
    case .unreadableLabel(let line): return line
    case .fact(let name, let value):
      return "fact \(PullLine.escaped(name)) \(PullLine.escaped(value))"
    case .refused(let status, let sentence): return "refused \(status) \(PullLine.plain(sentence))"
    }
  }

  /// Reads a line without its line feed; `nil` when it is none of these.
  public init?(line: some StringProtocol) {
    let words = PullLine.words(line)
    switch (words.first, words.count) {
    case ("imulog-pull", 3):
      guard let version = PullLine.number(words[1]), version < 1000,
        words[2] == "free" || words[2] == "keep"
      else { return nil }
      self = .hello(version: Int(version), mayFree: words[2] == "free")
    case ("recording", 6):
      guard let number = PullLine.number(words[1]), let number = UInt32(exactly: number),
        let id = RecordingID(words[2]), let count = PullLine.number(words[3]),
        let state = PullState(rawValue: String(words[4])), let start = PullLine.signed(words[5])
      else { return nil }
      self = .recording(
        PullOffer(number: number, id: id, byteCount: count, state: state, start: start))
    case ("unreadable", 3...):
      guard let number = PullLine.number(words[1]), let number = UInt32(exactly: number) else {
        return nil
      }
      self = .unreadable(number: number, PullLine.plain(words[2...].joined(separator: " ")))
    case ("end", 1): self = .end
    case ("alive", 1): self = .alive
    case ("prefix", 2):
      guard let digest = SHA256Digest(words[1]) else { return nil }
      self = .prefix(digest)
    case ("bytes", 2):
      guard let count = PullLine.number(words[1]), (1...PullLine.largestChunk).contains(count)
      else {
        return nil
      }
      self = .bytes(Int(count))
    case ("whole", 4):
      guard let count = PullLine.number(words[1]), let digest = SHA256Digest(words[2]),
        let state = PullState(rawValue: String(words[3]))
      else { return nil }
      self = .whole(byteCount: count, digest: digest, state: state)
    case ("freed", 1): self = .freed
    case ("labelled", 3):
      guard let id = RecordingID(words[1]), let digest = SHA256Digest(words[2]) else { return nil }
      self = .labelled(id, digest)
    case ("label", _):
      self = .unreadableLabel(PullLine.plain(String(line)))
      let revision = words.count == 5 ? PullLine.number(words[4]) : 1
      guard (4...5).contains(words.count), let revision,
        words.count == 4 || 3...LabelChange.last ~= revision,
        let from = PullLine.signed(words[1]), let to = PullLine.signed(words[2]),
        let name = PullLine.unescaped(words[3])
      else { return }
      do {
        self = .label(
          LabelChange(try RecordingLabel(name, from: from, to: to), revision: revision))
      } catch {
        // The line as it is.
      }
    case ("fact", 3):
      guard let name = PullLine.unescaped(words[1]), let value = PullLine.unescaped(words[2])
      else { return nil }
      self = .fact(name, value)
    case ("refused", 3...):
      guard let status = PullLine.number(words[1]), (1...254).contains(status) else { return nil }
      let sentence = words[2...].joined(separator: " ")
      self = .refused(status: Int32(status), PullLine.plain(sentence))
    default: return nil
    }
  }
}

/// The common syntax of requests and replies: words of printable ASCII, separated by single spaces.
public enum PullLine {
  /// The protocol's version.
  public static let version = 1
  /// Most bytes of a line.
  public static let longest = 1024
  /// Most bytes that may follow a line.
  public static let largestChunk: UInt64 = 1 << 20

  static func words<Line: StringProtocol>(_ line: Line) -> [Line.SubSequence] {
    guard line.utf8.count <= longest else { return [] }
    return line.split(separator: " ", omittingEmptySubsequences: false)
  }

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

  /// A text as one word: letters and digits of ASCII as they are, each other byte as `%` and two hexadecimal digits.
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      let digits = String(byte, radix: 16)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// The text of a word that ``escaped(_:)`` made; `nil` for any other.
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
    // Bytes that are no UTF-8, and other spellings, come back changed.
    return isSame(escaped(text), word) ? text : nil
  }

  /// Whether two lines have the same bytes: equal strings may be encoded differently.
  static func isSame(_ line: String, _ other: some StringProtocol) -> Bool {
    line.utf8.elementsEqual(other.utf8)
  }

  /// `text` in the protocol's alphabet, with `?` for all but printable ASCII, cut to leave room on the line.
  static func plain(_ text: String) -> String {
    let bytes = text.utf8.prefix(longest - 64).map { (0x20...0x7E).contains($0) ? $0 : 63 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

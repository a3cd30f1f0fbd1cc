public import IMUModel

/// How a recording that is offered stands.
public enum PullState: String, CaseIterable, Sendable {
  /// It is being written: what is there is final, and more will come.
  case running
  /// It ended and says how.
  case complete
  /// Its end is missing and no program writes it: a power cut took the program, and what was on the card was
  /// recovered.
  case recovered
}

/// A recording, as the far end offers it.
public struct PullOffer: Equatable, Sendable {
  /// Its number in its store.
  public var number: UInt32
  /// Its identity.
  public var id: RecordingID
  /// Bytes that are there and final.
  public var byteCount: UInt64
  /// How it stands.
  public var state: PullState
  /// Seconds since 1970 at which it began.
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
public enum PullRequest: Equatable, Sendable {
  /// What is there?
  case list
  /// The bytes of a recording from an offset on; with `follow`, until it ends.
  case fetch(RecordingID, offset: UInt64, follow: Bool)
  /// A whole copy with this digest is safe here: move the recording to the trash.
  case free(RecordingID, byteCount: UInt64, digest: SHA256Digest)

  /// The line, without its line feed.
  public var line: String {
    switch self {
    case .list: return "list"
    case .fetch(let id, let offset, let follow):
      return "\(follow ? "follow" : "fetch") \(id) \(offset)"
    case .free(let id, let count, let digest): return "free \(id) \(count) \(digest)"
    }
  }

  /// Reads a line without its line feed; `nil` when it is none of these, to the letter.
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
    default: return nil
    }
    guard PullLine.isSame(self.line, line) else { return nil }
  }
}

/// A line from the far end to `imulog pull`. After ``bytes(_:)`` come as many bytes as it says.
///
///     list    ─► recording, unreadable, recording, …, end
///     fetch   ─► prefix, bytes, bytes, …, whole         alive, at any place between two lines
///     free    ─► freed                                  refused, in the place of any of them
public enum PullReply: Equatable, Sendable {
  /// The first line of all: the protocol's version, and whether recordings may be freed.
  case hello(version: Int, mayFree: Bool)
  /// One of the recordings that there are, newest first.
  case recording(PullOffer)
  /// One of them that cannot be read: its number, and why.
  case unreadable(number: UInt32, String)
  /// There are no more.
  case end
  /// The other side is at work.
  case alive
  /// The digest of what is in front of the offset asked for.
  case prefix(SHA256Digest)
  /// Bytes follow.
  case bytes(Int)
  /// All that is there came: so many bytes from the first one on, with this digest.
  case whole(byteCount: UInt64, digest: SHA256Digest, state: PullState)
  /// The recording is in the trash.
  case freed
  /// It was not done: the exit status that it would have been, and a sentence.
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
    case ("refused", 3...):
      guard let status = PullLine.number(words[1]), (1...254).contains(status) else { return nil }
      let sentence = words[2...].joined(separator: " ")
      self = .refused(status: Int32(status), PullLine.plain(sentence))
    default: return nil
    }
  }
}

/// What requests and replies of a pull have in common: words of printable ASCII, a space between each two.
public enum PullLine {
  /// Version of the protocol that this program speaks.
  public static let version = 1
  /// Bytes that a line may have.
  public static let longest = 1024
  /// Bytes that may follow a line.
  public static let largestChunk: UInt64 = 1 << 20

  static func words<Line: StringProtocol>(_ line: Line) -> [Line.SubSequence] {
    guard line.utf8.count <= longest else { return [] }
    return line.split(separator: " ", omittingEmptySubsequences: false)
  }

  /// A decimal number without sign or needless zeros.
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
    return number(word.dropFirst()).flatMap { Int64(exactly: $0) }.map { -$0 }
  }

  /// Whether two lines are the same bytes: equal strings may be written differently.
  static func isSame(_ line: String, _ other: some StringProtocol) -> Bool {
    line.utf8.elementsEqual(other.utf8)
  }

  /// `text` in the protocol's alphabet, with `?` for all but printable ASCII, cut to leave room on the line.
  static func plain(_ text: String) -> String {
    let bytes = text.utf8.prefix(longest - 64).map { (0x20...0x7E).contains($0) ? $0 : 63 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

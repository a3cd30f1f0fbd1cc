public import IMUModel

/// How long a pull bears with a host, over all connections to it.
///
///     left ─── time waited ───► 0: the host is given up
///      ▲            ▲
///      │            └ of `rest`, by each word of a host that has reason to take longer
///      └ the whole timeout, by progress alone
///
/// Progress is what brings a recording further than it ever was in this run, a recording that is whole, one that was
/// freed. What comes a second time, drop by drop or without end is none, so that no host has more time than its
/// recordings have bytes, and no more than six connections in a row that bring little.
///
/// Time counts as waited from one look at the clock to the next, a sixteenth of the timeout at most: this side looks
/// more often while it waits, so that what takes longer is its own doing (a disk that stalls, a stop by Ctrl-Z).
public final class PullPatience {
  /// What a host is asked for.
  public enum Matter: Hashable, Sendable {
    /// A recording's bytes; anew once its beginning was found to be another one.
    case fetch(RecordingID, isAnew: Bool)
    /// To move a recording to the trash.
    case free(RecordingID)
  }

  /// How far a matter has come.
  private struct Standing {
    /// Bytes that were ever settled.
    var byteCount: UInt64 = 0
    /// Whether more time was granted since they were settled.
    var isGranted = false
  }

  /// Nanoseconds without progress after which a host is given up.
  public let timeout: Int64
  /// Nanoseconds that the host was borne with since the last progress, or will be.
  public private(set) var span: Int64
  private var left: Int64
  /// Nanoseconds that words of the host may add.
  private var rest: Int64 = 0
  private var seen: MonotonicTime
  private var standings: [Matter: Standing] = [:]
  /// Bytes that this connection has settled.
  private var settled: UInt64 = 0
  /// When this connection was made.
  private var connected: MonotonicTime
  /// Connections in a row that brought little.
  private var failures = 0

  /// Bytes that a connection must settle for the next pause to be short again.
  static let enough: UInt64 = 64 * 1024
  /// Bytes a second that the other side can surely add up: a slow card with others at work on it.
  static let slowest: UInt64 = 4 << 20
  /// Nanoseconds between two words of a host that is at work: three times what its program leaves between them.
  static let gap: Int64 = 15_000_000_000

  /// Patience that begins now.
  ///
  /// - Parameter timeout: Nanoseconds, above zero and below a year.
  public init(timeout: Int64, now: MonotonicTime) {
    precondition(timeout > 0, "a timeout is above zero")
    self.timeout = timeout
    span = timeout
    left = timeout
    seen = now
    connected = now
  }

  /// Nanoseconds to wait for the host before the next look at the clock.
  public var slice: Int64 { max(1_000_000, timeout / 16) }

  /// Looks at the clock: nanoseconds that are left; none or fewer when there is no patience any more.
  ///
  /// To be asked at each wait for the host.
  public func look(now: MonotonicTime) -> Int64 {
    left -= min(max(0, now - seen), slice)
    seen = now
    return left
  }

  /// The host is asked now, or its answer to what it was asked for is awaited now.
  ///
  /// - Parameters:
  ///   - bytes: Bytes of it that are here, which the host has to add up before it can answer.
  ///   - isFollowed: Whether it is being written, so that its bytes come when there are any.
  public func expect(_ matter: Matter, adding bytes: UInt64, isFollowed: Bool = false) {
    guard standings[matter]?.isGranted != true else { return }
    standings[matter, default: Standing()].isGranted = true
    let seconds = Int64(min(bytes / PullPatience.slowest, 1_000_000))
    rest = seconds * 1_000_000_000 + (isFollowed ? silence : 0)
    heard()
  }

  /// So much of a recording is settled.
  ///
  /// - Parameters:
  ///   - start: Bytes of it that were here before and were found to be theirs.
  ///   - byteCount: Bytes from its first one on.
  public func progressed(
    _ matter: Matter, from start: UInt64 = 0, to byteCount: UInt64, isFollowed: Bool = false,
    now: MonotonicTime
  ) {
    let before = max(start, standings[matter]?.byteCount ?? 0)
    guard byteCount > before else { return }
    standings[matter] = Standing(byteCount: byteCount)
    settled += byteCount - before
    if settled >= PullPatience.enough || now - connected >= timeout {
      settled = 0
      failures = 0
    }
    progressed(now: now, rest: isFollowed ? silence : 0)
  }

  /// Something is done that is done once: the list, a recording that is whole, or freed.
  public func progressed(now: MonotonicTime) { progressed(now: now, rest: 0) }

  private func progressed(now: MonotonicTime, rest: Int64) {
    left = timeout
    span = timeout
    seen = now
    self.rest = rest
    heard()
  }

  /// The host says that it is at work.
  public func heard() {
    let added = max(0, min(max(timeout, PullPatience.gap) - left, rest))
    left += added
    span += added
    rest -= added
  }

  /// Nanoseconds that a recording which is being written may bring nothing: it has a sample in hours, or its sensor is
  /// away.
  private var silence: Int64 { 10 * timeout }

  /// A connection broke: nanoseconds until the next one, or `nil` when the host is to be given up.
  ///
  /// Pauses grow from a sixtieth of the timeout to half of it, twice as long each time.
  public func pause(now: MonotonicTime) -> Int64? {
    let pause = max(1, timeout / 60) << Int64(min(failures, 10))
    guard pause < min(timeout, look(now: now)) else { return nil }
    failures += 1
    settled = 0
    left -= pause
    seen = now + pause
    connected = seen
    return pause
  }
}

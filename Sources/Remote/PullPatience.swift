public import IMUModel

/// How long a pull bears with a host, over all connections to it.
///
/// Only what is settled counts as progress: pages of a recording that were checked, a recording that is whole, a
/// recording that was freed. Bytes that come drop by drop, words without end and connections that are made and break
/// do not.
///
/// Pauses between connections grow from a sixtieth of the timeout to all of it, twice as long each time: 1 s to 60 s
/// with a timeout of 60 s.
public final class PullPatience {
  /// Nanoseconds without progress after which a host is given up.
  public let timeout: Int64
  private var deadline: MonotonicTime
  /// Bytes that were settled since the pauses began to grow.
  private var settled: UInt64 = 0
  /// Connections in a row that brought little.
  private var failures = 0

  /// Bytes that a connection must settle for the next pause to be short again.
  static let enough: UInt64 = 64 * 1024
  /// Bytes a second that the other side can surely add up: a slow card with others at work on it.
  static let slowest: UInt64 = 4 << 20

  /// Patience that begins now.
  ///
  /// - Parameter timeout: Nanoseconds, above zero.
  public init(timeout: Int64, now: MonotonicTime) {
    precondition(timeout > 0, "a timeout is above zero")
    self.timeout = timeout
    deadline = now + timeout
  }

  /// Something was settled.
  ///
  /// - Parameters:
  ///   - bytes: Bytes of a recording.
  ///   - silence: Nanoseconds that may well pass before there is anything more.
  public func progressed(_ bytes: UInt64 = 0, now: MonotonicTime, silence: Int64 = 0) {
    deadline = max(deadline, now + timeout + silence)
    settled += bytes
    if settled >= PullPatience.enough {
      settled = 0
      failures = 0
    }
  }

  /// The other side has bytes to add up before it can answer.
  public func allow(adding bytes: UInt64, now: MonotonicTime) {
    guard bytes > 0 else { return }
    let seconds = Int64(min(bytes / PullPatience.slowest, 1_000_000))
    deadline = max(deadline, now + timeout + seconds * 1_000_000_000)
  }

  /// Time that this side took for work of its own.
  public func excuse(_ nanoseconds: Int64) { deadline = deadline + max(0, nanoseconds) }

  /// Nanoseconds that are left; none or fewer when there is no patience any more.
  public func left(now: MonotonicTime) -> Int64 { deadline - now }

  /// A connection broke: nanoseconds until the next one, or `nil` when the host is to be given up.
  public func pause(now: MonotonicTime) -> Int64? {
    let pause = min(timeout, max(1, timeout / 60) << Int64(min(failures, 10)))
    failures += 1
    settled = 0
    return pause < left(now: now) ? pause : nil
  }
}

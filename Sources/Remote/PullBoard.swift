import IMUModel
import LinuxIO
import Synchronization

/// How far all hosts of a pull are, as one line of text.
public final class PullBoard: Sendable {
  private struct Standing {
    var number: UInt32 = 0
    var done: UInt64 = 0
    var total: UInt64 = 0
    var received: UInt64 = 0
    var start = SystemClock().now()
  }

  private let hosts: [String]
  private let standings: Mutex<[Standing]>

  private let show: @Sendable (_ text: () -> String) -> Void
  private let report: @Sendable (_ line: String) -> Void

  /// A board where no host has begun.
  ///
  /// - Parameters:
  ///   - hosts: Their names.
  ///   - show: Shows the present progress, if it is time to; called on any host's thread.
  ///   - report: Reports what a person should know, for good; called on any host's thread.
  public init(
    hosts: [String], show: @escaping @Sendable (_ text: () -> String) -> Void,
    report: @escaping @Sendable (_ line: String) -> Void
  ) {
    self.show = show
    self.report = report
    self.hosts = hosts
    standings = Mutex(hosts.map { _ in Standing() })
  }

  /// A recording begins to come.
  func begin(_ offer: PullOffer, host index: Int, done: UInt64) {
    standings.withLock { all in
      all[index].number = offer.number
      all[index].done = done
      all[index].total = offer.byteCount
    }
  }

  /// Bytes of it came.
  func add(_ count: Int, host index: Int) {
    standings.withLock { all in
      all[index].done += UInt64(count)
      all[index].received += UInt64(count)
    }
    show { text() }
  }

  /// A host is done with.
  func leave(host index: Int) { standings.withLock { $0[index].number = 0 } }

  /// Reports a line.
  func talk(_ line: String) { report(line) }

  private func text() -> String {
    let now = SystemClock().now()
    return standings.withLock { all in
      zip(hosts, all).filter { $0.1.number > 0 }.map { host, standing in
        let total = max(standing.total, standing.done)
        let percent = total == 0 ? 100 : standing.done * 100 / total
        let rate = PulledHost.rate(standing.received, now - standing.start)
        return "\(host): recording \(standing.number), \(percent) %, \(rate) MB/s"
      }.joined(separator: " | ")
    }
  }
}

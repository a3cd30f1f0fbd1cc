import LinuxIO
import IMUModel
import Remote
import Synchronization
import Terminal

/// How far all hosts of a pull are, for one line on a terminal.
final class PullBoard: Sendable {
  private struct Standing {
    var number: UInt32 = 0
    var done: UInt64 = 0
    var total: UInt64 = 0
    var received: UInt64 = 0
    var start = SystemClock().now()
  }

  private let line = ProgressLine()
  private let hosts: [String]
  private let standings: Mutex<[Standing]>

  init(hosts: [String]) {
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
    line.show { text() }
  }

  /// A host is done with.
  func leave(host index: Int) { standings.withLock { $0[index].number = 0 } }

  /// Writes a line above.
  func talk(_ text: String) { line.talk(text) }

  /// Takes the line away.
  func end() { line.end() }

  private func text() -> String {
    let now = SystemClock().now()
    return standings.withLock { all in
      zip(hosts, all).filter { $0.1.number > 0 }.map { host, standing in
        let total = max(standing.total, standing.done)
        let percent = total == 0 ? 100 : standing.done * 100 / total
        let rate = PullReport.rate(standing.received, now - standing.start)
        return "\(host): recording \(standing.number), \(percent) %, \(rate) MB/s"
      }.joined(separator: " | ")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO
import Synchronization

/// The hosts of a pull, several at a time, a thread for each.
package final class HostQueue: Sendable {
  private let sources: [PullSource]
  private let board: PullBoard
  private let next = Mutex(0)
  private let results: Mutex<[PulledHost]>

  private static let stackSize = 1 << 20
  /// Descriptors of a new connection: three pipes, the one that reports the start, and a file here.
  private static let descriptors = 12
  /// Files of recordings open at a time, over all hosts, where the limit allows.
  private static let mostFiles = 256

  package init(_ sources: [PullSource], _ board: PullBoard) {
    self.sources = sources
    self.board = board
    results = Mutex(sources.map { PulledHost(host: $0.host) })
  }

  /// How many hosts at a time, and files of recordings for each, within the limit on open files.
  package static func share(jobs wanted: Int, hosts: Int) -> (jobs: Int, openFiles: Int) {
    var limit = rlimit()
    // If the limit cannot be read, the lowest that systems have.
    let isKnown = getrlimit(__rlimit_resource_t(7), &limit) == 0
    return share(jobs: wanted, hosts: hosts, limit: isKnown ? Int(clamping: limit.rlim_cur) : 256)
  }

  static func share(jobs wanted: Int, hosts: Int, limit: Int) -> (jobs: Int, openFiles: Int) {
    let jobs = max(1, min(wanted, hosts, limit / 2 / descriptors))
    return (jobs, max(2, min(mostFiles, limit / 4) / jobs))
  }

  /// Pulls from all hosts, `jobs` at a time; returns the outcomes in the order of the sources.
  package func run(jobs: Int) throws(LinuxIOError) -> [PulledHost] {
    var running: [HostThread] = []
    for count in 0..<jobs {
      do throws(LinuxIOError) {
        running.append(try HostThread(stackSize: HostQueue.stackSize) { self.work() })
      } catch {
        // The others do its work.
        if count == 0 { throw error }
        break
      }
    }
    for thread in running { thread.join() }
    return results.withLock { $0 }
  }

  private func work() {
    while let index = startNext() {
      let source = sources[index]
      var result = PulledHost(host: source.host)
      do {
        let local = try source.open()
        var pull = HostPull(source, index: index, local: local, board: board)
        pull.run()
        result = pull.result
        source.finish(&result, local)
      } catch {
        let failure = CommandFailure(error, else: .inputOutput)
        board.talk("\(source.host): \(failure.sentence)")
        result.note(failure)
      }
      results.withLock { [result] in $0[index] = result }
    }
  }

  private func startNext() -> Int? {
    next.withLock { next in
      guard next < sources.count else { return nil }
      next += 1
      return next - 1
    }
  }
}

private final class HostThread {
  private var thread: RunningThread<Void>?

  init(stackSize: Int, _ work: @escaping @Sendable () -> Void) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-pull", stackSize: stackSize)
    self.thread = thread.run(work)
  }

  func join() { thread.take()?.join() }
}

/// The progress of all hosts of a pull, as one line of text.
package final class PullBoard: Sendable {
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

  /// A board of named hosts, which shows the progress when due, and reports permanent lines; both on any thread.
  package init(
    hosts: [String], show: @escaping @Sendable (_ text: () -> String) -> Void,
    report: @escaping @Sendable (_ line: String) -> Void
  ) {
    (self.hosts, self.show, self.report) = (hosts, show, report)
    standings = Mutex(hosts.map { _ in Standing() })
  }

  func begin(_ offer: PullOffer, host index: Int, done: UInt64) {
    standings.withLock {
      ($0[index].number, $0[index].done, $0[index].total) = (offer.number, done, offer.byteCount)
    }
  }

  func add(_ count: Int, host index: Int) {
    standings.withLock { all in
      all[index].done += UInt64(count)
      all[index].received += UInt64(count)
    }
    show { text() }
  }

  func leave(host index: Int) { standings.withLock { $0[index].number = 0 } }

  /// Reports a line for a person; on any thread.
  package func talk(_ line: String) { report(line) }

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

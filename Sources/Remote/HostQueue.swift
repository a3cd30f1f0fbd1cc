import Glibc
public import LinuxIO
import Synchronization

/// The hosts of a pull, so many of them at a time, each thread taking the next host when it is done with one.
public final class HostQueue: Sendable {
  private let hosts: [String]
  private let options: SSHConnection
  private let settings: PullSettings
  private let local: LocalCopies
  private let board: PullBoard
  private let next = Mutex(0)
  private let results: Mutex<[PulledHost]>

  /// Bytes: paths, text and the reader's small buffers.
  private static let stackSize = 1 << 20
  /// Descriptors of one connection, while it is made: three pipes, what reports its start, and a file here.
  private static let descriptors = 12
  /// Files of recordings open at a time, over all hosts, where the limit allows.
  private static let mostFiles = 256

  /// A queue that no thread works on yet.
  public init(
    _ hosts: [String], _ options: SSHConnection, _ settings: PullSettings, _ local: LocalCopies,
    _ board: PullBoard
  ) {
    self.hosts = hosts
    self.options = options
    self.settings = settings
    self.local = local
    self.board = board
    results = Mutex(hosts.map { PulledHost(host: $0) })
  }

  /// How many hosts at a time, and how many files each may have open, so that the limit on open files is kept.
  public static func share(jobs wanted: Int, hosts: Int) -> (jobs: Int, openFiles: Int) {
    var limit = rlimit()
    // A limit that cannot be asked is the least that systems have.
    let isKnown = getrlimit(__rlimit_resource_t(7), &limit) == 0
    return share(jobs: wanted, hosts: hosts, limit: isKnown ? Int(clamping: limit.rlim_cur) : 256)
  }

  static func share(jobs wanted: Int, hosts: Int, limit: Int) -> (jobs: Int, openFiles: Int) {
    let jobs = max(1, min(wanted, hosts, limit / 2 / descriptors))
    return (jobs, max(2, min(mostFiles, limit / 4) / jobs))
  }

  /// Pulls from all hosts, `jobs` at a time; how each ended, in their order.
  public func run(jobs: Int) throws(LinuxIOError) -> [PulledHost] {
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
    while let index = take() {
      var pull = HostPull(
        host: hosts[index], index: index, options: options, settings: settings, local: local,
        board: board)
      pull.run()
      let result = pull.result
      results.withLock { $0[index] = result }
    }
  }

  private func take() -> Int? {
    next.withLock { next in
      guard next < hosts.count else { return nil }
      next += 1
      return next - 1
    }
  }
}

/// One of the threads.
private final class HostThread {
  private var thread: RunningThread<Void>?

  init(stackSize: Int, _ work: @escaping @Sendable () -> Void) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-pull", stackSize: stackSize)
    self.thread = thread.run(work)
  }

  func join() { thread.take()?.join() }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Testing

/// Signals are sent to the test's own thread: sent to the process, they would end it on a thread
/// that does not block them. A test is one synchronous function, so it stays on its thread.
@Suite("Watching for signals", .serialized)
struct SignalWatchTests {
  @Test(
    "sees Ctrl-C and a service manager's request, and shows them to poll",
    arguments: [SIGINT, SIGTERM])
  func seen(signal: Int32) throws {
    let watch = try SignalWatch()
    let (descriptor, early) = (watch.fileDescriptor, watch.wait(timeoutNanoseconds: 0))
    #expect(early == nil && !SignalWatch.isEnding && !isReady(descriptor))
    pthread_kill(pthread_self(), signal)
    #expect(SignalWatch.isEnding && isReady(descriptor))
    let seen = watch.wait(timeoutNanoseconds: nil)
    #expect(seen == signal)
    let again = watch.wait(timeoutNanoseconds: 0)
    #expect(again == nil)
  }

  @Test("sees each of two signals")
  func both() throws {
    let watch = try SignalWatch()
    pthread_kill(pthread_self(), SIGTERM)
    pthread_kill(pthread_self(), SIGINT)
    let first = watch.wait(timeoutNanoseconds: 0)
    let second = watch.wait(timeoutNanoseconds: 0)
    #expect(Set([first, second]) == [SIGINT, SIGTERM])
  }

  @Test("ends when its time is over", arguments: [-1, 0, 1, 1_000_000] as [Int64])
  func timeout(nanoseconds: Int64) throws {
    let watch = try SignalWatch()
    let begin = SystemClock().now()
    let seen = watch.wait(timeoutNanoseconds: nanoseconds)
    #expect(seen == nil)
    #expect(SystemClock().now() - begin >= nanoseconds)
  }

  @Test("leaves the thread's signals as they were")
  func restores() throws {
    func use() throws -> Int32 {
      let watch = try SignalWatch([SIGUSR1, SIGUSR2])
      _ = watch.wait(timeoutNanoseconds: 0)
      #expect(isBlocked(SIGUSR1) && isBlocked(SIGUSR2) && isSignalWatch(watch.fileDescriptor))
      return watch.fileDescriptor
    }
    var (unblocked, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&unblocked)
    sigaddset(&unblocked, SIGUSR1)
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR2)
    var previous = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &previous)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let descriptor = try use()
    #expect(!isSignalWatch(descriptor))
    #expect(!isBlocked(SIGUSR1))
    #expect(isBlocked(SIGUSR2))
  }

  /// Other tests may open another file with the number.
  private func isSignalWatch(_ descriptor: Int32) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
    let bytes = name.prefix(max(0, count)).map(UInt8.init(bitPattern:))
    return String(decoding: bytes, as: UTF8.self).hasSuffix("[signalfd]")
  }

  private func isBlocked(_ signal: Int32) -> Bool {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return sigismember(&set, signal) == 1
  }
}

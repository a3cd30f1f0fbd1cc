// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxIOTestSupport
import Testing

/// A thread of the program that the kernel does not run, as in a transfer to a card or on a bus that hangs.
///
/// Used by the test thread that made it alone; released when nothing refers to it any more.
final class HeldThread {
  private let thread: pid_t

  /// Why no thread can be held here, if none can.
  static let refusal = refusal(in: Bench())

  /// The program ends before `bench` and its store go.
  private static func refusal(in bench: Bench) -> String? {
    let child = bench.start(["record", "--board", "simulator", "--until-stopped"])
    guard child.waits(toSay: "recording from") else { return "a recording did not begin" }
    do {
      let held = try HeldThread("imu-writer", of: child)
      held.release()
      return nil
    } catch {
      return "\(error)"
    }
  }

  struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  /// Holds the thread of that name, which must be there.
  init(_ name: String, of child: borrowing Child) throws {
    thread = hold_thread(child.pid, name)
    guard thread > 0 else { throw Refused(description: "\(name) cannot be held (errno \(errno))") }
  }

  deinit { release() }

  /// Lets it run.
  func release() { release_thread(thread) }

  /// Waits until it is gone with its process.
  func waitForEnd() { wait_for_thread(thread) }
}

extension Trait where Self == ConditionTrait {
  /// Where no thread can be held, the test is skipped and says why.
  static var holdsThread: Self {
    .enabled(
      if: HeldThread.refusal == nil,
      "needs to hold a thread: \(HeldThread.refusal ?? "it can")")
  }
}

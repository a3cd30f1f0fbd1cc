// SPDX-License-Identifier: Apache-2.0

import Glibc
package import IMUModel
package import LinuxIO

/// What one connection to a machine shows, without a pull.
package struct MachineProbe: Sendable {
  package let mayFree: Bool
  package let recordings: Int
  /// Why others cannot be read there, by number.
  package let unreadable: [UInt32: String]
  /// What it reports about itself; `nil` from an older imulog.
  package let machine: RemoteMachine?

  /// Connects, and asks for the list of recordings and for the machine's facts.
  package init(
    _ destination: String, _ connection: SSHConnection, timeout: Int64
  ) throws(CommandFailure) {
    let patience = PullPatience(timeout: timeout, now: SystemClock().now())
    do throws(FarEnd.Failure) {
      var farEnd = try FarEnd(destination, connection, patience)
      mayFree = farEnd.mayFree
      let (offers, unreadable) = try farEnd.list()
      recordings = offers.count
      self.unreadable = unreadable
      machine = try farEnd.machine()
    } catch {
      switch error {
      case .over(let failure), .unusable(let failure), .refused(let failure): throw failure
      case .broken(let reason):
        throw CommandFailure(.tryAgain, "the connection to \(destination) broke, \(reason)")
      case .abandoned:
        throw CommandFailure(.unavailable, "\(destination) did not answer as imulog does")
      }
    }
  }

  package static func run(
    _ words: [String], on destination: String, _ connection: SSHConnection, timeout: Int64
  ) throws(CommandFailure) -> OtherProcess.Ending {
    do {
      let process = try OtherProcess(
        connection.program, connection.arguments(host: destination, words))
      return process.finish(within: timeout)
    } catch {
      throw CommandFailure(.unavailable, "\(error)")
    }
  }
}

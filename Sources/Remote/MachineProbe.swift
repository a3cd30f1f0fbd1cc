// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel
public import LinuxIO

/// What one connection to a machine shows, without a pull.
public struct MachineProbe: Sendable {
  /// Whether recordings may be freed.
  public let mayFree: Bool
  /// How many recordings it offers.
  public let recordings: Int
  /// Why others cannot be read there, by number.
  public let unreadable: [UInt32: String]
  /// What it reports about itself; `nil` from an older imulog.
  public let machine: RemoteMachine?

  /// Connects, and asks for the list of recordings and for the machine's facts.
  ///
  /// - Parameter timeout: Nanoseconds that the machine may send nothing.
  public init(
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

  /// Runs a verb of imulog on a machine.
  public static func run(
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

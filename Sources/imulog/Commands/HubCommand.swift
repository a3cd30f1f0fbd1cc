// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Hub
import IMUModel
import LinuxIO
import LogStore
import Remote
import Terminal

/// `imulog hub`: collects the recordings of many machines, and makes tables of them.
struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Collect the recordings of many machines, with tables for query engines.",
    discussion: """
      `imulog hub DIR` fetches what is new on each host of the host file, as imulog pull does, into a store \
      of its own, and makes Parquet files of it: samples, features of each second, and a table of \
      recordings. What is up to date is left as it is. Recordings that are being written are fetched once \
      they have ended.

      A line of the host file is NAME or NAME = DESTINATION, and labels such as site=bergen. The line \
      `* = PATTERN` stands for the aliases of the SSH configuration that fit.

      Examples:
        imulog hub fleet
        imulog hub /srv/fleet --every 1m --metrics /var/lib/node_exporter/imulog.prom
        imulog hub status fleet
        imulog hub verify fleet
        imulog hub prune fleet --older 400d
      """,
    subcommands: [
      HubRoundCommand.self, HubStatusCommand.self, HubVerifyCommand.self, HubPruneCommand.self,
      HubAddCommand.self,
    ],
    defaultSubcommand: HubRoundCommand.self)
}

/// The table at the end of a round.
struct HubReport {
  let hosts: [HubRound.Host]

  private static let heading = [
    "HOST", "OFFERED", "HERE", "FETCHED", "RUNNING", "FAILED", "FREED", "DERIVED", "BYTES",
  ]

  func print() throws {
    let rows = hosts.map { host in
      host.pull.cells + ["\(host.derivedCount)", "\(host.pull.received)"]
    }
    let isNumeric = HubReport.heading.indices.map { $0 > 0 }
    try Console.data(TextTable.text([HubReport.heading] + rows, isNumeric: isNumeric))
  }

  var json: String {
    JSONWriter.document { json in
      json.member("hosts", hosts, onNewLines: true) { json, host in
        json.object { json in
          json.pulled(host.pull)
          json.member("derived", host.derivedCount)
          json.member("problem", host.pull.failure?.sentence)
        }
      }
    }
  }

  /// The status of a round: that of the failure which most needs a person; one that the next round may mend only where
  /// all are.
  static func status(of failures: [ExitStatus]) -> ExitStatus? {
    let order: [ExitStatus] = [
      .damagedData, .inputOutput, .noPermission, .unavailable, .configuration,
    ]
    return order.first { failures.contains($0) } ?? failures.first { $0 != .tryAgain }
      ?? failures.first
  }
}

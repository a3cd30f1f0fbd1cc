// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Hub

struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Collect the recordings of many machines, with tables for query engines.",
    discussion: """
      `imulog hub DIR` pulls new recordings of each host into a store of its own, and derives Parquet files: \
      samples, features of each second, and a table of recordings.

      A line of the host file is NAME or NAME = DESTINATION, and labels such as site=bergen. `* = PATTERN` \
      stands for the matching aliases of the SSH configuration.

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

struct HubDerivationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Deriver.verb, abstract: "What imulog hub derives of one recording.",
    shouldDisplay: false)

  @Argument var words: [String] = []

  mutating func run() throws {
    try BufferedSink.toStandardOutput(Deriver.answer(words, isLimited: true))
  }
}

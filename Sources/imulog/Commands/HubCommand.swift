// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Glibc
import Hub

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

/// `imulog hub-derivation`: the process that a round starts for each recording that is derived.
struct HubDerivationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Deriver.verb, abstract: "What imulog hub derives of one recording.",
    shouldDisplay: false)

  @Argument var words: [String] = []

  mutating func run() throws {
    var sink = BufferedSink(STDOUT_FILENO, name: "standard output")
    try Deriver.answer(words, isLimited: true).withUnsafeBytes { try sink.write($0) }
    try sink.flush()
  }
}

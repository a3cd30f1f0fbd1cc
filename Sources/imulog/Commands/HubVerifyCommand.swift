// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import Terminal
import Text

struct HubVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare every log with its ledger, and every derived file with its log.")

  @OptionGroup var hub: HubArgument

  mutating func run() throws {
    let hub = try HubDirectory(path: self.hub.directory, create: false)
    let lock = try hub.lockForReading()
    var verification = HubVerification(hub, Deriver(program: "/proc/self/exe"))
    var findings = 0
    let (hosts, recordings) = try verification.run(lock) { finding in
      findings += 1
      Console.talk(finding)
    }
    _ = consume lock
    let read = "\(Plain.count(recordings, "recording")) of \(Plain.count(hosts, "host"))"
    guard findings == 0 else {
      throw CommandFailure(
        .damagedData,
        Plain.count(findings, "finding") + " in \(read); the lines above say what and where"
      )
    }
    try Console.data("\(read): logs, derived files and tables agree")
  }
}

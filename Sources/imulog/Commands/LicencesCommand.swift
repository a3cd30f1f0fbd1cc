// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel

struct LicencesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "licences",
    abstract: "Print the licence of this program, and those of what is linked into it.",
    examples: "imulog licences | less")

  mutating func run() throws {
    try Console.data(Software.name)
    for text in [
      PackageResources.notices_txt, PackageResources.apache_2_0_txt, PackageResources.lgpl_2_1_txt,
    ] {
      try Console.data("\n" + String(decoding: text, as: UTF8.self))
    }
  }
}

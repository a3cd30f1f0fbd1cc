// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import IMUModel
import Text

/// The key that signs an export. It is never on the command line, which other users of the machine see.
enum SigningKey {
  static let variable = "IMULOG_HMAC_KEY"

  /// The key in a file, else that of the environment; `nil` for none.
  static func key(file: String?, for format: ExportFormat) throws -> [UInt8]? {
    if let file {
      return try word(try WholeFile.read(file), in: Plain.text(file))
    }
    guard format.takes(.hmacKeyFile), let value = Environment.value(variable) else { return nil }
    return try word(Array(value.utf8), in: variable)
  }

  /// The one line of a text.
  private static func word(
    _ text: [UInt8], in place: String
  ) throws(CommandFailure) -> [UInt8] {
    func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let word = text.prefix { !isEnd($0) }
    guard !word.isEmpty, text[word.count...].allSatisfy(isEnd) else {
      throw CommandFailure(
        .configuration, "\(place) has no key; put the project's HMAC key there, as one line")
    }
    return Array(word)
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension ImportLines where Source: ~Copyable {
  /// Reads the version of a document, and refuses one that this program does not know; other values are another
  /// program's.
  mutating func checkSchema() throws(ImportError) {
    guard try peek() != nil else { throw try wrongJSON() }
    guard case .number(let number) = ImportNumber(try value()),
      number.value > Double(JSONWriter.schema)
    else { return }
    throw .newerDocument(name: source.name, schema: "\(Int64(min(number.value, 1e15)))")
  }
}

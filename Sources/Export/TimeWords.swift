// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// How far a time or a rate can be relied on.
enum TimeWord: String {
  /// It cannot be wrong under the stated assumptions.
  case proved
  /// Measured, without a bound.
  case estimated
  /// Another says so: the file that was imported, the kernel of its wall clock, the user of the rate.
  case claimed
}

extension ExportPlan {
  /// The word for each time and rate of the document.
  var timeWords: [(name: String, word: TimeWord)] {
    let bounds = options.hasUncertainty ? ExportedNames.bounds : []
    return [(timeName, description.isImported ? .claimed : .estimated)]
      + bounds.map { ($0, .proved) } + [("started", .claimed), ("rate_hz", .claimed)]
  }
}

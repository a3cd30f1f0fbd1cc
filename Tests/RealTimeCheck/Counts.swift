// SPDX-License-Identifier: Apache-2.0

import CAllocProbe

/// What the sampler thread did in a number of ticks.
struct Counts {
  private let figures: [UInt64]

  static let names = ["mallocs", "frees", "objects", "locks", "retains", "releases"]

  init(_ counts: alloc_probe_counts) {
    figures = [
      counts.allocations, counts.frees, counts.objects, counts.locks, counts.retains,
      counts.releases,
    ]
  }

  private init(figures: [UInt64]) {
    self.figures = figures
  }

  /// What the longer run did more than the shorter one.
  static func - (longer: Counts, shorter: Counts) -> Counts {
    Counts(figures: zip(longer.figures, shorter.figures).map { $0 > $1 ? $0 - $1 : 0 })
  }

  /// Nothing was allocated, freed or locked.
  var isBounded: Bool { figures[..<4].allSatisfy { $0 == 0 } }

  /// Nothing at all was counted.
  var isZero: Bool { figures.allSatisfy { $0 == 0 } }

  /// Such as `mallocs 0, frees 0`; per sample when `samples` is given.
  func text(per samples: UInt64 = 1) -> String {
    let words = zip(Counts.names, figures).map { name, figure in
      figure % samples == 0
        ? "\(name) \(figure / samples)" : "\(name) \(Double(figure) / Double(samples))"
    }
    return words.joined(separator: ", ")
  }
}

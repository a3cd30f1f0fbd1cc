// SPDX-License-Identifier: Apache-2.0

/// What the check was asked to do.
struct Options {
  /// Ticks of the first count; the second has twice as many.
  var ticks = 10_000
  /// The violation to make.
  var seed = Seed.none

  /// The options in `arguments`; `nil` when they are wrong.
  init?(_ arguments: some Sequence<String>) {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      guard let value = arguments.next() else { return nil }
      switch name {
      case "--ticks":
        guard let number = Int(value), number > 0 else { return nil }
        ticks = number
      case "--seed":
        guard let seed = Seed(rawValue: value) else { return nil }
        self.seed = seed
      default:
        return nil
      }
    }
  }
}

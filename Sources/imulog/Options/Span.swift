import ArgumentParser
import IMUModel

/// A length of time on the command line, as ``SpanText`` reads it.
struct Span: ExpressibleByArgument, Equatable {
  /// Nanoseconds, never negative.
  let nanoseconds: Int64

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let nanoseconds = SpanText.nanoseconds(argument) else { return nil }
    self.nanoseconds = nanoseconds
  }

  var defaultValueDescription: String {
    nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds)ns"
  }
}

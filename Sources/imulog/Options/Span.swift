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

/// A time of a recording on the command line: a length of time from its beginning, or with a minus before it one of those
/// that an imported file may have.
struct RangeTime: ExpressibleByArgument {
  let nanoseconds: Int64

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    let isNegative = argument.hasPrefix("-")
    guard let length = SpanText.nanoseconds(String(argument.dropFirst(isNegative ? 1 : 0))) else {
      return nil
    }
    nanoseconds = isNegative ? -length : length
  }

  /// The time as ``init(argument:)`` reads it; the first one that a file may have is not a nanosecond earlier.
  var text: String {
    nanoseconds < 0 ? "-" + SpanText.text(-max(nanoseconds, -.max)) : SpanText.text(nanoseconds)
  }
}

// SPDX-License-Identifier: Apache-2.0

// What ArgumentParser needs of Foundation, and no more.
//
// It uses Foundation for two things: the words of a LocalizedError, and `--experimental-dump-help`. Linked statically,
// these two bring in calendars, URLs, regular expressions and Unicode tables: 5 MB of 17. A packaged program is compiled
// against this module instead, which has the same name; `--experimental-dump-help` prints nothing there. Nothing else in
// imulog imports Foundation, so what is missing here would not compile.

/// Bytes that nothing puts into.
public struct Data {}

/// An error with words for people.
public protocol LocalizedError: Error {
  /// Its words.
  var errorDescription: String? { get }
}

/// Writes nothing.
public final class JSONEncoder {
  /// How it would write.
  public struct OutputFormatting: OptionSet, Sendable {
    /// Its bits.
    public let rawValue: UInt
    /// From bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// On several lines.
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    /// In the order of the keys.
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  /// That nothing is written.
  public struct Unavailable: Error {}

  /// Not used.
  public var outputFormatting: OutputFormatting = []

  /// Writes nothing.
  public init() {}

  /// Throws ``Unavailable``.
  public func encode<Value: Encodable>(_: Value) throws -> Data { throw Unavailable() }
}

extension String {
  /// Encodings that bytes may have.
  public enum Encoding { case utf8 }

  /// Nothing: there are no bytes.
  public init?(data: Data, encoding: Encoding) { return nil }
}

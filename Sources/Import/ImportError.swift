// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// Why a file is not imported: where, what is wrong, and what to do.
///
/// Sentences are made where the fault is found, in extensions beside their throwers.
public struct ImportError: Error, Equatable, Sendable, CustomStringConvertible, StatusError {
  /// What a caller does differently.
  public enum Kind: Equatable, Sendable {
    /// The system refused to open or read it, or it is not a regular file (EISDIR, ENXIO).
    case unreadable(errno: Int32)
    /// It was changed while it was read.
    case changed
    /// The file is damaged, of another kind, or not as it should be, or contradicts what is stated.
    case wrong
    /// What it does not say must be stated; see ``Understanding/missing``.
    case unclear
  }

  /// What a caller does differently.
  public let kind: Kind
  /// The file's name.
  public let file: String
  /// Where in it; `nil` of the whole file.
  public let place: Place?
  /// Of one value: `column 2 (ax)`, or a key in quotes.
  public let column: String?
  /// What is wrong: a clause.
  public let problem: String
  /// What to do: a clause, or the lines of a refusal.
  public let remedy: String

  init(
    _ file: String, at place: Place? = nil, column: String? = nil, kind: Kind = .wrong,
    _ problem: String, remedy: String
  ) {
    precondition(!remedy.isEmpty, "an error needs a remedy")
    (self.kind, self.file, self.place, self.column) = (kind, file, place, column)
    (self.problem, self.remedy) = (problem, remedy)
  }

  /// `file, line 3, column 2 (ax): problem: remedy`.
  public var description: String {
    let words = [file, place?.description, column].compactMap { $0 }.joined(
      separator: ", ")
    // A refusal of several lines is a text of its own.
    if kind == .unclear { return "\(words) \(problem)\n\(remedy)" }
    return "\(words): \(problem): \(remedy)"
  }

  /// Whether the file cannot be read, changes, or holds no samples.
  public var exitStatus: ExitStatus {
    switch kind {
    case .unreadable(let code): [ENOENT, EISDIR, ENXIO].contains(code) ? .noInput : .inputOutput
    case .changed: .tryAgain
    case .wrong, .unclear: .damagedData
    }
  }

  static func unreadable(_ file: String, _ errno: Int32) -> ImportError {
    let isOther = errno == EISDIR || errno == ENXIO
    return ImportError(
      file, kind: .unreadable(errno: errno),
      isOther ? "is not a regular file" : "cannot be read, as \(Errno.meaning(errno))",
      remedy: isOther ? "save its contents to a file and import that" : "check it")
  }

  static func changed(_ file: String) -> ImportError {
    ImportError(
      file, kind: .changed, "was changed while it was read",
      remedy: "import it again when no program writes to it")
  }
}

/// What is wrong with a value or a row, before the file and the place are known.
struct FieldError: Error, Equatable {
  /// `column 2 (ax)`, or a key in quotes.
  var column: String?
  var problem: String
  var remedy: String

  /// The error with its file and place.
  func at(_ file: String, _ place: Place) -> ImportError {
    ImportError(file, at: place, column: column, problem, remedy: remedy)
  }
}

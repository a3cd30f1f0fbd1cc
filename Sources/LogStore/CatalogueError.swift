// SPDX-License-Identifier: Apache-2.0

public import Files
public import IMUModel

/// Why a store, or a recording in it, cannot be used: what was attempted, why it failed, and the remedy.
public enum CatalogueError: Error, Equatable, Sendable {
  /// There is nothing at the store's path.
  case missing(path: String)
  /// The store's path is a file.
  case notADirectory(path: String)
  /// The kernel refused.
  case storage(StorageError)
  /// No recording is meant by `id`; `existing` is a clause about those there are.
  case notFound(id: String, path: String, existing: String)
  /// Several recordings are meant by `id`, listed by number and first digits.
  case ambiguous(id: String, candidates: [String])
  /// The recording is being written, or another program has its file locked.
  case isLive(file: String)
  /// A pull relies on the recording, or did and got no answer, as the file `mark` records.
  case isRelied(mark: String)
  /// This user may change the store but not its trash.
  case trashForbidden(path: String)
  /// The recording was moved to `place`, and a power loss may undo that.
  case moveNotDurable(number: UInt32, place: String, StorageError)
  /// The recording is in the store already, under this number.
  case present(id: String, number: UInt32)
  /// Numbers up to 4 294 967 295 are used up.
  case outOfNumbers(path: String)
  /// The recording's file of labels holds as many as one may.
  case tooManyLabels(path: String)
  /// The recording's file of labels has no room, not even without labels that were added and removed again.
  case labelsFull(path: String)
  /// The recording's file of labels is larger than this program makes any.
  case labelsTooLarge(path: String)
  /// The recording has no such label; `existing` are those that it has.
  case noLabel(RecordingLabel, existing: [RecordingLabel])
  /// The recording's header cannot be read, or cannot be written because a text is too long.
  case log(LogError)

  /// Whether the disk, or the user's quota, is full.
  public var isFull: Bool {
    guard case .storage(let error) = self else { return false }
    return error.isFull
  }
}

extension CatalogueError: StatusError {
  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      return "there is no store at \(path); a recording makes one, or name another with --store"
    case .notADirectory(let path):
      return "the store \(path) is a file and not a directory; name a directory with --store"
    case .storage(let error): return error.description
    case .notFound(let id, let path, let existing):
      return "no recording \(id) in \(path): \(existing)"
    case .ambiguous(let id, let candidates):
      return "\(id) could be any of \(candidates.joined(separator: ", ")); give more digits"
    case .isLive(let file):
      return "\(file) is being written, or locked by another program; stop that first"
    case .isRelied(let mark):
      return
        "a pull relies on this very recording, as when both ends have one store; else run that "
        + "pull again, with --then-free, or delete \(mark) when neither it nor its far end is at work any more"
    case .trashForbidden(let path):
      return "the trash of \(path) is another user's; give it back with "
        + "`sudo chown -R --reference=\(path) \(path)/.trash`"
    case .moveNotDurable(let number, let place, let error):
      return "recording \(number) is \(place), and a loss of power may undo that: \(error)"
    case .present(let id, let number):
      return "recording \(id) is in the store already, as number \(number)"
    case .outOfNumbers(let path):
      return "the numbers of store \(path) are used up; start another store with --store"
    case .tooManyLabels(let path):
      return
        "\(path) would have more than \(RecordingLabel.mostOfRecording) labels; remove some with "
        + "`imulog label ID --remove`"
    case .labelsFull(let path):
      return
        "\(path) is full of labels that were removed, which it remembers so that a pull does not bring them back; "
        + "note its labels with `imulog label ID`, move the file away, and add them again"
    case .labelsTooLarge(let path):
      return
        "\(path) is larger than any file of labels (\(Catalogue.labelsLimit >> 20) MiB); move it away, for another "
        + "program made it so"
    case .noLabel(let label, let existing):
      return "there is no label \(label); "
        + (existing.isEmpty
          ? "the recording has none" : "there is \(CatalogueError.some(of: existing))")
    case .log(let error): return error.description
    }
  }

  private static func some(of labels: [RecordingLabel]) -> String {
    let more = labels.count > 5 ? " and \(labels.count - 5) more" : ""
    return labels.prefix(5).map { "\($0)" }.joined(separator: ", ") + more
  }

  /// Whether the recording, the directory or the storage is in the way.
  public var exitStatus: ExitStatus {
    switch self {
    case .missing, .notFound, .noLabel: .noInput
    case .ambiguous: .usage
    case .notADirectory, .outOfNumbers, .present, .tooManyLabels, .labelsFull: .cannotCreate
    case .labelsTooLarge: .damagedData
    case .isLive: .tryAgain
    case .trashForbidden, .isRelied: .noPermission
    case .storage(let cause), .moveNotDurable(_, _, let cause): cause.exitStatus
    case .log(let cause): cause.exitStatus
    }
  }
}

import IMUModel
import Glibc
import LogStore

/// What is said of a take at its end: all about how it came out on a terminal, else the verdict alone.
struct RecordReview {
  let number: UInt32
  let store: String
  /// The store's directory as the command line gave it; `nil` when it did not.
  let storeOption: String?

  /// Says it.
  ///
  /// - Returns: Why the recording cannot be read, as when another program has written over it; `nil` when it can, or is
  ///   not there any more: another program may have moved it to the trash as soon as it was whole.
  func talk() -> CommandFailure? {
    do {
      let catalogue = try OpenStore.reading(store)
      let entry = try catalogue.entry(for: "\(number)")
      defer { talk(of: entry) }
      var reader = try catalogue.reader(of: entry)
      let report = ReviewReport(try reader.account(ofSamples: true))
      guard Console.isTerminal(STDERR_FILENO) else {
        Console.talk(report.sentence)
        return nil
      }
      for (key, value) in report.lines {
        Console.talk(key + String(repeating: " ", count: 12 - key.count) + value)
      }
      return nil
    } catch {
      let failure = CommandFailure(error, else: .inputOutput)
      let sentence = "recording \(number) cannot be looked through: \(failure.sentence)"
      guard failure.status != .noInput else {
        Console.talk(sentence)
        return nil
      }
      return CommandFailure(failure.status, sentence)
    }
  }

  /// Where it is, and what to do next.
  private func talk(of entry: CatalogueEntry) {
    let program = storeOption.map { "imulog --store \(RecordReview.quoted($0))" } ?? "imulog"
    Console.talk("recording \(number) is \(entry.path)")
    Console.talk(
      "next: `\(program) show \(number)`, `\(program) export \(number) -o \(number).json`")
  }

  /// A word as a shell takes it.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      $0 &- 48 < 10 || $0 &- 97 < 26 || $0 &- 65 < 26 || "/._-+,:@%".utf8.contains($0)
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}

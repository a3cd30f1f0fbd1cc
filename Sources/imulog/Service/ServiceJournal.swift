import Glibc
import IMUModel
import Recorder

/// The service's reports on stderr: for the journal with the priority in front that it understands
/// (sd-daemon(3)), an entry a line, in UTF-8 whatever the locale; for a terminal as any talk.
enum ServiceJournal {
  private static let isJournal = Environment.value("JOURNAL_STREAM") != nil

  static func report(_ priority: JournalPriority, _ line: String) {
    guard isJournal else { return Console.talk(line) }
    var text = "<\(priority.rawValue)>" + ForeignText.shown(line) + "\n"
    text.withUTF8 { bytes in
      // If writing to stderr fails there is nowhere to report it.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

import Glibc
import IMUModel

/// What the service says of itself, on stderr: for the journal with the priority in front that it understands
/// (sd-daemon(3)), an entry a line, in UTF-8 whatever the locale; for a terminal as any talk.
enum ServiceJournal {
  /// How much it matters, as syslog(3) counts.
  enum Priority: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case information = 6
  }

  private static let isJournal = Environment.value("JOURNAL_STREAM") != nil

  static func say(_ priority: Priority, _ line: String) {
    guard isJournal else { return Console.talk(line) }
    var text = "<\(priority.rawValue)>" + ForeignText.shown(line) + "\n"
    text.withUTF8 { bytes in
      // There is no way to report that reporting failed.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

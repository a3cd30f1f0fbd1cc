import Glibc
import LogStore
import Review

/// What is said of a take at its end: all about how it came out on a terminal, else the verdict alone.
struct TakeReview {
  let number: UInt32
  let store: String

  func talk() {
    do {
      let catalogue = try OpenStore.reading(store)
      var reader = try catalogue.reader(of: try catalogue.entry(for: "\(number)"))
      let report = ReviewReport(try reader.review())
      guard Console.isTerminal(STDERR_FILENO) else { return Console.talk(report.sentence) }
      for (key, value) in report.lines {
        Console.talk(key + String(repeating: " ", count: 12 - key.count) + value)
      }
    } catch {
      // The take is kept whatever became of looking at it.
      Console.talk("recording \(number) cannot be looked through: \(error)")
    }
  }
}

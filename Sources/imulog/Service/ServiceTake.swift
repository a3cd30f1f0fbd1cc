import IMUModel
import LinuxIO
import Recorder

/// What the main thread knows of the take at hand, or of the last one.
struct ServiceTake {
  /// Its number; `nil` while its file is not made.
  var number: UInt32?
  /// Whether the user threw it away.
  var isDiscarded = false
  /// Ticks and times, once it has its first record.
  var plan: TakePlan?
  /// What the flusher is given about the file's end.
  var fate: Inbox<TakeFate>?
  /// What happened to its ticks, once its log has its end.
  var ledger: TickLedger?
  /// Whether its file is gone or cannot be read, so that no one knows what is in it.
  var isUnreadable = false
}

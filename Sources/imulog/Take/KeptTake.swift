import IMUModel
import LogStore

/// What is found in the file of a take that its storage ended.
struct KeptTake {
  /// What happened to the ticks that are in it.
  let ledger: TickLedger
  /// Why it ended, as the log says; `nil` when its end is not in the file.
  let reason: StopReason?

  /// Reads it; `nil` when it cannot be read, or is gone.
  init?(_ entry: CatalogueEntry, in store: String) {
    do {
      var reader = try Catalogue(path: store).reader(of: entry)
      let summary = try reader.summary()
      (ledger, reason) = (summary.ledger, summary.end?.reason)
    } catch {
      // The take's own failure is reported. That its rest cannot be read adds nothing to it.
      return nil
    }
  }

  /// How long a user who wants the end waits for the card, in nanoseconds: less than the 30 s after which systemd
  /// kills the service.
  static var patience: Int64 { 20_000_000_000 }

  /// What to say when the card took longer.
  ///
  /// - Parameter number: The recording's; `nil` while it has no file.
  static func lateEnd(number: UInt32?) -> CommandFailure {
    let time = "in \(patience / 1_000_000_000) s"
    return CommandFailure(
      .inputOutput,
      number.map {
        "the card did not take the end of recording \($0) \(time);"
          + " what is on it will be recovered with the next recording"
      }
        ?? "the card did not make the recording's file \(time), and nothing of the recording is kept"
    )
  }

  /// What to say when the storage ended a take.
  static func failure(_ error: StorageError, number: UInt32) -> CommandFailure {
    CommandFailure(
      .inputOutput,
      error.isGone
        ? "recording \(number) is gone: \(error)"
        : "recording \(number) was ended early, and what is in it is kept: \(error)")
  }
}

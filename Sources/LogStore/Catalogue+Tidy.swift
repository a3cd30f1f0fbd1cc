public import IMUModel

/// What a store needs now and then.
extension Catalogue {
  /// Puts the store in order: adopts what was cut off, and deletes what has been in the trash for 30 days. What fails
  /// is reported, and stops nothing: a recording can be made all the same.
  ///
  /// - Parameters:
  ///   - now: The time, by which what is in the trash ages.
  ///   - isWanted: Asked before each recording that is looked into.
  ///   - report: Gets a sentence for each failure.
  public func tidy(
    now: WallTime, while isWanted: () -> Bool = { true }, report: (String) -> Void
  ) {
    adopt(while: isWanted, report: report)
    sweep(now: now, report: report)
  }

  /// The part of ``tidy(now:while:report:)`` that looks into recordings, of which there may be many.
  public func adopt(while isWanted: () -> Bool, report: (String) -> Void) {
    do {
      _ = try adopt(while: isWanted)
    } catch {
      report("recordings that were cut off could not be looked for: \(error)")
    }
  }

  /// The part that frees space.
  public func sweep(now: WallTime, report: (String) -> Void) {
    do {
      _ = try expireLeftovers(now: now)
    } catch {
      report("copies that were not continued for 30 days could not be looked for: \(error)")
    }
    let failures = emptyTrash(now: now).failures
    guard let first = failures.first else { return }
    let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    report(
      "not all could be deleted of what has been in the trash for 30 days: \(first)\(more)")
  }
}

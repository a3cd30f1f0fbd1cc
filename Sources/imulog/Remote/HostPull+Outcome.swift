import IMUModel
import Remote

/// What is said and counted of each recording.
extension HostPull {
  /// Says of recordings that are wanted that they cannot be read there.
  ///
  /// - Throws: ``CommandFailure`` when such a one was asked for by its number, or as the latest.
  mutating func refuse(_ unreadable: [UInt32: String], newest: PullOffer?) throws {
    for (number, sentence) in unreadable.sorted(by: { $0.key > $1.key }) {
      let isLatest = number > newest?.number ?? 0
      let isNamed = settings.ids.contains {
        $0.text == "\(number)" || $0.text == "latest" && isLatest
      }
      if isNamed {
        throw CommandFailure(
          .damagedData, "recording \(number) cannot be read on \(host): \(sentence)")
      }
      guard settings.ids.isEmpty else { continue }
      result.offered += 1
      result.failed += 1
      result.note(.damagedData)
      board.talk("\(host): recording \(number) cannot be read there: \(sentence)")
    }
  }

  /// Counts how a recording ended, and says it.
  mutating func finish(_ outcome: PulledRecording) {
    result.add(outcome)
    let freed = outcome.isFreed ? ", and in the trash there" : ""
    let remark = outcome.remark.map { ": \($0)" } ?? ""
    let name = "\(host): recording \(outcome.offer.number)"
    switch outcome.fate {
    case .here:
      if outcome.isFreed || outcome.remark != nil || outcome.conversionFailure != nil {
        board.talk("\(name) is here as \(outcome.number ?? 0)\(freed)\(remark)")
      }
    case .asked:
      guard outcome.isFreed || outcome.remark != nil else { break }
      let place = outcome.isFreed ? " is in the trash there" : ""
      board.talk("\(host): recording \(outcome.number ?? 0) here\(place)\(remark)")
    case .fetched, .resumed:
      let again = outcome.fate == .resumed ? ", taken up where an earlier attempt stopped" : ""
      board.talk(
        "\(name) is here as \(outcome.number ?? 0), \(outcome.byteCount) bytes\(again)\(freed)\(remark)"
      )
    case .running:
      result.note(.tryAgain)
      board.talk(
        "\(name) is being written, or locked by another program; what there is has come, --follow waits for the rest"
      )
    case .differs:
      result.note(.damagedData)
      board.talk("\(name)\(remark)")
    case .busy:
      result.note(.tryAgain)
      board.talk("\(name)\(remark)")
    case .failed:
      result.note(.inputOutput)
      board.talk("\(name)\(remark)")
    }
    if let status = outcome.conversionFailure { result.note(status) }
    if outcome.isDamaged { result.note(.damagedData) }
    if let status = outcome.unfreed { result.note(status) }
  }
}

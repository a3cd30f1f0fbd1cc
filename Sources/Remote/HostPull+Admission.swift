// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// The decisions of a ``PullWitness`` on offers.
extension HostPull {
  /// Returns the offers to fetch; notes the others in ``settled`` and ``comparisons``.
  mutating func admit(_ offers: [PullOffer]) -> [PullOffer] {
    var wanted: [PullOffer] = []
    comparisons = []
    for offer in offers {
      if settings.leavesRunning, offer.state == .running {
        result.running += 1
        continue
      }
      switch settings.witness?.admit(offer) ?? .fetch {
      case .fetch: wanted.append(offer)
      case .here:
        result.here += 1
        settled.insert(offer.id)
      case .refuse(let failure):
        if let failure { refuse(offer, failure) }
      case .compare: comparisons.append(offer)
      }
    }
    return wanted
  }

  /// Asks for the digests of recordings to compare, by a request for the rest of a copy that has every byte.
  mutating func compare(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    while let offer = comparisons.last {
      patience.expect(.fetch(offer.id, isAnew: false), adding: offer.byteCount, isFollowed: false)
      try farEnd.ask(.fetch(offer.id, offset: offer.byteCount, follow: false))
      do throws(FarEnd.Failure) {
        guard case .prefix(let digest) = try farEnd.reply(),
          case .whole(offer.byteCount, digest, _) = try farEnd.reply()
        else {
          throw farEnd.violation(
            "sends other bytes of recording \(offer.number) than the \(offer.byteCount) that it offered"
          )
        }
        patience.progressed(now: clock.now())
        comparisons.removeLast()
        note(offer, digest)
      } catch {
        guard case .refused(let failure) = error else { throw error }
        comparisons.removeLast()
        refuse(offer, failure)
      }
    }
  }

  private mutating func note(_ offer: PullOffer, _ digest: SHA256Digest) {
    do {
      try settings.witness?.compared(offer, digest)
    } catch {
      refuse(offer, fetch.local.failure(error))
    }
  }

  private mutating func refuse(_ offer: PullOffer, _ failure: CommandFailure) {
    result.failed += 1
    let words = "recording \(offer.number) \(failure.sentence)"
    result.note(CommandFailure(failure.status, words))
    board.talk("\(host): \(words)")
  }
}

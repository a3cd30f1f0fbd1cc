// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Synchronization

/// Which host of a hub has each recording, and its bytes: the first one in whose ledger it is, or else in whose store.
///
///     offered by HOST ─► claim ─► HOST: it is fetched ─► noted, with its bytes, or released
///                             └─► another one: its bytes there are compared with those here
final class Owners: Sendable {
  private struct Owner {
    let host: String
    /// Whether another host may take it over: the last visit of this one went wrong.
    var isWeak = false
    var proof: HostLedger.Proof?
    /// Whether its log is in the host's store, with or without a line of the ledger that has its bytes.
    var isHere = false
  }

  private struct State {
    var owners: [RecordingID: Owner] = [:]
    var pruned: Set<RecordingID> = []
  }

  private let state = Mutex(State())
  private let listed: Set<String>

  /// - Parameter listed: The hosts of the host file.
  init(listed: Set<String>) { self.listed = listed }

  /// Reads which host has what by the ledgers of a hub.
  ///
  /// - Parameter report: Receives what is wrong with the ledger of a host; the others are read.
  convenience init(
    listed: Set<String>, _ hub: HubDirectory, report: (_ host: String, CommandFailure) -> Void
  ) throws {
    self.init(listed: listed)
    var unproved: [(host: String, prefixes: Set<String>)] = []
    for host in Set(try hub.knownHosts()).union(try hub.hosts()).sorted() {
      do {
        let ledger = try HostLedger(of: host, in: hub)
        state.withLock { $0.pruned.formUnion(ledger.pruned) }
        // One that was removed here is fetched again, from whichever host has it.
        var there = Set(try hub.entries(of: host).map(\.idPrefix))
        for (id, proof) in ledger.proofs where there.contains(id.namePrefix) {
          note(id, proof, of: host)
        }
        there.subtract(ledger.proofs.keys.map(\.namePrefix))
        if !there.isEmpty { unproved.append((host, there)) }
      } catch {
        report(host, HubError.failure(error))
      }
    }
    // Logs of which a line was lost, or that were put there by hand: they keep the places that they have, after those with one.
    for (host, prefixes) in unproved {
      do {
        for id in try hub.recordings(of: host, prefixes) { noteLog(id, of: host) }
      } catch {
        report(host, HubError.failure(error))
      }
    }
  }

  private func noteLog(_ id: RecordingID, of host: String) {
    state.withLock { state in
      if state.owners[id] == nil { state.owners[id] = Owner(host: host, isHere: true) }
    }
  }

  /// Whether the host file has a host.
  func isListed(_ host: String) -> Bool { listed.contains(host) }

  /// The owner of a recording, which becomes `host` where it has none or one whose claim is weak; with its bytes, if they are
  /// here.
  func claim(
    _ id: RecordingID, by host: String, isWeak: Bool
  ) -> (host: String, proof: HostLedger.Proof?) {
    state.withLock { state in
      var owner = state.owners[id] ?? Owner(host: host, isWeak: isWeak)
      // Of two that went wrong, each may be the one that can be fetched from.
      if owner.proof == nil, owner.isWeak, !owner.isHere {
        owner = Owner(host: host, isWeak: isWeak)
      }
      state.owners[id] = owner
      return (owner.host, owner.proof)
    }
  }

  /// The owner of a recording, and its bytes, if they are here; `nil` where it has none.
  subscript(_ id: RecordingID) -> (host: String, proof: HostLedger.Proof?)? {
    state.withLock { $0.owners[id].map { ($0.host, $0.proof) } }
  }

  /// The host in whose store a recording is; `nil` where it is in none.
  func holder(of id: RecordingID) -> String? {
    state.withLock { state in
      state.owners[id].flatMap { $0.isHere ? $0.host : nil }
    }
  }

  /// A recording is here.
  func note(_ id: RecordingID, _ proof: HostLedger.Proof, of host: String) {
    state.withLock { state in
      if state.owners[id]?.host ?? host == host {
        state.owners[id] = Owner(host: host, proof: proof, isHere: true)
      }
    }
  }

  /// Whether a recording was removed for good, whichever host offers it.
  func isPruned(_ id: RecordingID) -> Bool { state.withLock { $0.pruned.contains(id) } }

  /// Recordings that a host claimed and did not fetch are any host's again.
  func release(_ ids: [RecordingID], by host: String) {
    state.withLock { state in
      for id in ids {
        if let owner = state.owners[id], owner.host == host, !owner.isHere {
          state.owners[id] = nil
        }
      }
    }
  }
}

/// What a host offered in a visit that is another one's.
struct ForeignOffers {
  /// How many, by their owner.
  private(set) var counts: [String: Int] = [:]
  /// Whether one of them has other bytes here.
  private(set) var differs = false

  /// Counts one.
  mutating func add(of owner: String) { counts[owner, default: 0] += 1 }

  var count: Int { counts.values.reduce(0, +) }

  /// Notes that one has other bytes, and says so.
  mutating func difference(from owner: String) -> CommandFailure {
    differs = true
    return CommandFailure(
      .damagedData,
      "has the UUID of a recording of \(owner) and other bytes: one of them was changed or made from a copy; it is not "
        + "fetched, and what is here stays as it is")
  }

  /// Why a host of which all `offered` recordings are another one's must be that one; `nil` where that is not so.
  func twin(offered: Int, _ owners: Owners) -> CommandFailure? {
    guard offered > 0, !differs, counts.count == 1, let (owner, count) = counts.first,
      count == offered, owners.isListed(owner)
    else { return nil }
    return CommandFailure(
      .configuration,
      "\(offered == 1 ? "its recording" : "each of its \(offered) recordings") is one of \(owner): these are two names of one machine, or its card is from "
        + "there; leave one of them out of the host file")
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Synchronization

/// The host of each recording in a hub: the first one with it in its ledger, or else in its store.
///
///     offered by HOST ─► claim ─► HOST: fetched ─► noted, with its bytes, or released
///                             └─► another host: its bytes there are compared with those here
final class Owners: Sendable {
  private struct Owner {
    let host: String
    /// Whether another host may take it over, as the last visit of this one failed.
    var isWeak = false
    var proof: HostLedger.Proof?
    /// Whether its log is in the host's store, with or without a line of the ledger.
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

  /// Reads the ledgers and stores of a hub; reports failures of single hosts.
  convenience init(
    listed: Set<String>, _ hub: HubDirectory, report: (_ host: String, CommandFailure) -> Void
  ) throws {
    self.init(listed: listed)
    var unproved: [(host: String, prefixes: Set<String>)] = []
    for host in Set(try hub.knownHosts()).union(try hub.hosts()).sorted() {
      do {
        let ledger = try HostLedger(of: host, in: hub)
        state.withLock { $0.pruned.formUnion(ledger.pruned) }
        // One that was removed here may be fetched from any host.
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
    // Logs without a line, lost or copied by hand, come after those with one.
    for (host, prefixes) in unproved {
      do {
        for id in try hub.recordings(of: host, prefixes) {
          state.withLock { state in
            if state.owners[id] == nil { state.owners[id] = Owner(host: host, isHere: true) }
          }
        }
      } catch {
        report(host, HubError.failure(error))
      }
    }
  }

  func isListed(_ host: String) -> Bool { listed.contains(host) }

  /// Makes `host` the owner of a recording without one, or with a weak one; returns the owner, and the bytes that are here.
  func claim(
    _ id: RecordingID, by host: String, isWeak: Bool
  ) -> (host: String, proof: HostLedger.Proof?) {
    state.withLock { state in
      var owner = state.owners[id] ?? Owner(host: host, isWeak: isWeak)
      // Either of two troubled hosts may be the one that delivers.
      if owner.proof == nil, owner.isWeak, !owner.isHere {
        owner = Owner(host: host, isWeak: isWeak)
      }
      state.owners[id] = owner
      return (owner.host, owner.proof)
    }
  }

  /// The owner of a recording, and its bytes if they are here.
  subscript(_ id: RecordingID) -> (host: String, proof: HostLedger.Proof?)? {
    state.withLock { $0.owners[id].map { ($0.host, $0.proof) } }
  }

  /// The host in whose store a recording is.
  func holder(of id: RecordingID) -> String? {
    state.withLock { state in
      state.owners[id].flatMap { $0.isHere ? $0.host : nil }
    }
  }

  func note(_ id: RecordingID, _ proof: HostLedger.Proof, of host: String) {
    state.withLock { state in
      if state.owners[id]?.host ?? host == host {
        state.owners[id] = Owner(host: host, proof: proof, isHere: true)
      }
    }
  }

  /// Whether any host's ledger has a recording as pruned.
  func isPruned(_ id: RecordingID) -> Bool { state.withLock { $0.pruned.contains(id) } }

  /// Gives up claims to recordings that were not fetched.
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

struct ForeignOffers {
  /// Their numbers by owner.
  private var counts: [String: Int] = [:]
  private var differs = false

  mutating func add(of owner: String) { counts[owner, default: 0] += 1 }

  var count: Int { counts.values.reduce(0, +) }

  /// Notes that one has other bytes; returns its failure.
  mutating func difference(from owner: String) -> CommandFailure {
    differs = true
    return CommandFailure(
      .damagedData,
      "has the UUID of a recording of \(owner) and other bytes: one of them was changed or made from a copy; it is not "
        + "fetched, and the one here stays")
  }

  /// The failure of a host whose `offered` recordings all belong to one other listed host: it must be that machine.
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

// SPDX-License-Identifier: Apache-2.0

@testable import Hub
import IMUModel
import LogFormat
import LogStoreTesting
@testable import Remote
import TestSupport
import Testing

@Suite("Which host of a hub a recording comes from")
struct OwnersTests {
  private static let proof = HostLedger.Proof(
    byteCount: 7, digest: SHA256.digest(of: [1, 2, 3, 4, 5, 6, 7]))

  private func ids(_ count: Int) -> [RecordingID] {
    var generator = SeededGenerator(seed: 5)
    return (0..<count).map { _ in .random(using: &generator) }
  }

  @Test("the first that offers it has it, until its visit ends without it")
  func first() {
    let (owners, id) = (Owners(listed: ["a", "b"]), ids(1)[0])
    #expect(owners.claim(id, by: "a", isWeak: false).host == "a")
    #expect(owners.claim(id, by: "b", isWeak: false).host == "a")
    owners.release([id], by: "b")
    #expect(owners.claim(id, by: "b", isWeak: false).host == "a")
    owners.release([id], by: "a")
    #expect(owners.claim(id, by: "b", isWeak: false).host == "b")
  }

  @Test("one whose last visit went wrong keeps it from no other, and takes it from one like it")
  func weak() {
    let (owners, id) = (Owners(listed: ["a", "b", "c"]), ids(1)[0])
    #expect(owners.claim(id, by: "a", isWeak: true).host == "a")
    #expect(owners.claim(id, by: "b", isWeak: true).host == "b")
    #expect(owners.claim(id, by: "c", isWeak: false).host == "c")
    #expect(owners.claim(id, by: "a", isWeak: true).host == "c")
  }

  @Test("what is here is its host's, whatever went wrong")
  func proved() {
    let (owners, id) = (Owners(listed: ["a", "b"]), ids(1)[0])
    _ = owners.claim(id, by: "a", isWeak: true)
    owners.note(id, OwnersTests.proof, of: "a")
    let owner = owners.claim(id, by: "b", isWeak: false)
    #expect(owner.host == "a")
    #expect(owner.proof == OwnersTests.proof)
    owners.release([id], by: "a")
    #expect(owners[id]?.host == "a")
  }

  /// The keeper of host `a` of a hub.
  private func keeper(_ hub: HubDirectory, _ owners: Owners, now: WallTime) -> HostKeeper {
    HostKeeper(
      HubHost(name: "a", destination: "a", labels: [], line: 1), hub, owners,
      HubRound.Settings(SSHConnection(program: "ssh"), timeout: 1, .inside), now: { now },
      talk: { _ in })
  }

  private func arrival(_ number: UInt32, _ id: RecordingID) -> PullArrival {
    PullArrival(
      offer: PullOffer(number: number, id: id, byteCount: 7, state: .complete, start: 0),
      byteCount: 7, digest: OwnersTests.proof.digest)
  }

  @Test("of several that arrive, those that came from another host meanwhile are refused alone")
  func meanwhile() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    let owners = Owners(listed: ["a", "b"])
    let ids = ids(3)
    owners.note(ids[1], OwnersTests.proof, of: "b")
    let keeper = keeper(hub, owners, now: PlayedFleet.time(PlayedFleet.now))
    _ = try keeper.open()
    let refused = try keeper.willPublish(zip(UInt32(1)..., ids).map { arrival($0, $1) })
    #expect(Array(refused.keys) == [ids[1]])
    #expect(refused[ids[1]]?.status == .tryAgain)
    #expect(Set(try HostLedger(of: "a", in: hub).proofs.keys) == [ids[0], ids[2]])
    _ = consume lock
  }

  @Test("what comes before any clock was set has no date, until a visit by one that is")
  func unsetClock() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    let (id, owners) = (ids(1)[0], Owners(listed: ["a"]))
    // Both clocks began at 1970 and agree; at last both are right.
    for (day, count) in [(8, 1), (9, 0), (20_783, 0)] as [(Int64, Int)] {
      let now = WallTime(nanoseconds: day * 86_400_000_000_000, isSynchronised: false)
      let keeper = keeper(hub, owners, now: now)
      let local = try keeper.open()
      keeper.connected(nil)
      _ = try keeper.willPublish(Array(repeating: arrival(1, id), count: count))
      keeper.learned(
        RemoteMachine(
          software: "imulog 0.1.0", wall: now, freeBytes: nil, recorder: nil, problem: nil))
      var result = PulledHost(host: "a")
      keeper.finish(&result, local)
      let date = try HostLedger(of: "a", in: hub).arrivals[id]
      #expect(date == (day > 9 ? day * 86400 : nil), "day \(day)")
    }
    _ = consume lock
  }

  @Test("of many programs that use a directory for the first time at once, each has a hub")
  func firstUses() async throws {
    for _ in 0..<20 {
      let directory = TemporaryDirectory(inMemory: true)
      let path = directory.path + "/fleet"
      let failures = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do {
              _ = try HubDirectory(path: path, create: true)
              return nil
            } catch {
              return "\(error)"
            }
          }
        }
        return await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
      }
      #expect(failures.isEmpty, "\(failures)")
    }
  }
}

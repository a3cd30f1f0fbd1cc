// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import TestSupport
import Testing

/// The promise for a power loss: everything synced survives, in order, once, to the bit; nothing else does
/// except written bytes; every tick is accounted for; and the store is in order.
///
/// A case that fails is named by one line; `IMULOG_CASE=… swift test --filter CrashTests` tries it
/// alone, and `IMULOG_CASES=all` tries the whole space.
@Suite("Loss of power")
struct CrashTests {
  static let stories: [ExampleStory] = ExampleStory.allCases
  static let isSingle = CaseSelection.single != nil

  /// Cases in which the promise is broken, and how.
  func breaches(_ cases: [CrashCase], in recorded: WrittenRecording) -> [(CrashCase, String)] {
    cases.compactMap { crash in
      CrashContract.breach(of: crash, in: recorded).map { (crash, $0) }
    }
  }

  /// Tries cases and records the first of those that fail.
  func expectKept(_ cases: [CrashCase], in recorded: WrittenRecording) {
    let breaches = breaches(cases, in: recorded)
    for (crash, sentence) in breaches.prefix(10) {
      Issue.record("IMULOG_CASE=\(crash) \(sentence)")
    }
    #expect(breaches.isEmpty, "of \(cases.count) cases, seed \(CaseSelection.seed)")
  }

  @Test(
    "after and during every operation, whatever survives of unsynced bytes",
    .disabled(if: CrashTests.isSingle), arguments: CrashTests.stories)
  func crashes(story: ExampleStory) throws {
    let recorded = try WrittenRecording(story)
    #expect(recorded.recording.failure == nil)
    let space = CrashSpace.crashes(of: recorded)
    let cases = CaseSelection.sample(300, of: space)
    print("\(story): \(cases.count) of \(space.count) losses, seed \(CaseSelection.seed)")
    expectKept(cases, in: recorded)
  }

  @Test(
    "whichever call fails, and how: once, for ever, short or for want of room",
    .disabled(if: CrashTests.isSingle), arguments: CrashTests.stories)
  func faults(story: ExampleStory) throws {
    let plans = CrashSpace.faults(callCount: try WrittenRecording(story).callCount)
    let chosen = CaseSelection.sample(60, of: plans)
    var count = 0
    for plan in chosen {
      let recorded = try WrittenRecording(story, plan)
      let cases = CrashSpace.endings(of: recorded, count: CaseSelection.isWhole ? 12 : 3)
      count += cases.count
      expectKept(cases, in: recorded)
    }
    print("\(story): \(count) losses after \(chosen.count) of \(plans.count) faults")
  }

  @Test("the case named by the environment", .enabled(if: CrashTests.isSingle))
  func single() throws {
    let crash = try #require(CrashCase(CaseSelection.single ?? ""))
    expectKept([crash], in: try WrittenRecording(crash.story, crash.fault))
  }

  @Test("a card that lies about its syncs is caught, and the line that names a case replays it")
  func lyingCard() throws {
    let recorded = try WrittenRecording(.even, .lyingSync)
    let space = CrashSpace.crashes(of: recorded)
    let caught = breaches(CaseSelection.sample(60, of: space), in: recorded)
    #expect(caught.count > 4, "seed \(CaseSelection.seed)")
    for (crash, sentence) in caught.prefix(3) {
      let replayed = try #require(CrashCase(crash.description))
      #expect(replayed == crash)
      let again = try WrittenRecording(replayed.story, replayed.fault)
      let breach = CrashContract.breach(of: replayed, in: again)
      #expect(breach == sentence)
    }
  }

  @Test("a card that flips a synced bit is caught")
  func rottenCard() throws {
    let recorded = try WrittenRecording(.even)
    let last = recorded.operations.count
    let whole = CrashCase(.even, point: last, .keep([]))
    let image = recorded.image(whole)
    #expect(CrashContract.breach(of: image, after: whole, in: recorded) == nil)
    let name = try #require(image.keys.first { $0.hasSuffix(".imulog") })
    let length = try #require(image[name]).count
    for byte in stride(from: 0, to: length, by: 41) {
      var rotten = image
      rotten[name]?[byte] ^= 4
      let breach = CrashContract.breach(of: rotten, after: whole, in: recorded)
      #expect(breach != nil, "byte \(byte)")
    }
  }

  @Test("a file that another recording left is neither data nor lost samples")
  func staleWhole() throws {
    let recorded = try WrittenRecording(.eventful)
    for point in recorded.disks.indices {
      let count = recorded.disks[point].pending.count
      let nothing = CrashCase.Survival.keep([Bool](repeating: false, count: count))
      let crash = CrashCase(.eventful, point: point, nothing, .stale, isGrown: true)
      #expect(CrashContract.breach(of: crash, in: recorded) == nil, "\(crash)")
    }
  }

  @Test("a file cut at any byte accounts for all ticks that it covers", .disabled(if: isSingle))
  func cuts() throws {
    let recorded = try WrittenRecording(.eventful)
    let whole = CrashCase(.eventful, point: recorded.operations.count, .keep([]))
    var image = recorded.image(whole)
    let name = try #require(image.keys.first { $0.hasSuffix(".imulog") })
    let bytes = try #require(image[name])
    // Nothing counts as durable before the recording was created, so any cut is allowed.
    let unsynced = CrashCase(.eventful, point: 0, .keep([]))
    for length in CaseSelection.sample(120, of: Array(600..<bytes.count)) {
      image[name] = Array(bytes[..<length])
      let breach = CrashContract.breach(of: image, after: unsynced, in: recorded)
      #expect(breach == nil, "cut at byte \(length), seed \(CaseSelection.seed)")
    }
  }

  @Test("the line that names a case describes it completely")
  func identity() throws {
    let recorded = try WrittenRecording(.even)
    for crash in CaseSelection.sample(500, of: CrashSpace.crashes(of: recorded)) {
      #expect(CrashCase(crash.description) == crash)
    }
    for plan in CrashSpace.faults(callCount: recorded.callCount) {
      #expect(FaultScript.Plan(plan.description) == plan)
    }
    for line in ["", "even", "even/none/x/keep-1/zeros/short", "odd/none/1/keep-1/zeros/short"] {
      #expect(CrashCase(line) == nil)
    }
  }
}

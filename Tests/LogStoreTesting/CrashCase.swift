// SPDX-License-Identifier: Apache-2.0

/// One way to lose power during a recording, as one line of text:
///
///     eventful/once-17-5/31/keep-0110/garbage/grown
///        │         │     │      │        │      └ files have the length they were to have, or `short`
///        │         │     │      │        └ the card's contents where nothing was written
///        │         │     │      └ the unsynced operations that reached it
///        │         │     └ operations of the disk before the loss
///        │         └ call 17 fails with errno 5
///        └ the story
public struct CrashCase: Hashable, Sendable {
  /// The operations, of those not durable, that reached the disk.
  public enum Survival: Hashable, Sendable {
    /// Those with `true`, in order: `keep-0110`.
    case keep([Bool])
    /// All, and of the operation at hand what is in front of its n-th sector boundary; or that
    /// part alone: `torn-3`, `tornalone-3`.
    case torn(boundary: Int, alone: Bool)
    /// Any sectors of any of them: `scatter-7`, a seed.
    case scatter(UInt64)
    /// Some of them, in any order: `shuffle-7`, a seed.
    case shuffle(UInt64)
  }

  /// The card's contents where nothing was written.
  public enum Medium: String, CaseIterable, Sendable {
    case zeros, garbage
    /// Pages of an earlier recording.
    case stale
  }

  /// The story of the recording.
  public var story: ExampleStory
  /// Which calls fail.
  public var fault: FaultScript.Plan
  /// Operations before the loss.
  public var point: Int
  /// The operations that survive.
  public var survival: Survival
  /// The contents where nothing was written.
  public var medium: Medium
  /// Whether the files have the length that they were to have.
  public var isGrown: Bool

  /// A case.
  public init(
    _ story: ExampleStory, _ fault: FaultScript.Plan = .none, point: Int, _ survival: Survival,
    _ medium: Medium = .zeros, isGrown: Bool = false
  ) {
    self.story = story
    self.fault = fault
    self.point = point
    self.survival = survival
    self.medium = medium
    self.isGrown = isGrown
  }
}

extension CrashCase: LosslessStringConvertible {
  /// The case that a line of text names.
  public init?(_ id: String) {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 6, let story = ExampleStory(rawValue: parts[0]),
      let fault = FaultScript.Plan(parts[1]), let point = Int(parts[2]),
      let survival = Survival(parts[3]), let medium = Medium(rawValue: parts[4]),
      ["grown", "short"].contains(parts[5])
    else { return nil }
    self.init(story, fault, point: point, survival, medium, isGrown: parts[5] == "grown")
  }

  /// The line of text.
  public var description: String {
    let parts: [String] = [
      story.rawValue, fault.description, String(point), survival.description, medium.rawValue,
      isGrown ? "grown" : "short",
    ]
    return parts.joined(separator: "/")
  }
}

extension CrashCase.Survival: LosslessStringConvertible {
  /// The survival that a word names.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 2 else { return nil }
    switch (parts[0], UInt64(parts[1])) {
    case ("keep", _) where parts[1].allSatisfy { "01".contains($0) }:
      self = .keep(parts[1].map { $0 == "1" })
    case ("torn", let number?): self = .torn(boundary: Int(number), alone: false)
    case ("tornalone", let number?): self = .torn(boundary: Int(number), alone: true)
    case ("scatter", let number?): self = .scatter(number)
    case ("shuffle", let number?): self = .shuffle(number)
    default: return nil
    }
  }

  /// The word.
  public var description: String {
    switch self {
    case .keep(let kept): return "keep-" + kept.map { $0 ? "1" : "0" }.joined()
    case .torn(let boundary, let alone): return "torn\(alone ? "alone" : "")-\(boundary)"
    case .scatter(let seed): return "scatter-\(seed)"
    case .shuffle(let seed): return "shuffle-\(seed)"
    }
  }
}

extension FaultScript.Plan: LosslessStringConvertible {
  /// The plan that a word names: `none`, `once-17-5`, `from-17-5`, `full-65536`, `short-17-100`,
  /// `troubled-7`, `lyingsync`.
  public init?(_ text: String) {
    let parts = text.split(separator: "-").map { String($0) }
    let numbers = parts.dropFirst().compactMap { Int($0) }
    guard numbers.count == parts.count - 1 else { return nil }
    switch (parts.first, numbers.count) {
    case ("none", 0): self = .none
    case ("lyingsync", 0): self = .lyingSync
    case ("once", 2): self = .once(numbers[0], errno: Int32(numbers[1]))
    case ("from", 2): self = .from(numbers[0], errno: Int32(numbers[1]))
    case ("full", 1): self = .full(at: UInt64(numbers[0]))
    case ("short", 2): self = .short(numbers[0], bytes: numbers[1])
    case ("troubled", 1): self = .troubled(bytes: numbers[0])
    default: return nil
    }
  }

  /// The word.
  public var description: String {
    switch self {
    case .none: return "none"
    case .lyingSync: return "lyingsync"
    case .once(let index, let errno): return "once-\(index)-\(errno)"
    case .from(let index, let errno): return "from-\(index)-\(errno)"
    case .full(let limit): return "full-\(limit)"
    case .short(let index, let bytes): return "short-\(index)-\(bytes)"
    case .troubled(let bytes): return "troubled-\(bytes)"
    }
  }
}

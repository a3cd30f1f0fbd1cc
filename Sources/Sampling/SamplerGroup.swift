// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A sampling loop, whatever its sensor and its clock are. It is used on one thread.
public class AnySamplingLoop {
  fileprivate init() {}

  /// See ``SamplingLoop/schedule``.
  public var schedule: Schedule { preconditionFailure("overridden") }
  /// See ``SamplingLoop/undelivered``.
  public var undelivered: [TickRecord] { preconditionFailure("overridden") }
  fileprivate var turns: UInt64 { preconditionFailure("overridden") }
  fileprivate var latest: MonotonicTime { preconditionFailure("overridden") }
  fileprivate var now: MonotonicTime { preconditionFailure("overridden") }
  fileprivate func advance(horizon: MonotonicTime) -> MonotonicTime? {
    preconditionFailure("overridden")
  }
  fileprivate func sleep(until deadline: MonotonicTime) { preconditionFailure("overridden") }
  fileprivate func noteHoldUp() { preconditionFailure("overridden") }
}

/// A loop in memory of its own.
public final class BoxedSamplingLoop<Loop: SamplingLoop & ~Copyable>: AnySamplingLoop {
  // Safe: initialised once, owned by this object alone and freed with it. A pointer, and not a property, so that no access is
  // checked at run time.
  private let loop: UnsafeMutablePointer<Loop>

  /// Takes a loop over: one allocation.
  public init(_ loop: consuming Loop) {
    self.loop = .allocate(capacity: 1)
    self.loop.initialize(to: loop)
    super.init()
  }

  deinit {
    loop.deinitialize(count: 1)
    loop.deallocate()
  }

  public override var schedule: Schedule { loop.pointee.schedule }
  public override var undelivered: [TickRecord] { loop.pointee.undelivered }
  fileprivate override var turns: UInt64 { loop.pointee.turns }
  fileprivate override var latest: MonotonicTime { loop.pointee.latest }
  fileprivate override var now: MonotonicTime { loop.pointee.now }
  fileprivate override func advance(horizon: MonotonicTime) -> MonotonicTime? {
    loop.pointee.advance(horizon: horizon)
  }
  fileprivate override func sleep(until deadline: MonotonicTime) {
    loop.pointee.sleep(until: deadline)
  }
  fileprivate override func noteHoldUp() { loop.pointee.noteHoldUp() }
}

/// The loops of the sensors that share a bus, on one thread.
///
///     due    left ──┤        │ right ──┤    nothing: sleep until the earliest
///     several due: first the one that would lose something first (``SamplingLoop/latest``)
///
/// A loop's turn is a few transfers, so a sensor that fails costs the others these at most. ``step()`` and ``run()`` neither
/// allocate, lock nor count references.
public struct SamplerGroup: ~Copyable {
  // Safe: both have `count` places, initialised in `init`, owned by this value alone and freed with it. Each loop is retained
  // in `init` and released in `deinit`, so it lives as long as it is called.
  private let loops: UnsafeMutablePointer<Unmanaged<AnySamplingLoop>>
  /// When each loop is to be called; `nil` once it has ended.
  private let due: UnsafeMutablePointer<MonotonicTime?>
  private let count: Int

  /// Loops on one clock, one at least: two allocations.
  public init(_ loops: [AnySamplingLoop]) {
    precondition(!loops.isEmpty, "a group has a loop")
    count = loops.count
    self.loops = .allocate(capacity: count)
    due = .allocate(capacity: count)
    for (index, loop) in loops.enumerated() {
      (self.loops + index).initialize(to: .passRetained(loop))
      (due + index).initialize(to: loop.now)
    }
  }

  deinit {
    for index in 0..<count { loops[index].release() }
    loops.deallocate()
    due.deallocate()
  }

  /// Works until all loops have ended.
  public mutating func run() {
    while step() == .continue {}
  }

  /// Waits until a loop has a tick or a reading, and lets it handle that.
  public mutating func step() -> StepResult {
    // A single loop is asked at once whether it was stopped.
    var isAgain = count > 1
    while let (index, instant) = next() {
      if isAgain { loops[index]._withUnsafeGuaranteedRef { $0.sleep(until: instant) } }
      isAgain = true
      let horizon = horizon(besides: index)
      let (begin, before) = loops[index]._withUnsafeGuaranteedRef { ($0.now, $0.turns) }
      due[index] = loops[index]._withUnsafeGuaranteedRef { $0.advance(horizon: horizon) }
      let (end, after) = loops[index]._withUnsafeGuaranteedRef { ($0.now, $0.turns) }
      if count > 1, end - begin >= Supervisor.transferLimit { noteHoldUp(by: index) }
      if after != before { return .continue }
    }
    return .finished
  }

  /// The loop to call, and when; `nil` when all have ended.
  private func next() -> (index: Int, instant: MonotonicTime)? {
    var first: (index: Int, instant: MonotonicTime)?
    for index in 0..<count {
      guard let instant = due[index], first == nil || instant < first?.instant ?? instant else {
        continue
      }
      first = (index, instant)
    }
    guard count > 1, let first else { return first }
    let now = loops[first.index]._withUnsafeGuaranteedRef { $0.now }
    var (chosen, urgency) = (first, MonotonicTime(nanoseconds: .max))
    for index in 0..<count {
      guard let instant = due[index], instant <= now else { continue }
      let latest = loops[index]._withUnsafeGuaranteedRef { $0.latest }
      if latest < urgency { (chosen, urgency) = ((index, instant), latest) }
    }
    return chosen
  }

  /// When another loop than this one loses something, if nobody calls it.
  private func horizon(besides index: Int) -> MonotonicTime {
    var horizon = MonotonicTime(nanoseconds: .max)
    for other in 0..<count where other != index && due[other] != nil {
      horizon = min(horizon, loops[other]._withUnsafeGuaranteedRef { $0.latest })
    }
    return horizon
  }

  private func noteHoldUp(by index: Int) {
    for other in 0..<count where other != index && due[other] != nil {
      loops[other]._withUnsafeGuaranteedRef { $0.noteHoldUp() }
    }
  }
}

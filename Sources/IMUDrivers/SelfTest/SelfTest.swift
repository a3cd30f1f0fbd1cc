// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

/// A run of a chip's built-in self-test, step by step; see ``SelfTestPlan``.
///
/// Owns its bus; ``releaseBus()`` gives it back. The chip must lie still. When the run is done, however it ended, every
/// register that it wrote has its old contents, or the report says that it has not.
///
///     identify ─► trim ─► prepare ─► begin ─► collect off, on, off ─► … ─► restore ─► done
///                 │          │         │          │                          ▲
///                 └──────────┴─────────┴──────────┴── failed or moved ───────┘
///
/// No call sleeps or waits for anything but the bus.
package struct SelfTest<Bus: I2CBus & ~Copyable>: ~Copyable {
  private enum Phase: Int { case before, on, after }

  private enum State {
    case identify
    case prepare(attempt: Int)
    case begin(pass: Int)
    case collect(pass: Int, phase: Phase, polls: Int)
    case restore(attempt: Int)
    case done(SelfTestReport)
  }

  private var bus: Bus
  private let identity: SensorIdentity
  private let plan: SelfTestPlan
  private var state: State
  /// The old contents of the registers that were or may have been written.
  private var saved = RegisterList()
  /// Those to be read again; the first register is there as it was written.
  private var unproved = RegisterList()
  /// A register that changed while it was saved: after a dip of the supply the saved contents are not the old ones.
  private var lost: SensorError?
  /// The contents that registers should have now.
  private var image = RegisterList()
  private var codes: [Int]
  /// Whether the sample that is discarded has come.
  private var hasDiscarded = false
  /// By phase.
  private var tallies: [SelfTestTally]
  private var answers: [SelfTestAnswer]
  private var outcome: SelfTestReport.Outcome?

  /// A run on the identified chip; sends nothing yet.
  package init(bus: consuming Bus, identity: SensorIdentity) {
    self.bus = bus
    self.identity = identity
    plan = identity.model.family.selfTest(identity.model)
    // Not as defaults of the declarations: Swift 6.0 crashes on these in a noncopyable type.
    (state, codes, tallies, answers, outcome, lost) = (.identify, [], [], [], nil, nil)
  }

  /// Ends the run and gives the bus back. Before the report the chip is as the last step left it.
  package consuming func releaseBus() -> Bus { bus }

  /// Takes one step. Call it again when the wait has passed, until it returns a report.
  package mutating func step() -> SelfTestStep {
    while true {
      do throws(SensorError) {
        if let step = try proceed() { return step }
      } catch {
        outcome = .failed(error)
        state = .restore(attempt: 0)
      }
    }
  }

  /// One step, and the wait after it, if any.
  private mutating func proceed() throws(SensorError) -> SelfTestStep? {
    switch state {
    case .identify: return try identify()
    case .prepare(let attempt): return try prepare(attempt)
    case .begin(let pass): return try begin(plan.passes[pass], pass)
    case .collect(let pass, let phase, let polls):
      return try collect(plan.passes[pass], pass, phase, polls)
    case .restore(let attempt): return restore(attempt)
    case .done(let report): return .done(report)
    }
  }
}

extension SelfTest: Sendable where Bus: Sendable & ~Copyable {}

// MARK: - Set-up

extension SelfTest where Bus: ~Copyable {
  private var model: SensorModel { identity.model }
  private var address: I2CAddress { identity.address }

  private mutating func identify() throws(SensorError) -> SelfTestStep? {
    let found = try bus.read(model.family.identityRegister, of: model, at: address)
    guard found == identity.identity else {
      throw .foreignIdentity(model, address: address, expected: identity.identity, found: found)
    }
    if case .trim(let trim) = plan.criterion {
      var contents: [UInt8] = []
      for register in trim.registers { contents.append(try readTwice(register)) }
      codes = trim.codes(contents)
    }
    state = .prepare(attempt: 0)
    return nil
  }

  /// Saves each register of the set-up. The first is written before the others are read.
  private mutating func save() throws(SensorError) {
    for index in 0..<plan.setUp.count {
      let entry = plan.setUp[index]
      let register = model.family.register(entry.register)
      saved.append(register, try readTwice(entry.register))
      if index == 0 { try write(entry) }
      // A chip may ignore the first write after it slept; any other difference is a supply that dipped.
      let found = index > 0 ? saved[index].value : try readTwice(entry.register)
      unproved.append(register, found == saved[index].value ? found : entry.value)
    }
    try proveSaved()
    if let lost { throw lost }
  }

  /// Reads what was saved again, before anything but the first register is written.
  private mutating func proveSaved() throws(SensorError) {
    for index in 0..<unproved.count {
      do throws(SensorError) {
        try confirm(unproved[index])
      } catch {
        guard case .readBack = error else { throw error }
        lost = lost ?? error
      }
    }
    unproved = RegisterList()
  }

  /// Saves and writes the set-up, and reads it back. Some chips ignore the first write after they slept.
  private mutating func prepare(_ attempt: Int) throws(SensorError) -> SelfTestStep? {
    if attempt == 0 { try save() }
    try bus.write(plan.setUp, to: model, at: address)
    image = plan.setUp
    do throws(SensorError) {
      try confirmImage()
    } catch {
      guard case .readBack = error, attempt < 2 else { throw error }
      state = .prepare(attempt: attempt + 1)
      return .wait(nanoseconds: 100_000_000)
    }
    state = .begin(pass: 0)
    return nil
  }

  private mutating func begin(
    _ pass: SelfTestPass, _ number: Int
  ) throws(SensorError) -> SelfTestStep? {
    tallies = Array(repeating: SelfTestTally(), count: 3)
    try set(pass.begin)
    return expect(.before, number, after: pass.settle)
  }

  /// Waits for the first sample of a phase.
  private mutating func expect(_ phase: Phase, _ number: Int, after wait: Int64) -> SelfTestStep {
    hasDiscarded = false
    state = .collect(pass: number, phase: phase, polls: 0)
    return .wait(nanoseconds: wait)
  }
}

// MARK: - Samples

extension SelfTest where Bus: ~Copyable {
  /// Polls without a new sample until the chip counts as silent: ten nominal periods.
  private var patience: Int { 40 }

  private mutating func collect(
    _ pass: SelfTestPass, _ number: Int, _ phase: Phase, _ polls: Int
  ) throws(SensorError) -> SelfTestStep? {
    guard let values = try sample(pass.place) else {
      guard polls < patience else {
        // If the supply dipped, that is the error.
        try confirmImage()
        throw .noSamples(
          model, address: address, model.family.register(pass.place.register))
      }
      state = .collect(pass: number, phase: phase, polls: polls + 1)
      return .wait(nanoseconds: pass.period / 4)
    }
    if hasDiscarded { tallies[phase.rawValue].add(values, of: pass.channels) }
    hasDiscarded = true
    guard tallies[phase.rawValue].count == pass.count else {
      state = .collect(pass: number, phase: phase, polls: 0)
      return .wait(nanoseconds: pass.period * 11 / 10)
    }
    return try end(phase, pass, number)
  }

  /// A phase has its samples.
  private mutating func end(
    _ phase: Phase, _ pass: SelfTestPass, _ number: Int
  ) throws(SensorError) -> SelfTestStep? {
    // Samples of a chip that lost its set-up do not count.
    try confirmImage()
    if let movement = movement(pass, phase) {
      outcome = .moved(channel: movement.channel, amount: movement.amount)
      state = .restore(attempt: 0)
      return nil
    }
    switch phase {
    case .before:
      try set(pass.on)
      return expect(.on, number, after: pass.answer)
    case .on:
      try set(pass.off)
      return expect(.after, number, after: pass.answer)
    case .after:
      answers += pass.channels.map { answer($0) }
      if number + 1 < plan.passes.count {
        state = .begin(pass: number + 1)
      } else {
        outcome = .answers(answers)
        state = .restore(attempt: 0)
      }
      return nil
    }
  }

  /// The first axis that did not lie still, if any.
  private func movement(
    _ pass: SelfTestPass, _ phase: Phase
  ) -> (channel: Int, amount: Double)? {
    let tally = tallies[phase.rawValue]
    for channel in pass.channels {
      let bound = SelfTestUnit(channel).stillness
      var candidates = [SelfTestSum(tally.spread(channel), of: 1, channel, plan)]
      if case .after = phase {
        let rest = tally.difference(tallies[Phase.before.rawValue], channel)
        candidates.append(SelfTestSum(rest, of: tally.count, channel, plan))
      }
      for candidate in candidates where !candidate.isWithin(0...bound) {
        return (channel, abs(candidate.value))
      }
    }
    return nil
  }

  private func answer(_ channel: Int) -> SelfTestAnswer {
    let (before, on) = (tallies[Phase.before.rawValue], tallies[Phase.on.rawValue])
    let sum = SelfTestSum(on.difference(before, channel), of: on.count, channel, plan)
    let isClipped = before.isClipped(channel) || on.isClipped(channel)
    let unit = SelfTestUnit(channel)
    func text(_ response: Double) -> String {
      unit.text(response) + (isClipped ? " or more, as its output was at an end of the range" : "")
    }
    func answer(
      _ value: String, bound: String, _ verdict: CertificateFinding.Verdict,
      isUntrimmed: Bool = false
    ) -> SelfTestAnswer {
      SelfTestAnswer(
        channel: channel, response: sum.value, isUntrimmed: isUntrimmed,
        finding: CertificateFinding(
          name: "self-test-\(ChannelSet.names[channel])", value: value, bound: bound,
          verdict: verdict))
    }
    // A clipped answer fails where a larger one would too, and is in doubt elsewhere.
    func judged(
      _ value: String, bound: String, passes: Bool, isTooMuch: Bool
    ) -> SelfTestAnswer {
      guard isClipped, !isTooMuch else {
        return answer(value, bound: bound, passes ? .pass : .fail)
      }
      // Gravity takes the room of the axis that is up.
      return answer(value + (channel < 3 ? "; lay another face up" : ""), bound: bound, .warn)
    }
    switch plan.criterion {
    case .magnitude(let accelerometer, let gyroscope):
      let limits = channel < 3 ? accelerometer : gyroscope
      return judged(
        text(abs(sum.value)), bound: "\(limits.lowerBound) to \(limits.upperBound) \(unit.name)",
        passes: sum.isWithin(limits), isTooMuch: !sum.isWithin(0...limits.upperBound))
    case .trim(let trim):
      guard codes[channel] > 0 else {
        return answer(
          text(sum.value) + ", with nothing to compare it with: its trim code is 0, as a clone's",
          bound: "a code of 1 to \(trim.largest)", .warn, isUntrimmed: true)
      }
      let expected = trim.response(channel, codes[channel])
      let ratio = trim.isSigned ? sum.counts / expected : abs(sum.counts) / abs(expected)
      func percent(_ ratio: Double) -> String { Plain.number(ratio * 100, per: 10) }
      return judged(
        "\(text(sum.value)), \(percent(ratio)) % of the factory's trim",
        bound: "\(percent(trim.ratio.lowerBound)) to \(percent(trim.ratio.upperBound)) %",
        passes: trim.ratio.contains(ratio),
        // A wrong sign too: more of it is as wrong.
        isTooMuch: ratio > trim.ratio.upperBound || ratio < 0)
    }
  }

  /// The axes of a new sample by channel; `nil` when there is none.
  private mutating func sample(_ place: SelfTestPass.Place) throws(SensorError) -> [Int64]? {
    let burst: Burst
    do throws(BusError) {
      burst = try bus.readBurstPatiently(address, register: place.register, count: place.count)
    } catch {
      throw .bus(model, model.family.register(place.register), error)
    }
    guard burst[0] & place.ready != 0 else { return nil }
    return (0..<6).map { channel in
      let offset =
        channel < 3 ? place.acceleration + 2 * channel : place.angularRate + 2 * (channel - 3)
      return Int64(burst.value(offset, isBigEndian: place.isBigEndian))
    }
  }
}

// MARK: - Restoration

extension SelfTest where Bus: ~Copyable {
  /// Writes what was saved and proves it; tries again for as long as a chip whose supply dipped takes to boot.
  private mutating func restore(_ attempt: Int) -> SelfTestStep? {
    guard let outcome else { preconditionFailure("a run is restored after its end") }
    let restoration: SelfTestReport.Restoration
    do throws(SensorError) {
      try leaveOtherBank()
      try proveSaved()
      try writeSaved()
      restoration = lost.map { .failed($0) } ?? .proved(count: saved.count)
    } catch {
      guard attempt == 4 else {
        state = .restore(attempt: attempt + 1)
        return .wait(nanoseconds: 50_000_000)
      }
      restoration = .failed(error)
    }
    state = .done(SelfTestReport(outcome: outcome, restoration: restoration))
    return nil
  }

  /// Restores the registers, the last first, and reads them back. The first, which may select another bank or put the chip
  /// to sleep, is restored when the others are proved.
  private mutating func writeSaved() throws(SensorError) {
    guard saved.count > 0 else { return }
    if saved.count > 1 { try write(plan.setUp[0]) }
    for index in (1..<saved.count).reversed() { try write(saved[index]) }
    for index in 1..<saved.count { try confirm(saved[index]) }
    try write(saved[0])
    try confirm(saved[0])
  }
}

// MARK: - Registers

extension SelfTest where Bus: ~Copyable {
  /// Writes registers of the set-up.
  private mutating func set(_ list: RegisterList) throws(SensorError) {
    try bus.write(list, to: model, at: address)
    image = image.merged(with: list)
    try confirmImage()
  }

  /// Reads back every register that was written.
  private mutating func confirmImage() throws(SensorError) {
    for index in 0..<image.count { try confirm(image[index]) }
  }

  private mutating func confirm(_ entry: RegisterList.Entry) throws(SensorError) {
    let register = model.family.register(entry.register)
    var value = try bus.read(register, of: model, at: address)
    // A byte garbled on the bus must not end the test.
    if value != entry.value { value = try bus.read(register, of: model, at: address) }
    guard value == entry.value else {
      throw .readBack(model, address: address, register, written: entry.value, read: value)
    }
  }

  /// A register's contents, the same in two readings in a row: nothing guards the bytes of a transfer.
  private mutating func readTwice(_ number: UInt8) throws(SensorError) -> UInt8 {
    let register = model.family.register(number)
    var value = try bus.read(register, of: model, at: address)
    for _ in 0..<4 {
      let again = try bus.read(register, of: model, at: address)
      if again == value { return value }
      value = again
    }
    throw .unsteady(model, address: address, register)
  }

  /// A transfer to another bank that failed may have left that bank selected. Nothing is written to a foreign chip.
  private mutating func leaveOtherBank() throws(SensorError) {
    guard plan.setUp.isBanked else { return }
    if case .failed(.foreignIdentity) = outcome { return }
    try bus.write([ICM20948.bankSelect: 0x00], to: model, at: address)
  }

  private mutating func write(_ entry: RegisterList.Entry) throws(SensorError) {
    try bus.write([model.family.register(entry.register): entry.value], to: model, at: address)
  }
}

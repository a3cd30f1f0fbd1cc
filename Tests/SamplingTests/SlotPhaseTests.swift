// SPDX-License-Identifier: Apache-2.0

import Testing

import Sampling

@Suite("The quick estimate of a chip's phase")
struct SlotPhaseTests {
  /// A chip whose slot n is whole at `start` + n periods.
  private struct Chip {
    var period = 1_000_000.0
    var start = 400_000.0

    func count(at instant: Int64) -> Int64 { Int64((Double(instant) - start) / period) }
    func time(of slot: Int64) -> Double { start + Double(slot) * period }
  }

  /// Reads every 20 ms with reads of 206 µs, some of them late.
  private func run(
    _ chip: Chip, seconds: Int, lateness: (Int) -> Int64 = { _ in 0 },
    look: (SlotPhase, Int64) -> Void = { _, _ in }
  ) -> SlotPhase {
    var phase = SlotPhase(hertz: 1000)
    phase.begin(before: 0, after: 300_000)
    for number in 1...(50 * seconds) {
      let before = Int64(number) * 20_000_000 + Int64(number * number % 97) * 10_000
      let count = chip.count(at: before + 103_000)
      let after = before + 206_000 + lateness(number)
      #expect(phase.isPossible(count, before: before, after: after), "reading \(number)")
      phase.note(count, before: before, after: after)
      look(phase, count)
    }
    return phase
  }

  @Test("after ten seconds its times are within half a period of a chip that is off by up to 7 %")
  func accuracy() {
    for error in [-0.07, -0.03, 0, 0.031, 0.07] {
      let chip = Chip(period: 1_000_000 * (1 + error))
      var worst = 0.0
      _ = run(
        chip, seconds: 30,
        look: { phase, count in
          guard count > 10_000 else { return }
          worst = max(worst, abs(Double(phase.time(of: count)) - chip.time(of: count)))
        })
      #expect(worst < 500_000, "\(error): \(worst) ns")
    }
  }

  @Test("its times never go back, and a late read moves them by nothing that it does not prove")
  func order() {
    let chip = Chip(period: 969_000)
    var (last, lastSlot) = (Int64.min, Int64(0))
    _ = run(
      chip, seconds: 20, lateness: { $0 % 5 == 0 ? 12_000_000 : 0 },
      look: { phase, count in
        for slot in lastSlot + 1...count {
          #expect(phase.time(of: slot) >= last)
          last = phase.time(of: slot)
        }
        lastSlot = count
        if count > 5000 { #expect(abs(Double(last) - chip.time(of: count)) < 1_000_000) }
      })
  }

  @Test("the samples missing after a hole are known to one or two")
  func missing() {
    let chip = Chip(period: 1_031_000)
    let phase = run(chip, seconds: 20)
    for hole in [Int64(30_000_000), 150_000_000, 400_000_000, 2_000_000_000] {
      let instant = 20_000_000_000 + hole
      #expect(abs(phase.slots(at: instant) - chip.count(at: instant)) <= 2)
    }
  }

  @Test("counts that no chip near its rate can have made are impossible")
  func impossible() {
    let chip = Chip(period: 1_031_000)
    let phase = run(chip, seconds: 5)
    let before = Int64(5_020_000_000)
    let count = chip.count(at: before + 100_000)
    func isPossible(_ count: Int64) -> Bool {
      phase.isPossible(count, before: before, after: before + 206_000)
    }
    #expect(isPossible(count) && isPossible(count + 1))
    #expect(!isPossible(count + 4) && !isPossible(count - 4))
    #expect(!isPossible(count + 21) && !isPossible(phase.count - 1))
    // In the first second nothing is known but the table.
    var young = SlotPhase(hertz: 1000)
    young.begin(before: 0, after: 0)
    #expect(young.isPossible(23, before: 20_000_000, after: 20_200_000))
    #expect(young.isPossible(17, before: 20_000_000, after: 20_200_000))
    #expect(!young.isPossible(41, before: 20_000_000, after: 20_200_000))
  }
}

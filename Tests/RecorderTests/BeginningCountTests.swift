// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("Cycles and the number of events")
struct BeginningCountTests {
  private func at(_ seconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 5_000_000_007 + seconds * 1_000_000_000)
  }

  /// Seconds at which a cycle is taken, of those at which the loop looks; and when the next one is due.
  private func cycles(lookingAt seconds: [Int64]) -> (taken: [Int64], due: MonotonicTime) {
    var cycle = DutyCycle(period: 600_000_000_000, from: at(0))
    var taken: [Int64] = []
    for second in seconds where cycle.takeCycle(at: at(second)) { taken.append(second) }
    return (taken, cycle.due)
  }

  @Test(
    "the first cycle is at once, each other one a period after the one before, however late that was seen"
  )
  func eachPeriod() {
    let (taken, due) = cycles(lookingAt: [0, 0, 599, 601, 602, 1199])
    #expect(taken == [0, 601])
    #expect(due == at(1200))
  }

  @Test("cycles that pass unseen are left out")
  func missedTurns() {
    let (taken, due) = cycles(lookingAt: [1800, 2399, 3599])
    #expect(taken == [1800, 3599])
    #expect(due == at(3600))
  }

  @Test("of cycles left out in a row, the journal has the first")
  func cyclesLeftOut() throws {
    let source = CountingSource()
    // No cycle begins: the sensor never sleeps.
    let service = SteppedRecorder(source) { $0.every = 1_000_000_000 }
    try service.run(.presses([], until: source.clock.now() + 5_500_000_000))
    let leftOut = service.notices.all.filter { $0.contains("of the duty cycle is left out") }
    #expect(leftOut.count == 1)
  }

  @Test("a recording counts for 24 hours")
  func day() {
    var tally = TriggerTally()
    #expect(tally.count(at: at(0)) == 0)
    for second in [0, 10, 50_000] as [Int64] { tally.noteBeginning(at: at(second)) }
    #expect(tally.count(at: at(50_000)) == 3)
    #expect(tally.count(at: at(86_399)) == 3)
    #expect(tally.count(at: at(86_400)) == 2)
    #expect(tally.count(at: at(86_410)) == 1)
    tally.noteBeginning(at: at(86_411))
    #expect(tally.count(at: at(86_411)) == 2)
    #expect(tally.count(at: at(200_000)) == 0)
  }

  @Test("a recording that was none is taken back, and the ones before stay")
  func takenBack() {
    var tally = TriggerTally()
    tally.takeBackBeginning()
    for second in [0, 10] as [Int64] { tally.noteBeginning(at: at(second)) }
    tally.takeBackBeginning()
    #expect(tally.count(at: at(10)) == 1)
    #expect(tally.count(at: at(86_400)) == 0)
  }

  @Test("a full day is reported once until another recording began")
  func reportedOnce() {
    var tally = TriggerTally()
    let reports = [tally.isNewlyFull(), tally.isNewlyFull()]
    tally.noteBeginning(at: at(1))
    let later = tally.isNewlyFull()
    #expect(reports == [true, false] && later)
  }
}

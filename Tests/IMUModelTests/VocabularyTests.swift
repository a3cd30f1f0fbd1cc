// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("Samples, gaps and accounts")
struct VocabularyTests {
  @Test("each channel of a sample has its place in the channel set")
  func channels() {
    var sample = RawSample(ax: 1, ay: -2, az: 3, gx: -4, gy: 5, gz: -6, temperature: 7)
    #expect((0..<7).map { sample[$0] } == [1, -2, 3, -4, 5, -6, 7])
    for channel in 0..<7 { sample[channel] = Int16(-100 - channel) }
    #expect(sample.ax == -100)
    #expect(sample.temperature == -106)
    #expect(sample.gy == -104)
  }

  @Test("channel sets list their places in order")
  func channelSets() {
    #expect(ChannelSet.accelerometer.indices == [0, 1, 2])
    #expect(ChannelSet([.gyroscope, .temperature]).indices == [3, 4, 5, 6])
    #expect(ChannelSet.all.indices.map { ChannelSet.names[$0] } == ChannelSet.names)
  }

  @Test("every cause, reason, event and fault has the name and the phrase of this table")
  func words() {
    #expect(
      GapCause.allCases.map { [$0.name, $0.phrase] } == [
        ["missed", "woken too late"],
        ["busError", "bus error"],
        ["ringFull", "ring full"],
        ["stale", "nothing new from the sensor"],
        ["reinitialising", "sensor being reinitialised"],
        ["lost", "lost from a damaged log, a table or a FIFO"],
        ["frozen", "sensor stuck"],
      ])
    #expect(
      StopReason.allCases.map { [$0.name, $0.flaw ?? ""] } == [
        ["completed", ""],
        ["signal", ""],
        ["button", ""],
        ["storageFull", "the storage was full"],
        ["storageError", "the storage failed"],
        ["sensorLost", "the sensor was lost"],
        ["imported", ""],
        ["recovered", "it was salvaged from a damaged log"],
      ])
    #expect(
      ClockPair.Reason.allCases.map(\.name)
        == ["start", "becameSynchronised", "stepped", "end", "during"])
    #expect(SensorEvent.Kind.allCases.map(\.name) == ["lost", "reinitialised", "back"])
    #expect(
      SensorEvent.Fault.allCases.map(\.name) == [
        "none", "bus", "configurationLost", "zeros", "frozen", "noData", "identity",
      ])
  }

  @Test(
    "every cause has its own account, found by its name and phrase, and the account balances",
    arguments: GapCause.allCases)
  func tally(cause: GapCause) {
    var tally = TickTally()
    tally.sampled = 5
    tally.add(2, cause)
    tally[cause] += 1
    #expect(tally.losses == ["3 \(cause.phrase)"])
    let named = tally.named
    #expect(named.map(\.name) == ["scheduled", "sampled"] + GapCause.allCases.map(\.name))
    #expect(named.first { $0.name == cause.name }?.count == 3)
    #expect(named[0].count == 8)
    #expect(named.dropFirst().reduce(0) { $0 + $1.count } == 8)
    #expect(tally.scheduled == 8)
    let accounts = [
      tally.missed, tally.busErrors, tally.ringFull, tally.stale, tally.reinitialising,
      tally.lost, tally.frozen,
    ]
    #expect(accounts.filter { $0 == 3 }.count == 1)
    #expect(accounts.reduce(0, +) == 3)
  }

  @Test("a gap survives a tick record", arguments: GapCause.allCases)
  func gaps(cause: GapCause) {
    let gap = Gap(firstTick: 1 << 40, count: 3, cause: cause, code: 121)
    let record = TickRecord(gap)
    #expect(record.gap == gap)
    #expect(record.sensorEvent == nil)
  }

  @Test(
    "a sensor event survives the way through a tick record", arguments: SensorEvent.Kind.allCases)
  func events(kind: SensorEvent.Kind) {
    for fault in SensorEvent.Fault.allCases {
      let event = SensorEvent(tick: 9, kind: kind, fault: fault)
      #expect(TickRecord(event).sensorEvent == event)
      #expect(TickRecord(event).gap == nil)
    }
  }

  @Test("a ring of 600 tick records takes less than 40 kB")
  func size() {
    #expect(MemoryLayout<TickRecord>.stride * 600 < 40_000)
  }
}

@Suite("Recording identities")
struct RecordingIDTests {
  @Test("an identity is written in 8-4-4-4-12 digits and read back, in either case")
  func text() throws {
    let id = RecordingID(high: 0x0102_0304_0506_4708, low: 0x890A_0B0C_0D0E_0F10)
    #expect(id.description == "01020304-0506-4708-890a-0b0c0d0e0f10")
    #expect(RecordingID(id.description) == id)
    #expect(RecordingID(id.description.uppercased()) == id)
  }

  @Test(
    "other texts are not identities",
    arguments: [
      "", "01020304", "0102030405064708890a0b0c0d0e0f10", "01020304-0506-4708-890a-0b0c0d0e0f1",
      "g1020304-0506-4708-890a-0b0c0d0e0f10", "+1020304-0506-4708-890a-0b0c0d0e0f10",
    ])
  func refusing(text: String) {
    #expect(RecordingID(text) == nil)
  }

  @Test("random identities carry version 4 and the RFC's variant")
  func random() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let text = Array(RecordingID.random(using: &generator).description)
      #expect(text[14] == "4")
      #expect("89ab".contains(text[19]))
    }
  }
}

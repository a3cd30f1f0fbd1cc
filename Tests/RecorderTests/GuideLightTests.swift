// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Recorder
import Testing

@Suite("The light guides a calibration by hand")
struct GuideLightTests {
  private func machine(_ events: [RecorderInput]) -> RecorderMachine {
    var machine = RecorderMachine(samplesWhileIdle: true)
    for event in events { _ = machine.handle(event) }
    return machine
  }

  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: 7_000_000_123 + Int64(seconds * 1e9))
  }

  @Test("a recording that two presses begin is guided, and the next one is not")
  func twoPresses() {
    let start: [RecorderInput] = [.begin, .sensorReady, .press(at: at(1))]
    #expect(!machine(start + [.single(at: at(1))]).isGuided)
    let guided = start + [.double(at: at(1)), .firstSample]
    #expect(machine(guided).isGuided && machine(guided).state == .recording)
    // A mark is none.
    let marked = start + [.single(at: at(1)), .firstSample, .press(at: at(5)), .double(at: at(5))]
    #expect(!machine(marked).isGuided)
    #expect(
      !machine(guided + [.stop(at: at(9)), .saved, .press(at: at(11)), .single(at: at(11))])
        .isGuided)
  }

  @Test(
    "two presses while the sensor is brought up begin a guided recording as soon as it can begin")
  func waiting() {
    let waits: [RecorderInput] = [.begin, .press(at: at(1)), .double(at: at(1))]
    #expect(machine(waits + [.sensorReady]).isGuided)
    #expect(!machine(waits + [.stop(at: at(2)), .sensorReady, .start(at: at(3))]).isGuided)
    #expect(!machine([.begin, .press(at: at(1)), .single(at: at(1)), .sensorReady]).isGuided)
    // Another start than that of the two presses.
    #expect(!machine(waits + [.stop(at: at(2)), .start(at: at(3)), .sensorReady]).isGuided)
    #expect(
      !machine([.begin, .start(at: at(0)), .press(at: at(1)), .sensorReady, .double(at: at(1))])
        .isGuided)
  }

  @Test("the recording after a guided one that is discarded is guided too, and that is all")
  func discarded() {
    let guided: [RecorderInput] = [
      .begin, .sensorReady, .press(at: at(1)), .double(at: at(1)), .firstSample,
    ]
    #expect(machine(guided + [.long(at: at(5)), .saved, .firstSample]).isGuided)
    let plain: [RecorderInput] = [.begin, .sensorReady, .start(at: at(1)), .firstSample]
    #expect(!machine(plain + [.long(at: at(5)), .saved, .firstSample]).isGuided)
  }

  /// The n-th sample of a chip that lies on a face for 3 s, is moved for 1 s, and so on through the six faces.
  @Sendable
  private static func faces(_ number: UInt64) -> RawSample {
    var sample = RawSample()
    let (face, place) = (number / 400, number % 400)
    guard place < 300 else {
      sample.ax = Int16(number % 7) * 1000
      sample.ay = Int16(number % 5) * -1300
      return sample
    }
    sample[Int(face / 2 % 3)] = face % 2 == 0 ? 8192 : -8192
    sample.gx = Int16(number % 3)
    return sample
  }

  /// The light at each change while a recording of the faces runs, which `presses` began, and what the journal had then.
  private func run(_ presses: [Double]) throws -> (lights: [Light], journal: [String]) {
    var lights: [Light] = []
    let button = ScriptedButton.presses(presses.map(at), until: at(31))
    button.didShow = { picture in
      if picture.state == .recording, picture.light != lights.last { lights.append(picture.light) }
    }
    let recorder = SteppedRecorder(CountingSource(sample: GuideLightTests.faces)) {
      $0.length = 26_000_000_000
    }
    try recorder.run(button)
    return (lights, recorder.notices.all)
  }

  @Test(
    "it blinks while the sensor moves, is on while it must be held, and off once that was enough; the journal says what a recording lacks"
  )
  func guided() throws {
    let (lights, journal) = try run([1, 1.25])
    var cycles = 0
    for index in lights.indices.dropLast(2)
    where Array(lights[index...index + 2]) == [.guide(.hold), .guide(.taken), .guide(.move)] {
      cycles += 1
    }
    #expect(cycles >= 5, "\(lights)")
    #expect(!lights.contains(.guide(.done)))
    let sentence = "the guided recording ended with 6 of 6 faces, 0 of 6 edges and 0 of 3 turns; "
    #expect(journal.count { $0.hasPrefix(sentence) } == 1)
  }

  @Test("it is on throughout any other recording")
  func plain() throws {
    let (lights, journal) = try run([1])
    #expect(lights == [.recording])
    #expect(!journal.contains { $0.contains("guided") })
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import LogStoreTesting
@testable import Recorder
import Sampling
import SimulatedIMU
import Testing

/// A chip that lies on a face for 3 s, is moved for 1 s, and so on through the six faces.
private struct FacesSensor: IMUSensor, ~Copyable {
  private var count = 0

  let lifeLimit: LifeLimit? = nil
  let evidence = ReadEvidence()

  var readLimit: Int64 { .max }

  var description: SensorDescription { ExampleLog.description().sensor }

  let expectation: SensorExpectation? = nil

  mutating func bringUp() throws(SensorError) -> BringUpStep { .ready }

  mutating func restart() {}

  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    sample = RawSample()
    let (face, place) = (count / 400, count % 400)
    let value: Int16 = face % 2 == 0 ? 8192 : -8192
    if place < 300 {
      switch face / 2 % 3 {
      case 0: sample.ax = value
      case 1: sample.ay = value
      default: sample.az = value
      }
      // No register that a stuck chip could have.
      sample.gx = Int16(count % 3)
    } else {
      sample.ax = Int16(count % 7) * 1000
      sample.ay = Int16(count % 5) * -1300
    }
    count += 1
    return .fresh
  }

  mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck { .intact }
}

private struct FacesSource: SensorSource {
  let clock = VirtualClock(start: MonotonicTime(nanoseconds: 7_000_000_123))

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    try user.use(FacesSensor(), clock: clock, boardTitle: "test")
  }
}

@Suite("The light guides a calibration by hand")
struct GuideLightTests {
  private func machine(_ events: [RecorderEvent]) -> RecorderMachine {
    var machine = RecorderMachine(samplesWhileIdle: true)
    for event in events { _ = machine.handle(event) }
    return machine
  }

  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: 7_000_000_123 + Int64(seconds * 1e9))
  }

  @Test("a recording that two presses begin is guided, and the next one is not")
  func twoPresses() {
    let start: [RecorderEvent] = [.begin, .sensorReady, .press(at: at(1))]
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
    let waits: [RecorderEvent] = [.begin, .press(at: at(1)), .double(at: at(1))]
    #expect(machine(waits + [.sensorReady]).isGuided)
    #expect(!machine(waits + [.stop(at: at(2)), .sensorReady, .start(at: at(3))]).isGuided)
    #expect(!machine([.begin, .press(at: at(1)), .single(at: at(1)), .sensorReady]).isGuided)
  }

  /// The light at each change while a recording of the faces runs, which `presses` began.
  private func lights(_ presses: [Double]) throws -> [Light] {
    var lights: [Light] = []
    var sent = false
    let start = at(1)
    let button = ScriptedButton { now in
      if sent { return now > start + 30_000_000_000 ? nil : [] }
      sent = true
      return presses.flatMap { press in
        [(press, true), (press + 0.1, false)].map {
          LineEdge(isActive: $0.1, time: at($0.0))
        }
      }
    }
    button.didShow = { picture in
      if picture.state == .recording, picture.light != lights.last { lights.append(picture.light) }
    }
    var configuration = RecorderConfiguration.default
    configuration.rate = SteppedRecorder.rate
    configuration.length = 26_000_000_000
    configuration.reserve = 0
    let directory = TemporaryDirectory(inMemory: true)
    let surroundings = RecorderLoop.Surroundings { _, _ in
    } openPanel: { _ in
      button
    }
    _ = try SimulatedRecorder(
      RecorderSetup(configuration, sensor: FacesSource(), store: directory.path), surroundings
    ).run()
    return lights
  }

  @Test(
    "it blinks while the sensor moves, is on while it must be held, and off once that was enough")
  func guided() throws {
    let lights = try lights([1, 1.25])
    var cycles = 0
    for index in lights.indices.dropLast(2)
    where Array(lights[index...index + 2]) == [.guide(.hold), .guide(.taken), .guide(.move)] {
      cycles += 1
    }
    #expect(cycles >= 5, "\(lights)")
    #expect(!lights.contains(.guide(.done)))
  }

  @Test("it is on throughout any other recording")
  func plain() throws {
    #expect(try lights([1]) == [.recording])
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Calibration

@Suite("A guide to a calibration by hand")
struct CalibrationGuideTests {
  private typealias Side = CalibrationGuide.Side

  private func direction(_ axis: Int, _ isPositive: Bool) -> Vector3 {
    var direction = Vector3()
    direction[axis] = isPositive ? 1 : -1
    return direction
  }

  @Test("asks for the faces, edges and turns that are missing, in this order, until all are there")
  func steps() throws {
    var recording = try MadeUpRecording()
    #expect(recording.guide.next == .face(Side(axis: 0, isPositive: true)))
    for axis in 0..<3 {
      for isPositive in [true, false] {
        #expect(recording.guide.next == .face(Side(axis: axis, isPositive: isPositive)))
        recording.rest(direction(axis, isPositive))
        #expect(recording.guide.isTaken && recording.guide.up?.axis == axis)
        #expect(recording.guide.up?.isPositive == isPositive)
        recording.move()
        #expect(recording.guide.stillFor == nil)
      }
    }
    let planes = [(0, 1), (0, 2), (1, 2)]
    func edge(_ axis: Int, _ other: Int, _ isUp: Bool, _ isOtherUp: Bool)
      -> CalibrationGuide.Diagonal
    {
      CalibrationGuide.Diagonal(
        first: Side(axis: axis, isPositive: isUp), second: Side(axis: other, isPositive: isOtherUp))
    }
    func lie(_ axis: Int, _ other: Int, _ isUp: Bool, _ isOtherUp: Bool) {
      recording.rest((direction(axis, isUp) + direction(other, isOtherUp)) * 0.5.squareRoot())
      #expect(recording.guide.up == nil)
      recording.move()
    }
    for (axis, other) in planes {
      #expect(recording.guide.next == .diagonal(edge(axis, other, true, true)))
      // Any edge between the two will do; then it is the opposite one that is needed.
      lie(axis, other, true, false)
    }
    for (axis, other) in planes {
      #expect(recording.guide.next == .diagonal(edge(axis, other, false, true)))
      lie(axis, other, true, true)
      #expect(recording.guide.next == .diagonal(edge(axis, other, false, true)))
      lie(axis, other, false, true)
    }
    for axis in 0..<3 {
      #expect(recording.guide.next == .turn(axis))
      recording.rest(direction(axis, true))
      recording.turn(axis, by: [362, -358, 725][axis], direction(axis, true))
      recording.rest(direction(axis, true))
      recording.move()
    }
    #expect(recording.guide.next == .done && recording.guide.trouble == nil)
    #expect(recording.guide.faces.count == 6 && recording.guide.diagonals.count == 6)
    // What it asked for is enough for all that the recording can give.
    recording.study.finish()
    let result = recording.study.calibration(id: RecordingID(high: 1, low: 2), name: "n", made: 3)
    #expect(result.method == .orientations && result.refusals == [])
    #expect(result.uncheckedCount == 0, "\(result.remarks)")
    #expect(result.calibration?.gyroscope?.scale != Vector3(1, 1, 1))
  }

  @Test("a face may come in any order, and counts after 2.5 s")
  func anyOrder() throws {
    var recording = try MadeUpRecording()
    recording.rest(direction(2, false), 150)
    #expect(recording.guide.faces.isEmpty && !recording.guide.isTaken)
    #expect(recording.guide.stillFor == 1_500_000_000)
    recording.rest(direction(2, false), 50)
    #expect(recording.guide.stillFor == 2_000_000_000 && !recording.guide.isTaken)
    recording.rest(direction(2, false), 50)
    #expect(recording.guide.isTaken)
    #expect(recording.guide.faces == [Side(axis: 2, isPositive: false)])
    #expect(recording.guide.next == .face(Side(axis: 0, isPositive: true)))
  }

  @Test("a face that is moved too early is named, until one counts; a shorter rest is no attempt")
  func movedTooEarly() throws {
    var recording = try MadeUpRecording()
    recording.rest(direction(1, false), 60)
    recording.move()
    #expect(recording.guide.trouble == nil)
    recording.rest(direction(1, false), 150)
    recording.move()
    #expect(recording.guide.trouble == .moved(Side(axis: 1, isPositive: false)))
    recording.rest(direction(1, false))
    #expect(recording.guide.trouble == nil)
    // It counts already.
    recording.move()
    recording.rest(direction(1, false), 150)
    recording.move()
    #expect(recording.guide.trouble == nil)
  }

  @Test("a turn that is not whole, about two axes, or with gaps is named and does not count")
  func badTurns() throws {
    let up = direction(2, true)
    var recording = try MadeUpRecording()
    recording.rest(up)
    recording.turn(2, by: 290, up)
    recording.rest(up)
    guard case .notWhole(2, let degrees)? = recording.guide.trouble else {
      Issue.record("\(String(describing: recording.guide.trouble))")
      return
    }
    #expect(abs(degrees - 290) < 1)
    recording.turn(0, by: 200, up)
    recording.turn(2, by: 360, up)
    recording.rest(up)
    #expect(recording.guide.trouble == .tilted(axis: 2, other: 0))
    recording.turn(2, by: 360, up)
    recording.leaveOut(2)
    recording.rest(up)
    #expect(recording.guide.trouble == .clipped && recording.guide.turns.isEmpty)
    recording.turn(2, by: -360, up)
    recording.rest(up)
    #expect(recording.guide.trouble == nil && recording.guide.turns == [2])
    // A second of it is missing, so that its sum is far from a whole turn.
    recording.turn(2, by: 150, up)
    recording.leaveOut(100)
    recording.turn(2, by: 120, up)
    recording.rest(up)
    #expect(recording.guide.trouble == .clipped)
  }

  @Test("a turn that is so slow that the rate at rest hides it is named, and a faster one counts")
  func slowTurn() throws {
    let up = direction(2, true)
    var recording = try MadeUpRecording(bias: Vector3(-79, 26, 177) / 65.5)
    // Rests that show what the rate at rest is, before it drifts.
    recording.faces()
    recording.trend = Vector3(0, 0, 0.0005)
    recording.rest(up)
    recording.turnEvenly(up, 0.8, seconds: 450)
    recording.rest(up)
    #expect(recording.guide.trouble == .tooSlow && recording.guide.turns.isEmpty)
    recording.turntable(up, by: 360, seconds: 4)
    recording.rest(up)
    #expect(recording.guide.trouble == nil && recording.guide.turns == [2])
  }

  @Test("without a gyroscope no turn is asked for")
  func accelerometerOnly() throws {
    var recording = try MadeUpRecording(channels: .accelerometer)
    #expect(!recording.guide.hasTurns)
    let edges = ImperfectSensor.diagonals[..<3] + ImperfectSensor.diagonals[..<3].map { -$0 }
    recording.poses(ImperfectSensor.faces + edges)
    #expect(recording.guide.next == .done)
  }
}

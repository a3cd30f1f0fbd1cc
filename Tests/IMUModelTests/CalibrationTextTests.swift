// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("The text of a calibration")
struct CalibrationTextTests {
  static let example = SensorCalibration(
    id: RecordingID(high: 0x1b4e_28ba_2fa1_41d2, low: 0x883f_0016_d3cc_a427), name: "left  shoe",
    sensor: "MPU-6050", made: 1_767_225_600_000_000_001,
    accelerometer: SensorCalibration.Accelerometer(
      offset: Vector3(0.031, -0.052, 1e-17), matrix: matrix,
      drift: TemperatureDrift(
        reference: 25, span: -3.5...41, coefficients: [[0.001], [-0.002, 0.5], [1, 2, 3]]),
      points: 24, residual: (0.0832, 0.1 + 0.2)),
    gyroscope: SensorCalibration.Gyroscope(
      offset: Vector3(-1.2, 0.4, 2.7), scale: Vector3(1, 0.98, 1.02)),
    field: SensorCalibration.Field(
      offset: Vector3(12.25, -30.5, 1.0 / 3),
      matrix: SensorMatrix(diagonal: Vector3(1.02, 0.98, 1.000001))),
    conditions: SensorCalibration.Conditions(
      rate: 30.0 / 7, accelerometerRange: 4, gyroscopeRange: 500, temperatures: -3.25...41.5))

  private static var matrix: SensorMatrix {
    var matrix = SensorMatrix(diagonal: Vector3(1.02, 0.97, 1.05))
    (matrix.rows[0].y, matrix.rows[0].z, matrix.rows[1].z) = (0.013, -0.008, 1.0 / 3)
    return matrix
  }

  @Test("a file that was cut anywhere is refused, and one with other ends of lines is read")
  func cut() throws {
    var example = CalibrationTextTests.example
    example.accelerometer?.matrix.rows[1].z = 0.125
    example.accelerometer?.drift = TemperatureDrift(
      reference: 25, span: -3.5...41, coefficients: [[0.001], [-0.002, 0.00005], [0, 0, 3e-6]])
    let bytes = Array(example.fileText.utf8)
    #expect(bytes.count <= CalibrationText.fileLimit)
    #expect(try SensorCalibration(bytes, ofFile: "x").text == example.text)
    // Without the last line feed alone nothing is missing.
    #expect(
      try SensorCalibration(Array(bytes.dropLast()), ofFile: "x").text == example.text)
    for length in 0..<bytes.count - 1 {
      let error = #expect(throws: CommandFailure.self, "\(length)") {
        try SensorCalibration(Array(bytes[..<length]), ofFile: "left.cal")
      }
      #expect(error?.status == .damagedData && error?.sentence.hasPrefix("left.cal is no") == true)
      // From its second line on what is wrong is its end, and not what the last line has no more.
      #expect(
        length <= 20 || error?.sentence.contains("left.cal is not a whole calibration") == true,
        "\(length): \(error?.sentence ?? "")")
    }
    let long = example.text + "x " + String(repeating: "y", count: 1700) + "\nend\n"
    let error = #expect(throws: CommandFailure.self) {
      try SensorCalibration(
        Array(long.utf8.prefix(CalibrationText.fileLimit + 1)), ofFile: "long.cal")
    }
    #expect(error?.sentence.contains("longer than 1700 bytes") == true)
    let windows = "\u{FEFF}" + example.fileText.split(separator: "\n").joined(separator: "\r\n")
    for end in ["", "\r\n", "\r\n\r\n"] {
      let read = try SensorCalibration(Array((windows + end).utf8), ofFile: "x")
      #expect(read.text == example.text)
    }
  }

  @Test("a part without its offset is no part that is not there")
  func withoutOffset() {
    for key in ["accelerometer-offset", "gyroscope-offset", "field-offset"] {
      #expect(fault(text(key, "")) == .missing(key: key))
    }
  }

  private func fault(_ text: String) -> CalibrationText.Fault? {
    do throws(CalibrationText.Fault) {
      _ = try SensorCalibration(text: text)
      return nil
    } catch {
      return error
    }
  }

  /// The example's text with a line replaced; removed by an empty one.
  private func text(_ key: String, _ line: String) -> String {
    CalibrationTextTests.example.text.split(separator: "\n")
      .map { $0.hasPrefix(key + " ") ? line : String($0) }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  @Test("gives back every number to its last bit; shorter polynomials end with zeros")
  func roundTrip() throws {
    var found = try SensorCalibration(text: CalibrationTextTests.example.text)
    #expect(
      found.accelerometer?.drift?.coefficients == [[0.001, 0, 0], [-0.002, 0.5, 0], [1, 2, 3]])
    found.accelerometer?.drift = CalibrationTextTests.example.accelerometer?.drift
    #expect(found == CalibrationTextTests.example)
    for offset in [0.1, 1e60, -3e9, 123456.7890126] {
      var wild = CalibrationTextTests.example
      wild.accelerometer?.drift = nil
      wild.field = SensorCalibration.Field(
        offset: Vector3(offset, 1, 2),
        matrix: SensorMatrix(diagonal: Vector3(1, offset.magnitude, 1)))
      #expect(try SensorCalibration(text: wild.text) == wild)
    }
    var half = CalibrationTextTests.example
    half.accelerometer = nil
    #expect(try SensorCalibration(text: half.text) == half)
    half.conditions?.temperatures = nil
    #expect(try SensorCalibration(text: half.text) == half)
    half.conditions = nil
    #expect(try SensorCalibration(text: half.text) == half)
  }

  @Test("lines of later versions are skipped, in any order, and so are empty ones")
  func later() throws {
    let lines = CalibrationTextTests.example.text.split(separator: "\n")
    let other = [lines[0], "", "magnetometer-offset 1 2 3"] + lines.dropFirst().reversed()
    let found = try SensorCalibration(text: other.joined(separator: "\n"))
    #expect(found.gyroscope == CalibrationTextTests.example.gyroscope)
  }

  @Test("what is missing or cannot be is named with its line")
  func faults() {
    #expect(fault("") == .notACalibration)
    #expect(fault("\n\n") == .notACalibration)
    #expect(fault("imulog-calibration 2\nid 1\n") == .notACalibration)
    #expect(fault("imulog 1\n") == .notACalibration)
    #expect(fault(text("id", "")) == .missing(key: "id"))
    #expect(fault(text("name", "name")) == .bad(key: "name", line: 3))
    for (key, line, values) in [
      ("id", 2, ["1b4e28ba"]), ("made", 5, ["1.5"]),
      ("name", 3, [String(repeating: "n", count: 101)]),
      (
        "accelerometer-offset", 7,
        ["", "1 2", "1 2 3 4", "1 2 x", "1 2 nan", "1 2 inf", "1 2 1e999", "1,5 2 3"]
      ),
      ("accelerometer-matrix", 8, ["1 0 0 0 -1 0 0 0 1"]),
      ("accelerometer-residual", 9, ["-0.1 0.001", "0.1 -0.001"]),
      ("accelerometer-points", 10, ["0"]),
      (
        "accelerometer-drift", 11,
        ["25 41 -3 1 1 2 3", "50 -3 41 1 1 2 3", "25 -3 41 4 1 2 3", "25 -3 41 2 1 2 3", "25"]
      ),
      ("gyroscope-scale", 13, ["1 0 1"]),
      (
        "conditions", 6,
        [
          "", "0 4 500", "100 4.5 500", "100 4 -1", "100 4 500 20", "100 4 500 21 20", "100 4 inf",
          "100 1e300 500",
        ]
      ),
    ] as [(String, Int, [String])] {
      for value in values {
        let found = fault(text(key, "\(key) \(value)"))
        #expect(found == .bad(key: key, line: line), "\(key) \(value)")
      }
    }
    #expect(fault(text("gyroscope-scale", "")) == .missing(key: "gyroscope-scale"))
    #expect(
      fault(CalibrationTextTests.example.text + "sensor x\n") == .repeated(key: "sensor", line: 16))
    let nothing = CalibrationTextTests.example.text.split(separator: "\n").prefix(5)
    #expect(fault(nothing.joined(separator: "\n")) == .empty)
    #expect(
      fault(CalibrationTextTests.example.text + String(repeating: "\n", count: 1700)) == .tooLong)
  }

  @Test("a count of unchecked orientations is kept, and none is written for none")
  func unchecked() throws {
    var part = try #require(CalibrationTextTests.example.accelerometer)
    #expect(!CalibrationTextTests.example.text.contains("unchecked"))
    part.unchecked = 3
    part.drift = nil
    var calibration = CalibrationTextTests.example
    calibration.accelerometer = part
    #expect(calibration.text.contains("\naccelerometer-unchecked 3\n"))
    #expect(try SensorCalibration(text: calibration.text) == calibration)
    for bad in ["-1", "25", "x", ""] {
      let text = calibration.text.replacing("unchecked 3", with: "unchecked \(bad)")
      #expect(fault(text) == .bad(key: "accelerometer-unchecked", line: 11), "\(bad)")
    }
  }

  @Test("values that no sensor is off by are named, and those at the limits are not")
  func implausible() throws {
    func fault(_ key: String, _ value: String) throws -> String? {
      var lines = [
        "accelerometer-offset 0.9 -1 0", "accelerometer-matrix 0.8 0.25 0 0 1.25 0 -0.25 0 1",
        "accelerometer-residual 0.1 0.001", "accelerometer-points 9",
        "accelerometer-drift 25 18 41 1 0.001 -0.002 0", "gyroscope-offset -100 99 0",
        "gyroscope-scale 0.8 1.25 1", "gyroscope-drift 25 18 41 1 0.1 -0.2 0",
      ]
      lines = lines.map { $0.hasPrefix(key + " ") ? key + " " + value : $0 }
      let head = CalibrationTextTests.example.text.split(separator: "\n").prefix(5)
      return try SensorCalibration(
        text: (head.map(String.init) + lines).joined(separator: "\n")
      ).implausible
    }
    #expect(try fault("none", "") == nil)
    for (key, value, words) in [
      ("accelerometer-offset", "0 1e59 0", "1e+59 g"),
      ("accelerometer-offset", "0 0 -1.01", "-1.01"),
      ("accelerometer-matrix", "3 0 0 0 3 0 0 0 3", "a scale of 3.0, and 0.8 to 1.25"),
      ("accelerometer-matrix", "1 0 0 0 0.79 0 0 0 1", "0.79"),
      ("accelerometer-matrix", "1 0 0 0.26 1 0 0 0 1", "0.26 beside its diagonal"),
      ("accelerometer-drift", "25 18 41 1 0 0.1 0", "1.6 g at 41.0 °C"),
      ("gyroscope-offset", "0 0 101", "101.0 °/s"), ("gyroscope-scale", "1 1 1.26", "1.26"),
      ("gyroscope-drift", "25 18 41 1 0 0 -15", "at 18.0 °C"),
      // 0 at both ends and in the middle, and ±3.8 g in between.
      ("accelerometer-drift", "30 20 40 3 0 0 0 1 0 -0.01 0 0 0", "g at 21.0 °C"),
    ] {
      let found = try #require(try fault(key, value), "\(key) \(value)")
      #expect(found.hasPrefix(key) && found.contains(words), "\(found)")
    }
  }

  @Test("the longest text there can be fits into its limit")
  func longest() {
    var long = CalibrationTextTests.example
    let number = -1.2345678901234567e-100
    let drift = TemperatureDrift(
      reference: -number, span: 0...1e300,
      coefficients: Array(repeating: Array(repeating: number, count: 3), count: 3))
    (long.name, long.sensor) = (String(repeating: "n", count: 100), "LSM6DSV32X")
    long.accelerometer = SensorCalibration.Accelerometer(
      offset: Vector3(repeating: number), matrix: SensorMatrix.identity, drift: drift, points: .max,
      unchecked: .max, residual: (number, number))
    for row in 0..<3 { long.accelerometer?.matrix.rows[row] = Vector3(repeating: -number) }
    long.gyroscope = SensorCalibration.Gyroscope(
      offset: Vector3(repeating: number), scale: Vector3(repeating: -number), drift: drift)
    var beside = SensorMatrix.identity
    for row in 0..<3 { beside.rows[row] = Vector3(repeating: -0.123456) }
    long.field = SensorCalibration.Field(
      offset: Vector3(repeating: -4999.999999),
      matrix: beside)
    long.conditions = SensorCalibration.Conditions(
      rate: -number, accelerometerRange: 32, gyroscopeRange: 4000, temperatures: number...(-number))
    #expect(long.text.utf8.count <= CalibrationText.byteLimit, "\(long.text.utf8.count)")
  }
}

@Suite("A calibration corrects")
struct CorrectionTests {
  @Test("the offset first, then scale and cross terms")
  func acceleration() {
    var matrix = SensorMatrix(diagonal: Vector3(2, 3, 4))
    matrix.rows[0].z = 0.5
    let part = SensorCalibration.Accelerometer(
      offset: Vector3(1, -1, 0.5), matrix: matrix, points: 9, residual: (0, 0))
    #expect(
      part.corrected(Vector3(2, 2, 2), temperature: nil) == Vector3(2 * 1 + 0.5 * 1.5, 9, 6))
  }

  @Test("by the drift at the temperature, which stays at its end beyond the span that was seen")
  func drift() {
    let drift = TemperatureDrift(
      reference: 20, span: 10...30, coefficients: [[1], [0, 1], [0, 0, 1]])
    let part = SensorCalibration.Gyroscope(offset: Vector3(1, 2, 3), drift: drift)
    #expect(part.corrected(Vector3(), temperature: 22) == Vector3(-1 - 2, -2 - 4, -3 - 8))
    #expect(part.corrected(Vector3(), temperature: 15) == Vector3(-1 + 5, -2 - 25, -3 + 125))
    #expect(part.corrected(Vector3(), temperature: 90) == Vector3(-11, -102, -1003))
    #expect(part.corrected(Vector3(), temperature: -90) == Vector3(9, -102, 997))
    #expect(part.corrected(Vector3(), temperature: nil) == Vector3(-1, -2, -3))
    #expect(
      TemperatureDrift(reference: 31, span: 10...30, coefficients: [[1], [1], [1]]) == nil)
    #expect(TemperatureDrift(reference: 20, span: 10...30, coefficients: [[1], [1]]) == nil)
    #expect(TemperatureDrift(reference: 20, span: 10...30, coefficients: [[1], [1], []]) == nil)
    #expect(
      TemperatureDrift(reference: 20, span: 10...30, coefficients: [[1], [1], [.nan]]) == nil)
  }
}

extension AxisMap {
  /// A vector in the wearer's axes.
  fileprivate func mapped(_ vector: Vector3) -> Vector3 {
    var result = Vector3()
    for axis in 0..<3 {
      let value = vector[sources[axis]]
      result[axis] = isReversed[axis] ? -value : value
    }
    return result
  }
}

@Suite("The axes of a mounting")
struct AxisMapTests {
  @Test("each of the 24 rotations is read, written as it was, and turns a vector without a mirror")
  func rotations() throws {
    var count = 0
    for first in ["x", "-x", "y", "-y", "z", "-z"] {
      for second in ["x", "-x", "y", "-y", "z", "-z"] {
        for third in ["x", "-x", "y", "-y", "z", "-z"] {
          let text = "\(first),\(second),\(third)"
          guard let map = AxisMap(text) else { continue }
          count += 1
          #expect(map.description == text)
          let (x, y, z) = (
            map.mapped(Vector3(1, 0, 0)), map.mapped(Vector3(0, 1, 0)), map.mapped(Vector3(0, 0, 1))
          )
          // x × y = z stays so.
          let product = Vector3(
            x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
          #expect(product == z, "\(text)")
        }
      }
    }
    #expect(count == 24)
  }

  @Test("x of -z,y,x is the chip's −z, and its z the chip's x")
  func example() {
    #expect(AxisMap("-z,y,x")?.mapped(Vector3(1, 2, 3)) == Vector3(-3, 2, 1))
    #expect(AxisMap(" +y, z ,x")?.description == "y,z,x")
    #expect(AxisMap("x,y,z")?.isIdentity == true && AxisMap("y,z,x")?.isIdentity == false)
  }

  @Test("anything else is refused")
  func refused() {
    for text in [
      "", "x", "x,y", "x,y,z,x", "x,x,y", "x,y,w", "--x,y,z", "X,Y,Z", "x;y;z", ",,", "x,y,-z",
    ] {
      #expect(AxisMap(text) == nil, "\(text)")
    }
  }
}

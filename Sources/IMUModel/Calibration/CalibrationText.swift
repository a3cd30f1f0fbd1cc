// SPDX-License-Identifier: Apache-2.0

/// The text of a calibration: the contents of its file, and one entry of the header of later logs.
///
///     imulog-calibration 1
///     id 1b4e28ba-2fa1-41d2-883f-0016d3cca427
///     name left shoe
///     sensor MPU-6050
///     made 1767225600000000000                            nanoseconds since 1970
///     conditions 100.0 4 500 18.0 41.0                    Hz, full scales in g and °/s; °C: lowest, highest
///     accelerometer-offset 0.031 -0.052 0.12              g
///     accelerometer-matrix 1.02 0.013 -0.008 0.0 …        row by row
///     accelerometer-residual 0.0832 0.0011                g, before and afterwards
///     accelerometer-points 24
///     accelerometer-unchecked 3                           points whose movement no other one would show; 0 without it
///     accelerometer-drift 25.0 18.0 41.0 1 0.001 …        °C: reference, lowest, highest; order; x, y, z
///     gyroscope-offset -1.2 0.4 2.7                       °/s
///     gyroscope-scale 1.0 1.0 1.002
///     gyroscope-drift …
///     field-offset 12.25 -30.5 8.125                      µT
///     field-matrix 1.02 0.013 -0.008 0.011 …              row by row
///
///     end                                                 in files only, so that a cut one is noticed
///
/// Numbers have all digits that their value needs. Lines with other keys are a later version's, and skipped.
public enum CalibrationText {
  /// The most bytes of a text: it must fit into a log's header beside the longest note.
  public static let byteLimit = 1700
  /// The most bytes of a file: with its last line, and the line ends and the mark that editors on Windows add.
  public static let fileLimit = byteLimit + 64
  /// The most bytes of a name.
  public static let nameLimit = 100
  private static let version = "1"

  /// Whether a line is the first one of a text.
  fileprivate static func isHead(_ line: some StringProtocol) -> Bool {
    line == "imulog-calibration \(version)"
  }

  /// What is wrong with a text.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A clause with the line, from 1, and the key.
    public let description: String

    package static let tooLong = Fault(description: "it is longer than \(byteLimit) bytes")
    package static let notACalibration = Fault(
      description: "its first line is not `imulog-calibration \(version)`")
    package static let empty = Fault(
      description: "it calibrates no sensor")
    package static let cut = Fault(description: "its last line is not `end`, so its end is missing")

    package static func missing(key: String) -> Fault {
      Fault(description: "it has no line `\(key)`")
    }
    package static func bad(key: String, line: Int) -> Fault {
      Fault(description: "line \(line), `\(key)`, has no such value")
    }
    package static func repeated(key: String, line: Int) -> Fault {
      Fault(description: "line \(line) has `\(key)` a second time")
    }
  }
}

extension SensorCalibration {
  /// Its text.
  public var text: String {
    var lines = [
      "imulog-calibration 1", "id \(id)", "name \(name)", "sensor \(sensor)", "made \(made)",
    ]
    func add(_ key: String, _ numbers: [Double]) {
      lines.append(key + " " + numbers.map(\.description).joined(separator: " "))
    }
    func add(_ key: String, _ drift: TemperatureDrift?) {
      guard let drift else { return }
      let order = drift.coefficients.map(\.count).max() ?? 1
      let padded = drift.coefficients.flatMap { $0 + Array(repeating: 0, count: order - $0.count) }
      let span = [drift.reference, drift.span.lowerBound, drift.span.upperBound]
      lines.append(
        key + " "
          + (span.map(\.description) + ["\(order)"] + padded.map(\.description))
          .joined(separator: " "))
    }
    if let conditions {
      var line = "conditions \(conditions.rate) \(conditions.accelerometerRange)"
      line += " \(conditions.gyroscopeRange)"
      if let span = conditions.temperatures { line += " \(span.lowerBound) \(span.upperBound)" }
      lines.append(line)
    }
    if let accelerometer {
      add("accelerometer-offset", accelerometer.offset.numbers)
      add("accelerometer-matrix", accelerometer.matrix.rows.flatMap(\.numbers))
      add(
        "accelerometer-residual", [accelerometer.residual.before, accelerometer.residual.after])
      lines.append("accelerometer-points \(accelerometer.points)")
      if accelerometer.unchecked > 0 {
        lines.append("accelerometer-unchecked \(accelerometer.unchecked)")
      }
      add("accelerometer-drift", accelerometer.drift)
    }
    if let gyroscope {
      add("gyroscope-offset", gyroscope.offset.numbers)
      add("gyroscope-scale", gyroscope.scale.numbers)
      add("gyroscope-drift", gyroscope.drift)
    }
    if let field {
      add("field-offset", field.offset.numbers)
      add("field-matrix", field.matrix.rows.flatMap(\.numbers))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The calibration in a text.
  public init(text: String) throws(CalibrationText.Fault) {
    guard text.utf8.count <= CalibrationText.byteLimit else { throw .tooLong }
    let lines = try CalibrationLines(text)
    guard let id = RecordingID(try lines.value("id")) else { throw lines.bad("id") }
    guard let made = Int64(try lines.value("made")) else { throw lines.bad("made") }
    self.init(
      id: id, name: try lines.name("name"), sensor: try lines.name("sensor"), made: made,
      accelerometer: try Accelerometer(lines), gyroscope: try Gyroscope(lines),
      field: try Field(lines), conditions: try Conditions(lines))
    guard !isEmpty else { throw .empty }
  }
}

extension SensorCalibration.Conditions {
  fileprivate init?(_ lines: CalibrationLines) throws(CalibrationText.Fault) {
    let key = "conditions"
    guard lines.has(key) else { return nil }
    let numbers = try lines.numbers(key)
    guard numbers.count == 3 || numbers.count == 5, numbers[0] > 0,
      let acceleration = Int(exactly: numbers[1]), acceleration >= 0,
      let rate = Int(exactly: numbers[2]), rate >= 0,
      numbers.count == 3 || numbers[3] <= numbers[4]
    else { throw lines.bad(key) }
    self.init(
      rate: numbers[0], accelerometerRange: acceleration, gyroscopeRange: rate,
      temperatures: numbers.count == 3 ? nil : numbers[3]...numbers[4])
  }
}

extension SensorCalibration.Accelerometer {
  fileprivate init?(_ lines: CalibrationLines) throws(CalibrationText.Fault) {
    guard lines.has("accelerometer-offset", orNothing: "accelerometer-") else { return nil }
    let residual = try lines.numbers("accelerometer-residual", 2)
    guard residual.allSatisfy({ $0 >= 0 }) else { throw lines.bad("accelerometer-residual") }
    guard let points = Int(try lines.value("accelerometer-points")), points > 0 else {
      throw lines.bad("accelerometer-points")
    }
    var unchecked = 0
    if lines.has("accelerometer-unchecked") {
      guard let count = Int(try lines.value("accelerometer-unchecked")), 0...points ~= count else {
        throw lines.bad("accelerometer-unchecked")
      }
      unchecked = count
    }
    self.init(
      offset: try lines.vector("accelerometer-offset"),
      matrix: try lines.matrix("accelerometer-matrix"),
      drift: try lines.drift("accelerometer-drift"), points: points,
      unchecked: unchecked, residual: (residual[0], residual[1]))
  }
}

extension SensorCalibration.Gyroscope {
  fileprivate init?(_ lines: CalibrationLines) throws(CalibrationText.Fault) {
    guard lines.has("gyroscope-offset", orNothing: "gyroscope-") else { return nil }
    let scale = try lines.vector("gyroscope-scale")
    guard scale.min() > 0 else { throw lines.bad("gyroscope-scale") }
    self.init(
      offset: try lines.vector("gyroscope-offset"), scale: scale,
      drift: try lines.drift("gyroscope-drift"))
  }
}

extension SensorCalibration.Field {
  fileprivate init?(_ lines: CalibrationLines) throws(CalibrationText.Fault) {
    guard lines.has("field-offset", orNothing: "field-") else { return nil }
    self.init(
      offset: try lines.vector("field-offset"), matrix: try lines.matrix("field-matrix"))
  }
}

extension SIMD3<Double> {
  fileprivate var numbers: [Double] { [x, y, z] }
}

/// The lines of a text by key.
private struct CalibrationLines {
  private var values: [String: (line: Int, text: String)] = [:]

  init(_ text: String) throws(CalibrationText.Fault) {
    var isFirst = true
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let parts = line.split(separator: " ", maxSplits: 1)
      guard let key = parts.first.map(String.init) else { continue }
      let value = parts.count > 1 ? String(parts[1]) : ""
      if isFirst {
        guard CalibrationText.isHead(line) else { throw .notACalibration }
        isFirst = false
        continue
      }
      guard values[key] == nil else { throw .repeated(key: key, line: number) }
      values[key] = (number, value)
    }
    if isFirst { throw .notACalibration }
  }

  func has(_ key: String) -> Bool { values[key] != nil }

  /// Whether there is any line of a part that must have this one.
  func has(_ key: String, orNothing prefix: String) -> Bool {
    has(key) || values.keys.contains { $0.hasPrefix(prefix) }
  }

  func bad(_ key: String) -> CalibrationText.Fault { .bad(key: key, line: values[key]?.line ?? 0) }

  func value(_ key: String) throws(CalibrationText.Fault) -> String {
    guard let value = values[key] else { throw .missing(key: key) }
    return value.text
  }

  func name(_ key: String) throws(CalibrationText.Fault) -> String {
    let name = try value(key)
    guard !name.isEmpty, name.utf8.count <= CalibrationText.nameLimit else { throw bad(key) }
    return name
  }

  /// All numbers of a line; each so small that no product in a correction overflows.
  func numbers(_ key: String) throws(CalibrationText.Fault) -> [Double] {
    var numbers: [Double] = []
    for word in try value(key).split(separator: " ") {
      guard let number = Double(word), number.magnitude <= 1e60 else { throw bad(key) }
      numbers.append(number)
    }
    return numbers
  }

  func numbers(_ key: String, _ count: Int) throws(CalibrationText.Fault) -> [Double] {
    let numbers = try numbers(key)
    guard numbers.count == count else { throw bad(key) }
    return numbers
  }

  func vector(_ key: String) throws(CalibrationText.Fault) -> Vector3 {
    let three = try numbers(key, 3)
    return Vector3(three[0], three[1], three[2])
  }

  func matrix(_ key: String) throws(CalibrationText.Fault) -> SensorMatrix {
    let values = try numbers(key, 9)
    var matrix = SensorMatrix.identity
    for row in 0..<3 {
      matrix.rows[row] = Vector3(values[3 * row], values[3 * row + 1], values[3 * row + 2])
      // A calibration that reverses an axis or makes it 0 is a mistake.
      guard matrix.rows[row][row] > 0 else { throw bad(key) }
    }
    return matrix
  }

  func drift(_ key: String) throws(CalibrationText.Fault) -> TemperatureDrift? {
    guard has(key) else { return nil }
    let all = try numbers(key)
    guard all.count > 4, let order = Int(exactly: all[3]), 1...3 ~= order,
      all.count == 4 + 3 * order, all[1] <= all[2],
      let drift = TemperatureDrift(
        reference: all[0], span: all[1]...all[2],
        coefficients: (0..<3).map { Array(all[(4 + $0 * order)..<(4 + ($0 + 1) * order)]) })
    else { throw bad(key) }
    return drift
  }
}

extension SensorCalibration {
  /// The text of its file.
  public var fileText: String { text + "end\n" }

  /// The calibration in a file. Implausible values are refused: corrected samples would be clipped or meaningless. (A log's
  /// header keeps them, and exports refuse to apply it.)
  ///
  /// - Parameters:
  ///   - bytes: The file, at least its first ``CalibrationText/fileLimit`` + 1 bytes.
  ///   - path: The file's name, for errors.
  public init(_ bytes: [UInt8], ofFile path: String) throws(CommandFailure) {
    do throws(CalibrationText.Fault) {
      var lines = String(decoding: bytes, as: UTF8.self)
        // An editor may have changed the line ends, and put a mark before the text.
        .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      if lines[0].hasPrefix("\u{FEFF}") { lines[0].removeFirst() }
      guard CalibrationText.isHead(lines[0]) else { throw .notACalibration }
      // A longer one was not read to its end, which must not count as cut.
      guard bytes.count <= CalibrationText.fileLimit else { throw .tooLong }
      while lines.last?.isEmpty == true { lines.removeLast() }
      // Before the faults of a last line that was cut.
      guard lines.popLast() == "end" else { throw .cut }
      self = try SensorCalibration(text: lines.joined(separator: "\n") + "\n")
    } catch {
      let (what, remedy) = error == .cut ? ("whole ", "copy it again, or ") : ("", "")
      throw CommandFailure(
        .damagedData,
        "\(path) is not a \(what)calibration: \(error); \(remedy)make one with `imulog calibrate`")
    }
    if let fault = implausible {
      throw CommandFailure(
        .damagedData,
        "\(path): \(fault): no sensor is off by so much; make one with `imulog calibrate`")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// An invalid line of a board file.
public struct BoardFileError: Error, Equatable, CustomStringConvertible {
  /// The rule that was broken.
  public enum Problem: Error, Equatable, Sendable {
    /// The bytes are not UTF-8.
    case notUTF8
    /// No such key.
    case unknownKey(String)
    /// A key without a value.
    case missingValue(String)
    /// A key that is allowed once appears again; the first time was on that line.
    case repeatedKey(String, firstLine: Int)
    /// The file ends without this key.
    case missingKey(String)
    /// The value does not have the form that its key requires.
    case badValue(String, expected: String)
  }

  /// The board's ID.
  public let id: String
  /// Counted from 1; the last line for a missing key.
  public let line: Int
  /// The rule that was broken.
  public let problem: Problem

  /// `Boards/ID.board:LINE: ` and a clause.
  public var description: String {
    let place = "Boards/\(id).board:\(line): "
    switch problem {
    case .notUTF8: return place + "not UTF-8 text"
    case .unknownKey(let key): return place + "no such key: \(key)"
    case .missingValue(let key): return place + "\(key) has no value"
    case .repeatedKey(let key, let line): return place + "\(key) was given on line \(line) already"
    case .missingKey(let key): return place + "the file ends without \(key)"
    case .badValue(let value, let expected): return place + "\"\(value)\" is not \(expected)"
    }
  }
}

extension Board {
  /// Reads a board file; the comment at the top of Boards.swift describes the format.
  ///
  /// - Throws: ``BoardFileError`` for the first line that breaks a rule.
  public init(id: String, contents: [UInt8]) throws(BoardFileError) {
    guard let text = String(validating: contents, as: UTF8.self) else {
      throw BoardFileError(id: id, line: 1, problem: .notUTF8)
    }
    let file = try BoardFile(id: id, text: text)
    self.id = id
    title = try file.required(.title).text
    compatible = file.all(.compatible)
    models = file.all(.model)
    bus = try file.bus()
    busNode = file.first(.busNode)?.text
    busHertz = try file.number(.busHertz)
    sda = try file.line(.sda, isRequired: bus != .simulated)
    scl = try file.line(.scl, isRequired: bus != .simulated)
    button = try file.line(.button)
    led = try file.line(.led)
    dataReady = try file.line(.dataReady)
    setup = file.all(.setup)
    steadyBus = file.first(.steadyBus)?.text
    notes = file.all(.note)
    validated = try file.validated()
    _ = try file.required(.source)
    sources = file.all(.source)
  }
}

/// A board file's lines, sorted by key.
private struct BoardFile {
  enum Key: String {
    case title, compatible, model, bus, sda, scl, button, led, setup, note, source, validated
    case busNode = "bus-node"
    case busHertz = "bus-hertz"
    case dataReady = "data-ready"
    case steadyBus = "steady-bus"

    var mayRepeat: Bool {
      switch self {
      case .compatible, .model, .setup, .note, .source, .validated: return true
      default: return false
      }
    }
  }

  struct Value {
    let line: Int
    let text: String
  }

  let id: String
  private var values: [Key: [Value]] = [:]
  private var lineCount = 0

  init(id: String, text: String) throws(BoardFileError) {
    self.id = id
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines {
      lineCount += 1
      try append(line)
    }
  }

  private mutating func append(_ line: Substring) throws(BoardFileError) {
    guard line.first != "#", !line.allSatisfy(\.isWhitespace) else { return }
    let name = line.prefix { $0 != " " }
    guard let key = Key(rawValue: String(name)) else {
      throw error(lineCount, .unknownKey(String(name)))
    }
    let text = trimmed(line.dropFirst(name.count))
    guard !text.isEmpty else { throw error(lineCount, .missingValue(key.rawValue)) }
    if let first = values[key]?.first, !key.mayRepeat {
      throw error(lineCount, .repeatedKey(key.rawValue, firstLine: first.line))
    }
    values[key, default: []].append(Value(line: lineCount, text: text))
  }

  func all(_ key: Key) -> [String] { (values[key] ?? []).map(\.text) }

  func first(_ key: Key) -> Value? { values[key]?.first }

  func required(_ key: Key) throws(BoardFileError) -> Value {
    guard let value = first(key) else { throw error(lineCount, .missingKey(key.rawValue)) }
    return value
  }

  func number(_ key: Key) throws(BoardFileError) -> Int {
    let value = try required(key)
    guard let number = Int(value.text), number > 0 else {
      throw error(value.line, .badValue(value.text, expected: "a number above 0"))
    }
    return number
  }

  func bus() throws(BoardFileError) -> Board.Bus {
    let value = try required(.bus)
    if value.text == "simulated" { return .simulated }
    guard let number = Int(value.text), number >= 0 else {
      throw error(value.line, .badValue(value.text, expected: "a bus number or \"simulated\""))
    }
    return .device(number: number)
  }

  func line(_ key: Key, isRequired: Bool = false) throws(BoardFileError) -> Board.Line? {
    guard let value = isRequired ? try required(key) : first(key) else { return nil }
    let pin = value.text.prefix { $0 != " " }
    let name = trimmed(value.text.dropFirst(pin.count))
    guard !name.isEmpty else {
      throw error(value.line, .badValue(value.text, expected: "a header pin and a line name"))
    }
    return Board.Line(pin: String(pin), name: name)
  }

  func validated() throws(BoardFileError) -> [String] {
    for value in values[.validated] ?? [] {
      let parts = value.text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
      let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 4, !parts.contains(""), date.map(\.utf8.count) == [4, 2, 2],
        date.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) })
      else {
        throw error(value.line, .badValue(value.text, expected: "YYYY-MM-DD, name, kernel, chip"))
      }
    }
    return all(.validated)
  }

  private func error(_ line: Int, _ problem: BoardFileError.Problem) -> BoardFileError {
    BoardFileError(id: id, line: line, problem: problem)
  }
}

private func trimmed(_ text: Substring) -> String {
  let head = text.drop(while: \.isWhitespace)
  guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return String(head[...last])
}

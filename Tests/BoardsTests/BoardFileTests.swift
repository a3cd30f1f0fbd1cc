// SPDX-License-Identifier: Apache-2.0

import Boards
import Testing

@Suite("Reading a board file")
struct BoardFileTests {
  /// A file with every key.
  static let whole = """
    # A comment, then an empty line.

    title A Board #2
    compatible maker,board-2
    compatible maker,board
    model Maker Board
    bus 7
    bus-node i2c@1234
    bus-hertz 400000
    sda 3 PA12
    scl 5 PA11
    button 11 GPIO17
    led  P9_12   P9_12 [led]\u{20}
    data-ready 15 GPIO22
    setup sudo one   # first
    setup two
    note It is a board.
    validated 2027-01-30, Ada Example, Linux 6.12.47, LSM6DSO
    validated 2027-02-01, B, Linux 7.0, MPU-6050
    source https://example.org/board

    """

  func board(_ text: String) throws(BoardFileError) -> Board {
    try Board(id: "x", contents: Array(text.utf8))
  }

  func problem(in text: String) -> BoardFileError? {
    do throws(BoardFileError) {
      _ = try board(text)
      return nil
    } catch {
      return error
    }
  }

  @Test("every key is read, lists in the file's order")
  func everyKey() throws {
    let first = try board(Self.whole.replacing("bus 7", with: "bus 0"))
    #expect(first.bus == .device(number: 0))
    let board = try board(Self.whole)
    #expect(board.id == "x")
    #expect(board.title == "A Board #2")
    #expect(board.compatible == ["maker,board-2", "maker,board"])
    #expect(board.models == ["Maker Board"])
    #expect(board.bus == .device(number: 7))
    #expect(board.busNode == "i2c@1234")
    #expect(board.busHertz == 400_000)
    #expect(board.sda?.pin == "3" && board.sda?.name == "PA12")
    #expect(board.scl?.pin == "5" && board.scl?.name == "PA11")
    #expect(board.button?.pin == "11" && board.button?.name == "GPIO17")
    #expect(board.led?.pin == "P9_12" && board.led?.name == "P9_12 [led]")
    #expect(board.dataReady?.pin == "15" && board.dataReady?.name == "GPIO22")
    #expect(board.setup == ["sudo one   # first", "two"])
    #expect(board.notes == ["It is a board."])
    #expect(
      board.validated == [
        "2027-01-30, Ada Example, Linux 6.12.47, LSM6DSO", "2027-02-01, B, Linux 7.0, MPU-6050",
      ])
    #expect(board.sources == ["https://example.org/board"])
  }

  @Test("optional keys may be absent, and a simulated bus has no pins")
  func leastFile() throws {
    let board = try board("title T\nbus simulated\nbus-hertz 1\nsource s\n")
    #expect(board.bus == .simulated)
    #expect(board.busNode == nil && board.sda == nil && board.scl == nil)
    #expect(board.button == nil && board.led == nil && board.dataReady == nil)
    #expect(
      board.compatible.isEmpty && board.models.isEmpty && board.setup.isEmpty && board.notes.isEmpty
        && board.validated.isEmpty
    )
  }

  @Test("line ends of other systems and a missing last one change nothing")
  func lineEnds() throws {
    let expected = try board(Self.whole)
    #expect(try board(Self.whole.split(separator: "\n").joined(separator: "\r\n")) == expected)
  }

  @Test(
    "an error has the bad line's number and the reason",
    arguments: [
      ("button 11 GPIO17", "buttn 11 GPIO17", 12, .unknownKey("buttn")),
      ("title A Board #2", "Title A Board", 3, .unknownKey("Title")),
      ("title A Board #2", "title=A Board", 3, .unknownKey("title=A")),
      ("bus 7", " bus 7", 7, .unknownKey("")),
      ("bus 7", "bus", 7, .missingValue("bus")),
      ("note It is a board.", "note  ", 17, .missingValue("note")),
      ("bus 7", "bus seven", 7, .badValue("seven", expected: "a bus number or \"simulated\"")),
      ("bus 7", "bus -1", 7, .badValue("-1", expected: "a bus number or \"simulated\"")),
      ("bus-hertz 400000", "bus-hertz 0", 9, .badValue("0", expected: "a number above 0")),
      ("bus-hertz 400000", "bus-hertz 400k", 9, .badValue("400k", expected: "a number above 0")),
      ("sda 3 PA12", "sda 3", 10, .badValue("3", expected: "a header pin and a line name")),
      (
        "button 11 GPIO17", "button 11", 12,
        .badValue("11", expected: "a header pin and a line name")
      ),
      ("bus-node i2c@1234", "bus 8", 8, .repeatedKey("bus", firstLine: 7)),
    ] as [(String, String, Int, BoardFileError.Problem)])
  func badLine(good: String, bad: String, line: Int, problem: BoardFileError.Problem) {
    let lines = Self.whole.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { $0 == good ? bad : String($0) }.joined(separator: "\n")
    let error = self.problem(in: text)
    #expect(error?.id == "x")
    #expect(error?.line == line)
    #expect(error?.problem == problem)
  }

  @Test(
    "a file that ends without a required key says which",
    arguments: ["title", "bus", "bus-hertz", "sda", "scl", "source"])
  func missingKey(key: String) {
    let lines = Self.whole.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.filter { !$0.hasPrefix(key + " ") }.joined(separator: "\n")
    let error = problem(in: text)
    #expect(error?.line == 19)
    #expect(error?.problem == .missingKey(key))
  }

  @Test(
    "a validation has a date, a name, a kernel and a chip",
    arguments: [
      "2027-01-30", "2027-01-30, A, Linux 7", "2027-01-30, A, Linux 7, ", "2027-01-30, A, , B",
      "2027-1-30, A, Linux 7, B", "30.01.2027, A, Linux 7, B", "2027-01-3x, A, Linux 7, B",
      "2027-01-30, A, Linux 7, B, C", "A, 2027-01-30, Linux 7, B",
    ])
  func validation(value: String) {
    let error = problem(in: Self.whole + "validated \(value)\n")
    let text = value.hasSuffix(" ") ? String(value.dropLast()) : value
    #expect(error?.line == 21)
    #expect(error?.problem == .badValue(text, expected: "YYYY-MM-DD, name, kernel, chip"))
  }

  @Test("bytes that are not UTF-8 are refused")
  func notUTF8() {
    do throws(BoardFileError) {
      _ = try Board(id: "x", contents: [0x74, 0x69, 0xFF])
      Issue.record("was read")
    } catch {
      #expect(error.line == 1)
      #expect(error.problem == .notUTF8)
    }
  }

  @Test(
    "an error reads as file, line and reason",
    arguments: [
      ("bus 7\nbus 8\n", "Boards/x.board:2: bus was given on line 1 already"),
      ("buz 7\n", "Boards/x.board:1: no such key: buz"),
      ("\nbus\n", "Boards/x.board:2: bus has no value"),
      ("bus 7\n", "Boards/x.board:1: the file ends without title"),
      ("title T\nbus x\n", "Boards/x.board:2: \"x\" is not a bus number or \"simulated\""),
    ])
  func description(text: String, description: String) {
    #expect(problem(in: text)?.description == description)
  }
}

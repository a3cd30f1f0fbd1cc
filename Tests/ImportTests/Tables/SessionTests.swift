// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Lines of a table are rows, or begin a session")
struct SessionTests {
  private static func take(_ times: Range<Int>, step: Int = 10) -> String {
    times.map { "\($0 * step),0.5,-0.25,0.\($0 % 10)1\n" }.joined()
  }
  private static let header = "t_ms,ax (g),ay (g),az (g)\n"

  @Test(
    "blank lines and the header again are before the first row of a session",
    arguments: [1, 13, .max])
  func begins(_ piece: Int) throws {
    let text =
      "\n" + Self.header + Self.take(0..<5) + "\n \t\n\n" + Self.take(0..<4) + Self.header
      + Self.take(7..<9)
      + "\n" + Self.header + Self.take(1..<3) + "\n\n"
    let (rows, _) = try Tables.rows(text, piece: piece)
    #expect(rows.map { $0.time / 10_000_000 } == [0, 1, 2, 3, 4, 0, 1, 2, 3, 7, 8, 1, 2])
    #expect(
      rows.map(\.begin) == [
        nil, nil, nil, nil, nil, .blankLine, nil, nil, nil, .header, nil, .header, nil,
      ])
  }

  @Test(
    "as they are in files that were joined and in sheets, and a comment between them is refused")
  func joined() throws {
    let head = "Time,AccX,AccY,AccZ\ns,g,g,g\n"
    let text =
      "\u{FEFF}" + head + "0,1,2,3\n1,1,2,3\n,,,\n0,1,2,3\n\u{FEFF}" + head
      + "5,1,2,3\n"
    let (rows, table) = try Tables.rows(text)
    #expect(rows.map(\.time) == [0, 1, 0, 5].map { $0 * 1_000_000_000 })
    #expect(rows.map(\.begin) == [nil, nil, .blankLine, .header])
    #expect(table.units[.accelerometer]?.value == .g)
    let refusal = try Tables.refusal(
      "# a\nTime (s),AccX (g)\n0,1\n# b\nTime (s),AccX (g)\n1,1\n")
    #expect(refusal?.contains("line 4: a comment between the rows") == true)
  }

  @Test("a session is read again from its first row")
  func marks() throws {
    let text = Self.header + Self.take(0..<300) + "\n" + Self.take(50..<60)
    let reader = try TableReader(ByteSource(Array(text.utf8), piece: 100), Tables.request)
    var mark: RowMark?
    while let row = try reader.next() {
      if row.begin != nil { mark = reader.mark }
    }
    #expect(mark?.line == 303)
    for _ in 0..<2 {
      try reader.rewind(to: mark)
      #expect(try reader.next()?.time == 500_000_000)
      #expect(reader.place == 303)
      #expect(reader.numbers[2].digits == 1)
      #expect(try reader.next()?.time == 510_000_000)
    }
    try reader.rewind(to: nil)
    #expect(try reader.next()?.time == 0)
  }

  @Test("lines end in LF after any number of CR, and rows in separators")
  func ends() throws {
    let (rows, table) = try Tables.rows(
      "t_ms,ax (g),ay (g),az (g),\r\r\n0,1,2,3\r\r\n10,4,5,6,\r\n20,7,8,9,,\r\n")
    #expect(rows.map(\.time) == [0, 10_000_000, 20_000_000])
    #expect(table.columns.count == 4)
    #expect(try Tables.refusal("t_ms,ax,ay,az\r0,1,2,3\r")?.contains("CR alone") == true)
  }

  @Test("a file that changes at its beginning is found")
  func missingRows() throws {
    let text = Self.header + "0,1,2,3\n10,,2,3\n20,NaN,1,1\n30,1,1,1\n,1,1,1\n"
    let reader = try TableReader(ByteSource(text), Tables.request)
    var rows = 0
    while try reader.next() != nil { rows += 1 }
    #expect(rows == 2)
    #expect(reader.incomplete.rows == 3)
    #expect(reader.incomplete.first == 3)
  }

  @Test(
    "times of day go on over midnight, and dates in a column of their own over any number of days")
  func days() throws {
    let times = "Time,ax (g),ay (g),az (g)\n23:59:59.5,1,2,3\n00:00:00.5,1,2,3\n"
    #expect(try Tables.rows(times).rows.map(\.time) == [86_399_500_000_000, 86_400_500_000_000])
    let dates =
      "Date;Time;ax (g);ay (g);az (g)\n21.03.2021;23:59:59,5;1;2;3\n24.03.2021;00:00:00,5;1;2;3\n"
    let (rows, table) = try Tables.rows(dates)
    #expect(table.times?.value == .dayAndTime(.dmy))
    #expect(rows[1].time - rows[0].time == 2 * 86_400_000_000_000 + 1_000_000_000)
  }

  @Test("days and months are told by one above 12 in the first rows, or by the user")
  func orders() throws {
    let header = "Time,ax (g),ay (g),az (g)\n"
    let row = ",1,2,3\n"
    let early = (1...9).map { "0\($0)/04/2021 10:00" + row }.joined()
    let (_, open) = try Tables.rows(header + early)
    #expect(open.times == nil)
    #expect(Set(open.dateForms.compactMap(\.order)) == [.dmy, .mdy])
    let (_, told) = try Tables.rows(header + early + "13/04/2021 10:00" + row)
    #expect(told.times?.value == .date(.dmy, zone: false))
    #expect(told.dateForms == [])
    let late =
      header + String(repeating: "03/04/2021 10:00" + row, count: 100) + "04/13/2021 10:00" + row
    #expect(try Tables.refusal(late)?.contains("state dmy or mdy") == true)
    #expect(try Tables.rows(late, "--units mdy").rows.count == 101)
    let (_, given) = try Tables.rows(header + early, "--units mdy")
    #expect(given.times?.value == .date(.mdy, zone: false))
    #expect(given.times?.source == .option("--units"))
  }

  @Test(
    "values beyond a sensor, quotes, other marks and bytes of 0 are refused with their line")
  func wrong() throws {
    let cases = [
      (
        "0,1,2,3\n10,1,1e12,3\n",
        "line 3, column 3 (ay (g)): \"1e12\" is beyond any sensor: correct it or take the row out"
      ),
      (
        "0,1,\"2,3\n",
        "line 2: a quote here has no other half: correct it; a value is never on several lines"
      ),
      (
        "0,1.5,\"2,5\",3\n",
        "line 2, column 3 (ay (g)): \"2,5\" has a comma in a table of decimal points: write all numbers with one mark"
      ),
      ("0,1,2,3\n1\u{0}0,1,2,3\n", "line 3: there are bytes of 0 here"),
    ]
    for (rows, words) in cases {
      let refusal = try Tables.refusal(Self.header + rows)
      #expect(refusal?.hasPrefix("table.csv, \(words)") == true, "\(refusal ?? "imported")")
    }
  }
}

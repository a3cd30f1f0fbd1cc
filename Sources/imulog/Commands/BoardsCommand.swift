// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Boards
import Files
import IMUModel
import LinuxIO
import Text

struct BoardsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boards",
    abstract: "List the boards, or show the pins and set-up of one, or the chips here.",
    examples: "imulog boards raspberry-pi-5", "imulog boards --scan")

  @Argument(help: .value("id", "The board to show."), completion: .boards)
  var board: String?

  @Flag(help: "Show which chips answer where: on each bus, and behind its multiplexers.")
  var scan = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: ArgumentHelp("Where /dev, /proc and /sys are.", visibility: .hidden))
  var root = ""

  func validate() throws {
    try OptionRule.expectOne(of: ["--scan": scan, "ID": board != nil])
  }

  mutating func run() throws {
    guard !scan else {
      let places = BusScan(tree: SystemTree(root: root)).run()
      if json { return try BoardsCommand.printJSON(places) }
      for line in BusScan.lines(places) { try Console.data(line) }
      return
    }
    let here = Board.detect(
      model: SystemTree.live.boardModel(), compatible: SystemTree.live.boardCompatibles())
    guard let board = try board.map(BoardsCommand.named) else {
      return try json ? printJSON(Board.all, here: here) : printList(here: here)
    }
    try json ? printJSON([board], here: here) : printBoard(board)
  }

  private static func named(_ name: String) throws(CommandFailure) -> Board {
    if let board = Board.named(name) { return board }
    let names = Board.all.map(\.id)
    let question = Suggestion.question(name, among: names)
    let all = "; there are \(names.joined(separator: ", "))"
    throw CommandFailure(
      .configuration, "there is no board named \(name)\(question.isEmpty ? all : question)")
  }

  private func printList(here: Board?) throws {
    let width = Board.all.map(\.id.count).max() ?? 0
    for board in Board.all {
      let mark = board == here ? "* " : "  "
      try Console.data(mark + TextTable.line((board.id, board.title), width: width + 2))
    }
    if here == nil {
      Console.talk("this machine is none of these; give --board or --bus to record")
    }
  }

  private func printBoard(_ board: Board) throws {
    try Console.data(board.title)
    let lines: [(String, Board.Line?)] = [
      ("SDA", board.sda), ("SCL", board.scl), ("button", board.button), ("LED", board.led),
      ("data ready", board.dataReady),
    ]
    for case (let role, let line?) in lines {
      try Console.data("  \(role): pin \(line.pin), \(line.name)")
    }
    if !board.setup.isEmpty {
      try Console.data("To do once:")
      for step in board.setup { try Console.data("  \(step)") }
    }
    for note in board.notes { try Console.data("Note: \(note)") }
    for report in board.validated { try Console.data("Validated: \(report)") }
    if board.validated.isEmpty, board.bus != .simulated {
      try Console.data("Validated: not yet; nobody reported a recording on a real one")
    }
  }

  private static func printJSON(_ places: [BusScan.Place]) throws {
    try Console.document { json in
      json.member("buses", places, onNewLines: true) { json, place in
        json.object { json in
          json.member("bus", "\(place.path)")
          json.member("name", place.name)
          json.member("note", place.note)
          json.member("chips", place.chips) { json, chip in
            json.object { json in
              json.member("address", chip.address.rawValue)
              json.member("model", chip.model?.rawValue)
              json.member("words", chip.words)
            }
          }
        }
      }
    }
  }

  private func printJSON(_ boards: [Board], here: Board?) throws {
    try Console.document { json in
      json.member("boards", boards, onNewLines: true) { json, board in
        json.object { json in
          json.member("id", board.id)
          json.member("title", board.title)
          json.member("here", board == here)
          json.member("setup", board.setup)
          json.member("notes", board.notes)
          json.member("validated", board.validated)
        }
      }
    }
  }
}

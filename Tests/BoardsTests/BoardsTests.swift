// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import Testing

@Suite("The boards in the program")
struct BoardsTests {
  // Not in the macro's argument: a closure there crashes Swift 6.0.3.
  static let raspberryPis = Board.all.filter { $0.id.hasPrefix("raspberry-pi-") }

  @Test("every file of the folder Boards is in the program, under its own name")
  func everyFileIsEmbedded() throws {
    #expect(try boardFileNames().sorted() == Board.all.map { $0.id + ".board" }.sorted())
  }

  @Test("no two boards have the same ID, compatible entry or model")
  func unique() {
    #expect(Set(Board.all.map(\.id)).count == Board.all.count)
    let compatible = Board.all.flatMap(\.compatible)
    #expect(Set(compatible).count == compatible.count)
    let models = Board.all.flatMap(\.models)
    #expect(Set(models).count == models.count)
  }

  @Test("a board is found by its ID, exactly", arguments: Board.all)
  func named(board: Board) {
    #expect(Board.named(board.id) == board)
    #expect(Board.named(board.id + " ") == nil)
    #expect(Board.named(board.id.uppercased()) == nil)
  }

  @Test(
    "every board but the simulator can be detected and says how its bus is reached",
    arguments: Board.all)
  func complete(board: Board) {
    guard board.bus != .simulated else {
      #expect(board.id == "simulator")
      #expect(board.setup.isEmpty && board.compatible.isEmpty && board.models.isEmpty)
      return
    }
    #expect(!board.compatible.isEmpty && !board.models.isEmpty)
    #expect(board.sda != nil && board.scl != nil)
    #expect((100_000...1_000_000).contains(board.busHertz))
    #expect(board.setup.contains { $0.contains("usermod -aG i2c") })
  }

  @Test(
    "a Raspberry Pi's lines have the same name in its maker's kernel and in mainline, and no other use",
    arguments: raspberryPis)
  func raspberryPiLines(board: Board) throws {
    // BCM number and header pin of the lines without a function of their own by default.
    let free = [
      "GPIO5": "29", "GPIO6": "31", "GPIO12": "32", "GPIO13": "33", "GPIO16": "36", "GPIO17": "11",
      "GPIO22": "15", "GPIO23": "16", "GPIO24": "18", "GPIO25": "22", "GPIO26": "37",
      "GPIO27": "13",
    ]
    let lines = [
      try #require(board.button), try #require(board.led), try #require(board.dataReady),
    ]
    for line in lines { #expect(free[line.name] == line.pin) }
    #expect(Set(lines.map(\.pin)).count == lines.count)
    #expect(board.sda?.pin == "3" && board.scl?.pin == "5")
    #expect(board.bus == .device(number: 1))
  }

  @Test("README's table of boards is made from their files")
  func readme() throws {
    let boards = Board.all.filter { $0.bus != .simulated }
    let table =
      ["| board | validated by users: date, name, kernel, chip |", "|---|---|"]
      + boards.map { board in
        let reports = board.validated.isEmpty ? ["not yet"] : board.validated
        return "| \(board.title) | \(reports.joined(separator: "<br>")) |"
      }
    let readme = try #require(text(of: "README.md"), "README.md cannot be read")
    #expect(
      readme.contains("\n\n\(table.joined(separator: "\n"))\n\n"),
      "README.md lacks:\n\(table.joined(separator: "\n"))")
  }

  @Test("every Raspberry Pi, and no other board, mentions the Sense HAT", arguments: Board.all)
  func senseHAT(board: Board) {
    let mentions = board.notes.contains { $0.contains("Sense HAT") && $0.contains("0x6A") }
    #expect(mentions == board.id.hasPrefix("raspberry-pi"))
  }

  @Test(
    "the device tree identifies the board",
    arguments: [
      // Texts of firmware and device trees, with their NULs.
      (
        "Raspberry Pi 5 Model B Rev 1.0\0", "raspberrypi,5-model-b\0brcm,bcm2712\0",
        "raspberry-pi-5"
      ),
      (
        "Raspberry Pi 4 Model B Rev 1.4\0", "raspberrypi,4-model-b\0brcm,bcm2711\0",
        "raspberry-pi-4"
      ),
      ("Raspberry Pi 400 Rev 1.0\0", "raspberrypi,400\0brcm,bcm2711\0", "raspberry-pi-4"),
      (
        "Raspberry Pi 3 Model B Plus Rev 1.3\0", "raspberrypi,3-model-b-plus\0brcm,bcm2837\0",
        "raspberry-pi-3"
      ),
      (
        "Raspberry Pi 3 Model A Plus Rev 1.0\0", "raspberrypi,3-model-a-plus\0brcm,bcm2837\0",
        "raspberry-pi-3"
      ),
      (
        "Raspberry Pi Zero 2 W Rev 1.0\0", "raspberrypi,model-zero-2-w\0brcm,bcm2837\0",
        "raspberry-pi-zero-2-w"
      ),
      (
        "TI AM335x BeagleBone Black\0", "ti,am335x-bone-black\0ti,am335x-bone\0ti,am33xx\0",
        "beaglebone-black"
      ),
      ("Radxa ROCK Pi 4B\0", "radxa,rockpi4b\0radxa,rockpi4\0rockchip,rk3399\0", "rock-pi-4"),
      ("Radxa ROCK Pi 4C\0", "radxa,rockpi4c\0radxa,rockpi4\0rockchip,rk3399\0", "rock-pi-4"),
      ("OrangePi Zero3\0", "xunlong,orangepi-zero3\0allwinner,sun50i-h618\0", "orange-pi-zero-3"),
      ("Radxa ZERO 3W\0", "radxa,zero-3w\0rockchip,rk3566\0", "radxa-zero-3"),
      // One of the two is enough.
      ("", "raspberrypi,4-model-b\0brcm,bcm2711\0", "raspberry-pi-4"),
      ("Raspberry Pi 4 Model B Rev 1.1\0", "", "raspberry-pi-4"),
      ("Raspberry Pi 3 Model B+", "", "raspberry-pi-3"),
      ("Raspberry Pi 3 Model A Plus Rev 1.0\0", "", "raspberry-pi-3"),
    ])
  func detect(model: String, compatible: String, id: String) {
    #expect(Board.detect(model: model, compatible: entries(compatible))?.id == id)
  }

  @Test(
    "an unknown board is not detected as a known one",
    arguments: [
      ("", ""), ("\0", "\0"),
      ("Raspberry Pi 500 Rev 1.0\0", "raspberrypi,500\0brcm,bcm2712\0"),
      // The pins of a module are its carrier's.
      ("Raspberry Pi Compute Module 4 Rev 1.0\0", "raspberrypi,4-compute-module\0brcm,bcm2711\0"),
      ("Raspberry Pi Zero W Rev 1.1\0", "raspberrypi,model-zero-w\0brcm,bcm2835\0"),
      ("linux,dummy-virt\0", "linux,dummy-virt\0"),
      ("A Raspberry Pi 4 Model B\0", "brcm,bcm2711\0"),
    ])
  func unknown(model: String, compatible: String) {
    #expect(Board.detect(model: model, compatible: entries(compatible)) == nil)
  }

  @Test("a computer without a device tree is not a known board")
  func noDeviceTree() {
    #expect(Board.detect(model: nil, compatible: []) == nil)
  }

  /// The entries of a device-tree list of strings, each with a NUL after it.
  private func entries(_ list: String) -> [String] { list.split(separator: "\0").map(String.init) }
}

/// A file of the source tree; `nil` where it cannot be read.
private func text(of name: String, testFile: String = #filePath) -> String? {
  // From the folder of this file, which may be a link.
  let folder = testFile.split(separator: "/").dropLast().joined(separator: "/")
  guard let file = fopen("/\(folder)/../../\(name)", "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
  return String(validating: bytes, as: UTF8.self)
}

/// The names of the board files in the source tree.
private func boardFileNames(testFile: String = #filePath) throws -> [String] {
  let root = testFile.split(separator: "/").dropLast(3).joined(separator: "/")
  let directory = try #require(opendir("/\(root)/Boards"))
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    // Safe: the kernel ends the name with a NUL, and the next readdir comes after the copy.
    let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name.hasSuffix(".board") { names.append(name) }
  }
  return names
}

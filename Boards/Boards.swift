// SPDX-License-Identifier: Apache-2.0

// A board file describes a board: its bus, its pins, and the set-up that its owner does once.
//
// Each board has one file, ID.board, in UTF-8, which the build embeds in the program (Package.swift lists
// the files). A line is empty, a comment (# as its first character), or a key, spaces and a value up to the
// end of the line. Unknown keys, repeated keys and missing keys are errors.
//
//     key                  times  value
//     title                1      the name that people use
//     compatible           0...   an entry of /proc/device-tree/compatible that names this board
//     model                0...   the beginning of /proc/device-tree/model, in whole words
//     bus                  1      N of /dev/i2c-N on the header, or "simulated"
//     bus-node             0, 1   the bus's device-tree node, where kernels number it differently
//     bus-hertz            1      default clock of the bus, Hz
//     sda, scl             1      header pin, line name; absent when the bus is simulated
//     button, led          0, 1   header pin, line name as the kernel reports it: of the
//     data-ready           0, 1     button, its LED and the sensor's interrupt
//     setup                0...   a shell command to run once, in this order; # begins its explanation
//     steady-bus           0, 1   the shell command that keeps the bus's clock as configured; # begins
//                                 its explanation
//     note                 0...   advice to read before buying or wiring
//     validated            0...   who recorded on a real one: date, name, kernel, chip, as in
//                                 2027-01-30, Ada Example, Linux 6.12.47, LSM6DSO
//     source               1...   where the facts come from

/// A board that imulog knows: its bus, its pins and its one-time set-up.
public struct Board: Sendable, Equatable {
  /// Where the header's I2C bus is.
  public enum Bus: Sendable, Equatable {
    /// `/dev/i2c-number`.
    case device(number: Int)
    /// Inside the program.
    case simulated
  }

  /// A line on the header.
  public struct Line: Sendable, Equatable {
    /// The pin's number as printed beside the header.
    public let pin: String
    /// The line's name, as GPIO chips report it.
    public let name: String
  }

  /// The file's name without its extension, as `--board` takes it.
  public let id: String
  /// The name that people use.
  public let title: String
  /// Entries of `/proc/device-tree/compatible` that name this board.
  public let compatible: [String]
  /// Beginnings of `/proc/device-tree/model`, in whole words.
  public let models: [String]
  /// The bus on the header.
  public let bus: Bus
  /// The bus's device-tree node, such as `i2c@7e804000`: the adapter's name in
  /// `/sys/class/i2c-dev/i2c-N/name` has it in parentheses, whatever N is.
  public let busNode: String?
  /// Default clock of the bus, Hz.
  public let busHertz: Int
  /// The data line; `nil` when the bus is simulated.
  public let sda: Line?
  /// The clock line; `nil` when the bus is simulated.
  public let scl: Line?
  /// The button that starts a recording.
  public let button: Line?
  /// The LED beside the button.
  public let led: Line?
  /// Where a sensor's interrupt output is wired, if it is: the line of `--interrupt auto`.
  public let dataReady: Line?
  /// Shell commands to run once, in order, each with its explanation after `#`.
  public let setup: [String]
  /// The shell command that keeps the bus's clock as configured where the board's load changes it, with its explanation
  /// after `#`; `nil` where it is steady.
  public let steadyBus: String?
  /// Advice to read before buying or wiring.
  public let notes: [String]
  /// Who recorded on a real one: date, name, kernel and chip of each report, separated by commas.
  public let validated: [String]
  /// Where the facts come from.
  public let sources: [String]
}

extension Board {
  /// ``steadyBus`` without its explanation.
  public var steadyBusCommand: String? {
    steadyBus?.split(separator: "   #", maxSplits: 1).first.map(String.init)
  }

  /// Every board, the commonest first.
  ///
  /// Traps when an embedded file is wrong; a test reads each of them.
  public static let all: [Board] = {
    let files: [(id: String, bytes: [UInt8])] = [
      ("raspberry-pi-5", PackageResources.raspberry_pi_5_board),
      ("raspberry-pi-4", PackageResources.raspberry_pi_4_board),
      ("raspberry-pi-3", PackageResources.raspberry_pi_3_board),
      ("raspberry-pi-zero-2-w", PackageResources.raspberry_pi_zero_2_w_board),
      ("beaglebone-black", PackageResources.beaglebone_black_board),
      ("orange-pi-zero-3", PackageResources.orange_pi_zero_3_board),
      ("radxa-zero-3", PackageResources.radxa_zero_3_board),
      ("rock-pi-4", PackageResources.rock_pi_4_board),
      ("simulator", PackageResources.simulator_board),
    ]
    return files.map { file in
      do throws(BoardFileError) {
        return try Board(id: file.id, contents: file.bytes)
      } catch {
        preconditionFailure(error.description)
      }
    }
  }()

  /// The board with this ID, or `nil`.
  public static func named(_ id: String) -> Board? { all.first { $0.id == id } }

  /// The board on which the program runs, or `nil` when none matches.
  ///
  /// The device tree's `compatible` decides, its most specific entry first; then `model`.
  ///
  /// - Parameters:
  ///   - model: The contents of `/proc/device-tree/model`; a NUL ends it. `nil` where there is no device tree.
  ///   - compatible: The entries of `/proc/device-tree/compatible`, in their order.
  public static func detect(model: String?, compatible: [String]) -> Board? {
    for entry in compatible {
      if let board = all.first(where: { $0.compatible.contains(entry) }) { return board }
    }
    guard let model else { return nil }
    let words = model.prefix { $0 != "\0" } + " "
    return all.first { board in board.models.contains { words.hasPrefix($0 + " ") } }
  }
}

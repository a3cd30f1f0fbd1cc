// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The configuration of a Raspberry Pi's firmware, as far as it applies to this model.
package struct BootConfiguration {
  /// The file that has it.
  package let path: String
  /// The lines that apply, without white space around them.
  private let lines: [Substring]
  /// Whether a line about the bus, or one appended to the file, is in a section that does not apply.
  package let asksElsewhere: Bool

  private static let paths = ["/boot/firmware/config.txt", "/boot/config.txt"]

  /// Reads the first of the usual files that exists; `nil` without one.
  package init?(_ tree: SystemTree) {
    for path in Self.paths {
      guard let text = tree.text(path, limit: 1 << 16) else { continue }
      self.path = path
      var filter = BootFilter(tree)
      lines = Self.applying(text, in: path, &filter, tree, isIncluded: false)
      let all = text.split(whereSeparator: \.isNewline).map(\.withoutBlanks)
      // A program may switch on a line that is commented out.
      let about = { (lines: [Substring]) in
        lines.count { Self.asks($0.drop { $0 == "#" || $0 == " " }) != nil }
      }
      asksElsewhere = about(all) > about(lines) || !filter.applies
      return
    }
    return nil
  }

  /// The file to which a line is added, whether it exists yet or not.
  package static func path(_ tree: SystemTree) -> String {
    if let found = BootConfiguration(tree) { return found.path }
    let isOld = tree.names(in: "/boot/firmware").isEmpty && !tree.names(in: "/boot").isEmpty
    return isOld ? paths[1] : paths[0]
  }

  /// A command that writes to the usual file, for the file of this machine.
  package static func command(_ usual: String, _ tree: SystemTree) -> String {
    usual.parts(around: paths[0]).map { "\($0.before)\(path(tree))\($0.after)" } ?? usual
  }

  /// The lines of `text` that apply, with those of the files beside it that `include` names: one level of them.
  private static func applying(
    _ text: String, in path: String, _ filter: inout BootFilter, _ tree: SystemTree,
    isIncluded: Bool
  ) -> [Substring] {
    var found: [Substring] = []
    for whole in text.split(whereSeparator: \.isNewline) {
      let line = whole.withoutBlanks
      guard !filter.takes(line), filter.applies else { continue }
      found.append(line)
      guard !isIncluded, line.hasPrefix("include "), let slash = path.lastIndex(of: "/")
      else { continue }
      let other = path[...slash] + line.dropFirst("include ".utf8.count).withoutBlanks
      found += applying(
        tree.text(String(other), limit: 1 << 16) ?? "", in: path, &filter, tree, isIncluded: true)
    }
    return found
  }

  /// Whether the last line about a bus switches it on.
  package var asksForI2C: Bool {
    lines.lazy.compactMap { Self.asks($0) }.last ?? false
  }

  /// Whether a line switches the bus of pins 3 and 5 on or off; `nil` for another line.
  private static func asks(_ line: Substring) -> Bool? {
    if line.hasPrefix("dtoverlay=i2c1") { return true }
    guard let prefix = ["dtparam=", "device_tree_param="].first(where: { line.hasPrefix($0) })
    else { return nil }
    var asks: Bool?
    for parameter in line.dropFirst(prefix.utf8.count).split(separator: ",") {
      let parts = parameter.split(separator: "=", omittingEmptySubsequences: false)
      guard let name = parts.first, ["i2c", "i2c_arm", "i2c1"].contains(name) else { continue }
      asks = parts.count < 2 || ["on", "yes", "y", "true", "1"].contains(parts[1])
    }
    return asks
  }

  /// The line that gives a sensor to a driver of the kernel.
  package var sensorOverlay: String? {
    let chips = ["mpu6050", "mpu9250", "lsm6ds", "lsm9ds1"]
    let line = lines.first { line in
      line.hasPrefix("dtoverlay=") && chips.contains { line.parts(around: $0) != nil }
    }
    return line.map { String($0) }
  }
}

/// The section of a firmware's configuration: which machines its lines are for
/// (raspberrypi/documentation, config_txt/conditional.adoc).
///
/// A filter replaces the one of its kind, filters of different kinds must all hold, and `[all]` ends them. A filter that
/// cannot be answered here, such as a monitor's name or a pin's level, counts as held.
private struct BootFilter {
  private let models: Set<String>
  private let serial: String?
  private var isModel = true
  private var isSerial = true
  private var isNone = false

  private static let allModels: Set = [
    "pi0", "pi0w", "pi02", "pi1", "pi2", "pi3", "pi3+", "pi4", "pi400", "pi5", "pi500", "cm0",
    "cm1", "cm3", "cm3+", "cm4", "cm4s", "cm5",
  ]

  /// The beginning of a model's name, the longest first, and its sections.
  private static let sections: [(model: String, names: Set<String>)] = [
    ("Compute Module 5", ["pi5", "cm5"]), ("Compute Module 4S", ["pi4", "cm4s"]),
    ("Compute Module 4", ["pi4", "cm4"]),
    ("Compute Module 3 Plus", ["pi3", "pi3+", "cm3", "cm3+"]),
    ("Compute Module 3", ["pi3", "cm3"]), ("Compute Module 0", ["pi0", "cm0"]),
    ("Compute Module", ["pi1", "cm1"]), ("500", ["pi5", "pi500"]), ("5", ["pi5"]),
    ("400", ["pi4", "pi400"]), ("4", ["pi4"]), ("3 Model A Plus", ["pi3", "pi3+"]),
    ("3 Model B Plus", ["pi3", "pi3+"]), ("3", ["pi3"]), ("2", ["pi2"]),
    ("Zero 2", ["pi0", "pi0w", "pi02"]), ("Zero W", ["pi0", "pi0w"]), ("Zero", ["pi0"]),
    ("Model", ["pi1"]),
  ]

  init(_ tree: SystemTree) {
    let begin = "Raspberry Pi "
    let model = tree.boardModel().flatMap {
      $0.hasPrefix(begin) ? $0.dropFirst(begin.utf8.count) : nil
    }
    models = Self.sections.first { model?.hasPrefix($0.model) ?? false }?.names ?? []
    serial = tree.text("/proc/device-tree/serial-number").map {
      String($0.lowercased().drop { $0 == "0" })
    }
  }

  var applies: Bool { isModel && isSerial && !isNone }

  /// Whether a line begins a section.
  mutating func takes(_ line: Substring) -> Bool {
    guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return false }
    let name = line[line.index(after: line.startIndex)..<end].lowercased()
    switch name {
    case "all": (isModel, isSerial, isNone) = (true, true, false)
    // A start for a trial of another file.
    case "none", "tryboot": isNone = true
    case let name where Self.allModels.contains(name):
      // The lines count on a machine whose model is not in the table.
      isModel = models.isEmpty || models.contains(name)
    // A model by its number, which is not compared here.
    case let name where name.hasPrefix("board-type="): isModel = true
    case let name where name.hasPrefix("0x"):
      isSerial = serial == nil || serial == String(name.dropFirst(2).drop { $0 == "0" })
    default: break
    }
    return true
  }
}

extension Substring {
  /// Without blanks and tabs at both ends.
  fileprivate var withoutBlanks: Substring {
    var rest = drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}

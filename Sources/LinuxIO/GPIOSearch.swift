// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// Finds the requested line among a machine's chips; the error when it is not there.
package struct GPIOLineSearch {
  let spec: GPIOLineSpec
  let survey: GPIOSurvey
  let tree: SystemTree

  /// A search among the chips of a survey of `tree`.
  package init(spec: GPIOLineSpec, survey: GPIOSurvey, tree: SystemTree) {
    (self.spec, self.survey, self.tree) = (spec, survey, tree)
  }

  /// Labels of the chips that drive a Raspberry Pi's header (drivers/pinctrl/bcm/pinctrl-bcm2835.c,
  /// pinctrl-rp1.c); they count first when several chips have a line of the same name.
  private static let headerLabels = [
    "pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2712", "pinctrl-bcm2835",
  ]

  /// The requested line.
  package func line() throws(LinuxIOError) -> GPIOLine {
    if survey.chips.isEmpty { throw noChip() }
    let found = candidates()
    if let line = found.first, found.count == 1 { return line }
    if found.isEmpty { throw notFound() }
    let onHeader = found.filter { Self.headerLabels.contains($0.chip.label) }
    if let line = onHeader.first, onHeader.count == 1 { return line }
    let list = found.map { "\($0)" }.joined(separator: "; ")
    throw attempt.error(
      "there are \(found.count) such lines: \(list)", 0,
      "Name the one you mean by its chip, such as"
        + " \(found[0].chip.label.isEmpty ? found[0].chip.name : found[0].chip.label)"
        + ":\(found[0].offset).")
  }

  /// All lines that match: of the first spelling that any line has.
  private func candidates() -> [GPIOLine] {
    switch spec {
    case .offset(let chip, let offset):
      return survey.chips.compactMap { candidate in
        let names = candidate.nodes + [candidate.info.label, candidate.info.name]
        guard names.contains(chip) || "/dev/\(candidate.info.name)" == chip,
          candidate.lineNames.indices.contains(offset)
        else { return nil }
        return GPIOLine(chip: candidate.info, offset: offset, name: candidate.lineNames[offset])
      }
    case .name(let name):
      for spelling in GPIOLineName.spellings(of: name) {
        let found = survey.chips.flatMap { chip in
          chip.lineNames.indices.compactMap { offset in
            GPIOLineName.matches(chip.lineNames[offset], spelling)
              ? GPIOLine(chip: chip.info, offset: offset, name: chip.lineNames[offset]) : nil
          }
        }
        if !found.isEmpty { return found }
      }
      return []
    }
  }

  private func noChip() -> LinuxIOError {
    if let refusal = survey.refusals.first { return refused(refusal) }
    return attempt.error(
      "this machine has no GPIO chip that programs may use", ENOENT,
      "Use a board with GPIO lines and a kernel with CONFIG_GPIO_CDEV; to do without a"
        + " button and a light, give `none` for the line.")
  }

  private func notFound() -> LinuxIOError {
    // The line may be on a chip that this user may not open.
    if let refusal = survey.refusals.first(where: { $0.errno == EACCES || $0.errno == EPERM }) {
      return refused(refusal)
    }
    let chips = survey.chips.map { "\($0.info), \($0.info.lineCount) lines" }
    return attempt.error(
      "there is no such line; there are \(chips.joined(separator: "; "))", 0,
      "Look for its name with `gpioinfo` (`sudo apt install gpiod`), or name it by chip and"
        + " number, such as \(survey.chips[0].info.label):17.")
  }

  private func refused(_ refusal: (path: String, errno: Int32)) -> LinuxIOError {
    let (path, code) = refusal
    let attempt = Attempt(attempt: attempt.attempt, place: path)
    switch code {
    case EPERM: return attempt.forbiddenByDeviceRules()
    case EACCES:
      return attempt.error(
        "you may not use it", code,
        tree.groupRemedy(
          path,
          else:
            "The package, or `sudo imulog install` where there is none, gives the node to the group"
            + " gpio: `sudo udevadm trigger`, then `sudo usermod -aG gpio $USER`, and log in again."
        ),
        kind: .notPermitted)
    case EINVAL, ENOTTY:
      return attempt.error(
        "the kernel does not know version 2 of the GPIO interface", code,
        "Use a kernel from 5.10 on.")
    default: return attempt.refused(code, "Look for the chip in `dmesg`.")
    }
  }

  private var attempt: Attempt {
    Attempt(attempt: "looking for GPIO line \(spec)", place: tree.path("/dev/gpiochip*"))
  }
}

/// The GPIO chips of a machine and the names of their lines, and the nodes that could not be asked.
package struct GPIOSurvey {
  /// A chip with the names of its lines by number.
  package struct Chip {
    package var info: GPIOChipInfo
    /// Names of the nodes that lead to it: some systems keep `gpiochip4` as a link to `gpiochip0`.
    var nodes: [String]
    var lineNames: [String]
  }

  package private(set) var chips: [Chip] = []
  /// Nodes that could not be opened or asked, with the errno.
  package var refusals: [(path: String, errno: Int32)] = []
}

extension GPIOSurvey {
  /// Asks every chip: a system call a line, some 100 µs in all on a Raspberry Pi.
  package init(_ tree: SystemTree) {
    // Links last, so that a chip goes by its own name.
    let nodes = tree.names(in: "/dev").compactMap { name -> Node? in
      guard name.hasPrefix("gpiochip"), let number = Int(name.dropFirst("gpiochip".count))
      else { return nil }
      let isLink = tree.linkTarget("/dev/\(name)") != nil
      return Node(name: name, path: tree.path("/dev/\(name)"), rank: (isLink ? 1 : 0, number))
    }
    var known: [Identity: Int] = [:]
    for node in nodes.sorted(by: { $0.rank < $1.rank }) {
      switch Self.ask(node) {
      case .failure(let refusal): refusals.append((node.path, refusal.errno))
      case .success(let (identity, chip)):
        if let index = known[identity] {
          chips[index].nodes.append(node.name)
        } else {
          known[identity] = chips.count
          chips.append(chip)
        }
      }
    }
  }

  private struct Node {
    let name: String
    let path: String
    let rank: (Int, Int)
  }

  /// Which device a node leads to.
  private struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  private struct Code: Error {
    let errno: Int32
  }

  private static func ask(_ node: Node) -> Result<(Identity, Chip), Code> {
    let descriptor = open(node.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .failure(Code(errno: errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(Code(errno: errno)) }
    let isDevice = status.st_mode & S_IFMT == S_IFCHR
    let identity = Identity(
      device: isDevice ? status.st_rdev : status.st_dev, inode: isDevice ? 0 : status.st_ino)
    let size = Int(CLINUXIO_GPIO_NAME_SIZE)
    var name = [CChar](repeating: 0, count: size)
    var label = name
    var count: UInt32 = 0
    // Safe: both arrays have the size that the call fills at most.
    let answer = clinuxio_gpio_chip(descriptor, &name, &label, &count)
    guard answer >= 0 else { return .failure(Code(errno: -answer)) }
    var lineNames: [String] = []
    for offset in 0..<Int(count) {
      let (answer, name, _) = line(offset, of: descriptor)
      guard answer >= 0 else { return .failure(Code(errno: -answer)) }
      lineNames.append(name)
    }
    let info = GPIOChipInfo(
      path: node.path, name: text(name), label: text(label), lineCount: Int(count))
    return .success((identity, Chip(info: info, nodes: [node.name], lineNames: lineNames)))
  }

  /// A line of the chip at `descriptor`: 1 when it is in use, 0 when it is free, or a negated errno; its name and its
  /// user's, each empty when there is none.
  static func line(
    _ offset: Int, of descriptor: Int32
  ) -> (answer: Int32, name: String, consumer: String) {
    var name = [CChar](repeating: 0, count: Int(CLINUXIO_GPIO_NAME_SIZE))
    var consumer = name
    // Safe: both arrays have the size that the call fills at most.
    let answer = clinuxio_gpio_line(descriptor, UInt32(offset), &name, &consumer)
    return (answer, text(name), text(consumer))
  }

  /// The text up to the NUL.
  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

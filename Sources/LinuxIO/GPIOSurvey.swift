import CLinuxIO
import Glibc

/// The GPIO chips of a machine and the names of their lines, and the nodes that could not be asked.
struct GPIOSurvey {
  /// A chip with the names of its lines by number.
  struct Chip {
    var info: GPIOChipInfo
    /// Names of the nodes that lead to it: some systems keep `gpiochip4` as a link to `gpiochip0`.
    var nodes: [String]
    var lineNames: [String]
  }

  var chips: [Chip] = []
  /// Nodes that could not be opened or asked, with the errno.
  var refusals: [(path: String, errno: Int32)] = []
}

extension GPIOSurvey {
  /// Asks every chip: a system call for each line, some 100 µs on a Raspberry Pi.
  init(_ tree: SystemTree) {
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
    let descriptor = open(node.path, O_RDONLY | O_CLOEXEC)
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
    for offset in 0..<count {
      // Safe: as above; `label` is not used any more but as a place for the user's name.
      var consumer = [CChar](repeating: 0, count: size)
      var lineName = consumer
      let answer = clinuxio_gpio_line(descriptor, offset, &lineName, &consumer)
      guard answer >= 0 else { return .failure(Code(errno: -answer)) }
      lineNames.append(text(lineName))
    }
    let info = GPIOChipInfo(
      path: node.path, name: text(name), label: text(label), lineCount: Int(count))
    return .success((identity, Chip(info: info, nodes: [node.name], lineNames: lineNames)))
  }

  /// The text up to the NUL.
  static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension SystemTree {
  /// GPIO chips that this process may use, by the number of their node, each once.
  public func gpioChips() -> [GPIOChipInfo] { GPIOSurvey(self).chips.map(\.info) }
}

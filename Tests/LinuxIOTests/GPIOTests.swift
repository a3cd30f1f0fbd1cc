// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing

/// One by one: there is one set of simulated lines.
@Suite("A GPIO line of this machine", .serialized)
final class GPIOTests {
  let fixture = TemporaryTree()
  // Safe: the lines live as long as the process, and tests of this suite run one by one.
  let lines = simulated_lines()

  static let activeLow: UInt64 = 1 << 1
  static let input: UInt64 = 1 << 2
  static let output: UInt64 = 1 << 3
  static let edges: UInt64 = 1 << 4 | 1 << 5
  static let pullUp: UInt64 = 1 << 8
  static let pullDown: UInt64 = 1 << 9

  deinit { simulated_lines_give() }

  init() async {
    while simulated_lines_take() == 0 { await Task.yield() }
    // As a Raspberry Pi 4 with mainline's kernel has it, and a link that some images keep.
    fixture.file(
      "/dev/gpiochip0", "gpiochip0=pinctrl-bcm2711\nID_SDA\nSDA1\nGPIO_GCLK\nGPIO17\nGPIO27=sysfs")
    fixture.file("/dev/gpiochip1", "gpiochip1=raspberrypi-exp-gpio\nBT_ON\nGPIO17\nGPIO9")
    fixture.file("/dev/gpiochip10", "gpiochip10=\nGPIO9")
    fixture.link("/dev/gpiochip4", to: "gpiochip0")
    fixture.file("/dev/gpiochipx", "no=number\nGPIO17")
  }

  func input(_ text: String) throws(LinuxIOError) -> GPIOInput {
    try GPIOInput(GPIOLineSpec(text), isActiveLow: true, tree: fixture.tree)
  }

  func line(_ text: String) throws -> String {
    let input = try input(text)
    let line = input.line
    return "\(line)"
  }

  func error(_ text: String) -> LinuxIOError? {
    do throws(LinuxIOError) {
      _ = try input(text)
      return nil
    } catch {
      return error
    }
  }

  @Test("belongs to one of the chips, each of which is reported once")
  func chips() {
    let chips = GPIOSurvey(fixture.tree).chips.map(\.info)
    #expect(
      chips.map { "\($0)" } == [
        "gpiochip0 (pinctrl-bcm2711)", "gpiochip1 (raspberrypi-exp-gpio)", "gpiochip10",
      ])
    #expect(chips.map(\.lineCount) == [5, 3, 1])
    #expect(chips[0].path == fixture.root + "/dev/gpiochip0")
  }

  @Test("on a chip that a container's device rules forbid is not found, and no group helps")
  func deviceRules() {
    let path = fixture.root + "/dev/gpiochip2"
    for hasOthers in [true, false] {
      var survey = GPIOSurvey(hasOthers ? fixture.tree : SystemTree(root: fixture.root + "/none"))
      survey.refusals = [(path, EPERM)]
      let search = GPIOLineSearch(spec: GPIOLineSpec("GPIO99"), survey: survey, tree: fixture.tree)
      let error = #expect(throws: LinuxIOError.self) { try search.line() }
      #expect(error?.kind == .notPermitted && error?.errno == EPERM && error?.place == path)
      #expect(error?.remedy.contains("--device \(path)`") == true)
    }
  }

  @Test("is found by name in another spelling, by label, by node and by a link to it")
  func found() throws {
    let clock = "GPIO_GCLK, line 2 of gpiochip0 (pinctrl-bcm2711)"
    for text in [
      "GPIO4", "GPIO_GCLK", "4", "pinctrl-bcm2711:2", "gpiochip0:2", "/dev/gpiochip0:2",
      "gpiochip4:2",
    ] {
      #expect(try line(text) == clock)
    }
    // The header's, though another chip has one of the same name.
    #expect(try line("GPIO17") == "GPIO17, line 3 of gpiochip0 (pinctrl-bcm2711)")
  }

  @Test("that several chips have is not guessed")
  func ambiguous() {
    let error = error("GPIO9")
    #expect(
      error?.description
        == "looking for GPIO line GPIO9 (\(fixture.root)/dev/gpiochip*): there are 2 such lines:"
        + " GPIO9, line 2 of gpiochip1 (raspberrypi-exp-gpio); GPIO9, line 0 of gpiochip10. Name the"
        + " one you mean by its chip, such as raspberrypi-exp-gpio:2.")
  }

  @Test("that no chip has names the chips", arguments: ["GPIO26", "pinctrl-rp1:17", "gpiochip0:5"])
  func missing(text: String) {
    let error = error(text)
    #expect(error?.finding.contains("gpiochip0 (pinctrl-bcm2711), 5 lines") == true)
    #expect(error?.remedy.contains("gpioinfo") == true)
  }

  @Test("on a machine without chips is refused in words")
  func noChips() throws {
    let bare = TemporaryTree()
    bare.file("/dev/null")
    let failure = try #require(throws: LinuxIOError.self) {
      _ = try GPIOInput(.name("GPIO17"), isActiveLow: true, tree: bare.tree)
    }
    #expect(failure.finding == "this machine has no GPIO chip that programs may use")
  }

  @Test("that another program uses names that program")
  func busy() {
    let error = error("GPIO27")
    #expect(error?.kind == .lineBusy(holder: "sysfs"))
    #expect(error?.errno == EBUSY)
    #expect(
      error?.description
        == "using GPIO27, line 4 of gpiochip0 (pinctrl-bcm2711) (\(fixture.root)/dev/gpiochip0):"
        + " \"sysfs\" is using the line (errno 16, Device or resource busy). End the program,"
        + " or remove the overlay, that uses it; or choose another line.")
  }

  @Test("of another imulog says so")
  func ours() {
    fixture.file("/dev/gpiochip0", "gpiochip0=pinctrl-bcm2711\nGPIO17=imulog")
    #expect(error("GPIO17")?.remedy.contains("`imulog status`") == true)
  }

  @Test("is requested with both edges, its pull and the debouncing", arguments: [true, false])
  func request(isActiveLow: Bool) throws {
    let input = try GPIOInput(
      .name("GPIO17"), isActiveLow: isActiveLow, debounceMicroseconds: 20_000, tree: fixture.tree)
    let refusal = input.biasRefusal
    #expect(refusal == nil)
    let low = Self.activeLow | Self.pullUp
    #expect(lines.pointee.flags == Self.input | Self.edges | (isActiveLow ? low : Self.pullDown))
    #expect(lines.pointee.attribute == 3)
    #expect(lines.pointee.debounce == 20_000)
    let consumer = withUnsafeBytes(of: &lines.pointee.consumer) { Array($0.prefix(7)) }
    #expect(consumer == Array("imulog\0".utf8))
  }

  @Test(
    "is used without a pull where the driver refuses it, and reports that",
    arguments: [22, 95, 524])
  func bias(code: Int32) throws {
    lines.pointee.bias_failure = code
    let input = try input("GPIO17")
    let refusal = input.biasRefusal
    #expect(refusal?.errno == code)
    #expect(refusal?.remedy.contains("3.3 V") == true)
    #expect(lines.pointee.flags & (Self.pullUp | Self.pullDown) == 0)
  }

  @Test("that is refused for another reason is not requested again")
  func noRetry() {
    lines.pointee.bias_failure = EIO
    #expect(error("GPIO17")?.errno == EIO)
  }

  @Test("reports its edges with the kernel's times, from the level that it had at the start")
  func reading() throws {
    lines.pointee.value = 1
    var input = try input("GPIO17")
    for value: Int32 in [0, 1] {
      lines.pointee.value = value
      let isActive = try input.isActive()
      #expect(isActive == (value == 1))
    }
    for number in 1...40 as ClosedRange<UInt64> {
      simulated_lines_edge(number % 2 == 0 ? 1 : 0, 1_000_000_000 + number, UInt32(number))
    }
    let edges = try input.read()
    #expect(edges.count == 40)
    #expect(
      edges.first == LineEdge(isActive: false, time: MonotonicTime(nanoseconds: 1_000_000_001)))
    #expect(edges.last == LineEdge(isActive: true, time: MonotonicTime(nanoseconds: 1_000_000_040)))
    let none = try input.read()
    #expect(none.isEmpty)
    simulated_lines_edge(1, 2_000_000_000, 42)
    let repaired = try input.read()
    #expect(repaired.map(\.isActive) == [false, true])
  }

  @Test("of an interrupt gives edge by edge, and says which one follows a loss")
  func interrupt() throws {
    var line = try InterruptLine(.name("GPIO17"), tree: fixture.tree)
    for number in [1, 2, 4] as [UInt32] { simulated_lines_edge(1, UInt64(number), number) }
    for number in [1, 2, 4] as [Int64] {
      let (edge, time) = (line.next(), MonotonicTime(nanoseconds: number))
      #expect(edge == InterruptEdge(time: time, followsLoss: number == 4))
    }
    let none = line.next()
    #expect(none == nil)
  }

  @Test("whose chip goes away is reported")
  func gone() throws {
    let input = try input("GPIO17")
    lines.pointee.failure = ENODEV
    let failure = try #require(throws: LinuxIOError.self) { _ = try input.isActive() }
    #expect(failure.errno == ENODEV)
  }

  @Test("is driven from its first level on", arguments: [true, false])
  func output(isOn: Bool) throws {
    var output = try GPIOOutput(
      .name("GPIO17"), isActiveLow: true, initially: isOn, tree: fixture.tree)
    #expect(lines.pointee.flags == Self.output | Self.activeLow)
    #expect(lines.pointee.value == (isOn ? 1 : 0))
    try output.set(!isOn)
    #expect(lines.pointee.value == (isOn ? 0 : 1))
    lines.pointee.failure = ENODEV
    let failure = try #require(throws: LinuxIOError.self) { try output.set(isOn) }
    #expect(failure.errno == ENODEV)
  }

  @Test("gives its descriptors back")
  func descriptors() throws {
    let before = openDescriptors()
    for _ in 0..<100 {
      _ = try input("GPIO17")
      _ = try GPIOOutput(.name("GPIO17"), isActiveLow: false, tree: fixture.tree)
      _ = try InterruptLine(.name("GPIO17"), tree: fixture.tree)
      _ = try Inbox<Int>()
      _ = error("GPIO27")
      _ = error("GPIO9")
    }
    // Other suites open some meanwhile; those of one kind would be a hundred more.
    #expect(openDescriptors() < before + 100)
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import Testing

extension TemporaryTree {
  /// A multiplexer at 0x70 of bus 1, as i2c-core-mux shows it; channel K has the adapter `first` + K.
  func addMultiplexer(channels: Int = 8, first: Int = 3, address: String = "0070") {
    let devices = "/sys/bus/i2c/devices"
    file("\(devices)/1-\(address)/name", "pca9548\n")
    for channel in 0..<channels {
      link("\(devices)/1-\(address)/channel-\(channel)", to: "../i2c-\(first + channel)")
      link("\(devices)/i2c-\(first + channel)/mux_device", to: "../../1-\(address)")
    }
  }
}

@Suite("The path of a bus")
struct BusPathTests {
  private let multiplexer = I2CAddress(known: 0x70)

  @Test(
    "is a bus of the computer, or a multiplexer's channel on it, and reads back as it is written")
  func text() {
    for (text, written) in [
      ("1", "i2c-1"), ("i2c-22", "i2c-22"), ("1/mux@70/3", "i2c-1/mux@70/3"),
      ("i2c-1/mux@0x77/0", "i2c-1/mux@77/0"),
    ] {
      let path = BusPath(text)
      #expect(path?.description == written && path.flatMap { BusPath("\($0)") } == path)
    }
    for wrong in [
      "", "i2c-", "-1", "+1", "1048576", "one", "1/", "1/mux@70", "1/mux@70/", "1/mux@70/16",
      "1/mux@68/3", "1/mux@78/3", "1/70/3", "1/mux@70/3/0x68", "1/mux@70/3/mux@71/2", "1/mux@/3",
    ] {
      #expect(BusPath(wrong) == nil, "\(wrong)")
    }
  }

  @Test("shares its chips with the bus before it, and not with another channel")
  func reach() throws {
    let paths = try ["1", "1/mux@70/3", "1/mux@70/4", "1/mux@71/3", "2"].map {
      try #require(BusPath($0))
    }
    let reached = paths.map { path in paths.map { path.isReached(from: $0) } }
    #expect(
      reached == [
        [true, true, true, true, false], [true, true, false, false, false],
        [true, false, true, false, false], [true, false, false, true, false],
        [false, false, false, false, true],
      ])
  }

  @Test("leads to the adapter that the kernel has for the channel now, and back")
  func resolution() throws {
    let fixture = TemporaryTree.raspberryPi()
    fixture.addMultiplexer(channels: 4, first: 7)
    let path = try #require(BusPath("1/mux@70/3"))
    #expect(fixture.tree.adapterNumber(of: path) == 10)
    #expect(fixture.tree.busPath(ofAdapter: 10) == path)
    #expect(fixture.tree.busPath(ofAdapter: 1) == BusPath(root: 1))
    #expect(fixture.tree.multiplexers(on: 0).isEmpty)
    let found = try #require(fixture.tree.multiplexers(on: 1).first)
    #expect(found.address == multiplexer && found.name == "pca9548")
    #expect(found.channels.map(\.adapter) == [7, 8, 9, 10])
  }

  @Test("of a multiplexer or channel that is not there is refused with what adds it")
  func missing() throws {
    let fixture = TemporaryTree.raspberryPi()
    func error(_ text: String) throws -> LinuxIOError? {
      let path = try #require(BusPath(text))
      do throws(LinuxIOError) {
        _ = try fixture.tree.openable(path)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      try error("1/mux@70/3")?.description
        == "finding the channel i2c-1/mux@70/3 (\(fixture.root)/sys/bus/i2c/devices/1-0070): the kernel has no multiplexer at "
        + "0x70. Declare it in the device tree, or until the next start run `echo pca9548 0x70 | sudo tee "
        + "/sys/bus/i2c/devices/i2c-1/new_device`.")
    fixture.file("/proc/device-tree/__overrides__/i2c_arm")
    #expect(
      try error("3/mux@71/0")?.remedy
        == "Add `dtoverlay=i2c-mux,pca9548,i2c3,addr=0x71` to /boot/firmware/config.txt and restart, or run `echo "
        + "pca9548 0x71 | sudo tee /sys/bus/i2c/devices/i2c-3/new_device`.")
    #expect(
      try error("1/mux@70/3")?.remedy.contains("`dtoverlay=i2c-mux,pca9548,addr=0x70`") == true)
    fixture.addMultiplexer(channels: 4)
    #expect(try error("1/mux@70/3") == nil)
    #expect(try error("1/mux@70/7")?.remedy == "Give one of its channels: 0, 1, 2, 3.")
  }
}

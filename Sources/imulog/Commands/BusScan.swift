// SPDX-License-Identifier: Apache-2.0

import Doctor
import IMUDrivers
import IMUModel
import LinuxIO
import Text

/// Which chips answer at the addresses of sensors, on the computer's buses and behind multiplexers. Reads identity registers
/// only, and nothing on wires that a recorder uses.
struct BusScan {
  let tree: SystemTree

  /// A bus, or a channel, with the kernel's name for it.
  struct Place {
    let (path, name): (BusPath, String)
    var chips: [Chip] = []
    /// Why it was not read to its end; `nil` where it was.
    var note: String?
  }

  /// What is at an address.
  struct Chip: Equatable {
    let address: I2CAddress
    /// `nil` where the identity is of none that imulog has.
    let model: SensorModel?
    var words: String
  }

  /// All places: each bus, and behind it the channels of its multiplexers.
  func run() -> [Place] {
    tree.i2cAdapters().filter { tree.busPath(ofAdapter: $0.number).channel == nil }
      .flatMap { lookAtWires($0) }
  }

  /// A bus and its channels, which are the same wires while they are selected.
  private func lookAtWires(_ adapter: I2CAdapter) -> [Place] {
    let family = tree.adapters(sharingWires: adapter.number)
    var root = look(adapter.number, named: adapter.name, beside: family)
    var channels: [Place] = []
    for multiplexer in tree.multiplexers(on: adapter.number) {
      // What holds up the bus holds up its channels, for a second at each read.
      for channel in multiplexer.channels where root.note == nil {
        channels.append(look(channel.adapter, named: multiplexer.name, beside: family))
        root.note = channels.last?.note
      }
    }
    BusScan.sort(&root, &channels)
    return [root] + channels
  }

  /// Gives each chip one place. On the bus itself the channel that was selected last answers, too, and on each channel what is
  /// on the bus.
  static func sort(_ root: inout Place, _ channels: inout [Place]) {
    guard !channels.isEmpty, root.note == nil else { return }
    func isEverywhere(_ chip: Chip) -> Bool { channels.allSatisfy { $0.chips.contains(chip) } }
    let common = channels[0].chips.filter(isEverywhere)
    let seen = Set(channels.flatMap(\.chips).map(\.address.rawValue))
    root.chips =
      root.chips.filter { !seen.contains($0.address.rawValue) }
      + common.map { chip in
        var chip = chip
        chip.words += " (on each channel: here, or each has one)"
        return chip
      }
    for index in channels.indices { channels[index].chips.removeAll { common.contains($0) } }
  }

  /// One node, on a thread that is left behind if it hangs.
  private func look(_ number: Int, named name: String, beside family: [Int]) -> Place {
    let tree = tree
    var place = Place(path: tree.busPath(ofAdapter: number), name: name)
    place.chips = SensorFamily.allAddresses.compactMap { address in
      tree.i2cDriver(bus: number, address: address).map {
        Chip(address: address, model: nil, words: "the kernel's driver \(Plain.text($0)) has it")
      }
    }
    do throws(LinuxIOError) {
      let (chips, note) = try BusErrand(bus: number).run { progress -> ([Chip], String?) in
        do throws(LinuxIOError) {
          var bus = BusLook(
            try LinuxI2CBus(number: number, timeoutMilliseconds: nil, tree: tree),
            beside: family, tree)
          if let user = bus.recorder { return ([], "\(user) records on these wires: not read") }
          let found = BusScan.chips(on: &bus, free: BusChecks.claim(&bus).free, progress)
          return bus.ending.isCut ? ([], "a recording began: left to it") : found
        } catch {
          return ([], error.finding)
        }
      }
      place.chips = (place.chips + chips).sorted { $0.address.rawValue < $1.address.rawValue }
      place.note = note
    } catch {
      place.note = error.finding
    }
    return place
  }

  /// What answers at the free addresses of a bus; a note where transfers do not end.
  static func chips<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, free: [I2CAddress], _ progress: () -> Void
  ) -> (chips: [Chip], note: String?) {
    var chips: [Chip] = []
    for address in free {
      defer { progress() }
      do throws(SensorError) {
        let found = try SensorIdentity.identify(on: &bus, addresses: [address])
        let names = ([found.model] + found.alternatives).map(\.name)
        chips.append(
          Chip(address: address, model: found.model, words: names.joined(separator: " or ")))
      } catch {
        guard case .notFound(let findings) = error, let finding = findings.first else { continue }
        switch finding.result {
        case .success where finding.isUnknownChip:
          let words = "\(finding)".parts(around: ": ").map { String($0.after) }
          chips.append(Chip(address: address, model: nil, words: words ?? "\(finding)"))
        case .failure(let error) where [.timeout, .busy, .arbitrationLost].contains(error.kind):
          return (chips, "transfers do not end: SDA or SCL is held low")
        default: continue
        }
      }
    }
    return (chips, nil)
  }

  /// The drawing, in lines.
  static func lines(_ places: [Place]) -> [String] {
    guard !places.isEmpty else { return ["no I2C bus is open to programs here; see imulog doctor"] }
    return places.flatMap { place -> [String] in
      let isChannel = place.path.channel != nil
      // A channel without a chip of its own needs no line.
      if isChannel, place.chips.isEmpty, place.note == nil { return [] }
      let indent = isChannel ? "    " : "  "
      let head = "\(isChannel ? "  " : "")\(place.path)  \(Plain.text(place.name))"
      let chips = place.chips.map { "\(indent)\($0.address)  \($0.words)" }
      let note = place.note ?? (chips.isEmpty ? "no sensor answers" : nil)
      return [head] + chips + (note.map { [indent + Plain.text($0)] } ?? [])
    }
  }
}

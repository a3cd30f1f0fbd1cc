// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Text

extension DoctorCheck {
  static let recorded = DoctorCheck([
    "recorded N": "with --report: hours, losses and bounds since the start"
  ]) { subject in
    guard subject.isReport, let store = subject.store, let boot = subject.tree.bootID(),
      access(store, F_OK) == 0
    else { return [] }
    let evidence = Evidence(boot: boot, isSimulated: subject.board?.id == "simulator")
    do {
      return evidence.checks(try evidence.sums(of: try Catalogue(path: store)))
    } catch {
      return [Check("recorded 1", .unchecked("\(error)"))]
    }
  }
}

/// What the recordings since the machine's last start show: by the boot in their headers they are of this board and this
/// kernel. Copies of other machines' recordings have another boot.
private struct Evidence {
  let boot: String
  /// Whether the simulator is reported on, whose recordings show nothing of a board.
  let isSimulated: Bool

  /// Nanoseconds after which no further recording is begun with.
  private static let patience: Int64 = 60_000_000_000

  /// The newest recording's first, and the number of recordings that were not read.
  typealias Sums = (found: [Sum], unread: Int)

  /// The recordings of one chip, rate and clock.
  struct Sum {
    let name: String
    var (recordings, flawed, seconds) = (0, 0, 0.0)
    var tally = TickTally()
    /// Nanoseconds; `nil` where no recording has them.
    var (late, proved): (Int64?, Int64?) = (nil, nil)
    var unproved: UInt64 = 0
    /// The bus's clock in hertz in the slowest and the fastest second; 0 at most where no recording measured it.
    var (slowest, fastest): (UInt32, UInt32) = (.max, 0)

    init(_ log: RecordingDescription) {
      name =
        "\(Plain.text(log.sensor.model)) at \(Plain.hertz(log.rate)) Hz"
        + (log.clock == .grid ? "" : " by its own clock")
    }
  }

  /// Reads whole recordings: what was lost in the middle of one, and how well its times are proved, only a pass shows.
  func sums(of catalogue: Catalogue) throws -> Sums {
    var (found, unread) = ([Sum](), 0)
    let (clock, end) = (SystemClock(), SystemClock().now() + Evidence.patience)
    for entry in try catalogue.list().entries {
      guard clock.now() < end else {
        unread += 1
        continue
      }
      do {
        var reader = try catalogue.reader(of: entry)
        let log = reader.description
        guard log.boot == boot, !log.isImported, log.recoveredFrom == nil,
          (log.board == "simulator") == isSimulated, try !catalogue.isLive(entry)
        else { continue }
        let new = Sum(log)
        let index = found.firstIndex { $0.name == new.name } ?? found.count
        if index == found.count { found.append(new) }
        found[index].add(try reader.account())
      } catch {
        unread += 1
      }
    }
    return (found, unread)
  }

  func checks(_ sums: Sums) -> [Check] {
    let rest = sums.unread == 0 ? "" : "; \(Plain.count(sums.unread, "recording")) not read"
    guard !sums.found.isEmpty else {
      return [
        Check(
          "recorded 1",
          .advice(
            "nothing since the machine started\(rest): `imulog record --for 1h`, then report again")
        )
      ]
    }
    return sums.found.enumerated().map { index, sum in
      Check("recorded \(index + 1)", sum.finding(rest))
    }
  }
}

extension Evidence.Sum {
  mutating func add(_ account: Account) {
    recordings += 1
    if account.verdict != .good { flawed += 1 }
    seconds += Double(account.summary.duration) / 1e9
    tally.sampled = tally.sampled.addingSaturated(account.tally.sampled)
    for cause in GapCause.allCases { tally.add(account.tally[cause], cause) }
    late = [late, account.lateness?.maximum].compactMap { $0 }.max()
    if let clock = account.chipClock {
      proved = [proved, clock.maximum].compactMap { $0 }.max()
      unproved = unproved.addingSaturated(clock.unprovedCount)
    }
    guard account.busClock.count > 0 else { return }
    slowest = min(slowest, account.busClock.least)
    fastest = max(fastest, account.busClock.most)
  }

  func finding(_ rest: String) -> Finding {
    func micros(_ nanoseconds: Int64) -> Int64 {
      nanoseconds / 1000 + (nanoseconds % 1000).signum()
    }
    let hours = Plain.number(seconds / 3600, per: 1000)
    let missing = tally.scheduled - tally.sampled
    var words =
      "\(name): \(hours) hours estimated, \(missing) of \(tally.scheduled) samples missing"
    var figures: Finding.Figures = [
      ("sensor", name), ("recordings", "\(recordings)"), ("flawed", "\(flawed)"), ("hours", hours),
    ]
    figures += tally.named.filter { $0.count > 0 }.map { ($0.name, "\($0.count)") }
    if let late {
      words += ", woken at most \(micros(late)) µs late"
      figures.append(("late_at_most_us", "\(micros(late))"))
    }
    if let proved {
      words += ", times proved to ±\(micros(proved)) µs at most"
      figures.append(("proved_to_us", "\(micros(proved))"))
    }
    if unproved > 0 {
      words += ", \(unproved) without a proof"
      figures.append(("unproved", "\(unproved)"))
    }
    if fastest > 0 {
      figures += [("bus_slowest_hz", "\(slowest)"), ("bus_fastest_hz", "\(fastest)")]
    }
    if flawed > 0 { words += "; \(flawed) of \(Plain.count(recordings, "recording")) flawed" }
    return Finding(flawed == 0 ? .ok : .advice, words + rest, figures: figures)
  }
}

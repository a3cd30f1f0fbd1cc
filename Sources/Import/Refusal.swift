// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The refusal that names everything that is missing, with the command that states it.
///
///     arduino.csv does not say in which unit time and acc_x, acc_y, acc_z are.
///       time   steps of 0.02: 50 Hz in s, 50000 Hz in ms
///       acc_*  mean length 9.84: 1 g in m/s2, 9.84 g in g
///     If that is right: imulog import arduino.csv --units s,m/s2
struct Refusal {
  /// The whole clause.
  private var problems: [String] = []
  /// Names without a unit, for one clause.
  private var names: [String] = []
  private var lines: [(name: String, meaning: String)] = []
  /// The user's options, and those that are proposed.
  private var request: ImportRequest
  /// The files that the command names, and what is done before.
  private var paths: [String]
  private var before = ""
  /// Whether the command has a place for a rate, which only the user knows.
  private var isRateOpen = false

  /// The refusal; `nil` if nothing is missing in any table.
  static func of(
    _ tables: [Understanding], _ request: ImportRequest,
    trying: (ImportRequest) -> [Understanding]? = { _ in nil }
  ) -> ImportError? {
    guard let first = tables.first(where: { !$0.missing.isEmpty }) else { return nil }
    var refusal = Refusal(tables, request)
    let open = tables.first { $0.missing == [.columns] }
    if let open {
      let shown = open.unknown.prefix(4).map { "\"\($0)\"" }.joined(separator: ", ")
      let more = open.unknown.count > 4 ? " and \(open.unknown.count - 4) more" : ""
      let isOpen = open.unknown.isEmpty || open.proposals.first?.meaning != Proposal.withoutUnknown
      let axes = isOpen ? ["which columns are the axes of which sensor"] : []
      let others =
        open.unknown.isEmpty
        ? [] : ["what \(shown)\(more) \(open.unknown.count == 1 ? "is" : "are")"]
      refusal.problems = ["does not say " + (axes + others).joined(separator: ", nor ")]
      let best =
        open.proposals.first
        ?? Proposal(columns: "time=1,ax=2,ay=3,az=4", meaning: "such as these, by their numbers")
      refusal.lines = [("columns", best.meaning)]
      refusal.request.columns = ColumnsOption(best.columns)
    }
    for table in (open == nil ? tables : trying(refusal.request)) ?? [] { refusal.add(table) }
    if tables.count == 1, first.archive != nil, refusal.request.columns != nil {
      // Columns are chosen of one file.
      refusal.paths = [first.name.split(separator: "/").last.map(String.init) ?? first.name]
      refusal.before = "unpack it, and "
    }
    let isTake = tables.count == 1 && open.map { SensorColumns.list(of: $0) != nil } ?? false
    return refusal.error(first.name, others: open?.proposals.dropFirst() ?? [], isTake)
  }

  private init(_ tables: [Understanding], _ request: ImportRequest) {
    self.request = request
    // Two tables may be in one archive.
    paths = tables.map { $0.archive ?? $0.name }
    if Set(paths).count == 1 { paths = [paths[0]] }
  }

  private mutating func add(_ table: Understanding) {
    if table.hasUnread, !table.missing.isEmpty {
      lines.append(
        ("before it", "what stands before its rows is not read: see whether it says it"))
    }
    if table.hasUnreadZone { request.isAnyway = true }
    var areCounts: Bool?
    for missing in table.missing {
      switch missing {
      case .columns: break
      case .timeForm:
        let (meaning, words) = table.proposedTimes(request)
        let name = table.timeColumn?.name ?? "time"
        if table.dateForms.isEmpty {
          names.append(FieldText.shown(name.utf8))
        } else {
          problems.append("does not say whether days or months are first in its dates")
        }
        lines.append((name, meaning))
        if words.isEmpty { request.columns = table.withoutTimes }
        state(words)
      case .unit(let group), .scale(let group):
        let (meaning, unit, counts) = table.proposed(group, areCounts: areCounts)
        if case .unit = missing {
          names.append(
            table.names(of: group).map { FieldText.shown($0.utf8) }.joined(separator: ", "))
        } else {
          problems.append("does not say what a count of its \(group.name) is")
        }
        lines.append((table.pattern(group), meaning))
        areCounts = (areCounts ?? true) && unit == .count
        // `raw` states all groups; beside one that the file states, counts are stated by their scale.
        let isRaw =
          missing == .unit(group)
          && table.groups.allSatisfy { (table.units[$0]?.value ?? .count) == .count }
        if unit != .count || isRaw || group == .temperature { state([unit.word]) }
        guard unit == .count, !isRaw || Fraction(1, counts) != Scale.usual(group).ratio else {
          continue
        }
        if group == .accelerometer { request.accelerometerScale = Fraction(1, counts) }
        if group == .gyroscope { request.gyroscopeScale = Fraction(1, counts) }
      case .rate:
        problems.append(
          table.timeColumn == nil
            ? "has no times, and states no rate" : "has a single row, which makes no rate")
        lines.append(("rate", "samples a second, in place of HZ"))
        isRateOpen = true
      case .sessions:
        let sessions = table.sessions
        let some = sessions.prefix(4).map { "\($0.first.line)–\($0.last.line)" }
        problems.append(
          "holds \(sessions.count) recordings: \(sessions[0].first.isRow ? "rows" : "lines") \(some.joined(separator: ", "))"
            + (sessions.count > 4 ? " and \(sessions.count - 4) more" : ""))
        request.isEach = true
        guard sessions.contains(where: { $0.begin == .time }) else { continue }
        lines.append(
          ("recordings", "--each keeps them apart; --sort puts rows in the order of their times"))
        if table.columns.contains(where: { $0.role == .date }) {
          lines.append(
            ("dates", "if they stay behind past midnight, correct them first: no option does that"))
        }
        // Times that turn back within a session tell that the others may be none.
        if table.census.back > 0 { request.isEach = false }
      case .order(let place):
        problems.append(
          "has \(Plain.count(table.census.back + table.census.sharing, "row")) out of order or with the time of the row above, the first in \(place)"
        )
        if 2 * table.census.sharing > table.census.rows {
          let steps = table.census.intervals
          let units = (steps.isExceeded(byAllBut: 0) / max(1, steps.resolution)).rounded()
          let hole =
            units > 1
            ? " (without them, a hole of \(Plain.significant(units)) units is not seen)" : ""
          lines.append(
            (
              "order",
              "these times are coarser than the rows\(hole); samples a second, in place of HZ"
            ))
          request.columns = table.withoutTimes
          isRateOpen = request.rate == nil
          continue
        }
        lines.append(
          ("order", "--sort puts rows in the order of their times, and keeps those that share one"))
        request.isSorted = true
      }
    }
  }

  /// Adds words of `--units` that the user did not give.
  private mutating func state(_ words: [String]) {
    let given = request.units?.text.split(separator: ",").map(String.init) ?? []
    let all = given + words.filter { !given.contains($0) }
    request.units = UnitsOption(all.joined(separator: ",")) ?? request.units
  }

  private func error(_ file: String, others: ArraySlice<Proposal>, _ isTake: Bool) -> ImportError {
    var problems = problems
    if !names.isEmpty {
      let isOne = names.count == 1 && !names[0].contains(", ")
      problems.append(
        "does not say in which unit \(names.joined(separator: " and ")) \(isOne ? "is" : "are")")
    }
    let width = min(32, lines.map(\.name.count).max() ?? 0)
    var text = lines.map { "  \(Refusal.padded($0.name, width))  \($0.meaning)" }
    text.append(
      "If that is right: \(before)\(request.command(paths))\(isRateOpen ? " --rate HZ" : "")")
    text += others.prefix(3).map {
      "Or \($0.meaning): --columns \(ShellWord.quoted($0.columns))"
    }
    if isTake { text.append("Or all, as a take of several sensors: --take in place of --columns") }
    return ImportError(
      file, kind: .unclear, problems.joined(separator: "; ") + ".",
      remedy: text.joined(separator: "\n"))
  }

  static func padded(_ name: String, _ width: Int) -> String {
    let name = FieldText.shown(name.utf8)
    return name + String(repeating: " ", count: max(0, width - name.count))
  }
}

extension Understanding {
  /// Its axes alone, for `--columns`.
  fileprivate var withoutTimes: ColumnsOption? {
    let axes = columns.compactMap { column in
      column.role.channel.map { "\(ChannelSet.names[$0])=\(column.index + 1)" }
    }
    return ColumnsOption(axes.joined(separator: ","))
  }
}

extension ImportRequest {
  /// The command that states it.
  fileprivate func command(_ paths: [String]) -> String {
    var words = ["imulog", "import"] + paths
    func counts(_ scale: Fraction?) -> String? {
      scale.map { Plain.number(1 / $0.value, per: 1_000_000_000) }
    }
    let options = [
      ("--columns", columns?.text), ("--units", units?.text),
      ("--accel-lsb-per-g", counts(accelerometerScale)),
      ("--gyro-lsb-per-dps", counts(gyroscopeScale)),
      ("--rate", rate.map { Plain.number($0.hertz, per: 1_000_000_000_000) }),
    ]
    for case (let option, let value?) in options { words += [option, value] }
    if isEach { words.append("--each") }
    if isSorted { words.append("--sort") }
    if isAnyway { words.append("--anyway") }
    if !note.isEmpty { words += ["--note", note] }
    return (words + self.words).map(ShellWord.quoted).joined(separator: " ")
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The one refusal that names everything that is missing, with the command that states it.
///
///     arduino.csv does not say in which unit time and acc_x, acc_y, acc_z are.
///       time   steps of 0.02: 50 Hz in s, 50 kHz in ms
///       acc_*  mean length 9.84: 1.00 g in m/s2, 9.84 g in g
///     If that is right: imulog import arduino.csv --units s,m/s2
struct Refusal {
  /// What a command states besides what the user gave.
  private struct Additions {
    var columns: String?
    var units: [String] = []
    var (accelerometer, gyroscope): (Int?, Int?)
    var rate: String?
    var (isEach, isSorted) = (false, false)
    /// What makes the file that is imported instead, and its name.
    var before: (command: String, file: String)?
  }

  private var problems: [String] = []
  private var lines: [(name: String, meaning: String)] = []
  private var additions = Additions()
  /// Further commands, and when they are right.
  private var others: [(when: String, Additions)] = []
  private let request: ImportRequest
  private let paths: [String]
  /// Of a single table in an archive: what unpacks it, as `--columns` is for a table.
  private let unpacking: (command: String, file: String)?

  /// The refusal; `nil` if nothing is missing in any table.
  ///
  /// - Parameters:
  ///   - tables: Of one recording.
  ///   - trying: How the tables are understood with other columns; `nil` where they cannot be read so.
  static func of(
    _ tables: [Understanding], _ request: ImportRequest,
    trying: (ImportRequest) -> [Understanding]? = { _ in nil }
  ) -> ImportError? {
    let open = tables.lazy.compactMap { table -> [Proposal]? in
      for case .columns(let proposals) in table.missing { return proposals }
      return nil
    }.first
    var refusal = Refusal(request, tables)
    for table in tables where !table.missing.isEmpty { refusal.add(table) }
    guard let first = tables.first(where: { !$0.missing.isEmpty }) else { return nil }
    guard let open else { return refusal.error(first.names[0]) }
    refusal.take(open, tables, trying)
    return refusal.error(first.names[0])
  }

  private init(_ request: ImportRequest, _ tables: [Understanding]) {
    self.request = request
    paths = tables.reduce(into: []) { paths, table in
      // Two sensors of one list are two tables of one file.
      if !paths.contains(table.path) { paths.append(table.path) }
    }
    unpacking = tables.count == 1 && tables[0].archive != nil ? tables[0].copied(by: nil) : nil
  }

  /// Adds what is missing in a table.
  private mutating func add(_ table: Understanding) {
    var names: [String] = []
    var areCounts: Bool?
    func shown(_ group: Group) -> String {
      table.columns(group).map { ForeignText.shown($0.name) }.joined(separator: ", ")
    }
    for missing in table.missing {
      switch missing {
      case .firstRow(let doubt):
        problems.append(doubt)
        additions.before = table.copied(by: "tail -n +\(table.syntax.headLines + 2)")
      case .columns: problems.append("does not say which columns are the axes of which sensor")
      case .timeForm:
        let found = table.alternativesOfTimes(request)
        if table.orders.isEmpty {
          names.append(found.name)
        } else {
          problems.append("does not say whether days or months are first in its dates")
        }
        lines.append((found.name, found.meaning))
        if let word = found.word { additions.units.append(word) }
        if found.word == nil { additions.columns = table.axesByNumber }
      case .unit(let group), .scale(let group):
        let found = table.alternatives(group, areCounts: areCounts)
        if case .unit = missing {
          names.append(shown(group))
        } else {
          problems.append("does not say what a count of its \(group.name) is")
        }
        lines.append((found.name, found.meaning))
        if group != .temperature { areCounts = (areCounts ?? true) && found.counts != nil }
        if let word = found.word { additions.units.append(word) }
        if group == .accelerometer { additions.accelerometer = found.counts }
        if group == .gyroscope { additions.gyroscope = found.counts }
      case .rate:
        problems.append(
          table.timeColumn == nil
            ? "has no times, and states no rate" : "has a single row, which makes no rate")
        lines.append(("rate", "100 Hz, if that is the rate"))
        additions.rate = "100"
      case .sessions: add(sessions: table)
      case .order(let place): add(order: place, table)
      }
    }
    if !names.isEmpty {
      problems.insert(
        "does not say in which unit \(Refusal.list(names)) \(names.count == 1 && table.groups.isEmpty ? "is" : "are")",
        at: 0)
    }
    // `raw` states all groups; beside a group that the file states, counts are stated by their scale.
    let (counts, stated) = (
      additions.accelerometer != nil || additions.gyroscope != nil,
      table.groups.contains { table.units[$0] != nil && table.units[$0]?.value != .count }
    )
    guard counts, !stated,
      table.missing.contains(where: { if case .unit = $0 { true } else { false } })
    else { return }
    if !additions.units.contains("raw") { additions.units.append("raw") }
    if additions.accelerometer == 16384 { additions.accelerometer = nil }
    if additions.gyroscope == 131 { additions.gyroscope = nil }
  }

  private mutating func add(sessions table: Understanding) {
    let sessions = table.sessions
    let some = sessions.prefix(4).map { "\($0.first.line)–\($0.last.line)" }
    problems.append(
      "holds \(sessions.count) recordings: \(sessions[0].first.isRow ? "rows" : "lines") \(some.joined(separator: ", "))"
        + (sessions.count > 4 ? " and \(sessions.count - 4) more" : ""))
    additions.isEach = true
    if sessions.contains(where: { $0.begin == .time }) {
      var sorted = additions
      (sorted.isEach, sorted.isSorted) = (false, true)
      others.append(("If it is one recording whose rows are out of order", sorted))
    } else if table.syntax.shape == .lines {
      var only = additions
      only.isEach = false
      only.before = table.copied(by: "sed -n 1,\(sessions[0].last.line)p")
      others.append(("Of the first alone", only))
    }
  }

  private mutating func add(order place: Place, _ table: Understanding) {
    let census = table.census
    let (back, sharing) = (census.back, census.sharing)
    problems.append(
      "is not in the order of its times, as "
        + (back > 0
          ? "\(Plain.count(back, "row")) \(back == 1 ? "is" : "are") before the one above it" : "")
        + (back > 0 && sharing > 0 ? " and " : "")
        + (sharing > 0
          ? "\(Plain.count(sharing, "row")) \(sharing == 1 ? "has" : "have") the time of the one above it"
          : "")
        + ", the first in \(place)")
    lines.append(
      ("order", "--sort puts rows in the order of their times, and keeps those that share one"))
    additions.isSorted = true
    guard table.sessions.contains(where: { $0.begin == .time }) else { return }
    // Times that turn back within a session tell that the others may be none.
    var (sorted, each) = (additions, additions)
    (sorted.isEach, each.isEach) = (false, true)
    additions = back > 0 ? sorted : each
    others =
      back > 0
      ? [("If each is a recording", each)]
      : [("If it is one recording whose rows are out of order", sorted)]
  }

  /// Takes ways to choose columns: of each that can be read, what is missing then.
  private mutating func take(
    _ proposals: [Proposal], _ tables: [Understanding],
    _ trying: (ImportRequest) -> [Understanding]?
  ) {
    guard request.columns == nil else { return }
    others = []
    for (number, proposal) in proposals.prefix(4).enumerated() {
      var request = request
      request.columns = ColumnsOption(proposal.columns)
      var then = Refusal(request, tables)
      for table in trying(request) ?? [] { then.add(table) }
      then.additions.columns = proposal.columns
      if number == 0 {
        lines = [("columns", proposal.meaning)] + then.lines
        additions = then.additions
        problems += then.problems.filter { $0.hasPrefix("does not say in which unit") }
      } else {
        others.append(("Or \(proposal.meaning)", then.additions))
      }
    }
    if proposals.isEmpty {
      lines.append(("columns", "such as time=1,ax=2,ay=3,az=4, by their numbers"))
      additions.columns = "time=1,ax=2,ay=3,az=4"
    }
  }

  private func error(_ file: String) -> ImportError {
    let width = lines.map(\.name.count).max() ?? 0
    var text = lines.map { line in
      let name = ForeignText.shown(line.name)
      let pad = String(repeating: " ", count: max(0, min(width, 32) - name.count))
      return "  \(name)\(pad)  \(line.meaning)"
    }
    text.append("If that is right: \(command(additions))")
    text += others.map { "\($0.when): \(command($0.1))" }
    return ImportError(
      file, kind: .unclear, Refusal.list(problems, between: "; ") + ".",
      remedy: text.joined(separator: "\n"))
  }

  private func command(_ added: Additions) -> String {
    let columns = added.columns ?? request.columns?.text
    let before = added.before ?? (columns == nil ? nil : unpacking)
    var words = ["imulog", "import"] + (before.map { [$0.file] } ?? paths)
    func add(_ option: String, _ value: String?) {
      if let value, !value.isEmpty { words += [option, value] }
    }
    add("--columns", columns)
    var units = request.units?.text.split(separator: ",").map(String.init) ?? []
    for word in added.units.joined(separator: ",").split(separator: ",").map(String.init)
    where !units.contains(word) { units.append(word) }
    add("--units", units.joined(separator: ","))
    add(
      "--accel-lsb-per-g",
      request.accelerometerScale.map(Refusal.counts) ?? added.accelerometer.map(String.init))
    add(
      "--gyro-lsb-per-dps",
      request.gyroscopeScale.map(Refusal.counts) ?? added.gyroscope.map(String.init))
    add("--rate", request.rate.map(Refusal.decimal) ?? added.rate)
    if request.isEach || added.isEach { words.append("--each") }
    if request.isSorted || added.isSorted { words.append("--sort") }
    if request.isAnyway { words.append("--anyway") }
    add("--note", request.note)
    let command = (words + request.words).map(ShellWord.quoted).joined(separator: " ")
    return (before.map { "\($0.command); " } ?? "") + command
  }

  /// Counts a unit of a scale, as the user wrote them: at most nine decimals.
  private static func counts(_ scale: Fraction) -> String {
    Plain.number(1 / scale.value, per: 1_000_000_000)
  }

  /// A rate as the user wrote it: at most twelve decimals.
  private static func decimal(_ rate: SampleRate) -> String {
    let (whole, rest) = rate.numerator.quotientAndRemainder(dividingBy: rate.denominator)
    guard rest > 0 else { return "\(whole)" }
    let parts =
      (UInt64(rest) * 1_000_000_000_000 + UInt64(rate.denominator) / 2) / UInt64(rate.denominator)
    var digits = String(parts + 1_000_000_000_000).dropFirst()
    while digits.hasSuffix("0") { digits = digits.dropLast() }
    return "\(whole).\(digits)"
  }

  private static func list(_ words: [String], between: String = ", ") -> String {
    guard words.count > 1, between == ", " else { return words.joined(separator: between) }
    return words.dropLast().joined(separator: between) + " and " + (words.last ?? "")
  }
}

extension Understanding {
  /// The file that a command names.
  fileprivate var path: String { archive ?? names[0] }

  /// A command that copies the file, or a part of it, and the copy's name.
  fileprivate func copied(by filter: String?) -> (command: String, file: String) {
    var name = names[0].split(separator: "/").last.map(String.init) ?? names[0]
    let words: String
    if let archive {
      let member = names[0].dropFirst(archive.count + 1)
      words =
        "unzip -p \(ShellWord.quoted(archive)) \(ShellWord.quoted(String(member)))"
        + (filter.map { " | \($0)" } ?? "")
    } else {
      let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil }
      name.insert(contentsOf: "-2", at: dot ?? name.endIndex)
      words = "\(filter ?? "cat") \(ShellWord.quoted(names[0]))"
    }
    return ("\(words) > \(ShellWord.quoted(name))", name)
  }

  /// The axes by their numbers, as `--columns` has them.
  fileprivate var axesByNumber: String {
    columns.compactMap { column in
      guard case .channel(let channel, _) = column.role else { return nil }
      return "\(ChannelSet.names[channel])=\(column.index + 1)"
    }.joined(separator: ",")
  }
}

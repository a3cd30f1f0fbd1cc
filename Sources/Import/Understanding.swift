// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// How a file is understood: the role of each column, the unit of each group, the form of times, and for each who stated it.
///
/// The refusal, `--explain`, remarks, checks for sense and the reader are functions of it. What was counted in the file
/// is kept apart, in ``census``, and never becomes a statement.
public struct Understanding: Equatable, Sendable {
  /// Who states something: a program by its header, a place in the file such as `the header`, or an option.
  enum Source: Equatable {
    case program(String), file(String), option(String)

    /// For sentences.
    var name: String {
      switch self {
      case .program(let name), .file(let name), .option(let name): name
      }
    }
    var isOption: Bool { if case .option = self { true } else { false } }
    var isProgram: Bool { if case .program = self { true } else { false } }
  }

  /// A value, and who states it.
  struct Stated<Value: Equatable & Sendable>: Equatable, Sendable {
    let value: Value
    let source: Source

    init(_ value: Value, _ source: Source) { (self.value, self.source) = (value, source) }
  }

  /// What a column is.
  enum Role: Equatable {
    /// Times, or dates beside a column of times of day.
    case time, date
    /// An axis or the temperature: its position in `ChannelSet`.
    case channel(Int, isReversed: Bool)
    /// This program's columns: the tick, the cause of a gap, its ticks, a mark's text.
    case tick, gap, gapTicks, mark
    /// Not read, but each row is held to what the first ones have in it.
    case watched(WatchedColumn.Rule)
    /// Not read: the reason, a clause.
    case leftOut(String)
    /// Not read, because the user says that it says nothing of the samples.
    case skipped
    /// Looks like an axis of a sensor, which is not decided: see ``Missing/columns``.
    case open

    /// Its position in `ChannelSet`; `nil` for others.
    var channel: Int? { if case .channel(let channel, _) = self { channel } else { nil } }
    var isLeftOut: Bool {
      switch self {
      case .leftOut, .watched: true
      default: false
      }
    }
  }

  /// A column with its role.
  struct Column: Equatable {
    /// Its place in a row, from 0.
    let index: Int
    /// As the header has it; `column 3` without one.
    let name: String
    var role: Role
    /// Who says so.
    var source: Source
  }

  /// Rows that belong together.
  public struct Session: Equatable, Sendable {
    /// What it begins with.
    enum Begin: String {
      case file = "the beginning of the file"
      case blankLine = "a blank line"
      case header = "the header again"
      case time = "times that begin again"
    }
    let first: Place
    var last: Place
    /// Its rows with all their values.
    var rows: UInt64
    let begin: Begin
    /// Where its first row is read from, and its time.
    let mark: RowMark
    let firstTime: Int64
  }

  /// The file, and the archive that has it.
  var name: String
  var archive: String?
  /// The program that writes such headers; `nil` for none that is known.
  var program: String?
  /// How rows are divided into cells.
  var syntax = Syntax()
  var columns: [Column] = []
  /// The unit of each group that states one.
  var units: [Group: Stated<Unit>] = [:]
  /// The scale of each group whose unit is counts, and of others that their file states.
  var scales: [Group: Stated<Scale>] = [:]
  /// The groups whose unit or scale a program only usually has, so that the mean length must fit.
  var isUsual: Set<Group> = []
  /// What values of a group are multiplied with, as Gyroflow's tables state.
  var factors: [Group: Decimal] = [:]
  /// How times are written; `nil` until it is stated, and for a file without times.
  var times: Stated<TimeForm>?
  /// From when times count; `nil` for anywhere.
  var epoch: Stated<Epoch>?
  var rate: Stated<SampleRate>?
  /// Dates and times of day that lines before the header state of something, and whether others are not known.
  var (stamps, hasUnread): (Set<String>, Bool) = ([], false)
  /// Whether the file states its ticks, so that none is found by the times.
  var isGapsOfFile = false
  /// Whether the file states that ticks have no sample, so that steps may be longer than its period.
  var hasLostTicks = false
  /// Whether accelerations are without gravity, so that a sensor at rest has none.
  var isWithoutGravity = false
  /// The sessions, one at least after the first pass.
  public var sessions: [Session] { census.sessions }
  /// The forms that dates may have, where they leave open whether days or months are first.
  var dateForms: Set<TimeForm> = []
  /// Whether rows are put in order, and whether one session is read of several.
  var (isSorted, isEach) = (false, false)
  /// The names of the columns that are not read and that nobody knows, in the file's order.
  var unknown: [String] = []
  /// Ways to choose columns that nothing states; empty once the roles are decided.
  var proposals: [Proposal] = []
  /// Objections to what is stated, found in the head: clauses. A unit that contradicts the program or the header is one.
  var contradictions: [String] = []
  /// What the user should know, found in the head: clauses without the file's name.
  var notices: [String] = []
  /// What was counted in the first pass.
  var census = Census()

  init(_ name: String) { self.name = name }

  var channels: ChannelSet {
    columns.compactMap(\.role.channel).reduce(into: ChannelSet()) { set, channel in
      set.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
    }
  }

  var groups: [Group] {
    let channels = channels
    return Group.allCases.filter { !$0.channels.isDisjoint(with: channels) }
  }

  var timeColumn: Column? { columns.first { $0.role == .time } }

  /// Whether it has dates without an offset from UTC, and lines before its header that may state their zone.
  var hasUnreadZone: Bool {
    (hasUnread || !stamps.isEmpty)
      && (times.map { [$0.value] } ?? Array(dateForms)).contains(where: \.isLocal)
  }
}

/// Something that nothing states.
enum Missing: Equatable {
  /// Which columns are the axes; what else is missing is known once they are chosen.
  case columns
  /// The unit of times, or the order of day and month.
  case timeForm
  /// The unit of a group.
  case unit(Group)
  /// The scale of a group's counts.
  case scale(Group)
  /// The rate of rows without times, or of a single one.
  case rate
  /// Which of several sessions.
  case sessions
  /// The order of rows: the first one that shares the time of the row before it, or is before it.
  case order(Place)
}

/// A way to choose columns.
struct Proposal: Equatable {
  /// The text for `--columns`, such as `time=1,ax=2,ay=3,az=4`.
  let columns: String
  /// What it would mean, a clause.
  let meaning: String
  /// The words of one of several sensors in the columns' names, such as `imu 1`; `nil` for other ways to choose.
  var sensor: String?

  /// The meaning of a proposal that leaves out the columns that nobody knows.
  static let withoutUnknown = "without them, if they say nothing of the times and values"
}

extension Understanding {
  /// What nothing states; empty when the file can be read.
  var missing: [Missing] {
    guard proposals.isEmpty, !channels.isEmpty else { return [.columns] }
    var missing: [Missing] = []
    if timeColumn != nil, times == nil { missing.append(.timeForm) }
    for group in groups {
      if units[group] == nil {
        missing.append(.unit(group))
      } else if units[group]?.value == .count, scales[group] == nil {
        missing.append(.scale(group))
      }
    }
    // Rows that are out of order begin many sessions.
    let isSingle = sessions.contains { $0.rows == 1 } && census.back == 0
    if rate == nil, timeColumn == nil || census.rows == 1 || isSingle { missing.append(.rate) }
    if sessions.count > 1, !isEach { missing.append(.sessions) }
    // Packets of this program's documents share a time.
    if let place = census.disorder, !isSorted, census.back > 0 || !isGapsOfFile {
      missing.append(.order(place))
    }
    return missing
  }
}

/// How the text of a file is divided.
struct Syntax: Equatable, Sendable {
  /// What a file is made of.
  enum Shape: Equatable, Sendable {
    /// Lines of cells.
    case lines
    /// JSON: objects in a row, in a list, in a member of a document.
    case sequence, list, document
    /// Binary columns or messages.
    case binary
  }

  var encoding = Encoding.utf8
  var shape = Shape.lines
  /// Between cells, and before decimals.
  var separator = UInt8(ascii: ",")
  var decimalMark = UInt8(ascii: ".")
  /// Lines before the first row.
  var headLines = 0
  /// Cells in a row.
  var fieldCount = 0
  /// Decimals of times, at most 9: the first pass counts those whose unit is not stated in units of 10^-timeDecimals.
  var timeDecimals = 0
}

extension Understanding {
  /// What `--explain` prints: a line a column, then times, rate and sessions.
  public var explanation: [String] {
    let width = min(32, columns.map { ForeignText.shown($0.name).count }.max() ?? 0)
    var lines = [
      "\(name): \(program.map { "\($0)'s" } ?? "no program that is known"), "
        + "\(syntax.encoding.rawValue), \(Plain.count(census.rows, "row"))"
    ]
    lines += columns.map {
      "  \($0.index + 1)  \(Refusal.padded($0.name, width))  \(meaning($0))"
    }
    if timeColumn != nil, times != nil {
      let origin =
        switch epoch?.value {
        case .at(let time): RFC3339.text(nanoseconds: time)
        case .unix: "1970, by \(epoch?.source.name ?? "")"
        case nil: isDated ? "1970" : "anywhere"
        }
      let step = Plain.number(census.intervals.median / 1e6, per: 1_000_000)
      lines.append("  times count from \(origin), in steps of \(step) ms in the middle")
    }
    if let rate { lines.append("  \(Plain.hertz(rate.value)) Hz, by \(rate.source.name)") }
    for (number, session) in sessions.enumerated() where sessions.count > 1 {
      lines.append(
        "  recording \(number + 1): \(session.first) to \(session.last), \(Plain.count(session.rows, "row")), after \(session.begin.rawValue)"
      )
    }
    return lines + (remarks + contradictions).map { "  \($0)" }
  }

  private func meaning(_ column: Column) -> String {
    let by = "by \(column.source.name)"
    switch column.role {
    case .time:
      return times.map { "times: \($0.value.name), by \($0.source.name)" }
        ?? "times: their unit is missing"
    case .date: return "dates, \(by)"
    case .channel(let channel, let isReversed):
      let name = (isReversed ? "-" : "") + ChannelSet.names[channel]
      return "\(name): \(unitText(Group(channel: channel)) ?? "its unit is missing")"
    case .tick: return "ticks, \(by)"
    case .gap: return "causes of gaps, \(by)"
    case .gapTicks: return "ticks of gaps, \(by)"
    case .mark: return "marks, \(by)"
    case .watched(let rule): return "left out: \(rule.reason)"
    case .leftOut(let why): return "left out: \(why)"
    case .skipped: return "left out, \(by)"
    case .open: return "left out unless --columns names it"
    }
  }

  /// The unit of a group, the scale of counts, and who states them.
  func unitText(_ group: Group) -> String? {
    guard let unit = units[group] else { return nil }
    guard unit.value == .count else { return "\(unit.value.sign), by \(unit.source.name)" }
    guard let scale = scales[group] else {
      return "counts, by \(unit.source.name); their scale is missing"
    }
    let counts = Plain.number(1 / scale.value.ratio.value, per: 1000)
    return "counts, by \(unit.source.name), \(counts) a \(group.unit), by \(scale.source.name)"
  }

  /// What the user should know about the head: clauses.
  var remarks: [String] {
    var remarks = notices
    for group in groups where units[group]?.value == .count {
      guard isUsual.contains(group), let text = unitText(group) else { continue }
      remarks.append("\(group.name) are \(text)")
    }
    if case .number = times?.value, epoch == nil, let date = date(census.intervals.scale) {
      remarks.append(
        "if its times count from 1970, the first is \(RFC3339.text(nanoseconds: date)): add unix to --units to keep that"
      )
    }
    return remarks
  }
}

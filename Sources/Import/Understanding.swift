// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// How a file is understood: the role of each column, the unit of each group, the form of times, and of each of these who
/// stated it.
///
/// The refusal, `--explain`, remarks, checks for sense and the reader are functions of it. What was counted in the file
/// is kept apart, in ``census``, and never becomes a statement.
public struct Understanding: Equatable, Sendable {
  /// Who states something.
  public enum Source: Equatable, Sendable {
    /// A program, by its header.
    case program(String)
    /// A place in the file, such as `the header`.
    case file(String)
    /// An option, such as `--units`.
    case option(String)

    /// For sentences.
    public var name: String {
      switch self {
      case .program(let name), .file(let name), .option(let name): name
      }
    }
  }

  /// A value, and who states it.
  public struct Stated<Value: Equatable & Sendable>: Equatable, Sendable {
    /// What is stated.
    public let value: Value
    /// By whom.
    public let source: Source

    init(_ value: Value, _ source: Source) { (self.value, self.source) = (value, source) }
  }

  /// What a column is.
  public enum Role: Equatable, Sendable {
    /// Times.
    case time
    /// Dates beside a column of times of day.
    case date
    /// An axis or the temperature: its position in `ChannelSet`.
    case channel(Int, isReversed: Bool)
    /// Of this program's tables: the tick, the cause of a gap, its ticks, and a mark's text.
    case tick, gap, gapTicks, mark
    /// Not read: the reason, a clause.
    case leftOut(String)
    /// Looks like an axis of a sensor, which is not decided: see ``Missing/columns(_:)``.
    case open
  }

  /// A column with its role.
  public struct Column: Equatable, Sendable {
    /// Its place in a row, from 0.
    public let index: Int
    /// As the header has it; `column 3` without one.
    public let name: String
    /// What it is.
    public var role: Role
    /// Who says so.
    public var source: Source
  }

  /// Rows that belong together.
  public struct Session: Equatable, Sendable {
    /// What it begins with.
    public enum Begin: Sendable { case file, blankLine, header, time }
    /// Its first row.
    public let first: Place
    /// Its last row.
    public internal(set) var last: Place
    /// Its rows with all their values.
    public internal(set) var rows: UInt64
    /// What it begins with.
    public let begin: Begin
    /// Where its first row is read from, and its time.
    let mark: RowMark
    let firstTime: Int64
  }

  /// The file, or both of a recording.
  public internal(set) var names: [String]
  /// The archive that has the file.
  var archive: String?
  /// The program that writes such headers; `nil` for none that is known.
  public internal(set) var program: String?
  /// How rows are divided into cells.
  var syntax = Syntax()
  /// All columns, in their order.
  public internal(set) var columns: [Column] = []
  /// The unit of each group that states one.
  public internal(set) var units: [Group: Stated<Unit>] = [:]
  /// The scale of each group whose unit is counts, and of others that their file states.
  var scales: [Group: Stated<Scale>] = [:]
  /// The groups whose unit or scale a program only usually has, so that the mean length must fit.
  var isUsual: Set<Group> = []
  /// What values of a group are multiplied with, as Gyroflow's tables state.
  var factors: [Group: Decimal] = [:]
  /// How times are written; `nil` until it is stated, and for a file without times.
  public internal(set) var times: Stated<TimeForm>?
  /// From when times count; `nil` for anywhere.
  public internal(set) var epoch: Stated<Epoch>?
  /// The rate.
  public internal(set) var rate: Stated<SampleRate>?
  /// Whether the file states its ticks, so that none is found by the times.
  public internal(set) var isGapsOfFile = false
  /// The sessions, one at least after the first pass.
  public internal(set) var sessions: [Session] = []
  /// The orders of day and month that dates may have, where there are several.
  var orders: Set<DateOrder> = []
  /// Why the first row may be none, as the start and the rate that an E4 writes; `nil` if nothing says so.
  var firstRowDoubt: String?
  /// Whether rows are put in order, and whether one session is read of several.
  var (isSorted, isEach) = (false, false)
  /// Ways to choose columns that nothing states; empty once the roles are decided.
  var proposals: [Proposal] = []
  /// Objections to what is stated, found in the head: clauses. A unit that contradicts the program or the header is one.
  var contradictions: [String] = []
  /// What the user should know, found in the head: clauses without the file's name.
  var notices: [String] = []
  /// What was counted in the first pass.
  var census = Census()

  init(_ name: String) { names = [name] }

  /// The channels that are read.
  public var channels: ChannelSet {
    columns.reduce(into: ChannelSet()) { set, column in
      if case .channel(let channel, _) = column.role {
        set.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
      }
    }
  }

  /// The groups that are read.
  public var groups: [Group] {
    let channels = channels
    return Group.allCases.filter { !$0.channels.isDisjoint(with: channels) }
  }

  /// The column of times.
  public var timeColumn: Column? { columns.first { $0.role == .time } }
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
  /// Decimals of times whose unit is not stated, at most 9: the first pass counts them in units of 10^-timeDecimals.
  var timeDecimals = 0
}

/// What reads rows: an ``Understanding`` with everything stated, and nothing that was counted.
struct Reading: Equatable, Sendable {
  let syntax: Syntax
  let columns: [Understanding.Column]
  let units: [Group: Unit]
  let scales: [Group: Scale]
  /// `nil` without a column of times.
  let times: TimeForm?
  let epoch: Epoch?
  let factors: [Group: Decimal]
  let isGapsOfFile: Bool
}

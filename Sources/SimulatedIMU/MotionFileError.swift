public import IMUModel

/// What is wrong with a file of motion, and where.
public struct MotionFileError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Problem: Equatable, Sendable {
    /// The first line is not `t_us,ax,ay,az,gx,gy,gz`, with `t_ns` for `t_us` or `,temp` at the
    /// end.
    case header(found: String)
    /// A line has another number of fields than the header.
    case fieldCount(expected: Int, found: Int)
    /// A field is not a whole number, or the number does not fit: −32768 to 32767 for counts.
    case number(column: String, found: String)
    /// The time is earlier than that of the line before, or differs from the first by over 292
    /// years.
    case time(found: String)
    /// There is nothing after the header.
    case empty
  }

  /// The file's name, as given.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// What is wrong there.
  public var problem: Problem

  /// An error in a line of a file.
  public init(file: String, line: Int, problem: Problem) {
    self.file = file
    self.line = line
    self.problem = problem
  }
}

extension MotionFileError: CustomStringConvertible {
  /// One clause, such as `motion.csv, line 3: gy is "x", not a whole number from -32768 to 32767`.
  public var description: String {
    "\(file), line \(line): \(problem.meaning)"
  }
}

extension MotionFileError.Problem {
  private var header: String { "t_us,ax,ay,az,gx,gy,gz[,temp]" }

  fileprivate var meaning: String {
    switch self {
    case .header(let found):
      return "the header is \"\(found)\"; \(header) is needed (or t_ns)"
    case .fieldCount(let expected, let found):
      return "\(found) fields, but the header has \(expected)"
    case .number("t_us", let found), .number("t_ns", let found):
      return "the time is \"\(found)\", not a whole number"
    case .number(let column, let found):
      return "\(column) is \"\(found)\", not a whole number from -32768 to 32767"
    case .time(let found):
      return "the time \(found) is earlier than the line before, or too far from the first line"
    case .empty:
      return "no samples follow the header"
    }
  }
}

extension MotionFileError: StatusError {
  /// The file's data are no motion.
  public var exitStatus: ExitStatus { .damagedData }
}

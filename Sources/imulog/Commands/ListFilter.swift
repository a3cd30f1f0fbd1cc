// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Text

/// The options of `imulog list` that choose recordings.
struct ListFilterOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .value("name", "List recordings with this label."))
  var label: String?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time", "List recordings that began then or later: 2026-11-26, a time of RFC 3339, or 7d ago."
    ))
  var since: Moment?

  @Option(parsing: .unconditional, help: .value("time", "List recordings that began before."))
  var until: Moment?

  @Option(parsing: .unconditional, help: .value("name", "List recordings of this host of a hub."))
  var host: String?

  func validate() throws {
    if let label, label.isEmpty || label.hasPrefix("-") {
      throw ValidationError("--label needs the name of a label; none begins with -")
    }
  }

  var given: OptionRule.Options {
    [
      "--label": label != nil, "--since": since != nil, "--until": until != nil,
      "--host": host != nil,
    ]
  }

  var filter: ListFilter { ListFilter(label: label, since: since, until: until, host: host) }
}

struct ListFilter {
  var label: String?
  var since: Moment?
  var until: Moment?
  /// A host of a hub.
  var host: String?

  /// Whether any recording is left out.
  var isGiven: Bool { label != nil || since != nil || until != nil || host != nil }

  /// The recordings of a store to list, and failures to read labels.
  func entries(
    of catalogue: Catalogue, _ all: [CatalogueEntry], now: WallTime
  ) throws -> (entries: [CatalogueEntry], problems: [CatalogueError]) {
    let found = try label.map { try catalogue.entries(labelled: $0) }
    let (first, end) = (since?.nanoseconds(now: now), until?.nanoseconds(now: now))
    var entries = found?.entries ?? all
    if first != nil || end != nil {
      entries = entries.filter { entry in
        let started = ListFilter.started(entry, catalogue)
        return first.map { started >= $0 } ?? true && end.map { started < $0 } ?? true
      }
    }
    return (entries, found?.problems ?? [])
  }

  /// When a recording began, as the list shows it, in ns since 1970. The clock of a file's name may have been set later.
  private static func started(_ entry: CatalogueEntry, _ catalogue: Catalogue) -> Int64 {
    do throws(LogError) {
      if let started = try catalogue.summary(of: entry).started { return started }
    } catch {
      // Listed by its name, with what is wrong with it.
    }
    let (time, isBeyond) = entry.startSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    return isBeyond ? .max : time
  }

  /// The sentence where there is none.
  var nothing: String {
    guard isGiven else { return "no recordings yet" }
    guard let label, since == nil, until == nil, host == nil else {
      return "no recording fits"
    }
    return "no recording has the label \(Plain.text(label))"
  }
}

/// An instant on the command line: a local date, a time of RFC 3339, or a length of time before now.
enum Moment: ExpressibleByArgument {
  /// Nanoseconds since 1970.
  case time(Int64)
  /// Nanoseconds before now.
  case ago(Int64)

  init?(argument: String) {
    if let span = SpanLimits.age.nanoseconds(argument) {
      self = .ago(span)
    } else if let time = RFC3339.nanoseconds(argument) {
      self = .time(time)
    } else {
      // A date: RFC 3339 refuses days that do not exist.
      guard RFC3339.nanoseconds("\(argument)T00:00:00Z") != nil, argument.utf8.count == 10 else {
        return nil
      }
      let parts = argument.split(separator: "-").compactMap { Int32($0) }
      guard parts.count == 3 else { return nil }
      var day = tm()
      (day.tm_year, day.tm_mon, day.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
      day.tm_isdst = -1
      self = .time(Int64(mktime(&day)) * 1_000_000_000)
    }
  }

  /// In nanoseconds since 1970.
  func nanoseconds(now: WallTime) -> Int64 {
    switch self {
    case .time(let time): time
    case .ago(let span): now.nanoseconds - span
    }
  }
}

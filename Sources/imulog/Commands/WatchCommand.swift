// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder
import Terminal

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show the service's samples, during a recording or between two.",
    discussion: """
      Keys begin, mark and end a recording; ? lists them. In a pipe, or with --plain, it prints a line each \
      second. It never delays the recording: a slow terminal misses samples.
      """,
    examples: "imulog watch")

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var terminalOptions: TerminalOptions

  mutating func run() throws {
    let signals = try SignalWatch(SignalWatch.atTerminal)
    let path = try socketOptions.path(isService: false)
    let watched = try WatchedService(path: path)
    if terminalOptions.isInteractive {
      try WatchScreen(TerminalSession()) { try ControlReply.ask($0, at: path) }.run(
        watched, signals)
    } else {
      try WatchCommand.printLines(watched, signals)
    }
  }

  /// Prints the latest sample each second, until a signal arrives or the pipe's reader has gone.
  private static func printLines(
    _ watched: consuming WatchedService, _ signals: borrowing SignalWatch
  ) throws {
    var watched = watched
    var sensor: GraphSensor?
    var second: Int64 = -1
    while true {
      var descriptors = [watched.fileDescriptor, signals.fileDescriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      _ = poll(&descriptors, 2, -1)
      if let signal = signals.wait(timeoutNanoseconds: 0), signal != SIGWINCH, signal != SIGCONT {
        return
      }
      for line in try watched.lines() {
        switch line {
        case .sensor(let description, _, let channels):
          sensor = GraphSensor(description, channels: channels)
          second = -1
        case .record(let record) where record.kind == .sample:
          guard let sensor, record.time / 1_000_000_000 > second else { continue }
          second = record.time / 1_000_000_000
          try Console.data(sensor.line(record.sample, at: record.time))
        default: break
        }
      }
    }
  }
}

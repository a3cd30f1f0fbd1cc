// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import Hub
import IMUModel
import LinuxIO
import LogStore
import Text

/// Where a verb must not write its output.
enum OutputPlace {
  /// Refuses an empty name, a recording, a name that would be a recording of any store, and what stores keep beside
  /// recordings, through any link or name.
  ///
  ///     STORE/000050-20261121T023807Z-1b4e28ba.imulog   would be a recording
  ///     STORE/.labels/…, .trash/…, .lock                the store's own
  ///     STORE/walk.csv                                  goes
  ///
  /// - Parameter option: The option that names the output.
  static func refuse(_ output: String, of option: String = "-o", in catalogue: Catalogue) throws {
    func refusal(_ why: String, or remedy: String = "") -> CommandFailure {
      CommandFailure.usage("\(option) \(output) \(why); choose another \(option) FILE\(remedy)")
    }
    guard !output.isEmpty else {
      throw CommandFailure.usage("\(option) has an empty name; give a file, or - for stdout")
    }
    if let file = FileIdentity(path: output) {
      for entry in try catalogue.list().entries where FileIdentity(path: entry.path) == file {
        throw refusal("is recording \(entry.number) itself")
      }
    }
    try refuseHub(output, of: option)
    let store = real(catalogue.path)
    guard let place = real(PendingFile.target(of: output) ?? output) else { return }
    let names = place.split(separator: "/").map { String($0) }
    var directory = ""
    for (index, name) in names.enumerated() {
      let isOurs = directory == store
      if StoreFile.isBesideRecordings(name) || isOurs && name.hasPrefix("."),
        isOurs || StoreFile.isStore(directory, besides: name)
          || StoreFile.hasRecordings(directory, besides: name)
      {
        throw refusal("is among the store's own files")
      }
      if index == names.count - 1, StoreFile.isRecording(name),
        isOurs || StoreFile.isStore(directory)
          || StoreFile.hasRecordings(directory, besides: name)
      {
        throw refusal(
          "has the name of a recording in a store, and would be one",
          or: ", or give the file to `imulog import --store DIR`, which makes a recording of it")
      }
      directory += "/" + name
    }
  }

  /// Refuses what is a hub's own, through any link or name.
  ///
  ///     HUB/samples/…, HUB/logs/…, HUB/hosts   the hub's own
  ///     HUB/fleet.html                         goes
  ///
  /// - Parameter hub: A directory that becomes a hub.
  static func refuseHub(
    _ output: String, of option: String, besides hub: String? = nil
  ) throws(CommandFailure) {
    guard let place = real(PendingFile.target(of: output) ?? output) else { return }
    let hub = hub.flatMap { real($0) }
    var directory = ""
    for name in place.split(separator: "/") {
      if HubDirectory.isOwn(String(name)),
        directory == hub || HubDirectory.isHub(directory.isEmpty ? "/" : directory)
      {
        throw CommandFailure.usage(
          "\(option) \(Plain.text(output)) is among the own files of the hub \(Plain.text(directory)); choose another FILE"
        )
      }
      directory += "/" + name
    }
  }

  /// Whether two names mean one file, which need not exist.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let places = [one, other].map { real(PendingFile.target(of: $0) ?? $0) ?? $0 }
    return places[0] == places[1]
  }

  /// Refuses a directory that is a store, for files that would be recordings there.
  static func refuseStore(_ directory: String, _ store: String) throws(CommandFailure) {
    guard let place = real(directory), place == real(store) || StoreFile.isStore(place) else {
      return
    }
    throw CommandFailure.usage(
      "\(Plain.text(directory)) is a store, where copies of logs would be recordings again; choose another --to DIR"
    )
  }

  /// The path without links and points; for a name that is not there, by its directory.
  private static func real(_ path: String) -> String? {
    if let found = realPath(path) { return found }
    var name = path[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    let slash = name.lastIndex(of: "/")
    let directory = slash.map { $0 == name.startIndex ? "/" : String(name[..<$0]) } ?? "."
    let last = slash.map { name[name.index(after: $0)...] } ?? name
    guard directory != path else { return nil }
    return real(directory).map { ($0 == "/" ? "" : $0) + "/" + last }
  }
}

/// Reads whole small files.
enum WholeFile {
  /// The bytes of a regular file, at most `limit` of them.
  static func read(_ path: String, atMost limit: Int = .max) throws(StorageError) -> [UInt8] {
    try OpenFile(path: path, flags: O_RDONLY | O_NONBLOCK, gate: .open).beginning(limit)
  }
}

extension SensorCalibration {
  /// Reads a calibration's file; of a longer file than any calibration's only the beginning.
  init(readingFile path: String) throws {
    self = try SensorCalibration(
      try WholeFile.read(path, atMost: CalibrationText.fileLimit + 1), ofFile: path)
  }
}

/// The identity of the file at a path: equal for all its names and links.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t
  let isDirectory: Bool

  /// `nil` when this user can reach no file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}

extension BufferedSink {
  /// Writes bytes to stdout as they are.
  static func toStandardOutput(_ bytes: [UInt8]) throws {
    var sink = BufferedSink(STDOUT_FILENO, name: "stdout")
    try bytes.withUnsafeBytes { try sink.write($0) }
    try sink.flush()
  }
}

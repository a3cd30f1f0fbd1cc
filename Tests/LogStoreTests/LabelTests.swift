// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Labels of recordings", .excludesProgramStarts)
struct LabelTests {
  let directory = TemporaryDirectory()
  private let now = ExampleRecording.time()

  func store(_ gate: FaultGate = .open) throws -> Catalogue {
    try Catalogue(path: directory.path, create: false, gate: gate)
  }

  func addRecording(
    _ store: Catalogue, _ seed: UInt64 = 1
  ) throws -> (entry: CatalogueEntry, id: RecordingID) {
    let entry = try #require(
      ExampleRecording(in: store, syncs: 1, description: ExampleLog.description(seed)).entry)
    return (entry, try store.reader(of: entry).description.id)
  }

  func file(_ id: RecordingID) -> String { ".labels/\(id).labels" }

  static let walking = label("walking", 3_000_000_000, 8_000_000_000)
  static let step = label("left foot", -5, 7)
  static let edge = label("ü,é", .min, .max)

  private static func label(_ name: String, _ from: Int64, _ to: Int64) -> RecordingLabel {
    do {
      return try RecordingLabel(name, from: from, to: to)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  @Test("labels come back in the order of their beginnings, each once")
  func order() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    #expect(try store.labels(of: id).labels.isEmpty)
    for label in [LabelTests.walking, LabelTests.step, LabelTests.edge, LabelTests.walking] {
      try store.add(label, to: id)
    }
    let list = try store.labels(of: id)
    #expect(list.labels == [LabelTests.edge, LabelTests.step, LabelTests.walking])
    #expect(list.names == ["ü,é", "left foot", "walking"])
    #expect(list.damage == nil)
    #expect(try store.labelled() == [id])
  }

  // CRC-32C of "+ 3000000000 8000000000 walking", by another program.
  @Test("the file is lines of text with a check, and a removal is one more line")
  func lines() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let before = directory.bytes(of: file(id))
    #expect(String(decoding: before, as: UTF8.self) == "3846b1e7 + 3000000000 8000000000 walking\n")
    try store.remove(LabelTests.walking, from: id)
    #expect(directory.bytes(of: file(id)).starts(with: before))
    #expect(try store.labels(of: id).labels.isEmpty)
    #expect(
      sentence { try store.remove(LabelTests.walking, from: id) }
        == "there is no label \(LabelTests.walking); the recording has none")
    try store.add(LabelTests.walking, to: id)
    let list = try store.labels(of: id)
    #expect(list.labels == [LabelTests.walking] && list.removed.isEmpty)
  }

  @Test("labels stay through the trash, and are deleted with the recording for good")
  func trash() throws {
    let store = try store()
    let (entry, id) = try addRecording(store)
    let (_, other) = try addRecording(store, 2)
    try store.add(LabelTests.walking, to: id)
    try store.add(LabelTests.step, to: other)
    let removed = try store.remove(entry, now: now)
    #expect(try store.labels(of: id).labels == [LabelTests.walking])
    try store.restore(removed)
    #expect(try store.labels(of: id).labels == [LabelTests.walking])
    try store.remove(entry, now: now)
    #expect(store.emptyTrash(now: now, ofAnyAge: true).failures.isEmpty)
    #expect(directory.names(in: ".labels") == ["\(other).labels"])
    #expect(try store.labels(of: other).labels == [LabelTests.step])
  }

  @Test("labels stay while the store has the same recording again")
  func twin() throws {
    let store = try store()
    let (entry, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let bytes = directory.bytes(of: entry.fileName)
    try store.remove(entry, now: now)
    directory.write(bytes, to: entry.fileName)
    #expect(store.emptyTrash(now: now, ofAnyAge: true).deleted.count == 1)
    #expect(try store.labels(of: id).labels == [LabelTests.walking])
  }

  @Test("a file cut at any byte has the labels of its whole lines, and takes new ones")
  func cut() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let first = directory.bytes(of: file(id)).count
    try store.add(LabelTests.edge, to: id)
    let bytes = directory.bytes(of: file(id))
    for end in 0..<bytes.count {
      for zeros in [0, 3, 500] {
        directory.write(bytes[..<end] + [UInt8](repeating: 0, count: zeros), to: file(id))
        // A last line is whole without its line feed: its check says so.
        let left = end < first - 1 ? [] : [LabelTests.walking]
        let earlier = end < bytes.count - 1 ? [] : [LabelTests.edge]
        let cut = try store.labels(of: id)
        #expect(cut.labels == earlier + left)
        let isWhole = [0, first].contains(end) && zeros == 0 || end == first - 1
        #expect((cut.damageSentence == nil) == (isWhole || end == bytes.count - 1), "cut at \(end)")
        try store.add(LabelTests.step, to: id)
        let list = try store.labels(of: id)
        #expect(list.labels == earlier + [LabelTests.step] + left, "cut at \(end)")
        #expect(list.damageSentence == nil)
      }
    }
  }

  @Test(
    "a changed byte costs the lines that it is in, which is reported with the first one's number")
  func damage() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    for label in [LabelTests.walking, LabelTests.step, LabelTests.edge] {
      try store.add(label, to: id)
    }
    let bytes = directory.bytes(of: file(id))
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    for place in lines[0].count + 1..<lines[0].count + 1 + lines[1].count {
      var changed = bytes
      changed[place] ^= 0x10
      directory.write(changed, to: file(id))
      let list = try store.labels(of: id)
      #expect(list.labels == [LabelTests.edge, LabelTests.walking])
      #expect(list.damage?.first == 2)
      #expect(list.damageSentence != nil)
    }
  }

  @Test("lines of a later version are skipped, and no bytes can harm")
  func foreign() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0...300, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      directory.write(bytes, to: file(id))
      #expect(try store.labels(of: id).labels.isEmpty, "seed \(seed)")
      try store.add(LabelTests.step, to: id)
      #expect(try store.labels(of: id).labels == [LabelTests.step], "seed \(seed)")
    }
  }

  @Test(
    "names that no table could hold are refused",
    arguments: [
      "", " x", "x ", "a;b", "a\"b", "a\\b", "a\nb", "a\tb", "\u{202E}x", "\u{1B}[31m",
      String(repeating: "x", count: 61),
    ])
  func names(name: String) {
    #expect(throws: LabelProblem.self) { try RecordingLabel(name, from: 0, to: 1) }
  }

  @Test("a stretch without an instant is refused")
  func empty() {
    #expect(throws: LabelProblem.empty(from: 5, to: 5)) { try RecordingLabel("x", from: 5, to: 5) }
    #expect(throws: LabelProblem.empty(from: 6, to: -6)) {
      try RecordingLabel("x", from: 6, to: -6)
    }
  }

  @Test("the label after the thousandth is refused, and the others stay")
  func most() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    let all = (0..<Int64(RecordingLabel.mostOfRecording)).map { LabelTests.label("x", $0, $0 + 1) }
    try store.merge(all.map { LabelChange($0) }, into: id)
    #expect(
      sentence { try store.add(LabelTests.walking, to: id) }
        .hasPrefix("\(directory.path)/\(file(id)) would have more than 1000 labels; "))
    #expect(try store.labels(of: id).labels == all)
    try store.remove(all[500], from: id)
    try store.add(LabelTests.walking, to: id)
  }

  @Test("labels beyond the thousandth in a file, as another program may write it, are counted")
  func surplus() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    let (_, other) = try addRecording(store, 2)
    let all = (0..<Int64(RecordingLabel.mostOfRecording)).map { LabelTests.label("x", $0, $0 + 1) }
    try store.merge(all.map { LabelChange($0) }, into: id)
    for label in [LabelTests.walking, LabelTests.label("y", 5_000, 6_000)] {
      try store.add(label, to: other)
    }
    let more = directory.bytes(of: file(other))
    directory.write(directory.bytes(of: file(id)) + more, to: file(id))
    let list = try store.labels(of: id)
    #expect(list.labels == all)
    #expect(list.damageSentence?.contains("2 labels beyond the 1000 of a recording") == true)
    try store.remove(all[3], from: id)
    #expect(try store.labels(of: id).labels.last == LabelTests.label("y", 5_000, 6_000))
  }

  /// A label of as many bytes as a line can have.
  private static let longest = label(String(repeating: "w", count: 60), .min, .max)

  /// Fills a file of labels with a label that is added and removed again and again, up to where no line fits.
  private func fill(_ store: Catalogue, _ id: RecordingID) throws -> [UInt8] {
    try store.add(LabelTests.longest, to: id)
    try store.remove(LabelTests.longest, from: id)
    let pair = directory.bytes(of: file(id))
    try store.add(LabelTests.walking, to: id)
    let rest = directory.bytes(of: file(id))[pair.count...]
    let count = ((2 << 20) - rest.count) / pair.count
    return Array(repeatElement(pair, count: count).joined()) + rest
  }

  @Test("a full file of labels is replaced by one without what was taken back, whatever call fails")
  func full() throws {
    let clean = try store()
    let (_, id) = try addRecording(clean)
    let bytes = try fill(clean, id)
    var index = 0
    while true {
      directory.write(bytes, to: file(id))
      let script = FaultScript(.once(index, errno: EIO))
      var isAdded = true
      do throws(CatalogueError) {
        let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
        // Of 60 bytes: a shorter line could still fit.
        try store.add(LabelTests.label(String(repeating: "e", count: 60), .min, .max), to: id)
      } catch {
        isAdded = false
      }
      let list = try clean.labels(of: id)
      #expect(list.labels.contains(LabelTests.walking) && list.damageSentence == nil)
      #expect(list.labels.count == 2 || !isAdded, "call \(index)")
      if isAdded, script.calls.count <= index { break }
      index += 1
    }
    #expect(index > 8 && directory.bytes(of: file(id)).count < 1000)
    let list = try clean.labels(of: id)
    #expect(list.removed == [LabelTests.longest] && list.revision(of: LabelTests.longest) > 1000)
    #expect(directory.names(in: ".labels").count == 1)
  }

  @Test("a file that is full of removed labels is refused with the way out")
  func fullOfRemovals() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    let name = String(repeating: "w", count: 60)
    let removed = (0..<18_200).map {
      LabelChange(LabelTests.label(name, .min, .max - $0), revision: 2)
    }
    try store.merge(removed, into: id)
    let more = (0..<400).map { LabelChange(LabelTests.label(name, .min + 1, .max - $0)) }
    #expect(
      sentence { try store.merge(more, into: id) }
        .hasPrefix("\(directory.path)/\(file(id)) is full of removed labels, "))
    #expect(try store.labels(of: id).removed.count == 18_200)
    // Repeated entries make room, up to the last byte.
    let bytes = directory.bytes(of: file(id))
    let line = bytes.prefix { $0 != 10 } + [10]
    directory.write(bytes + line, to: file(id))
    let (count, rest) = ((2 << 20) - bytes.count).quotientAndRemainder(dividingBy: line.count)
    let short = LabelTests.label(String(name.dropLast(line.count - rest)), .min + 1, .max)
    try store.merge(Array(more[1...count]) + [LabelChange(short)], into: id)
    #expect(directory.bytes(of: file(id)).count == 2 << 20)
  }

  // CRC-32C of "+ 1 2 \xFF", by another program.
  @Test("a name that is no UTF-8 is damage, and no other name")
  func encoding() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let line = Array("8278bc35 + 1 2 ".utf8) + [0xFF, 10]
    directory.write(directory.bytes(of: file(id)) + line, to: file(id))
    let list = try store.labels(of: id)
    #expect(list.labels == [LabelTests.walking])
    #expect(list.damage?.first == 2)
  }

  @Test("a damaged line feed of the last line costs nothing, and is mended by the next label")
  func lineFeed() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    try store.add(LabelTests.step, to: id)
    var bytes = directory.bytes(of: file(id))
    bytes[bytes.count - 1] ^= 0x80
    directory.write(bytes, to: file(id))
    let both = [LabelTests.step, LabelTests.walking].sorted()
    #expect(try store.labels(of: id).labels == both)
    try store.add(LabelTests.edge, to: id)
    let list = try store.labels(of: id)
    #expect(list.labels == (both + [LabelTests.edge]).sorted() && list.damageSentence == nil)
  }

  @Test("a file of labels that is a link, or as large as no program makes it, is refused")
  func links() throws {
    let store = try store()
    let (_, id) = try addRecording(store)
    try store.add(LabelTests.walking, to: id)
    let path = "\(directory.path)/\(file(id))"
    directory.write([UInt8](repeating: 10, count: 3 << 20), to: file(id))
    for attempt in [
      sentence { _ = try store.labels(of: id) },
      sentence { try store.add(LabelTests.step, to: id) },
    ] {
      #expect(attempt.hasPrefix("\(path) is larger than imulog makes a file of labels (2 MiB); "))
    }
    unlink(path)
    symlink("/etc/passwd", path)
    let loop = CatalogueError.storage(StorageError(.open, path: path, errno: ELOOP))
    #expect(throws: loop) { try store.labels(of: id) }
    #expect(throws: loop) { try store.add(LabelTests.step, to: id) }
  }

  @Test("whichever call fails, labels that were there stay, and one that was added is durable")
  func faults() throws {
    let clean = try store()
    let (_, id) = try addRecording(clean)
    try clean.add(LabelTests.walking, to: id)
    let bytes = directory.bytes(of: file(id))
    for errno in [EIO, ENOSPC] {
      var index = 0
      while true {
        directory.write(bytes, to: file(id))
        let script = FaultScript(.once(index, errno: errno))
        var isAdded = true
        do throws(CatalogueError) {
          let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
          try store.add(LabelTests.edge, to: id)
        } catch {
          isAdded = false
          #expect(!"\(error)".isEmpty)
        }
        let labels = try clean.labels(of: id).labels
        #expect(labels.contains(LabelTests.walking), "call \(index)")
        if isAdded { #expect(labels == [LabelTests.edge, LabelTests.walking], "call \(index)") }
        // Once more, which completes whatever was left.
        try clean.add(LabelTests.edge, to: id)
        #expect(try clean.labels(of: id).labels == [LabelTests.edge, LabelTests.walking])
        if isAdded, script.calls.count <= index { break }
        index += 1
      }
      #expect(index > 5)
    }
  }

  @Test("a short write is completed, and one that a full disk ends leaves the labels as they were")
  func shortWrites() throws {
    let clean = try store()
    let (_, id) = try addRecording(clean)
    try clean.add(LabelTests.walking, to: id)
    let bytes = directory.bytes(of: file(id))
    for count in 1...20 {
      directory.write(bytes, to: file(id))
      let store = try store(FaultScript(.full(at: UInt64(bytes.count + count))).gate)
      #expect(throws: CatalogueError.self) { try store.add(LabelTests.edge, to: id) }
      let list = try clean.labels(of: id)
      #expect(list.labels == [LabelTests.walking] && list.damageSentence == nil)
    }
    let troubled = try store(FaultScript(.troubled(bytes: 3)).gate)
    try troubled.add(LabelTests.edge, to: id)
    #expect(try clean.labels(of: id).labels == [LabelTests.edge, LabelTests.walking])
  }
}

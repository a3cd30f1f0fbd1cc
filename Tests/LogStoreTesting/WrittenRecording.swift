// SPDX-License-Identifier: Apache-2.0

public import LogStore
import TestSupport

/// A recording whose operations were kept, so that power can be lost at each of them.
public struct WrittenRecording: Sendable {
  /// The recorded story.
  public let story: ExampleStory
  /// Which calls failed.
  public let fault: FaultScript.Plan
  /// The program's result.
  public let recording: ExampleRecording
  /// The operations on the disk.
  public let operations: [DiskOperation]
  /// Calls in all.
  public let callCount: Int
  /// The disk before each operation, and at the end.
  public let disks: [SimulatedDisk]

  /// Makes the recording in a directory of its own.
  public init(_ story: ExampleStory, _ fault: FaultScript.Plan = .none) throws(CatalogueError) {
    let directory = TemporaryDirectory(inMemory: true)
    let script = FaultScript(.none)
    let catalogue = try Catalogue(path: directory.path, create: true, gate: script.gate)
    script.change(to: fault)
    recording = ExampleRecording(of: story.syncs, in: catalogue, script: script)
    self.story = story
    self.fault = fault
    operations = script.operations
    callCount = script.calls.count
    var disks = [SimulatedDisk()]
    for operation in operations {
      var disk = disks[disks.count - 1]
      disk.perform(operation)
      disks.append(disk)
    }
    self.disks = disks
  }

  /// The data that the program had taken for durable when that many operations were done; `nil` before the
  /// recording was created.
  public func acknowledgement(at point: Int) -> ExampleRecording.Acknowledgement? {
    recording.acknowledgements.last { $0.operationCount <= point }
  }

  /// The files found after a power loss.
  public func image(_ crash: CrashCase) -> SimulatedDisk.Image {
    let disk = disks[crash.point]
    return disk.crashed(
      surviving: survivors(crash, on: disk), over: WrittenRecording.contents(of: crash.medium),
      isGrown: crash.isGrown)
  }

  private func survivors(_ crash: CrashCase, on disk: SimulatedDisk) -> [SimulatedDisk.Effect] {
    let pending = disk.pending
    switch crash.survival {
    case .keep(let kept):
      return zip(pending, kept).flatMap { $1 ? $0.effects : [] }
    case .torn(let boundary, let alone):
      let atHand =
        crash.point < operations.count ? disk.effects(of: operations[crash.point]) : []
      return (alone ? [] : pending.flatMap(\.effects)) + atHand.flatMap { $0.front(boundary) }
    case .scatter(let seed):
      var generator = SeededGenerator(seed: seed)
      return pending.flatMap(\.effects).flatMap(\.sectors)
        .filter { _ in Bool.random(using: &generator) }
    case .shuffle(let seed):
      var generator = SeededGenerator(seed: seed)
      return pending.flatMap(\.effects).shuffled(using: &generator)
        .filter { _ in generator.next() % 4 > 0 }
    }
  }

  /// Sector boundaries inside the operation at `point`; that of a rename is between its two names.
  public func boundaryCount(at point: Int) -> Int {
    guard point < operations.count else { return 0 }
    let effects = disks[point].effects(of: operations[point])
    if effects.count == 2 { return 1 }
    return effects.reduce(0) { $0 + $1.sectors.count - 1 }
  }

  private static func contents(of medium: CrashCase.Medium) -> [UInt8] {
    switch medium {
    case .zeros: return []
    case .garbage: return garbage
    case .stale: return stale
    }
  }

  private static let garbage: [UInt8] = {
    var generator = SeededGenerator(seed: 77)
    return (0..<(256 * 1024)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }()

  /// Another recording's pages, each at the place where this one's will be.
  private static let stale: [UInt8] = {
    do {
      return try ExampleLog(ticks: 700, marksEvery: 2, labelLength: 200, seed: 78).bytes
    } catch {
      preconditionFailure("the example can be a log: \(error)")
    }
  }()
}

extension SimulatedDisk.Effect {
  /// Pieces that a disk writes whole.
  var sectors: [SimulatedDisk.Effect] {
    guard case .write(let node, let offset, let bytes) = self else { return [self] }
    var pieces: [SimulatedDisk.Effect] = []
    var begin = 0
    while begin < bytes.count {
      let sector = (offset + begin) / SimulatedDisk.sectorSize + 1
      let end = min(sector * SimulatedDisk.sectorSize - offset, bytes.count)
      pieces.append(.write(node: node, at: offset + begin, Array(bytes[begin..<end])))
      begin = end
    }
    return pieces
  }

  /// What is in front of the n-th sector boundary, counted from 1; of a name, that it is given and
  /// not that it is taken.
  func front(_ boundary: Int) -> [SimulatedDisk.Effect] {
    switch self {
    case .write: return Array(sectors.prefix(boundary))
    case .link: return [self]
    case .unlink, .truncate: return []
    }
  }
}

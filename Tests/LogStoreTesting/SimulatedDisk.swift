// SPDX-License-Identifier: Apache-2.0

/// A directory and its files on a disk that may lose power: durable contents and pending effects.
///
///     operations ──► pending effects ── sync of the file, or of the directory ──► durable
///                          │ crash
///                          ▼
///               any of them, in any order, each in part ──► what is found at the next start
///
/// It promises less than file systems do: a sync of a file does not make its name durable, and what
/// was not synced may be there or not, each piece for itself.
public struct SimulatedDisk: Sendable {
  /// One change that is on its way to the disk.
  public enum Effect: Equatable, Sendable {
    case link(String, node: Int)
    case unlink(String)
    case write(node: Int, at: Int, [UInt8])
    case truncate(node: Int, to: Int)
  }

  /// An operation's effects, which are on their way.
  public struct Pending: Equatable, Sendable {
    /// One, but two of a rename.
    public var effects: [Effect]
    /// Whether a sync of it failed, so that no other sync makes it durable.
    public var isDoubtful = false
  }

  /// Files by name.
  public typealias Image = [String: [UInt8]]

  /// Bytes that a disk writes whole or not at all.
  public static let sectorSize = 512

  private var files: [Int: [UInt8]] = [:]
  private var durableNames: [String: Int] = [:]
  /// As the program sees them.
  private var names: [String: Int] = [:]
  private var nodeCount = 0
  /// The pending effects, in the order in which they were made.
  public private(set) var pending: [Pending] = []

  /// An empty directory.
  public init() {}

  /// Takes note of an operation.
  public mutating func perform(_ operation: DiskOperation) {
    switch operation {
    case .sync(let name): sync(name)
    case .failedSync(let name):
      for index in pending.indices where concerns(name, pending[index]) {
        pending[index].isDoubtful = true
      }
    case .create(let name):
      guard names[name] == nil else { return }
      names[name] = nodeCount
      nodeCount += 1
      pending.append(Pending(effects: effects(of: operation)))
    case .rename(let old, let new):
      pending.append(Pending(effects: effects(of: operation)))
      names[new] = names.removeValue(forKey: old)
    case .remove(let name):
      guard names.removeValue(forKey: name) != nil else { return }
      pending.append(Pending(effects: [.unlink(name)]))
    case .write, .truncate: pending.append(Pending(effects: effects(of: operation)))
    }
  }

  /// The effects of an operation, seen from here.
  public func effects(of operation: DiskOperation) -> [Effect] {
    switch operation {
    case .create(let name): return [.link(name, node: names[name] ?? nodeCount)]
    case .rename(let old, let new):
      return names[old].map { [.link(new, node: $0), .unlink(old)] } ?? []
    case .write(let name, let offset, let bytes):
      return names[name].map { [.write(node: $0, at: Int(offset), bytes)] } ?? []
    case .truncate(let name, let length):
      return names[name].map { [.truncate(node: $0, to: Int(length))] } ?? []
    case .remove(let name): return names[name] == nil ? [] : [.unlink(name)]
    case .sync, .failedSync: return []
    }
  }

  private mutating func sync(_ name: String) {
    var rest: [Pending] = []
    for part in pending {
      if concerns(name, part) && !part.isDoubtful {
        apply(part.effects, over: [])
      } else {
        rest.append(part)
      }
    }
    pending = rest
  }

  /// Whether an effect is made durable by a sync of that name; a name that no file has is the
  /// directory's.
  private func concerns(_ name: String, _ part: Pending) -> Bool {
    switch part.effects.first {
    case .write(let node, _, _), .truncate(let node, _): return names[name] == node
    case .link, .unlink: return names[name] == nil
    case nil: return true
    }
  }

  /// The files found after a power loss.
  ///
  /// - Parameters:
  ///   - survivors: The pending effects that reached the disk, in this order.
  ///   - medium: The disk's contents, at each offset of a file, where nothing was written.
  ///   - isGrown: Whether files have the length that they would have with all that was on its way.
  public func crashed(
    surviving survivors: [Effect], over medium: [UInt8] = [], isGrown: Bool = false
  ) -> Image {
    var disk = self
    disk.apply(survivors, over: medium)
    if isGrown { for part in pending { disk.grow(for: part.effects, over: medium) } }
    return disk.durableNames.mapValues { disk.files[$0] ?? [] }
  }

  private mutating func apply(_ effects: [Effect], over medium: [UInt8]) {
    for effect in effects {
      switch effect {
      case .link(let name, let node): durableNames[name] = node
      case .unlink(let name): durableNames[name] = nil
      case .write(let node, let offset, let bytes):
        files[node, default: []].grow(to: offset, over: medium)
        let end = min(offset + bytes.count, files[node, default: []].count)
        files[node, default: []].replaceSubrange(offset..<end, with: bytes)
      case .truncate(let node, let length):
        files[node, default: []].grow(to: length, over: [])
        files[node, default: []].removeLast(files[node, default: []].count - length)
      }
    }
  }

  private mutating func grow(for effects: [Effect], over medium: [UInt8]) {
    for case .write(let node, let offset, let bytes) in effects {
      files[node, default: []].grow(to: offset + bytes.count, over: medium)
    }
  }
}

extension [UInt8] {
  /// Makes it `length` long at least, with what `medium` has there, and zeros after that.
  fileprivate mutating func grow(to length: Int, over medium: [UInt8]) {
    guard count < length else { return }
    if count < medium.count { self += medium[count..<Swift.min(length, medium.count)] }
    self += [UInt8](repeating: 0, count: length - count)
  }
}

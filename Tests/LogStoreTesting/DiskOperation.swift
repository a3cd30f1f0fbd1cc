// SPDX-License-Identifier: Apache-2.0

package import Files
import Glibc
import LogStore

/// The effect of one call on the files of a store, by the names that they had then.
public enum DiskOperation: Equatable, Sendable {
  /// A name was opened that may not have been there.
  case create(String)
  /// Bytes were written.
  case write(String, at: UInt64, [UInt8])
  /// A file was cut.
  case truncate(String, to: UInt64)
  /// A file got another name.
  case rename(String, to: String)
  /// A name was removed.
  case remove(String)
  /// A file, or the directory, was made durable.
  case sync(String)
  /// A sync failed: its data may be there or not, whatever later syncs report.
  case failedSync(String)

  /// The effect of a call that a gate let pass; `nil` when it changes nothing.
  package init?(_ call: FaultGate.Call, _ verdict: FaultGate.Verdict) {
    let name = DiskOperation.lastPart(of: call.path)
    if case .refuse(let errno) = verdict {
      guard call.operation == .sync, errno != EINTR else { return nil }
      self = .failedSync(name)
      return
    }
    switch call.operation {
    case .open:
      guard call.flags & O_CREAT != 0 else { return nil }
      self = .create(name)
    case .write:
      var count = call.bytes.count
      if case .shorten(let limit) = verdict { count = max(1, min(count, limit)) }
      self = .write(name, at: call.offset, Array(call.bytes[..<count]))
    case .truncate: self = .truncate(name, to: call.offset)
    case .rename: self = .rename(name, to: DiskOperation.lastPart(of: call.newPath))
    case .remove: self = .remove(name)
    case .sync: self = .sync(name)
    case .read, .seek, .reserve, .lock, .lease, .list, .makeDirectory, .look, .find, .handOver:
      return nil
    }
  }

  private static func lastPart(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}

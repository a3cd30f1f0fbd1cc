// SPDX-License-Identifier: Apache-2.0

public import Files
public import IMUModel
public import LogStore

extension FlushQueue {
  /// Runs the flusher on this thread until the queue is closed.
  ///
  /// - Returns: `nil` when every byte was appended and made durable, else the error that prevented it.
  @discardableResult
  public func flusherLoop<Storage: LogStorage & ~Copyable, Clock: MonotonicClock>(
    _ storage: inout Storage, clock: Clock
  ) -> StorageError? {
    var stopped: StorageError?
    while true {
      if case .finished(let result) = flusherStep(&storage, clock: clock, &stopped, waits: true) {
        return result
      }
    }
  }
}

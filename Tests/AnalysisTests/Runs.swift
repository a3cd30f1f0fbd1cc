// SPDX-License-Identifier: Apache-2.0

@testable import Analysis

/// Calls `body` with the runs that some columns of counts are.
func withRuns<Result>(
  _ columns: [[Int16]], _ body: ([UnsafeBufferPointer<Int16>]) -> Result
) -> Result {
  // The buffers live until `body` has returned.
  let buffers = columns.map { column in
    let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: column.count)
    _ = buffer.initialize(from: column)
    return buffer
  }
  defer { for buffer in buffers { buffer.deallocate() } }
  return body(buffers.map { UnsafeBufferPointer($0) })
}

/// The spectrum of columns of counts.
func spectrum(_ columns: [Int16]..., length: Int, rate: Double) -> Spectrum {
  let welch = Welch(length: length)
  withRuns(columns) { for run in $0 { welch.add(run) } }
  return Spectrum(
    density: welch.density(rate: rate), resolution: rate / Double(length), length: length,
    windows: welch.windows)
}

// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat

/// Reads a log's readings ahead of its reader, in memory of its own.
///
///     storage   page │ page │ page │ page │ page
///     reader      └─ samples         │
///     scan                           └─ readings, of the 40 s that follow
///
/// It passes over what cannot be read, which the reader reports.
struct ReadingScan: ~Copyable {
  private let page = PageMemory()
  private var decoder: PageDecoder
  private var nextPage: UInt32
  private var isInPage = false
  private var zeros: UInt64 = 0

  init(_ description: RecordingDescription, fromPage index: UInt32) {
    decoder = PageDecoder(description)
    nextPage = index
  }

  /// The next reading; `nil` at the end of the log.
  ///
  /// - Throws: ``LogError/storage(_:)`` only.
  mutating func next<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(LogError) -> FIFOReading? {
    while true {
      if isInPage {
        if let reading = nextInPage() { return reading }
        isInPage = false
      }
      guard try open(&storage) else { return nil }
    }
  }

  private mutating func nextInPage() -> FIFOReading? {
    do throws(FormatError) {
      while let record = try decoder.nextBesidesTicks() {
        if case .reading(let reading) = record { return reading }
      }
    } catch {
      // The rest of the page is damaged.
      return nil
    }
    return nil
  }

  /// Opens the next readable page; `false` at the end of the file.
  private mutating func open<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(LogError) -> Bool {
    let pageSize = UInt64(LogFormat.pageSize)
    while nextPage < .max {
      let index = nextPage
      let count: Int
      do throws(StorageError) {
        count = try storage.read(at: UInt64(index) * pageSize, into: page.bytes)
        guard count > 0 else { return false }
        nextPage = index + 1
        if page.prefix(count).isZero {
          zeros += pageSize
          guard zeros >= ZeroRun.longestRead else { continue }
          let data = try storage.nextData(from: UInt64(nextPage) * pageSize)
          nextPage = data.map { UInt32(clamping: $0 / pageSize) } ?? .max
          continue
        }
      } catch {
        throw .storage(error)
      }
      zeros = 0
      do throws(FormatError) {
        try decoder.begin(page: page.prefix(count), sequence: index)
      } catch {
        continue
      }
      isInPage = true
      return true
    }
    return false
  }
}

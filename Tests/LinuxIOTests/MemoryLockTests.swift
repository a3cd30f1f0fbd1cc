// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import LinuxIO
import Testing

@Suite("Locking memory")
struct MemoryLockTests {
  static let right: UInt64 = 1 << 14

  @Test(
    "is tried only without a limit or with the right to pass it",
    arguments: [
      (.max, 0, true), (.max, right, true), (8 << 20, right, true), (0, right | 1, true),
      (8 << 20, 0, false), (.max - 1, 0, false), (0, ~right, false),
    ] as [(UInt64, UInt64, Bool)])
  func obstacle(limit: UInt64, capabilities: UInt64, isTried: Bool) {
    let obstacle = MemoryLock.obstacle(limit: limit, capabilities: capabilities)
    #expect((obstacle == nil) == isTried)
  }

  @Test("that is refused names the settings that permit it")
  func remedy() {
    let sentence = MemoryLock.obstacle(limit: 0, capabilities: 0)?.description ?? ""
    #expect(sentence.hasPrefix("locking memory was refused (errno 1, Operation not permitted)."))
    #expect(sentence.contains("LimitMEMLOCK=infinity"))
  }

  /// A sanitizer's runtime answers `mlockall` itself and locks nothing.
  static let isSanitized = dlsym(nil, "__sanitizer_report_error_summary") != nil

  @Test(
    "locks pages but not all code that was ever used, or reports why not, and unlocks them again",
    .enabled(if: !isSanitized, "a sanitizer's runtime locks nothing"))
  func engage() {
    var isLess = false
    // Other tests may use code for the first time in the meantime.
    for _ in 0..<100 where !isLess {
      let used = kilobytes("RssFile:")
      let refusal = MemoryLock.engage()
      isLess = kilobytes("RssFile:") < used
      let locked = kilobytes("VmLck:")
      MemoryLock.release()
      #expect((locked > 0) == (refusal == nil))
      #expect(kilobytes("VmLck:") == 0)
    }
    #expect(isLess)
  }

  /// A line of `/proc/self/status`.
  private func kilobytes(_ key: String) -> Int {
    for line in lines(of: "/proc/self/status") where line.hasPrefix(key) {
      return Int(line.filter(\.isNumber)) ?? 0
    }
    return 0
  }
}

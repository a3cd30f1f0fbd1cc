// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import FuzzingTests
import Glibc

/// The target that `IMULOG_FUZZ_TARGET` names.
///
/// Safe: libFuzzer calls from one thread.
nonisolated(unsafe) private let target: any FuzzTarget = {
  let name = getenv("IMULOG_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  let all = FuzzTargets.all + [ScreenTarget.self]
  guard let type = all.first(where: { $0.name == name }) else {
    fatalError("IMULOG_FUZZ_TARGET is one of \(all.map { $0.name })")
  }
  return type.init()
}()

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

// SPDX-License-Identifier: Apache-2.0

import CAllocProbe
import Glibc
import IMUDrivers

/// Counts what the sampler thread allocates, locks and retains: each must be nothing.
///
///     swift run -c release RealTimeCheck [--ticks N] [--seed allocation|lock|retain]
///
/// Drives the loop with the drivers on a simulated bus of 400 kHz, in virtual time, into the ring and out of it again. A
/// warm-up first, then N ticks and 2N ticks: what is left of the difference comes with each sample. Then
/// the same with a supply that dips every three seconds; setting the chip up again may not allocate or lock either.
/// A seed breaks a rule once a tick, and the check must fail.
///
/// Exit code 0 when nothing was counted, 1 when something was, 64 for wrong arguments or a build that the probe
/// cannot judge: a debug build, or the Swift library linked in statically, which hides its calls.
@main
struct RealTimeCheck {
  static func main() {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      print("usage: RealTimeCheck [--ticks N] [--seed allocation|lock|retain]")
      exit(64)
    }
    guard alloc_probe_is_available() else {
      print("skipped: a sanitizer counts allocations itself")
      exit(0)
    }
    #if DEBUG
      print("only a release build says anything: swift run -c release RealTimeCheck")
      exit(64)
    #else
      for seed in Seed.allCases where seed != .none && !seed.isFound {
        print("the probe does not see a seeded \(seed): build without --static-swift-stdlib")
        exit(64)
      }
      run(options)
    #endif
  }

  private static func run(_ options: Options) -> Never {
    do {
      exit(try check(options) ? 0 : 1)
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}

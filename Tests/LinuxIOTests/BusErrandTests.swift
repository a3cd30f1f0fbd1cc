// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Synchronization
import Testing

/// A gate at which the kernel would hold a transfer, and who passed it.
private final class Jam: Sendable {
  let isFree = Atomic<Bool>(false)
  let destroyed = Atomic<Int>(0)
}

/// The result of an errand, such as an open bus.
private struct Goods: ~Copyable, Sendable {
  let jam: Jam
  let weight: Int

  deinit { jam.destroyed.add(1, ordering: .relaxed) }
}

@Suite("Work on a bus that may hang")
struct BusErrandTests {
  @Test("returns its result")
  func brings() throws {
    let jam = Jam()
    let goods = try BusErrand(bus: 100).run { _ in Goods(jam: jam, weight: 7) }
    let weight = goods.weight
    #expect(weight == 7)
    #expect(jam.destroyed.load(ordering: .relaxed) == 0)
  }

  @Test("that hangs is given up, and no other is started meanwhile")
  func hangs() throws {
    let jam = Jam()
    func isRefused(_ bus: Int, isJammed: Bool = true) -> Bool {
      do throws(LinuxIOError) {
        // A millisecond, or for as long as it takes.
        _ = try BusErrand(bus: bus, patience: isJammed ? 1_000_000 : 600_000_000_000).run { _ in
          while isJammed, !jam.isFree.load(ordering: .acquiring) { sched_yield() }
          return Goods(jam: jam, weight: 1)
        }
        return false
      } catch {
        #expect(error.description.contains("(/dev/i2c-\(bus)): the bus hangs"))
        #expect(error.remedy.contains("SDA and SCL"))
        return true
      }
    }
    #expect(isRefused(101))
    for _ in 0..<100 { #expect(isRefused(101, isJammed: false)) }
    #expect(comes(within: 10) { threads(named: "imu-probe") >= 1 })
    // Another bus is not affected.
    #expect(!isRefused(102, isJammed: false))
    jam.isFree.store(true, ordering: .releasing)
    // A late thread discards its result, once: an open bus is closed.
    #expect(comes(within: 10) { jam.destroyed.load(ordering: .acquiring) == 2 })
    #expect(comes(within: 10) { !isRefused(101, isJammed: false) })
  }

  @Test("may take any time while it makes progress")
  func progress() throws {
    let jam = Jam()
    // Far longer than its patience, in steps that are shorter.
    let patience: Int64 = 200_000_000
    let goods = try BusErrand(bus: 103, patience: patience).run { progress in
      let clock = SystemClock()
      let end = clock.now() + 3 * patience
      while clock.now() < end {
        progress()
        sched_yield()
      }
      return Goods(jam: jam, weight: 3)
    }
    let weight = goods.weight
    #expect(weight == 3)
  }

  @Test("may take less than the five seconds after which a program seems dead")
  func patience() {
    #expect(BusErrand.defaultPatience < 5_000_000_000)
  }
}

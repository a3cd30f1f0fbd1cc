// SPDX-License-Identifier: Apache-2.0

/// Divides folded residuals into partitions of equal length with a Rice parameter each, and writes them.
///
/// The costs of all parameters that may pay are counted exactly for each 16 residuals and then added up for 32, 64, …, so
/// that all partition lengths cost little more than one.
struct PartitionPlanner<Code: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: ~Copyable {
  // Safe: a run has at most 1024 residuals, thus at most 64 partitions, and parameter indices are 0...Code.bitWidth.

  /// Bits of each partition (rows) with each parameter index (columns).
  private let costs = OwnedMemory<UInt32>(
    PartitionPlanner.rows * PartitionPlanner.columns, repeating: 0)
  /// The chosen parameter indices for each partition length, 64 of them in a row.
  private let choices = OwnedMemory<UInt8>(7 * PartitionPlanner.rows, repeating: 0)

  private static var columns: Int { Code.bitWidth + 1 }
  private static var rows: Int { SampleBlock.capacity / RiceCode.partitionUnit }
  /// A cost that no partition reaches: 1024 residuals of 84 bits have 86 016.
  private static var impossible: UInt32 { 1 << 24 }

  /// The division of a run.
  struct Plan {
    /// Partitions have 16 << this residuals, the last one perhaps fewer.
    var lengthCode = 0
    /// Bits of parameters and residuals.
    var bits: UInt32 = 0
  }

  /// The cheapest division of `count` residuals (1...1024); the choices are kept until the next plan.
  func plan(_ run: UnsafePointer<Code>, count: Int, after previous: Int) -> Plan {
    var rows = (count + RiceCode.partitionUnit - 1) / RiceCode.partitionUnit
    let window = countCosts(run, count: count, rows: rows)
    var best = Plan(lengthCode: 0, bits: .max)
    var lengthCode = 0
    while true {
      let bits = choose(rows: rows, window, lengthCode: lengthCode, after: previous)
      if bits < best.bits { best = Plan(lengthCode: lengthCode, bits: bits) }
      if rows == 1 { break }
      merge(rows: rows, window)
      rows = (rows + 1) / 2
      lengthCode += 1
    }
    if count > RiceCode.partitionUnit { best.bits += 3 }
    return best
  }

  /// Writes `count` residuals as planned; returns the parameter index of the last partition.
  func write(
    _ writer: inout BitWriter, _ run: UnsafePointer<Code>, count: Int, after previous: Int,
    _ plan: Plan
  ) -> Int {
    if count > RiceCode.partitionUnit { writer.write(UInt64(plan.lengthCode), 3) }
    let length = RiceCode.partitionUnit << plan.lengthCode
    let chosen = choices.base + plan.lengthCode * PartitionPlanner.rows
    var previous = previous
    var start = 0
    var row = 0
    while start < count {
      let index = Int(chosen[row])
      writeParameterIndex(&writer, index, after: previous)
      let end = min(start + length, count)
      if index > 0 {
        var local = writer
        for position in start..<end { local.writeRice(run[position], index &- 1) }
        writer = local
      }
      previous = index
      start = end
      row += 1
    }
    return previous
  }

  /// Fills the table for 16 residuals a row; returns the parameter indices worth looking at.
  private func countCosts(
    _ run: UnsafePointer<Code>, count: Int, rows: Int
  ) -> ClosedRange<Int> {
    var low = Code.bitWidth
    var high = 1
    for row in 0..<rows {
      let start = row * RiceCode.partitionUnit
      let end = min(start + RiceCode.partitionUnit, count)
      let (lower, upper) = PartitionPlanner.lengths(run + start, end - start)
      low = min(low, lower)
      high = max(high, upper)
    }
    let window = min(max(low, 1), Code.bitWidth)...min(max(low, high, 1), Code.bitWidth)
    for row in 0..<rows {
      let start = row * RiceCode.partitionUnit
      let end = min(start + RiceCode.partitionUnit, count)
      let cells = costs.base + row * PartitionPlanner.columns
      var union: Code = 0
      for index in start..<end { union |= run[index] }
      cells[0] = union == 0 ? 0 : PartitionPlanner.impossible
      for parameter in window {
        cells[parameter] = PartitionPlanner.cost(run + start, end - start, parameter &- 1)
      }
    }
    return window
  }

  /// Parameter indices below and above which none pays for these codes.
  private static func lengths(_ run: UnsafePointer<Code>, _ count: Int) -> (Int, Int) {
    var sum: UInt64 = 0
    guard Code.bitWidth > 32 else {
      for index in 0..<count { sum &+= UInt64(run[index]) }
      let length = UInt64.bitWidth - (sum / UInt64(count)).leadingZeroBitCount
      return (length - 3, length + 1)
    }
    // Times have outliers, which lift the mean and hardly the mean length; with an escape for them a small parameter pays.
    var lengths = 0
    for index in 0..<count {
      sum &+= min(UInt64(run[index]), 1 << 58)
      lengths &+= Code.bitWidth &- run[index].leadingZeroBitCount
    }
    let length = UInt64.bitWidth - (sum / UInt64(count)).leadingZeroBitCount
    return (lengths / count - 1, length + 1)
  }

  private static func cost(_ run: UnsafePointer<Code>, _ count: Int, _ parameter: Int) -> UInt32 {
    if Code.bitWidth == 16 && count == RiceCode.partitionUnit {
      // Safe: 16 codes of 16 bits are read, which are there.
      let codes = UnsafeRawPointer(run).loadUnaligned(as: SIMD16<UInt16>.self)
      return cost(codes, UInt16(truncatingIfNeeded: parameter))
    }
    var bits = 0
    for index in 0..<count { bits &+= RiceCode.bits(run[index], parameter) }
    return UInt32(truncatingIfNeeded: bits)
  }

  /// ``RiceCode/bits(_:_:)`` of 16 counts' codes at once.
  @inline(__always)
  private static func cost(_ codes: SIMD16<UInt16>, _ parameter: UInt16) -> UInt32 {
    let quotients = codes &>> SIMD16(repeating: parameter)
    let escape = SIMD16<UInt16>(repeating: UInt16(RiceCode.escapeLength))
    // An escape has 36 bits: as many as a quotient of 35 less the parameter.
    let escaped = SIMD16<UInt16>(repeating: UInt16(RiceCode.escapeLength + 16) &- parameter &- 1)
    let lengths = quotients.replacing(with: escaped, where: quotients .>= escape)
    return UInt32(lengths.wrappedSum() &+ 16 &* (parameter &+ 1))
  }

  /// Chooses a parameter for each row, the first of equally cheap ones; returns the bits of all rows.
  private func choose(
    rows: Int, _ window: ClosedRange<Int>, lengthCode: Int, after previous: Int
  ) -> UInt32 {
    let chosen = choices.base + lengthCode * PartitionPlanner.rows
    var previous = previous
    var total: UInt32 = 0
    for row in 0..<rows {
      let cells = costs.base + row * PartitionPlanner.columns
      var best = 0
      var bestBits = cells[0] &+ UInt32(parameterBits(0, after: previous))
      for index in window {
        let bits = cells[index] &+ UInt32(parameterBits(index, after: previous))
        if bits < bestBits { (best, bestBits) = (index, bits) }
      }
      chosen[row] = UInt8(best)
      previous = best
      total &+= bestBits
    }
    return total
  }

  private func merge(rows: Int, _ window: ClosedRange<Int>) {
    for row in 0..<((rows + 1) / 2) {
      let target = costs.base + row * PartitionPlanner.columns
      let left = costs.base + 2 * row * PartitionPlanner.columns
      if 2 * row + 1 < rows {
        let right = left + PartitionPlanner.columns
        target[0] = min(left[0] &+ right[0], PartitionPlanner.impossible)
        for index in window { target[index] = left[index] &+ right[index] }
      } else {
        target[0] = left[0]
        for index in window { target[index] = left[index] }
      }
    }
  }

  private func parameterBits(_ index: Int, after previous: Int) -> Int {
    let zeros = Int(RiceCode.fold(Int16(truncatingIfNeeded: index &- previous)))
    return zeros < RiceCode.parameterEscapeLength ? zeros &+ 1 : RiceCode.parameterEscapeLength + 7
  }

  private func writeParameterIndex(_ writer: inout BitWriter, _ index: Int, after previous: Int) {
    let zeros = Int(RiceCode.fold(Int16(truncatingIfNeeded: index &- previous)))
    if zeros < RiceCode.parameterEscapeLength {
      writer.write(1, zeros + 1)
    } else {
      writer.write(0, RiceCode.parameterEscapeLength)
      writer.write(UInt64(index), 7)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// How the values of a stream are predicted from the values before: the contents of a stream head.
struct Predictor: Equatable {
  var method: StreamMethod
  /// Which values the stream uses; prediction is among these.
  var spacing = Spacing.dense
  /// Added to each prediction.
  var offset: Int64 = 0
  /// Weights of a linear predictor, for the latest value first; 0 beyond its order.
  var coefficients = SIMD8<Int32>()
  /// Right shift of a linear predictor's sum of products.
  var shift = 0

  init(_ method: StreamMethod, spacing: Spacing = .dense, offset: Int64 = 0) {
    (self.method, self.spacing, self.offset) = (method, spacing, offset)
  }
}

/// A family of predictors and its order; raw values are part of the format.
struct StreamMethod: Equatable {
  let rawValue: UInt8

  /// Every value is the same.
  static let constant = StreamMethod(rawValue: 0)
  /// Method ids from here on are not known.
  static let firstUnknown: UInt8 = 13
  /// The highest order of a linear predictor.
  static let maximumOrder = 8

  /// The fixed polynomial predictor of order 0 to 3.
  static func fixed(_ order: Int) -> StreamMethod { StreamMethod(rawValue: UInt8(1 + order)) }

  /// The linear predictor of order 1 to 8.
  static func linear(_ order: Int) -> StreamMethod { StreamMethod(rawValue: UInt8(4 + order)) }

  var isLinear: Bool { rawValue >= 5 }
  var order: Int { isLinear ? Int(rawValue) - 4 : max(Int(rawValue) - 1, 0) }
}

// The head of a stream: the predictor of its values.

extension Predictor {
  /// Reads a head; a head of one bit says "as before".
  mutating func read<Value: StreamValue>(
    _ reader: inout BitReader, for _: Value.Type
  ) throws(MalformedChunk) {
    guard reader.readFlag() else { return }
    let id = UInt8(truncatingIfNeeded: reader.read(4))
    guard id < StreamMethod.firstUnknown else { throw .unknownMethod }
    self = Predictor(StreamMethod(rawValue: id))
    guard method != .constant else { return }
    if reader.readFlag() { try spacing.read(&reader, for: Value.self) }
    if reader.readFlag() {
      let width = Int(reader.read(Value.wastedBitsWidth)) + 1
      offset = RiceCode.unfold(reader.readWide(width), as: Int64.self)
    }
    guard method.isLinear else { return }
    guard Value.bitWidth == 16 else { throw .unknownMethod }
    let width = Int(reader.read(4)) + 1
    guard width <= LinearPredictor.coefficientBits else { throw .wideCoefficients }
    shift = Int(reader.read(4))
    for tap in 0..<method.order {
      let bits = UInt32(truncatingIfNeeded: reader.read(width))
      // Sign-extends by moving the sign bit to the top and back.
      coefficients[tap] = Int32(bitPattern: bits &<< UInt32(32 - width)) &>> Int32(32 - width)
    }
  }

  /// Writes a head, of one bit when it says the same as `previous`.
  func write<Value: StreamValue>(
    _ writer: inout BitWriter, after previous: Predictor, for _: Value.Type
  ) {
    writer.write(self != previous)
    guard self != previous else { return }
    writer.write(UInt64(method.rawValue), 4)
    guard method != .constant else { return }
    writer.write(spacing != .dense)
    spacing.write(&writer, for: Value.self)
    writer.write(offset != 0)
    if offset != 0 {
      writer.write(UInt64(offsetWidth - 1), Value.wastedBitsWidth)
      writer.writeWide(RiceCode.fold(offset), offsetWidth)
    }
    guard method.isLinear else { return }
    let width = coefficientWidth
    writer.write(UInt64(width - 1), 4)
    writer.write(UInt64(shift), 4)
    let mask = UInt32.max >> UInt32(32 - width)
    for tap in 0..<method.order {
      writer.write(UInt64(UInt32(bitPattern: coefficients[tap]) & mask), width)
    }
  }

  /// Bits that ``write(_:after:for:)`` takes.
  func headBits<Value: StreamValue>(after previous: Predictor, for _: Value.Type) -> Int {
    guard self != previous else { return 1 }
    guard method != .constant else { return 5 }
    var bits = 7
    if spacing != .dense { bits += Value.wastedBitsWidth + (spacing.lattice?.bits ?? 0) }
    if offset != 0 { bits += Value.wastedBitsWidth + offsetWidth }
    if method.isLinear { bits += 8 + method.order * coefficientWidth }
    return bits
  }

  /// Bits of the folded offset.
  private var offsetWidth: Int {
    max(UInt64.bitWidth - RiceCode.fold(offset).leadingZeroBitCount, 1)
  }

  /// Bits of the widest coefficient, its sign included.
  private var coefficientWidth: Int {
    var width = 1
    for tap in 0..<method.order {
      let magnitude = coefficients[tap] < 0 ? ~coefficients[tap] : coefficients[tap]
      width = max(width, 33 - magnitude.leadingZeroBitCount)
    }
    return width
  }
}

extension Spacing {
  /// Reads the number of wasted bits; 0 announces a lattice.
  fileprivate mutating func read<Value: StreamValue>(
    _ reader: inout BitReader, for _: Value.Type
  ) throws(MalformedChunk) {
    wastedBits = Int(reader.read(Value.wastedBitsWidth))
    guard wastedBits == 0 else { return }
    let precision = Int(reader.read(Lattice.precisionWidth))
    let width = Lattice.integerBits + precision
    let step = Int64(reader.read(width))
    let base = Int64(reader.read(width))
    lattice = Lattice(precision: precision, step: step, base: base)
    guard Value.bitWidth == 16, lattice != nil else { throw .badLattice }
  }

  /// The counterpart of ``read(_:for:)``; writes nothing when all values are used.
  fileprivate func write<Value: StreamValue>(_ writer: inout BitWriter, for _: Value.Type) {
    guard self != .dense else { return }
    writer.write(UInt64(wastedBits), Value.wastedBitsWidth)
    guard let lattice else { return }
    let width = Lattice.integerBits + lattice.precision
    writer.write(UInt64(lattice.precision), Lattice.precisionWidth)
    writer.write(UInt64(lattice.step), width)
    writer.write(UInt64(lattice.base), width)
  }
}

extension Lattice {
  /// Bits in which the precision is written.
  fileprivate static var precisionWidth: Int { 5 }

  /// Bits of a lattice in a stream head.
  var bits: Int { Lattice.precisionWidth + 2 * (Lattice.integerBits + precision) }
}

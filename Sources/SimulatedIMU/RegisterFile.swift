/// 128 registers of a byte each, in the value itself.
struct RegisterFile: Sendable, BitwiseCopyable {
  private var low = SIMD64<UInt8>(repeating: 0)
  private var high = SIMD64<UInt8>(repeating: 0)

  /// A register's content. Registers from 0x80 on do not exist: they read 0 and ignore what is
  /// written.
  subscript(register: UInt8) -> UInt8 {
    get {
      switch register {
      case 0..<64: return low[Int(register)]
      case 64..<128: return high[Int(register) - 64]
      default: return 0
      }
    }
    set {
      switch register {
      case 0..<64: low[Int(register)] = newValue
      case 64..<128: high[Int(register) - 64] = newValue
      default: break
      }
    }
  }
}

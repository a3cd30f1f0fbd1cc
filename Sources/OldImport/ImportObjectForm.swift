// SPDX-License-Identifier: Apache-2.0

/// The bytes of an object around its plain numbers, which the objects after it have as well as a rule.
///
///     {"t_ns":0,"ax":-12,"label":"walk"}
///     ~~~~~~~~ ~~~~~~     before: of the time, of ax
///                       ~~~~~~~~~~~~~~~~  after
struct ImportObjectForm: Equatable {
  /// A number: its place among the object's members, and the bytes between the number before it and this one.
  struct Value: Equatable {
    let index: Int
    let before: [UInt8]
  }

  private(set) var values: [Value] = []
  private(set) var after: [UInt8] = []

  /// The form of an object.
  ///
  /// - Parameters:
  ///   - constant: The key of a member that is part of the form, whatever its value.
  init(_ object: UnsafeRawBufferPointer, constant: String?) throws(ImportFieldError) {
    var (index, end) = (0, 0)
    var values: [Value] = []
    try ImportMember.each(of: object) { key, value in
      defer { index += 1 }
      guard let base = object.baseAddress, let start = value.baseAddress, !value.isEmpty,
        constant.map({ !key.elementsEqual($0.utf8) }) ?? true, ImportObjectForm.isPlain(value)
      else { return }
      let begin = start - base
      values.append(Value(index: index, before: Array(object[end..<begin])))
      end = begin + value.count
    }
    self.values = values
    after = Array(object[end...])
  }

  /// A sign, digits, a point, and a power of ten.
  private static func isPlain(_ value: UnsafeRawBufferPointer) -> Bool {
    value.allSatisfy {
      ImportText.isDigit($0) || "+-.eE".utf8.contains($0)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value, read by a parser that is not ours.
enum JSON: Equatable {
  case null
  case bool(Bool)
  /// A number without a fraction.
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(_ bytes: [UInt8]) throws {
    self.init(try JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]))
  }

  private init(_ value: Any) {
    switch value {
    case let members as [String: Any]: self = .object(members.mapValues { JSON($0) })
    case let items as [Any]: self = .array(items.map { JSON($0) })
    case let text as String: self = .string(text)
    case let number as NSNumber:
      // The library makes numbers and truth values the same type; "c" is the type of the latter.
      if String(cString: number.objCType) == "c" {
        self = .bool(number.boolValue)
      } else {
        let value = number.doubleValue
        self = Int64(exactly: value).map { .integer($0) } ?? .number(value)
      }
    default: self = .null
    }
  }

  /// A member, or `null`.
  subscript(key: String) -> JSON {
    if case .object(let members) = self { return members[key] ?? .null }
    return .null
  }

  /// An element, or `null`.
  subscript(index: Int) -> JSON {
    items.indices.contains(index) ? items[index] : .null
  }

  var keys: Set<String> {
    if case .object(let members) = self { return Set(members.keys) }
    return []
  }

  var items: [JSON] {
    if case .array(let items) = self { return items }
    return []
  }

  var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  /// A number of either kind.
  var double: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .number(let value): return value
    default: return nil
    }
  }

  var text: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  var isTrue: Bool { self == .bool(true) }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral
{
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(stringLiteral value: String) { self = .string(value) }
}

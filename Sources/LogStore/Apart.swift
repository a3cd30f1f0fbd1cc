// SPDX-License-Identifier: Apache-2.0

/// A value in memory of its own. Within a value that cannot be copied the compiler follows each part of each part, at each
/// use: a header or a calibration, which has hundreds, goes here.
final class Apart<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

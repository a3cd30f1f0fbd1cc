// SPDX-License-Identifier: Apache-2.0

/// Why a recording of the service began. The raw value is its name in headers and documents.
public enum StartReason: String, CaseIterable, Sendable, BitwiseCopyable {
  /// A press of the button.
  case button
  /// A request over the control socket.
  case request
  /// Motion above the configured threshold.
  case trigger
  /// The timer of the configured calendar.
  case calendar
  /// The turn of a duty cycle.
  case duty
}

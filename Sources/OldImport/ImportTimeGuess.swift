// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The unit of times that nothing names, by their size and by the steps between them.
///
///     1700000000, 1700000001, …           s since 1970, 1 Hz
///     1700000000000, 1700000000010, …     ms since 1970, 100 Hz
///     5000000000000, 5000010000000, …     ns of a computer that runs for 83 minutes, 100 Hz
///     1500000000000000, 1500000010000000  µs since 1970 at 0.1 Hz, or ns of 17 days at 100 Hz: nothing says which
///
/// A unit is likely only if the samples then come at a rate that sensors have. Where another one is as likely, nothing is
/// guessed: dates at 1 Hz and below may be short times, and times with decimals 1 to 20 apart may be seconds or milliseconds.
struct ImportTimeGuess {
  /// `nil` where two units are as likely.
  let form: ImportTimeForm?
  /// Those two, for a sentence.
  var choices: String?

  /// Hertz that dated samples may have: one in two hours is as slow as a logger is.
  private static let rates = 1.0 / 7200...40_000
  /// Hertz from which on they are likelier than others.
  private static let likelyRate = 0.99
  /// Seconds from 1970 to 2001 and to 2103: times of these sizes are dates, at a likely rate.
  private static let dates = 1e9...4.2e9
  private static let units: [(form: ImportTimeForm, seconds: Double)] = [
    (.seconds, 1), (.milliseconds, 1e-3), (.microseconds, 1e-6), (.nanoseconds, 1e-9),
  ]

  /// - Parameters:
  ///   - times: The first of the table.
  ///   - areWhole: Whether they are written as whole numbers.
  init(_ times: [Double], areWhole: Bool) {
    guard let first = times.first else {
      form = .seconds
      return
    }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    let dated = ImportTimeGuess.units.first {
      ImportTimeGuess.dates.contains(first * $0.seconds)
    }
    guard !steps.isEmpty else {
      form = dated?.form ?? (areWhole ? .milliseconds : .seconds)
      return
    }
    // Several rows may have one time.
    let step = steps[steps.count / 2] * Double(steps.count) / Double(times.count - 1)
    let unit = ImportTimeGuess.usual(step, areWhole: areWhole)
    guard unit != .seconds || 1 / step <= ImportTimeGuess.rates.upperBound else {
      form = nil
      choices =
        "as s the samples would come at \(Plain.hertz(1 / step)) Hz, as times in days do, which must be converted"
      return
    }
    guard let dated, case let hertz = 1 / (step * dated.seconds),
      ImportTimeGuess.rates.contains(hertz)
    else {
      choices = ImportTimeGuess.choices(step, areWhole: areWhole)
      form = choices == nil ? unit : nil
      return
    }
    // A date at a rate below 1 Hz is no likelier than a short time at a usual one.
    guard hertz < ImportTimeGuess.likelyRate, unit != dated.form else {
      form = dated.form
      return
    }
    form = nil
    choices =
      "they may be \(dated.form.dated.name) at \(Plain.hertz(hertz)) Hz, or \(unit.name) at another rate"
  }

  /// The unit of steps by which times are no dates: 2 Hz to 5 kHz in it, or the next one.
  private static func usual(_ step: Double, areWhole: Bool) -> ImportTimeForm {
    if !areWhole, step < 1 { return .seconds }
    return step >= 200_000 ? .nanoseconds : step >= 500 ? .microseconds : .milliseconds
  }

  /// What times with decimals and such a step may be, if two units are as likely.
  private static func choices(_ step: Double, areWhole: Bool) -> String? {
    guard !areWhole, (1...20).contains(step) else { return nil }
    return
      "they may be s at \(Plain.hertz(1 / step)) Hz, or ms at \(Plain.hertz(1000 / step)) Hz"
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel

// The remedies that errors have by what the user gave, and by what is guessed.

extension ImportError {
  /// The error of a table on the grid of the user's rate, whose remedy is not to give one.
  func withRemedy(atGiven rate: SampleRate?) -> ImportError {
    guard rate != nil, case .line(let name, let line, let problem) = self else { return self }
    switch problem {
    case .sharesTick(let hertz):
      return .line(name: name, line: line, problem: .notAtRate(hertz: hertz, isShared: true))
    case .late(let hertz):
      return .line(name: name, line: line, problem: .notAtRate(hertz: hertz, isShared: false))
    default: return self
    }
  }

  /// The error of a table whose unit of times is a guess, if that may have caused it.
  func withRemedy(afterGuess guess: String?) -> ImportError {
    guard let guess else { return self }
    switch self {
    case .noRate, .rateBeyondLog, .otherRate, .line(_, _, .sharesTick), .line(_, _, .late),
      .line(_, _, .notAtRate), .line(_, _, .drifts), .line(_, _, .holeTooLong),
      .line(_, _, .timeOutOfRange):
      return .guessed(self, guess: guess)
    default: return self
    }
  }

  /// The error in a file of an archive, where `--columns` is none of the remedies.
  var withRemedyForArchive: ImportError {
    switch self {
    case .guessed(let error, _) where error.offersColumns: .packed(self)
    case _ where offersColumns: .packed(self)
    default: self
    }
  }

  private var offersColumns: Bool {
    switch self {
    case .noTimes, .noWholeRow, .line(_, _, .noTimeColumn), .line(_, _, .noTimeKey),
      .line(_, _, .noTime), .line(_, _, .unknownColumn), .line(_, _, .repeatedColumn),
      .line(_, _, .notAtRate), .line(_, _, .unknownTimeUnit), .line(_, _, .sensorLeftOut),
      .line(_, _, .otherSensor), .line(_, _, .unknownSensor):
      true
    default: false
    }
  }
}

import I2C

extension SensorError {
  /// What each address gave, and the remedy that fits.
  static func notFoundSentence(_ findings: [ProbeFinding]) -> String {
    let places = findings.map { "\($0)" }.joined(separator: "; ")
    return "no sensor that can be used was found (\(places)): \(remedy(findings))"
  }

  private static func remedy(_ findings: [ProbeFinding]) -> String {
    for finding in findings {
      if case .failure(let error) = finding.result, error.kind != .noAcknowledge {
        return remedy(error.kind)
      }
    }
    let answered = findings.contains { finding in
      if case .success(let identity) = finding.result {
        return identity != 0x00 && identity != 0xFF
      }
      return false
    }
    return answered
      ? "if the chip is known to work like one of these, force it with --sensor MODEL, one of "
        + SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      : "check the bus number, the chip's power, SDA, SCL and pull-ups"
  }
}

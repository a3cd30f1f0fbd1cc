import IMUModel

extension SensorError {
  /// What each address gave, and the remedy that fits.
  static func notFoundSentence(_ findings: [ProbeFinding]) -> String {
    let places = findings.map { "\($0)" }.joined(separator: "; ")
    return "no sensor that can be used was found (\(places)): \(remedy(findings))"
  }

  /// Both names, and how to get either.
  static func otherModelSentence(_ asked: SensorChoice, _ found: SensorIdentity) -> String {
    let name = asked.model?.name ?? "sensor"
    let place = asked.address.map { " at \($0)" } ?? ""
    let register = found.model.family.identityRegister
    return "no \(name) was found\(place): the chip at \(found.address) says that it is an "
      + "\(found.model.name) (\(register) reads \(hexadecimal(found.identity))); give --sensor "
      + "\(found.model.rawValue) or auto to record it"
  }

  private static func remedy(_ findings: [ProbeFinding]) -> String {
    for finding in findings {
      if case .failure(let error) = finding.result, error.kind != .noAcknowledge {
        return remedy(error.kind)
      }
    }
    return findings.contains { $0.isUnknownChip }
      ? "if the chip is known to work like one of these, force it with --sensor MODEL, one of "
        + SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      : "check the bus number, the chip's power, SDA, SCL and pull-ups"
  }
}

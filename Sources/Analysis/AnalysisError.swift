// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore

/// Why a recording cannot be analysed.
package enum AnalysisError: Error, Equatable, Sendable {
  case log(LogError)
  /// The samples do not show what was asked for, which is the fault of the request, or else of the recording.
  case refused(_ problem: String, remedy: String, isRequest: Bool = true)

  /// The recording has none of the channels that are needed.
  package static func channelsMissing(needed: String, recorded: ChannelSet) -> AnalysisError {
    let names = recorded.indices.map { ChannelSet.names[$0] }.joined(separator: ", ")
    return .refused(
      "this needs \(needed), and the recording has \(names)", remedy: "choose another recording")
  }
}

extension AnalysisError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .log(let error): error.description
    case .refused(let problem, let remedy, _): "\(problem): \(remedy)"
    }
  }
}

extension AnalysisError: StatusError {
  package var exitStatus: ExitStatus {
    switch self {
    case .log(let cause): cause.exitStatus
    case .refused(_, _, let isRequest): isRequest ? .usage : .damagedData
    }
  }
}

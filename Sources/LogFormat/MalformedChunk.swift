/// Why a chunk cannot be decoded though its check is right.
enum MalformedChunk: Error {
  case exhausted
  case unknownMethod
  case wideCoefficients
  case badLattice
  case noHistory
  case unknownPartition
  case badParameter
  case reservedBits
  case tickOutOfRange
  case badNumber
  case unbalanced
  case reservedKind

  /// The reason, to be put after a colon.
  var sentence: String {
    switch self {
    case .exhausted: return "its values run past its end"
    case .unknownMethod: return "a channel is coded by an unknown method"
    case .wideCoefficients: return "predictor coefficients are too wide"
    case .badLattice: return "the values of a channel are out of order"
    case .noHistory: return "a channel continues from a value that does not exist"
    case .unknownPartition: return "a partition length is out of range"
    case .badParameter: return "a Rice parameter is out of range"
    case .reservedBits: return "reserved bits are set"
    case .tickOutOfRange: return "a tick is out of range"
    case .badNumber: return "a number has too many bits"
    case .unbalanced: return "its counts of ticks overflow"
    case .reservedKind: return "kind 0 does not exist"
    }
  }
}

/// Samples a second from tick records to the bytes of the log, in memory.
func encodeSpeed(_ paths: [String]) throws -> Speed {
  let takes = try paths.map { try Take($0) }
  return try Speed {
    var samples = 0
    for take in takes {
      _ = try take.encode()
      samples += take.records.count
    }
    return samples
  }
}

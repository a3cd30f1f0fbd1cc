// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// What the reference decoder finds in the samples chunks of an intact log, and which features they use.
struct Inspection {
  private(set) var samples: [TickRecord] = []
  private(set) var features: Set<String> = []

  init(_ log: [UInt8], _ description: RecordingDescription) throws {
    let channels = description.channels.indices
    var decoder = ReferenceDecoder(channelCount: channels.count, firstTick: 0, firstLateness: 0)
    var lastPage = -1
    for chunk in TestPage.chunks(of: log) {
      if chunk.page != lastPage {
        lastPage = chunk.page
        let page = Array(log[(4096 * chunk.page)...].prefix(4096))
        let header = try page.withUnsafeBytes { try PageHeader(decoding: $0) }
        let grid = description.rate.nanoseconds(atTick: header.firstTick) / description.timeUnit
        features.formUnion(decoder.features)
        decoder = ReferenceDecoder(
          channelCount: channels.count, firstTick: header.firstTick,
          firstLateness: header.firstTime / description.timeUnit &- grid)
      }
      guard chunk.kind == 1 else { continue }
      for found in try decoder.decode(chunk.body) {
        let grid = description.rate.nanoseconds(atTick: found.tick) / description.timeUnit
        var sample = RawSample()
        for (position, channel) in channels.enumerated() {
          sample[channel] = Int16(found.counts[position])
        }
        let time = (found.lateness &+ grid) &* description.timeUnit
        samples.append(TickRecord(tick: found.tick, time: time, sample: sample))
      }
    }
    features.formUnion(decoder.features)
  }
}

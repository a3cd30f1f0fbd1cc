// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Every configuration")
struct EveryConfigurationTests {
  static let fixtures = SensorModelFixture.all

  /// Hertz as fractions: from one sample in a quarter of an hour to more than any chip gives.
  static let rates: [(UInt32, UInt32)] =
    [(1, 900), (1, 60), (1, 10), (1, 3), (1, 1), (5, 2), (25, 2), (100, 3)]
    + [
      10, 18, 19, 20, 23, 24, 40, 47, 48, 50, 80, 94, 95, 100, 189, 190, 200, 250, 320, 378, 379,
      400, 500, 501, 600, 757, 758, 999, 1000, 1001, 2000, 8000, 1_000_000,
    ].map { ($0, 1) }

  static let clocks: [Int?] = [
    nil, 10_000, 12_345, 16_000, 20_000, 25_000, 31_999, 32_000, 50_000, 62_500, 100_000, 200_000,
    333_333, 400_000, 500_000, 1_000_000,
  ]

  static let selections: [ChannelSet] = [.all, .accelerometer, .gyroscope]

  /// The most digits after a point in `text`.
  private func decimals(_ text: String) -> Int {
    text.split(separator: ".").dropFirst().map { $0.prefix(while: \.isNumber).count }.max() ?? 0
  }

  @Test("is set up or refused for its rate", arguments: fixtures)
  func settings(fixture: SensorModelFixture) throws {
    var accepted = 0
    for (numerator, denominator) in Self.rates {
      let rate = try #require(SampleRate(numerator, per: denominator))
      for clock in Self.clocks {
        for channels in Self.selections {
          let configuration = SensorConfiguration(rate: rate, channels: channels, busClock: clock)
          do throws(SensorError) {
            let sensor = try polled(TraceBus.chip(fixture), fixture.model, configuration)
            let description = sensor.description
            accepted += 1
            #expect(description.outputDataRate >= rate.hertz)
            #expect(!description.filter.isEmpty)
            #expect(decimals(description.filter) <= 2)
          } catch {
            #expect(error.exitStatus == .configuration)
            let isAboveChip = error.description.contains("can be polled at 1000 Hz at most")
            #expect(isAboveChip == (rate.hertz > 1000))
          }
        }
      }
    }
    #expect(accepted > 500)
  }

  @Test("of an LSM6DS3 on a slow bus has the narrowest filter that there is")
  func slowBus() throws {
    for model in [SensorModel.lsm6ds3, .lsm6ds33] {
      let bus = TraceBus.lsm6ds(identity: model.identity)
      let sensor = try broughtUp(
        bus, model, SensorConfiguration(rate: hertz(10), busClock: 25_000))
      #expect(sensor.description.outputDataRate == 52)
      // 52 Hz, 4 g, BW_XL 3.
      #expect(bus.registers[0x10] == 0x3B)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Models")
struct SensorModelTests {
  @Test("every model of the two large families has its fixture")
  func complete() {
    let models = SensorModel.allCases.filter { [.mpu6050, .lsm6ds].contains($0.family) }
    #expect(SensorModelFixture.all.map(\.model) == models)
  }

  @Test("names on the command line")
  func commandLineNames() {
    #expect(
      SensorModel.allCases.map(\.rawValue) == [
        "mpu6050", "mpu6500", "mpu9250", "mpu9255", "icm20689", "icm20948", "lsm6ds3", "lsm6ds33",
        "lsm6dsl", "lsm6dsm", "lsm6ds3tr-c", "lsm6dso", "lsm6dsox", "lsm6dso32", "lsm6dsr",
        "lsm9ds1", "lsm6dsv", "lsm6dsv16x", "lsm6dsv32x",
      ])
  }

  @Test("name, identity, addresses, ranges", arguments: SensorModelFixture.all)
  func table(fixture: SensorModelFixture) {
    #expect(fixture.model.name == fixture.name)
    #expect(fixture.model.identity == fixture.identity)
    #expect(
      fixture.model.addresses.map(\.rawValue) == (fixture.isMPU ? [0x68, 0x69] : [0x6A, 0x6B]))
    #expect(fixture.model.accelerometerRanges == fixture.accelerometerRanges)
    #expect(fixture.model.gyroscopeRanges == fixture.gyroscopeRanges)
    #expect(fixture.model.maximumPolledRate == 1000)
  }

  @Test("scales are the data sheet's, exactly", arguments: SensorModelFixture.all)
  func scales(fixture: SensorModelFixture) {
    let acceleration =
      fixture.isMPU
      ? [
        2: Fraction(1, 16384), 4: Fraction(1, 8192), 8: Fraction(1, 4096), 16: Fraction(1, 2048),
      ]
      : [
        2: Fraction(61, 1_000_000), 4: Fraction(122, 1_000_000), 8: Fraction(244, 1_000_000),
        16: Fraction(488, 1_000_000), 32: Fraction(976, 1_000_000),
      ]
    let rotation =
      fixture.isMPU
      ? [
        250: Fraction(1, 131), 500: Fraction(10, 655), 1000: Fraction(10, 328),
        2000: Fraction(10, 164),
      ]
      : [
        125: Fraction(4375, 1_000_000), 250: Fraction(8750, 1_000_000),
        500: Fraction(17500, 1_000_000), 1000: Fraction(35000, 1_000_000),
        2000: Fraction(70000, 1_000_000), 4000: Fraction(140_000, 1_000_000),
      ]
    for range in 0...64 {
      let expected = fixture.accelerometerRanges.contains(range) ? acceleration[range] : nil
      #expect(fixture.model.accelerometerScale(range: range) == expected)
    }
    for range in stride(from: 0, through: 4500, by: 125) {
      let expected = fixture.gyroscopeRanges.contains(range) ? rotation[range] : nil
      #expect(fixture.model.gyroscopeScale(range: range) == expected)
    }
  }

  @Test("temperature formulas", arguments: SensorModelFixture.all)
  func temperature(fixture: SensorModelFixture) {
    let (scale, offset) = fixture.model.temperature
    let celsius = fixture.temperature.count * scale.value + offset.value
    #expect(abs(celsius - fixture.temperature.celsius) < 0.01)
  }

  @Test("bounds of a certificate are the data sheets', or those that its documentation gives")
  func bounds() throws {
    func published(_ noise: SensorExpectation.Noise?) -> Int? {
      noise.flatMap { $0.isPublished ? Int(($0.density * 1e6).rounded()) : nil }
    }
    // µg/√Hz by range and µ°/s/√Hz, mg in each axis and °/s.
    let rows: [([SensorModel], noise: [Int?], Int?, zero: SIMD3<Double>, Double)] = [
      ([.mpu6050], [400, 400, 400, 400], 5000, [50, 50, 80], 20),
      ([.mpu6500, .mpu9250, .mpu9255], [300, 300, 300, 300], 10_000, [60, 60, 80], 5),
      ([.icm20689], [150, 150, 150, 150], 6000, [60, 60, 80], 5),
      ([.icm20948], [230, 230, 230, 230], 15_000, [50, 50, 50], 5),
      ([.lsm6ds3, .lsm6ds33], [90, 90, 90, 90], 7000, [40, 40, 40], 10),
      ([.lsm6dsl, .lsm6dsm, .lsm6ds3trc], [90, 90, 90, 130], 5000, [40, 40, 40], 3),
      ([.lsm6dso, .lsm6dsox], [70, 75, 80, 110], 3800, [20, 20, 20], 1),
      ([.lsm6dso32], [120, 130, 160, 220], 3800, [20, 20, 20], 1),
      ([.lsm6dsr], [70, 75, 80, 110], 5000, [20, 20, 20], 1),
      ([.lsm9ds1], [nil, nil, nil, nil], nil, [90, 90, 90], 30),
      ([.lsm6dsv, .lsm6dsv16x, .lsm6dsv32x], [60, 60, 60, 60], 2800, [12, 12, 12], 1),
    ]
    #expect(rows.flatMap(\.0) == SensorModel.allCases)
    for (models, noise, rateNoise, zeroG, zeroRate) in rows {
      for model in models {
        for (range, density) in zip(model.accelerometerRanges, noise) {
          let address = model.addresses[0]
          let sensor = try polled(
            TraceBus(address.rawValue), model,
            SensorConfiguration(rate: hertz(10), accelerometerRange: range))
          let found = sensor.expectation
          let bounds = try #require(found)
          #expect(published(bounds.acceleration) == density, "\(model), \(range) g")
          #expect(published(bounds.angularRate) == rateNoise, "\(model)")
          #expect(abs(bounds.zeroG - (zeroG * zeroG).sum().squareRoot() / 1000) < 1e-9, "\(model)")
          #expect(bounds.zeroRate == zeroRate, "\(model)")
          let (usual, largest) = model.family == .mpu6050 ? (0.01, 0.05) : (0.05, 0.1)
          #expect(bounds.rateTolerance == .init(usual: usual, largest: largest), "\(model)")
        }
      }
    }
  }

  @Test(
    "full-scale bits on the bus match the description",
    arguments: SensorModelFixture.all)
  func fullScale(fixture: SensorModelFixture) throws {
    let accelerometerBits: [UInt8] =
      fixture.isMPU ? [0x00, 0x08, 0x10, 0x18] : [0x00, 0x08, 0x0C, 0x04]
    let gyroscopeBits: [Int: UInt8] =
      fixture.isMPU
      ? [250: 0x00, 500: 0x08, 1000: 0x10, 2000: 0x18]
      : [125: 0x02, 250: 0x00, 500: 0x04, 1000: 0x08, 2000: 0x0C, 4000: 0x01]
    for (index, accelerometerRange) in fixture.accelerometerRanges.enumerated() {
      for gyroscopeRange in fixture.gyroscopeRanges {
        let bus = TraceBus.chip(fixture)
        let configuration = SensorConfiguration(
          rate: hertz(10), accelerometerRange: accelerometerRange, gyroscopeRange: gyroscopeRange)
        let description = try broughtUp(bus, fixture.model, configuration).description
        #expect(description.model == fixture.name)
        #expect(description.identity == fixture.identity)
        #expect(description.address == (fixture.isMPU ? 0x68 : 0x6A))
        #expect(description.accelerometerRange == accelerometerRange)
        #expect(description.gyroscopeRange == gyroscopeRange)
        let model = fixture.model
        #expect(
          description.accelerometerScale == model.accelerometerScale(range: accelerometerRange))
        #expect(description.gyroscopeScale == model.gyroscopeScale(range: gyroscopeRange))
        #expect(description.temperatureScale == model.temperature.scale)
        #expect(description.temperatureOffset == model.temperature.offset)
        #expect(description.outputDataRate > 0)
        #expect(!description.filter.isEmpty)
        let accelerometer = bus.registers[fixture.isMPU ? 0x1C : 0x10]
        let gyroscope = bus.registers[fixture.isMPU ? 0x1B : 0x11]
        #expect(accelerometer & (fixture.isMPU ? 0x18 : 0x0C) == accelerometerBits[index])
        #expect(gyroscope & (fixture.isMPU ? 0x1F : 0x0F) == gyroscopeBits[gyroscopeRange])
      }
    }
  }
}

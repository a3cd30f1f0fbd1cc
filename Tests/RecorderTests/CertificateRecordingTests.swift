// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Testing

/// A simulated chip, driven as some model and recorded in simulated time by the shipped recorder.
struct CertifiedRecording: Sendable {
  /// What it is driven as.
  var model: SensorModel
  var chip: SimulatedChip
  var rate: SampleRate
  var motion = Motion.still
  var length: Int64 = 12_000_000_000
  var syncInterval: Int64? = nil
  var isChipClock = false
  /// Whether the motion is a recording that is played back.
  var isPlayed = false
  var gyroscopeRange = 500

  /// The chip that `model` is, unless another one is given.
  init(_ model: SensorModel, _ chip: SimulatedChip? = nil, hertz: UInt32 = 100) {
    self.model = model
    self.chip = chip ?? CertifiedRecording.chip(model)
    rate = ExampleLog.rate(hertz)
  }

  static func chip(_ model: SensorModel) -> SimulatedChip {
    let chips: [(SensorFamily, SimulatedChip)] = [
      (.mpu6050, .mpu6050), (.lsm6ds, .lsm6dso), (.lsm9ds1, .lsm9ds1), (.lsm6dsv, .lsm6dsv),
      (.icm20948, .icm20948),
    ]
    var chip = chips.first { $0.0 == model.family }?.1 ?? .mpu6050
    chip.identity = model.identity
    chip.hasDoubleRange = model == .lsm6dso32 || model == .lsm6dsv32x
    return chip
  }

  /// The log's bytes.
  func bytes() throws -> [UInt8] {
    var service = SteppedRecorder(CertifiedSource(recording: self)) {
      ($0.rate, $0.length, $0.syncInterval) = (rate, length, syncInterval)
      ($0.preTrigger, $0.samplesWhileIdle, $0.cpuLatency) = (0, false, .free)
    }
    service.isSingle = true
    try service.run()
    let name = service.directory.names().first { $0.hasSuffix(".imulog") }
    return service.directory.bytes(of: try #require(name))
  }

  /// Every certificate in the log, in order.
  func certificates() throws -> [SensorCertificate] {
    try read(bytes()).compactMap { event in
      if case .other(.certificate(let certificate)) = event { return certificate }
      return nil
    }
  }

  /// The one that counts.
  func certificate() throws -> SensorCertificate { try #require(try certificates().last) }
}

private struct CertifiedSource: SensorSource {
  let recording: CertifiedRecording

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    let (model, chip) = (recording.model, recording.chip)
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 5_000_123_456_789))
    let address = model.addresses[0]
    let bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: recording.motion, busHertz: 400_000)
    let identity = SensorIdentity(model: model, address: address, identity: chip.identity)
    var configuration = SensorConfiguration(
      rate: recording.rate,
      gyroscopeRange: model.gyroscopeRanges.contains(recording.gyroscopeRange)
        ? recording.gyroscopeRange : model.gyroscopeRanges[1],
      busClock: 400_000)
    configuration.hasNoise = !recording.isPlayed
    configuration.readsFIFO = recording.isChipClock
    let busClock = BusClock(configured: 400_000, measured: nil)
    if recording.isChipClock {
      return try user.use(
        FIFOSensor(bus: bus, identity: identity, configuration: configuration),
        busClock: busClock, clock: clock, boardTitle: "simulator")
    }
    return try user.use(
      PolledSensor(bus: bus, identity: identity, configuration: configuration),
      busClock: busClock, clock: clock, boardTitle: "simulator")
  }
}

@Suite("The certificate of a recording", .excludesProgramStarts)
struct CertificateRecordingTests {
  @Test("passes each model that is what it says it is", arguments: SensorModel.allCases)
  func everyModel(_ model: SensorModel) throws {
    let certificates = try CertifiedRecording(model).certificates()
    #expect(certificates.count == 1)
    let certificate = try #require(certificates.last)
    #expect(certificate.verdict == .pass, "\(certificate.sentence)")
    #expect(certificate["identity"]?.value.contains(model.name) == true)
    if model == .icm20689 {
      let sold = "0x98 ICM-20689, which boards sold as MPU-6050 have too"
      #expect(certificate["identity"]?.value == sold)
    }
    #expect(certificate["still"]?.verdict == .pass)
    // The LSM9DS1's data sheet gives no noise.
    let expected: CertificateFinding.Verdict = model == .lsm9ds1 ? .unknown : .pass
    #expect(certificate["noise-density-gz"]?.verdict == expected)
    #expect(certificate["registers"]?.value.contains("=") == true)
    #expect(certificate["bus-clock"]?.value == "400000 Hz claimed")
  }

  private static let clocks: [(SensorModel, UInt32)] = [
    (.mpu6050, 1000), (.lsm6dso, 416), (.lsm6dsl, 416), (.lsm6dsv, 480), (.icm20948, 375),
  ]

  @Test("passes chips that keep the time, with their own rate", arguments: clocks)
  func chipClock(_ model: SensorModel, hertz: UInt32) throws {
    var recording = CertifiedRecording(model, hertz: hertz)
    recording.isChipClock = true
    let certificate = try recording.certificate()
    #expect(certificate.verdict == .pass, "\(certificate.sentence)")
    let rate = try #require(certificate["rate"])
    let ends = rate.value.split(separator: " ").compactMap { Double($0) }
    let nominal = try #require(model.fifoRate(recording.rate, channels: .all)).hertz
    let truth = nominal * (1 + Double(recording.chip.clockErrorPartsPerMillion) * 1e-6)
    #expect(ends.count == 2 && ends[0] - 1 <= truth && truth <= ends[1] + 1, "\(rate.value)")
  }

  @Test("names axes that are swapped, once the sensor was turned")
  func swapped() throws {
    for (fault, words) in [
      (.swapped(0, 2), "accelerometer's are z, y, x"), (.swapped(3, 4), "gyroscope's are y, x, z"),
    ] as [(SimulatedChip.AxisFault, String)] {
      var recording = CertifiedRecording(.lsm6dsox)
      (recording.chip.axisFault, recording.motion) = (fault, .turn)
      recording.length = 25_000_000_000
      let failures = try recording.certificate().findings(.fail)
      #expect(failures.map { "\($0.name): \($0.value)" } == ["axes: the " + words])
    }
  }

  @Test(
    "names the axes of a sensor that plays back a constant, where its noise is above half a count",
    arguments: [
      (.mpu6050, 500, true), (.mpu6050, 2000, true), (.mpu6500, 2000, true), (.lsm6ds3, 500, true),
      (.lsm6dso, 500, true), (.lsm6dso, 2000, false), (.lsm6dsv, 500, true),
      (.lsm6dsv, 2000, false), (.lsm9ds1, 500, true), (.lsm9ds1, 2000, false),
      (.icm20948, 2000, true),
    ] as [(SensorModel, Int, Bool)])
  func constant(_ model: SensorModel, range: Int, isJudged: Bool) throws {
    var recording = CertifiedRecording(model)
    (recording.isPlayed, recording.gyroscopeRange) = (true, range)
    recording.length = 9_000_000_000
    let text = "t_us,ax,ay,az,gx,gy,gz\n0,-500,300,8170,-131,65,20\n"
    recording.motion = try Motion(csv: text.utf8, named: "constant.csv")
    let stuck = try #require(try recording.certificate()["stuck"])
    // The registers are played, and an LSM9DS1's X is reversed.
    let sign = model == .lsm9ds1 ? "" : "-"
    let rates = isJudged ? "gx at \(sign)131, gy at 65, gz at 20" : "not judged: gx, gy, gz"
    #expect(stuck.value == "ax at \(sign)500, ay at 300, az at 8170, " + rates)
    #expect(stuck.verdict == .fail)
  }

  @Test("names a clone, whose die is five times quieter")
  func clone() throws {
    var quiet = SimulatedChip.mpu6050
    quiet.noiseFactor = 0.2
    let certificate = try CertifiedRecording(.mpu6050, quiet).certificate()
    #expect(certificate.verdict == .fail)
    #expect(certificate["clone"]?.value == "by noise of the accelerometer, noise of the gyroscope")
  }

  @Test("names a chip of twice the range that is driven as its relative, and the other way round")
  func wrongScale() throws {
    for (model, relative) in [
      (SensorModel.lsm6dso, SensorModel.lsm6dso32), (.lsm6dsv, .lsm6dsv32x),
    ] {
      let half = try CertifiedRecording(model, CertifiedRecording.chip(relative)).certificate()
      #expect(half.findings(.fail).map(\.name) == ["gravity"])
      #expect(half["gravity"]?.value.contains("half") == true)
      let twice = try CertifiedRecording(relative, CertifiedRecording.chip(model)).certificate()
      #expect(twice["gravity"]?.value.contains("twice") == true)
    }
  }

  @Test("is written once more at the end when an axis has got stuck since")
  func later() throws {
    var recording = CertifiedRecording(.mpu6050)
    recording.length = 20_000_000_000
    recording.chip.axisFault = .held(axis: 0, count: -321, from: 12_000_000_000)
    let certificates = try recording.certificates()
    #expect(certificates.map(\.verdict) == [.pass, .fail])
    let stuck = try #require(certificates.last?["stuck"]?.value)
    #expect(stuck.hasPrefix("ax at -321 from tick 11"), "\(stuck)")
  }

  @Test("is in the log after ten seconds without stillness, in a log that is cut as well")
  func moving() throws {
    var recording = CertifiedRecording(.lsm6dso)
    (recording.motion, recording.length) = (.tumble, 14_000_000_000)
    let bytes = try recording.bytes()
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    var (ticks, found) = ([UInt64](), [SensorCertificate]())
    while let item = try reader.next() {
      guard case .certificate(let certificate) = item else { continue }
      ticks.append(reader.nextTick)
      found.append(certificate)
    }
    #expect(found.count == 1)
    #expect(found.first?["still"]?.verdict == .unknown)
    #expect(found.first?.verdict == .unknown)
    #expect(found.first?.sentence == "unknown: not judged: gravity")
    #expect(ticks.first.map { (995...1110).contains($0) } == true, "\(ticks)")
  }

  @Test("takes no place before the end of a recording that is shorter, and less than 2 kB")
  func place() throws {
    var short = CertifiedRecording(.mpu6050, hertz: 10)
    short.length = 2_000_000_000
    let certificate = try short.certificate()
    #expect(certificate["still"]?.verdict == .unknown)
    #expect(certificate["identity"]?.verdict == .pass)
    #expect(try short.bytes().count < 4096)
    short.syncInterval = 0
    #expect(try short.certificates().count == 1)
  }
}

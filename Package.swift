// swift-tools-version:6.0
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// One set of flags for every target: another set would make SwiftPM build the dependencies twice.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "imulog",
  products: [
    .executable(name: "imulog", targets: ["imulog"]),
    // For Tests/Benchmarks, which is a package of its own.
    .library(
      name: "ImulogStages",
      targets: [
        "ChipClock", "ChipClockTesting", "Export", "IMUModel", "LogFormat", "LogStore",
        "RingBuffer",
      ]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // Kernel interfaces and instructions that Swift cannot reach.
    .systemLibrary(name: "Clibi2c", providers: [.apt(["libi2c-dev"])]),
    .target(name: "CLinuxIO"),

    // The floor: texts, dates and JSON; what everything speaks: samples, units, time, gaps; files.
    .target(name: "Text", swiftSettings: settings),
    .target(name: "IMUModel", dependencies: ["Text"], swiftSettings: settings),
    .target(
      name: "Files", dependencies: ["CLinuxIO", "IMUModel", "Text"], swiftSettings: settings),
    // What a drawing of samples needs, whatever it is drawn on: labels of axes, peaks by column.
    .target(name: "Graph", dependencies: ["IMUModel"], swiftSettings: settings),

    // When a chip made its samples, from readings of its FIFO's fill.
    .target(name: "ChipClock", dependencies: ["IMUModel"], swiftSettings: settings),

    // The data plane, left to right. No target imports one to its right.
    .target(
      name: "LinuxIO", dependencies: ["CLinuxIO", "Clibi2c", "IMUModel", "Text"],
      swiftSettings: settings),
    .target(name: "SimulatedIMU", dependencies: ["IMUModel"], swiftSettings: settings),
    .target(name: "IMUDrivers", dependencies: ["IMUModel", "Text"], swiftSettings: settings),
    .target(
      name: "Sampling", dependencies: ["IMUDrivers", "IMUModel"], swiftSettings: settings),
    .target(name: "RingBuffer", swiftSettings: settings),
    .target(
      name: "LogFormat", dependencies: ["CLinuxIO", "IMUModel", "Text"], swiftSettings: settings),
    .target(
      name: "LogStore",
      dependencies: ["ChipClock", "Files", "IMUModel", "LogFormat", "Text"],
      swiftSettings: settings),
    // What a sensor's samples show of it: how it is off, and whether it is as its data sheet says.
    .target(
      name: "Calibration", dependencies: ["IMUModel", "LogFormat", "Text"], swiftSettings: settings),
    .target(
      name: "Certificate",
      dependencies: ["Calibration", "IMUDrivers", "IMUModel", "LogStore", "Sampling", "Text"],
      swiftSettings: settings),
    // What the samples of a recording show: spectrum, vibration, noise, errors of the sensor, orientation.
    .target(
      name: "Analysis",
      dependencies: ["Graph", "IMUModel", "LogFormat", "LogStore", "Text"],
      swiftSettings: settings),
    .target(
      name: "Export",
      dependencies: [
        "Analysis", "ChipClock", "Files", "Graph", "IMUModel", "LogFormat", "LogStore",
        "Text",
      ],
      // What a page for a browser is made of, in the order in which it stands there.
      resources: [
        "page.css", "analysis.css", "body.html", "data.js", "axis.js", "line.js", "panel.js",
        "take.js",
        "view.js", "box.js",
        "stretch.js", "input.js", "player.js", "page.js",
      ].map { .embedInCode("HTML/Page/\($0)") },
      swiftSettings: settings),

    // Recordings made of other programs' tables, and of exports.
    .target(
      name: "Import", dependencies: ["Files", "IMUModel", "LogFormat", "Text"],
      swiftSettings: settings),

    // Recordings over SSH: what a restricted key may ask for, and both ends of a pull.
    .target(
      name: "Remote",
      dependencies: ["Files", "IMUModel", "LinuxIO", "LogFormat", "LogStore", "Text"],
      swiftSettings: settings),

    // Recordings of many machines, and the tables that engines read.
    .target(
      name: "Hub",
      dependencies: [
        "Analysis", "Export", "Files", "IMUModel", "LinuxIO", "LogFormat", "LogStore", "Remote",
        "Text",
      ],
      resources: [.embedInCode("fleet.html")], swiftSettings: settings),

    // Above the stages: the one recorder, of `record` and of the service.
    .target(
      name: "Recorder",
      dependencies: [
        "Calibration", "Certificate", "ChipClock", "Files", "IMUDrivers", "IMUModel", "LinuxIO",
        "LogFormat", "LogStore", "RingBuffer", "Sampling", "Text",
      ],
      resources: [.embedInCode("imulog.conf")], swiftSettings: settings),
    // What a person sees on a terminal: views, and the screens that show them.
    .target(
      name: "Terminal",
      dependencies: [
        "Analysis", "Calibration", "Files", "Graph", "IMUModel", "LinuxIO", "LogStore",
        "Recorder", "Sampling", "Text",
      ],
      swiftSettings: settings),
    .target(
      name: "Boards", path: "Boards",
      resources: [
        "raspberry-pi-5", "raspberry-pi-4", "raspberry-pi-3", "raspberry-pi-zero-2-w",
        "beaglebone-black", "orange-pi-zero-3", "radxa-zero-3", "rock-pi-4", "simulator",
      ].map { .embedInCode("\($0).board") },
      swiftSettings: settings),
    // What a recording needs of a machine, check by check.
    .target(
      name: "Doctor",
      dependencies: [
        "Boards", "Files", "IMUDrivers", "IMUModel", "LinuxIO", "LogStore", "Recorder", "Sampling",
        "Text",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "imulog",
      dependencies: [
        "Analysis", "Boards", "Calibration", "Certificate", "ChipClock", "Doctor", "Export",
        "Files", "Hub",
        "IMUDrivers", "IMUModel", "Import", "LinuxIO", "LogFormat", "LogStore", "Recorder",
        "Remote",
        "Sampling", "SimulatedIMU", "Terminal", "Text",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: ["notices", "apache-2.0", "lgpl-2.1"].map { .embedInCode("Licences/\($0).txt") }
        + [
          "imulog.service", "imulog.rules", "imulog.sysusers", "hardening.txt",
          "imulog-calendar.service", "imulog-calendar.timer",
          "imulog-hub.service", "imulog-hub.timer", "imulog-hub.sysusers",
        ].map { .embedInCode("Service/Units/\($0)") },
      swiftSettings: settings),

    // When tests run (on threads of their own, or while no program is being started), and which of their cases.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),

    // Tests, in the order of their subjects.
    // A chip and a host that reads its FIFO, with the instants of the samples known.
    .target(
      name: "ChipClockTesting", dependencies: ["ChipClock"], path: "Tests/ChipClockTesting",
      swiftSettings: settings),
    .testTarget(
      name: "ChipClockTests",
      dependencies: ["ChipClock", "ChipClockTesting", "IMUModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TextTests", dependencies: ["IMUModel", "Text"], swiftSettings: settings),
    .testTarget(
      name: "IMUModelTests", dependencies: ["IMUModel", "Text"],
      swiftSettings: settings),
    .testTarget(
      name: "FilesTests",
      dependencies: ["Files", "LogStoreTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "GraphTests", dependencies: ["Graph", "IMUModel", "TestSupport"],
      swiftSettings: settings),
    .target(name: "LinuxIOTestSupport", path: "Tests/LinuxIOTestSupport"),
    .testTarget(
      name: "LinuxIOTests",
      dependencies: [
        "IMUModel", "LinuxIO", "LinuxIOTestSupport", "TerminalTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IMUDriversTests",
      dependencies: ["IMUDrivers", "IMUModel", "SimulatedIMU", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SimulatedIMUTests",
      dependencies: ["IMUModel", "SimulatedIMU", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RingBufferTests", dependencies: ["RingBuffer", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SamplingTests",
      dependencies: ["IMUDrivers", "IMUModel", "Sampling", "SimulatedIMU", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LogFormatTests",
      dependencies: [
        "ChipClockTesting", "CLinuxIO", "IMUModel", "LogFormat", "LogStore", "LogStoreTesting",
        "TestSupport",
      ],
      resources: [.copy("Golden")], swiftSettings: settings),
    // A storage that fails on request, and logs to try it with.
    .target(
      name: "LogStoreTesting",
      dependencies: [
        "ChipClock", "ChipClockTesting", "Files", "IMUModel", "LogFormat", "LogStore",
        "TestSupport",
      ],
      path: "Tests/LogStoreTesting", swiftSettings: settings),
    .testTarget(
      name: "LogStoreTests",
      dependencies: [
        "ChipClock", "ChipClockTesting", "Files", "IMUModel", "LogFormat", "LogStore",
        "LogStoreTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RecorderTests",
      dependencies: [
        "Files", "IMUDrivers", "IMUModel", "LinuxIO", "LinuxIOTestSupport", "LogFormat", "LogStore",
        "LogStoreTesting", "Recorder", "RingBuffer", "Sampling", "SimulatedIMU", "TestSupport",
        "Text",
      ], swiftSettings: settings),
    // What of the recorder runs on several threads: `.ci/races` has it.
    .testTarget(
      name: "RecorderThreadTests",
      dependencies: [
        "Files", "IMUDrivers", "IMUModel", "LinuxIO", "LogFormat", "LogStore", "LogStoreTesting",
        "Recorder", "RingBuffer", "Sampling", "SimulatedIMU", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CertificateTests",
      dependencies: [
        "Certificate", "IMUDrivers", "IMUModel", "LinuxIO", "LogStore", "LogStoreTesting",
        "SimulatedIMU", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CalibrationTests",
      dependencies: ["Calibration", "IMUModel", "LogFormat", "TestSupport", "Text"],
      swiftSettings: settings),
    .testTarget(
      name: "AnalysisTests",
      dependencies: [
        "Analysis", "IMUModel", "LogFormat", "LogStore", "LogStoreTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ExportTests",
      dependencies: [
        "ChipClockTesting", "CLinuxIO", "Export", "Files", "Import", "IMUModel", "LogFormat",
        "LogStore", "LogStoreTesting", "TestSupport",
      ], swiftSettings: settings),
    .testTarget(
      name: "ImportTests",
      dependencies: ["Files", "IMUModel", "Import", "LogFormat", "TestSupport", "Text"],
      exclude: ["Field", "Columns/Files"], swiftSettings: settings),
    // A terminal that shows what it is sent.
    .target(name: "CTerminalTesting", path: "Tests/CTerminalTesting"),
    .target(
      name: "TerminalTesting", dependencies: ["CTerminalTesting"], path: "Tests/TerminalTesting",
      swiftSettings: settings),
    .testTarget(
      name: "TerminalTests",
      dependencies: [
        "Files", "Graph", "IMUModel", "LinuxIO", "LogFormat", "LogStore", "LogStoreTesting",
        "Recorder", "Terminal", "TerminalTesting", "TestSupport", "Text",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RemoteTests",
      dependencies: [
        "IMUModel", "LogFormat", "LogStore", "LogStoreTesting", "Remote", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "Export", "Files", "Hub", "IMUModel", "LogFormat", "LogStore", "LogStoreTesting", "Remote",
        "TestSupport", "Text",
      ],
      swiftSettings: settings),
    // What a fuzzer feeds, which is built by Tests/Fuzzing/fuzz, and what it found tried again.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Analysis", "Calibration", "CLinuxIO", "Export", "Files", "Import", "IMUModel", "LogFormat",
        "LogStore", "Recorder", "Remote", "Text",
      ],
      path: "Tests/Fuzzing/Targets", swiftSettings: settings),
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "ChipClockTesting", "FuzzTargets", "IMUModel", "LogStore", "LogStoreTesting", "Recorder",
        "Terminal", "TestSupport", "Text",
      ],
      resources: [.copy("Corpus")], swiftSettings: settings),
    // The program from outside; it stands beside the test bundle.
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Boards", "CTerminalTesting", "Doctor", "Files", "IMUDrivers", "imulog", "IMUModel",
        "LinuxIO",
        "LinuxIOTestSupport", "LogStoreTesting", "Recorder", "SimulatedIMU", "TerminalTesting",
        "TestSupport", "Text",
      ],
      resources: [.copy("Help")], swiftSettings: settings),
    .testTarget(name: "BoardsTests", dependencies: ["Boards"], swiftSettings: settings),

    // What the sampler thread allocates, locks and counts a sample: to be run in release.
    .target(name: "CAllocProbe", path: "Tests/CAllocProbe"),
    .executableTarget(
      name: "realtime-check",
      dependencies: [
        "CAllocProbe", "IMUDrivers", "IMUModel", "RingBuffer", "Sampling", "SimulatedIMU",
      ],
      path: "Tests/RealTimeCheck", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// `.ci/run` builds once for programs, tests and checks. Compiling for speed is what costs, so only what computes is optimised:
// what starts programs, waits, or shows a screen is not, and neither are the tests. Tests see what is internal, but for what
// realtime-check counts: code that tests can see retains.
if Context.environment["IMULOG_CHECKS"] != nil {
  let waiting: Set = ["Boards", "Doctor", "Hub", "Recorder", "Remote", "Terminal", "imulog"]
  let counted: Set = ["IMUDrivers", "IMUModel", "RingBuffer", "Sampling", "SimulatedIMU"]
  for target in package.targets where target.type != .system && !counted.contains(target.name) {
    let plain = target.isTest || waiting.contains(target.name)
    let flags = (plain ? ["-Onone"] : []) + (target.isTest ? [] : ["-enable-testing"])
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
  }
}

// `.ci/races` builds what has threads, with ThreadSanitizer, and nothing else; `.ci/races all` all of the recorder.
if let races = Context.environment["IMULOG_RACES"] {
  var tests: Set = ["LinuxIOTests", "RecorderThreadTests", "RingBufferTests"]
  if races == "all" { tests.insert("RecorderTests") }
  let others: Set = [
    "Boards", "CAllocProbe", "Doctor", "Export", "FuzzTargets", "Hub", "Import", "Remote",
    "Terminal", "imulog", "realtime-check",
  ]
  package.targets.removeAll { others.contains($0.name) || ($0.isTest && !tests.contains($0.name)) }
  (package.products, package.dependencies) = ([], [])
  package.targets.append(.target(name: "RaceMutex", path: "Tests/RaceMutex"))
  package.targets.first { $0.name == "RingBufferTests" }?.dependencies.append("RaceMutex")
}

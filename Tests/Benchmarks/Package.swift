// swift-tools-version:6.0
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Apart from the program's own package, so that building or testing the program builds none of it. Run it
// with Tests/Benchmarks/measure.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "imulog", path: "../..")
  ],
  targets: [
    .target(name: "CRing"),
    .executableTarget(
      name: "benchmarks",
      dependencies: ["CRing", .product(name: "ImulogStages", package: "imulog")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

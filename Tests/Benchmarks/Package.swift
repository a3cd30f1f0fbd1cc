// swift-tools-version:6.0
import PackageDescription

// Apart from the program's own package, so that who builds or tests the program builds nothing of this. Run it
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

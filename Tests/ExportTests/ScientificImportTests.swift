// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

@testable import OldImport

/// Counts of ±4 g in m/s², each written with a power of ten: as phyphox does, and NumPy's savetxt.
@Suite("Import of values that are written with a power of ten")
struct ScientificImportTests {
  private static let counts: [[Int16]] = [
    [1, -3, 8191], [-17, 2049, 8160], [4096, -4095, 5], [-8192, 7, -2], [333, -2221, 8200],
    [12, -8, 8192], [77, 99, 8111], [-1, -2, 8180],
  ]

  static let tables = [
    """
    0.00,1.197100830E-03,-3.591302490E-03,9.805452899E+00
    0.01,-2.035071411E-02,2.452859601E+00,9.768342773E+00
    0.02,4.903325000E+00,-4.902127899E+00,5.985504150E-03
    0.03,-9.806650000E+00,8.379705811E-03,-2.394201660E-03
    0.04,3.986345764E-01,-2.658760944E+00,9.816226807E+00
    0.05,1.436520996E-02,-9.576806641E-03,9.806650000E+00
    0.06,9.217676392E-02,1.185129822E-01,9.709684833E+00
    0.07,-1.197100830E-03,-2.394201660E-03,9.792284790E+00

    """,
    """
    0.00,1.197100830078124930e-03,-3.591302490234375006e-03,9.805452899169921466e+00
    0.01,-2.035071411132812272e-02,2.452859600830077813e+00,9.768342773437499460e+00
    0.02,4.903324999999999712e+00,-4.902127899169921754e+00,5.985504150390624431e-03
    0.03,-9.806649999999999423e+00,8.379705810546873856e-03,-2.394201660156249859e-03
    0.04,3.986345764160156291e-01,-2.658760943603515337e+00,9.816226806640624858e+00
    0.05,1.436520996093750002e-02,-9.576806640624999437e-03,9.806649999999999423e+00
    0.06,9.217676391601561936e-02,1.185129821777343717e-01,9.709684832763670670e+00
    0.07,-1.197100830078124930e-03,-2.394201660156249859e-03,9.792284790039062159e+00

    """,
  ]

  @Test("of a product the digits beyond 64 bits are cut off, which is remembered of any but zeros")
  func product() {
    func product(_ digits: Int64) -> ImportDecimal {
      ImportDecimal(digits: .max, exponent: -3)
        .multiplied(by: ImportDecimal(digits: digits, exponent: 1))
    }
    #expect(product(100) == ImportDecimal(digits: .max, exponent: 0))
    #expect(
      product(3) == ImportDecimal(digits: 2_767_011_611_056_432_742, exponent: -1, isCut: true))
  }

  @Test("they are the counts of the chip that they were", arguments: tables)
  func chip(_ table: String) throws {
    let header = "time (s),ax (m/s^2),ay (m/s^2),az (m/s^2)\n"
    let importer = try Imports.csv(header + table)
    #expect(importer.description.sensor.accelerometerScale == Fraction(1, 8192))
    let samples = try Imports.records(importer).filter { $0.kind == .sample }.map {
      [$0.sample.ax, $0.sample.ay, $0.sample.az]
    }
    #expect(samples == Self.counts)
  }

  @Test("a temperature is not rounded to whole degrees")
  func temperature() throws {
    let header = "t_ns,ax,ay,az,temp\n"
    let rows = ["2.3456E+01", "-1.2345E+00", "9.8765E+01"].enumerated().map {
      "\($0)0000000,4.903325,-2.451663,9.80665,\($1)\n"
    }
    let importer = try Imports.csv(header + rows.joined())
    let sensor = importer.description.sensor
    let read = try Imports.records(importer).filter { $0.kind == .sample }.map {
      Double($0.sample.temperature) * sensor.temperatureScale.value + sensor.temperatureOffset.value
    }
    #expect(zip(read, [23.456, -1.2345, 98.765]).allSatisfy { ($0 - $1).magnitude < 0.002 })
    #expect(read.count == 3)
  }
}

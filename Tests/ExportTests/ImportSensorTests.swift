// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("Columns of a sensor under names that no dialect knows")
struct ImportSensorTests {
  private func table(_ header: String) -> String {
    let count = header.split(separator: ",").count
    let rows = (0..<4).map { row in
      (["0.0\(row)"] + (1..<count).map { "\($0 * (row % 2 == 0 ? 1 : -1))" })
        .joined(separator: ",") + "\n"
    }
    return header + "\n" + rows.joined()
  }

  private func refusal(_ header: String) throws -> String {
    let error = try #require(Imports.csvError(table(header)), "\(header) is taken")
    #expect(error.exitStatus == .damagedData)
    return "\(error)"
  }

  private static let unknown = Refusal.list(
    #"""
    time,imu1_ax,imu1_ay,imu1_az ⇒ time=time,ax=imu1_ax,ay=imu1_ay,az=imu1_az
    time,ax,ay,az,Turn rate X,Turn rate Y,Turn rate Z ⇒ time=time,ax=ax,ay=ay,az=az,gx=5,gy=6,gz=7
    time,gx,gy,gz,Foo ax (m/s^2),Foo ay (m/s^2),Foo az (m/s^2) ⇒ time=time,ax=5,ay=6,az=7,gx=gx,gy=gy,gz=gz
    time,ax,ay,az,left Wz,left Wy,left Wx ⇒ time=time,ax=ax,ay=ay,az=az,gx=7,gy=6,gz=5
    time,ax,ay,gx,gy,gz,b.ax,b.ay,b.az ⇒ time=time,ax=b.ax,ay=b.ay,az=b.az,gx=gx,gy=gy,gz=gz
    time_ms,foo_gx,foo_gy,foo_gz,foo_ax,foo_ay,foo_az,x ⇒ time=time_ms,ax=foo_ax,ay=foo_ay,az=foo_az,gx=foo_gx,gy=foo_gy,gz=foo_gz
    zeit,n,Acc 1 X,Acc 1 Y,Acc 1 Z ⇒ ax=3,ay=4,az=5
    """#)

  @Test("are refused, with the text for --columns that imports them", arguments: unknown)
  func one(_ table: Refusal) throws {
    let sentence = try refusal(table.text)
    #expect(sentence.contains("under names that are not known"), "\(sentence)")
    #expect(sentence.hasSuffix("such as --columns \(table.words)"), "\(sentence)")
    let named = Imports.given(rate: hertz(100), columns: table.words, units: "g,deg/s,s")
    #expect(try Imports.csv(self.table(table.text), named).end.ledger.sampled == 4)
  }

  /// Columns, and what is said of them with both texts for `--columns`.
  private static let twoSensors = Refusal.list(
    #"""
    time,ax,ay,az,gx,gy,gz,imu1_ax,imu1_ay,imu1_az,imu1_gx,imu1_gy,imu1_gz ⇒ "imu1_ax", "imu1_ay", "imu1_az" look like the accelerations|time=time,ax=ax,ay=ay,az=az,gx=gx,gy=gy,gz=gz|time=time,ax=imu1_ax,ay=imu1_ay,az=imu1_az,gx=imu1_gx,gy=imu1_gy,gz=imu1_gz
    time,imu1_wx,imu1_wy,imu1_wz,imu2_wx,imu2_wy,imu2_wz ⇒ "imu2_wx", "imu2_wy", "imu2_wz" look like the rates|time=time,gx=imu1_wx,gy=imu1_wy,gz=imu1_wz|time=time,gx=imu2_wx,gy=imu2_wy,gz=imu2_wz
    t_us,ax,ay,az,ax1,ay1,az1 ⇒ "ax1", "ay1", "az1" look like the accelerations|time=t_us,ax=ax,ay=ay,az=az|time=t_us,ax=ax1,ay=ay1,az=az1
    """#)

  @Test("are refused beside another sensor's, with both texts for --columns", arguments: twoSensors)
  func two(_ table: Refusal) throws {
    let parts = table.words.split(separator: "|").map(String.init)
    #expect(
      try refusal(table.text)
        == "table.csv, line 1: the columns \(parts[0]) of another sensor, and a recording has one sensor: import each by itself, with --columns \(parts[1]) and with --columns \(parts[2])"
    )
    for choice in parts[1...] {
      let named = Imports.given(columns: choice, units: "g,deg/s,s")
      #expect(try Imports.csv(self.table(table.text), named).end.ledger.sampled == 4)
    }
  }

  @Test(
    "that are no sensor's, or are computed from one that is imported, are left out, which is said",
    arguments: [
      "mx,my,mz", "Gravity X,Gravity Y,Gravity Z", "linear acc x,linear acc y,linear acc z",
      "gyro_bias_x,gyro_bias_y,gyro_bias_z", "imu1_ax,imu1_ay", "q w,q x,q y,q z",
    ])
  func leftOut(_ names: String) throws {
    let importer = try Imports.csv(
      table("time,ax,ay,az,gx,gy,gz," + names), Imports.given(units: "g,deg/s,s"))
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
    #expect(importer.remarks.contains { $0.contains("columns are left out: ") })
  }
}

/// Sine and cosine of an angle in full turns, by arithmetic alone.
///
/// The C library's functions differ in the last place from one machine to the next, and with them a
/// count now and then; simulated recordings are to be the same everywhere.
enum Sinusoid {
  /// sin(2π·turns), right to 1e-13 for angles up to a million turns and less so beyond.
  static func sine(turns: Double) -> Double {
    var part = turns - turns.rounded()
    if part > 0.25 { part = 0.5 - part }
    if part < -0.25 { part = -0.5 - part }
    let x = part * 2 * Double.pi
    let square = x * x
    // Taylor's series, from the inside out; what is left out is below (π/2)^19/19!.
    var sum = 1.0
    var n = 16.0
    while n > 0 {
      sum = 1 - square / (n * (n + 1)) * sum
      n -= 2
    }
    return x * sum
  }

  /// cos(2π·turns), as ``sine(turns:)``.
  static func cosine(turns: Double) -> Double {
    sine(turns: turns + 0.25)
  }
}

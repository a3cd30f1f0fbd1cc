/// What a configuration comes to on a chip: the bring-up table, and what follows from it.
struct ChipSettings: Sendable {
  /// How the chip is reset.
  struct Reset: Sendable {
    /// To be written; ``bit`` is among its bits, and clears itself when the reset is through.
    let register: Register
    let value: UInt8
    let bit: UInt8
    /// Until the first look at ``bit``, in nanoseconds.
    let firstWait: Int64
    /// Between further looks.
    let wait: Int64
  }

  /// To be written before the reset.
  var preparation = RegisterList()
  let reset: Reset
  /// What takes the chip out of sleep after its reset; `nil` for a chip that has no sleep.
  var wake: (register: Register, value: UInt8)?
  /// To be written afterwards, in this order. Data rates are last where they start the sensors.
  var writes = RegisterList()
  /// Registers whose contents a reset would take away, looked at while the sensors turn on.
  var witnesses: [UInt8] = []
  /// From the last write until samples can be believed, in nanoseconds.
  var turnOn: Int64 = 0
  /// New samples to discard after that, and from one to the next in nanoseconds.
  var discards: (count: Int, wait: Int64) = (1, 0)
  /// The register that announces samples.
  let status: Register

  /// The chip's own rate in hertz.
  var outputDataRate: Double = 0
  /// The filters in the data sheet's words.
  var filter = ""
  /// How long a read may take, in nanoseconds.
  var readLimit: Int64 = 0
  /// How long outputs may rightly stand still.
  var lifeLimit: LifeLimit?

  init(reset: Reset, status: Register) {
    self.reset = reset
    self.status = status
  }

  /// What every register must hold after bring-up, by rising number.
  var image: RegisterList {
    var image = writes
    if let wake { image.append(wake.register, wake.value) }
    return image.sorted()
  }

  /// The widest of `filters` that is narrow enough for recording at `rate` hertz, else the narrowest, among those
  /// that `isQuick` accepts; they are sorted, the widest first.
  ///
  /// Narrow enough means a bandwidth of about half the rate: 10 % more is accepted, so that a 21 Hz filter serves a
  /// recording at 40 Hz.
  static func choose<Filter>(
    _ filters: [Filter], rate: Double, bandwidth: (Filter) -> Double?,
    where isQuick: (Filter) -> Bool = { _ in true }
  ) -> Filter {
    let quick = filters.filter(isQuick)
    let fitting = quick.first { bandwidth($0).map { $0 <= 0.55 * rate } ?? false }
    return fitting ?? quick.last ?? filters[0]
  }
}

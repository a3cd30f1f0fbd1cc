/// Where an adapter is looked for when it comes back.
public struct AdapterPlace: Sendable {
  private let number: Int
  /// The adapter's name when it was chosen; `nil` when only the number counts, or the kernel has none.
  private let name: String?
  /// The adapters that were there then.
  private let adapters: [I2CAdapter]
  let tree: SystemTree

  /// The place of an adapter that is there.
  ///
  /// - Parameters:
  ///   - number: N of its `/dev/i2c-N`.
  ///   - isFixed: Whether it was chosen by its number. If not, it is found again under another one.
  ///   - tree: Where `/dev` and `/sys` are.
  public init(number: Int, isFixed: Bool, tree: SystemTree = .live) {
    self.number = number
    self.tree = tree
    adapters = isFixed ? [] : tree.i2cAdapters()
    name = adapters.first { $0.number == number }?.name
  }

  /// N of the `/dev/i2c-N` to open now; `nil` when the adapter is not there.
  ///
  /// By name: the adapter under its old number, or under another, or else one that was not there before and
  /// whose name differs in digits alone, as names of USB adapters do that count the times they are put in
  /// (`i2c-tiny-usb at bus 001 device 005`). Where several could be meant, none is taken.
  func find() -> Int? {
    guard let name else { return number }
    let present = tree.i2cAdapters()
    let same = present.filter { $0.name == name }
    if same.contains(where: { $0.number == number }) { return number }
    if !same.isEmpty { return same.count == 1 ? same[0].number : nil }
    let kind = withoutDigits(name)
    let similar = present.filter { !adapters.contains($0) && withoutDigits($0.name) == kind }
    return similar.count == 1 ? similar[0].number : nil
  }

  private func withoutDigits(_ name: String) -> String { name.filter { !$0.isNumber } }
}

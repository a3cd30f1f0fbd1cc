import CLinuxIO
import Glibc
public import IMUModel

extension LinuxI2CBus {
  /// Nanoseconds between two attempts to open a node that went away.
  public static var reopeningInterval: Int64 { 2_000_000_000 }

  /// From now on, opens the node anew when it goes away: a USB adapter that was pulled out and put in.
  ///
  /// A thread of its own looks for the node, opens it, and makes sure of the chip as ``claim(_:)`` and
  /// ``reserve(_:)`` do. Until then transfers fail at once with ``BusError/Kind/gone``. The thread that
  /// makes transfers neither waits for the other one nor locks nor allocates.
  ///
  /// - Parameters:
  ///   - place: Where the node is looked for.
  ///   - chip: The chip that is claimed and reserved again. What it was set to is lost with its supply;
  ///     to find that out is the driver's task.
  ///   - interval: Nanoseconds between two attempts.
  /// - Throws: ``LinuxIOError`` when the kernel makes no more threads or descriptors.
  public mutating func keepOpen(
    at place: AdapterPlace, chip: I2CAddress, every interval: Int64 = reopeningInterval
  ) throws(LinuxIOError) {
    reopening?.end()
    reopening = nil
    let next = try BusReopening(place: place, chip: chip, interval: interval)
    try next.begin(BusNode(path: tree.path("/dev/i2c-\(number)")))
    reopening = next
  }

  /// Takes the node that was opened anew, if there is one.
  ///
  /// - Throws: ``BusError`` of kind `gone` when there is none yet.
  mutating func takeReopened(
    _ operation: BusError.Operation, _ address: I2CAddress, _ register: UInt8
  ) throws(BusError) {
    guard let opened = reopening?.take() else {
      throw BusError(.gone, operation, address: address, register: register, errno: ENODEV)
    }
    (descriptor, number, access) = (opened.descriptor, opened.number, opened.access)
    (selected, failures) = (0, 0)
  }

  /// A transfer failed: a node that is gone is given up. Not every adapter's driver says so when it was
  /// pulled out (i2c-tiny-usb answers EIO), so after a few failures the other thread looks whether the
  /// node is still there.
  mutating func noticeFailure(_ kind: BusError.Kind) {
    guard let reopening, descriptor >= 0 else { return }
    failures &+= 1
    if kind == .gone || reopening.isNodeGone {
      reopening.giveUp(descriptor)
      descriptor = -1
    } else if failures % Self.failuresUntilLook == 0 {
      reopening.askForLook()
    }
  }

  private static var failuresUntilLook: Int { 4 }
}

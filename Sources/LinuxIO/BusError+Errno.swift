import Glibc
public import IMUModel

extension BusError.Kind {
  /// The meaning of an error number with which an adapter's driver ends a transfer: the one table
  /// of it.
  ///
  /// Source: Linux Documentation/i2c/fault-codes.rst and the drivers named below.
  public init(errno code: Int32) {
    switch code {
    // ENXIO: the address was not acknowledged, on most adapters. EREMOTEIO: address or data was
    // not, on i2c-bcm2835 (Raspberry Pi 0 to 4) and designware (Raspberry Pi 5).
    case ENXIO, EREMOTEIO:
      self = .noAcknowledge
    case EAGAIN:  // another controller, or noise
      self = .arbitrationLost
    case ETIMEDOUT:  // no completion, a line is held low
      self = .timeout
    case EBUSY,  // the bus did not become free; I2C_SLAVE: a driver owns the address
      ESHUTDOWN:  // the adapter is suspended (i2c-core)
      self = .busy
    case EOPNOTSUPP,  // a mix of messages that the adapter cannot do, or an unknown SMBus size
      EINVAL, ENOSYS, EPROTONOSUPPORT:
      self = .unsupported
    case ENODEV, EBADF, ENOTTY:  // unplugged, or never an adapter
      self = .gone
    // EIO, EPROTO, EOVERFLOW, EBADMSG, ENOMEM, EINTR: this transfer failed, the next one may not.
    default:
      self = .bus
    }
  }
}

import Glibc
import IMUDrivers
import LinuxIO
import LogStore

/// The exit status for each module's errors; the sentence is theirs.
extension CommandFailure {
  init(_ error: SensorError) {
    switch error {
    case .accelerometerRange, .gyroscopeRange, .rateAboveChip, .rateAboveBus:
      self.init(.configuration, "\(error)")
    case .notFound, .foreignIdentity, .resetUnfinished, .readBack, .noSamples, .bus:
      self.init(.unavailable, "\(error)")
    }
  }

  init(_ error: LinuxIOError) {
    self.init(error.isPermission ? .noPermission : .unavailable, "\(error)")
  }

  init(_ error: StorageError) {
    self.init(CommandFailure.status(error), "\(error)")
  }

  init(_ error: LogError) {
    switch error {
    case .storage(let cause):
      self.init(cause.isMissing ? .noInput : CommandFailure.status(cause), "\(error)")
    case .foreign, .unsupportedVersion, .damagedHeader: self.init(.damagedData, "\(error)")
    case .description: self.init(.usage, "\(error)")
    }
  }

  init(_ error: CatalogueError) {
    switch error {
    case .missing, .notFound: self.init(.noInput, "\(error)")
    case .ambiguous: self.init(.usage, "\(error)")
    case .notADirectory, .outOfNumbers: self.init(.cannotCreate, "\(error)")
    case .isLive: self.init(.tryAgain, "\(error)")
    case .storage(let cause): self.init(CommandFailure.status(cause), "\(error)")
    case .log(let cause): self.init(cause)
    }
  }

  private static func status(_ error: StorageError) -> ExitStatus {
    if error.isForbidden { return error.errno == EROFS ? .cannotCreate : .noPermission }
    switch error.operation {
    case .open, .makeDirectory, .rename: return .cannotCreate
    case .read, .write, .sync, .truncate, .lock, .list, .remove: return .inputOutput
    }
  }
}

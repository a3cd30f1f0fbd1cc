import Export
import Glibc
import IMUDrivers
import LinuxIO
import LogFormat
import LogStore
import Recorder
import SimulatedIMU

/// The exit status for each module's errors; the sentence is theirs.
extension CommandFailure {
  /// The failure that a module's error is to the user; `nil` for errors of the command line's parser.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ConfigurationError: self.init(.configuration, "\(error)")
    case let error as NoRoom: self.init(.cannotCreate, "\(error)")
    case let error as SensorError: self.init(error)
    case let error as LinuxIOError: self.init(error)
    case let error as MotionFileError: self.init(.damagedData, "--motion \(error)")
    case let error as StorageError: self.init(error)
    case let error as FormatError: self.init(.usage, "\(error)")
    case let error as LogError: self.init(error)
    case let error as CatalogueError: self.init(error)
    case let error as ExportError: self.init(error)
    case let error as ImportError: self.init(error)
    default: return nil
    }
  }

  /// The failure that any error is to the user: of one that is no module's, its own words with `status`.
  init(_ error: any Error, else status: ExitStatus) {
    self = CommandFailure(error) ?? CommandFailure(status, "\(error)")
  }

  private init(_ error: SensorError) {
    switch error {
    case .accelerometerRange, .gyroscopeRange, .rateAboveChip, .rateAboveBus:
      self.init(.configuration, "\(error)")
    case .notFound, .otherModel, .foreignIdentity, .resetUnfinished, .readBack, .noSamples, .bus:
      self.init(.unavailable, "\(error)")
    }
  }

  private init(_ error: LinuxIOError) {
    switch error.kind {
    case .notPermitted: self.init(.noPermission, "\(error)")
    case .busy: self.init(.tryAgain, "\(error)")
    default: self.init(.unavailable, "\(error)")
    }
  }

  private init(_ error: StorageError) {
    self.init(CommandFailure.status(error), "\(error)")
  }

  private init(_ error: LogError) {
    switch error {
    case .storage(let cause): self.init(cause)
    case .foreign, .unsupportedVersion, .damagedHeader: self.init(.damagedData, "\(error)")
    case .description: self.init(.usage, "\(error)")
    }
  }

  private init(_ error: CatalogueError) {
    switch error {
    case .missing, .notFound: self.init(.noInput, "\(error)")
    case .ambiguous: self.init(.usage, "\(error)")
    case .notADirectory, .outOfNumbers, .present: self.init(.cannotCreate, "\(error)")
    case .isLive: self.init(.tryAgain, "\(error)")
    case .trashForbidden, .isRelied: self.init(.noPermission, "\(error)")
    case .storage(let cause), .moveNotDurable(_, _, let cause):
      self.init(CommandFailure.status(cause), "\(error)")
    case .log(let cause): self.init(cause)
    }
  }

  private init(_ error: ExportError) {
    switch error {
    case .output: self.init(.inputOutput, "\(error)")
    case .log(let cause): self.init(cause)
    case .channelsNotRecorded, .oneSensorOnly, .axesMissing, .optionNotSupported, .tooLong,
      .ticksMissing:
      self.init(.usage, "\(error)")
    case .unusableScale: self.init(.damagedData, "\(error)")
    }
  }

  private init(_ error: ImportError) {
    switch error {
    case .file(_, let code): self.init(code == ENOENT ? .noInput : .inputOutput, "\(error)")
    case .notARegularFile: self.init(.noInput, "\(error)")
    case .changed: self.init(.tryAgain, "\(error)")
    default: self.init(.damagedData, "\(error)")
    }
  }

  private static func status(_ error: StorageError) -> ExitStatus {
    if error.isForbidden { return error.errno == EROFS ? .cannotCreate : .noPermission }
    if error.operation == .lock, error.errno == EWOULDBLOCK { return .tryAgain }
    let isName = error.operation == .open || error.operation == .look
    if isName, error.isMissing || [EISDIR, ENXIO].contains(error.errno) {
      return .noInput
    }
    switch error.operation {
    case .open, .makeDirectory, .rename, .handOver: return .cannotCreate
    case .look, .read, .seek, .write, .reserve, .sync, .truncate, .lock, .lease, .list, .remove,
      .find:
      return .inputOutput
    }
  }
}

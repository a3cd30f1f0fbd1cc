/// The sentences of ``RecorderEffect/refuse(_:)``: why a request or press means nothing now, and what would.
enum RefusalText {
  static let isRecording = "a recording is running already; stop it before beginning another"
  static let endsBeforeKeeping =
    "a recording is running and will hold what was sampled; stop it to keep it"
  static let noRecording = "no recording is running; begin one with the button or with imulog start"
  static let isStarting = "a recording is about to begin already"
  static let isSaving = "the last recording is still being saved; try again in a moment"
  static let isStopping = "the recording is being stopped; try again in a moment"
  static let nothingSampled =
    "nothing was sampled before, because the sensor sleeps while idle; say while-idle = sample in the configuration"
  static let notSampledYet = "nothing was sampled yet, the sensor is being brought up"
  static let hasReachedLength =
    "the recording had just reached its length and is kept; press again for another"
  static let noSensor =
    "no recording can begin: \(Problem.sensor.meaning); it is tried again every 2 s, imulog status shows it"
  static let pressForgotten = "the recording could not begin: \(Problem.sensor.meaning)"
  static let hadNoSample = "the recording had no sample, and nothing is kept"
  static let hasNoFile = "the recording's file could not be made; the service's journal says why"
  static let endedBeforeSample =
    "the recording was ended before its first sample, and nothing is kept"
  static let wasCalledOff = "a stop came before the recording could begin"
  static let hasSilentSensor =
    "the recording was begun and logs gaps, because its sensor gives no samples"
  static let endIsLate =
    "the end of the recording is not on the card yet; it is still being saved, imulog status says when it is done"
  static let firstSampleIsLate =
    "the recording was begun, and its first sample is not in the log yet; imulog status says when it is"
  static let beginningIsLate =
    "the recording has not begun yet and begins as soon as it can; imulog status says when it has"
  static let isEnding = "the service is ending"
}

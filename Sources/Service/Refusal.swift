/// The sentences of ``ServiceEffect/refuse(_:)``: why a request or press means nothing now, and what would.
enum Refusal {
  static let takeRuns = "a take is running already; stop it before beginning another"
  static let takeRunsKeep = "a take is running and will hold what was sampled; stop it to keep it"
  static let noTake = "no take is running; begin one with the button or with imulog start"
  static let takeWaits = "a take is about to begin already"
  static let isSaving = "the last take is still being saved; try again in a moment"
  static let isStopping = "the take is being stopped; try again in a moment"
  static let nothingSampled =
    "nothing was sampled before, because the sensor sleeps while idle; say while-idle = sample in the configuration"
  static let notSampledYet = "nothing was sampled yet, the sensor is being brought up"
  static let tookItsLength =
    "the take had just reached its length and is kept; press again for another"
  static let noSensor =
    "no take can begin: \(Problem.sensor.meaning); it is tried again every 2 s, imulog status tells"
  static let pressForgotten = "the take could not begin: \(Problem.sensor.meaning)"
  static let isEnding = "the service is ending"
}

import LinuxIO
import Recorder

/// How deep the processors may sleep.
extension ServiceLoop {
  /// Holds them awake from the event that begins a take to the one that ends it.
  ///
  /// - Parameter before: The machine's state before the event.
  func tendLatency(_ before: ServiceMachine.State) {
    let isTaking = machine.state.samplesForTake
    guard isTaking != before.samplesForTake else { return }
    let rate = setup.sensor.rate
    latency = TakeLatency(
      microseconds: isTaking ? setup.configuration.cpuLatency.microseconds(at: rate) : nil)
    if let refusal = latency.refusal { sayOnce(refusal) }
  }

  /// Each take asks anew, and the answer is most likely the same.
  private func sayOnce(_ refusal: Refusal) {
    guard refusal != latencyRefusal else { return }
    latencyRefusal = refusal
    ServiceJournal.say(.warning, "\(refusal)")
  }
}

extension ServiceMachine.State {
  /// Whether what is sampled now belongs to a take.
  fileprivate var samplesForTake: Bool {
    switch self {
    case .starting, .recording, .stopping: return true
    case .asleep, .waking, .armed, .saving, .ending, .ended: return false
    }
  }
}

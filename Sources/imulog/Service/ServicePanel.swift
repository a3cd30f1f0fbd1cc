import IMUModel
import LinuxIO
import Recorder

/// What a person touches and sees of a service: button and light. Either may be missing.
struct ServicePanel: ~Copyable {
  /// What the user should know about the lines.
  let remarks: [String]
  /// Ready for reading when the button has edges; `nil` without a button.
  private(set) var fileDescriptor: Int32?
  private var button: GPIOInput?
  private var recogniser: GestureRecogniser
  private var light: GPIOOutput?
  private var player = LightPlayer()
  private var hasLight: Bool
  private var isLit = false

  /// Asks the kernel for the lines of `setup`.
  ///
  /// - Throws: ``LinuxIOError``; no line is held then.
  init(_ setup: ServiceSetup) throws(LinuxIOError) {
    let configuration = setup.configuration
    var found = ButtonFacts()
    let button = try ServicePanel.input(setup.button, configuration, &found)
    let light = try ServicePanel.output(setup.light, configuration)
    self.init(button: button, light: light, hasLight: setup.light != nil, found)
  }

  /// Cannot fail: Swift 6.0 cannot take down what an initialiser that does leaves behind.
  private init(
    button: consuming GPIOInput?, light: consuming GPIOOutput?, hasLight: Bool, _ found: ButtonFacts
  ) {
    self.button = button
    self.light = light
    self.hasLight = hasLight
    // A press that was there before the service means nothing to it.
    recogniser = GestureRecogniser(isHeldAtStart: found.isHeld)
    fileDescriptor = found.fileDescriptor
    remarks = found.remarks
  }

  /// What is known of a button's line when it is opened.
  private struct ButtonFacts {
    var isHeld = false
    var fileDescriptor: Int32?
    var remarks: [String] = []
  }

  private static func input(
    _ spec: GPIOLineSpec?, _ configuration: ServiceConfiguration, _ found: inout ButtonFacts
  ) throws(LinuxIOError) -> GPIOInput? {
    guard let spec else {
      found.remarks.append(
        "there is no button: the board names none, or button = none; `imulog start` does the same")
      return nil
    }
    let input = try GPIOInput(spec, isActiveLow: configuration.isButtonActiveLow)
    found.isHeld = try input.isActive()
    found.fileDescriptor = input.fileDescriptor
    if let refusal = input.biasRefusal { found.remarks.append("\(refusal)") }
    return .some(input)
  }

  private static func output(
    _ spec: GPIOLineSpec?, _ configuration: ServiceConfiguration
  ) throws(LinuxIOError) -> GPIOOutput? {
    guard let spec else { return nil }
    return .some(try GPIOOutput(spec, isActiveLow: configuration.isLightActiveLow))
  }

  /// When a gesture or the light's rhythm is due.
  func deadline(after now: MonotonicTime) -> MonotonicTime? {
    let change = hasLight ? player.nextChange(after: now) : nil
    return [recogniser.deadline, change].compactMap { $0 }.min()
  }

  /// What was done with the button since the last call. A button whose chip went away ends no recording: what it was
  /// pressed for is forgotten.
  mutating func events(now: MonotonicTime) -> [ServiceEvent] {
    var events: [ServiceEvent] = []
    do {
      try read(&events)
      // The kernel may have lost the release, and a button held for long ends the service: the line is asked first.
      if recogniser.isHoldDue(by: now), try button?.isActive() == false {
        // It may also have come just now.
        try read(&events)
        if recogniser.isHoldDue(by: now) { events += recogniser.forget().map { .gesture($0) } }
      }
    } catch {
      ServiceJournal.say(.error, "\(error); the button does nothing any more, requests do")
      events += dropButton()
    }
    return events + recogniser.elapse(to: now).map { .gesture($0) }
  }

  private mutating func read(_ events: inout [ServiceEvent]) throws(LinuxIOError) {
    guard let edges = try button?.read() else { return }
    for edge in edges {
      let gestures = recogniser.handle(ButtonEdge(isPressed: edge.isActive, time: edge.time))
      events += gestures.map { .gesture($0) }
      if edge.isActive { events.append(.buttonDown(at: edge.time)) }
    }
  }

  /// Plays `light`. A line that no longer answers makes no difference to a recording.
  mutating func show(_ light: Light, now: MonotonicTime) {
    player.show(light, at: now)
    set(player.level(at: now))
  }

  /// Switches the light off.
  mutating func darken() {
    set(false)
  }

  /// Gives the lines back to the kernel; what is to be forgotten with them.
  mutating func close() -> [ServiceEvent] {
    light = nil
    return dropButton()
  }

  private mutating func dropButton() -> [ServiceEvent] {
    button = nil
    fileDescriptor = nil
    return recogniser.forget().map { .gesture($0) }
  }

  private mutating func set(_ isOn: Bool) {
    guard isOn != isLit else { return }
    isLit = isOn
    do {
      try light?.set(isOn)
    } catch {
      ServiceJournal.say(.warning, "\(error)")
      light = nil
      hasLight = false
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package import Glibc
package import IMUModel
package import LinuxIO

/// A recorder's controls: a button and a light, or keys and a screen. The loop's thread polls and shows them.
package protocol Panel: AnyObject {
  var remarks: [String] { get }
  var descriptors: [pollfd] { get }

  /// When a gesture, a frame or the light's rhythm is due; `nil` while nothing is.
  func deadline(after now: MonotonicTime) -> MonotonicTime?

  /// The user's actions since the last call.
  func inputs(now: MonotonicTime) -> [RecorderInput]

  /// Whether a signal is the panel's, such as a change of the terminal's size.
  func handle(signal: Int32) -> Bool

  func show(_ picture: RecorderPicture, now: MonotonicTime)

  /// Releases the kernel's lines; returns the inputs of a press that was under way.
  func close() -> [RecorderInput]
}

/// A recorder's state, as a panel shows it.
package struct RecorderPicture {
  package var state: RecorderMachine.State
  package var light: Light
  /// `nil` while the recording has no file.
  package var number: UInt32?
  /// Its ticks, once it has a file.
  package var plan: RecordingPlan?
  /// The sampler's grid; `nil` while nothing is sampled.
  package var sampling: SensorStart?
  /// Each sensor of a take; empty for one.
  package var members: [MemberStatus]
  /// A sentence that stays until the end; empty for none.
  package var notice: String
}

/// The button and the light of a service, on GPIO lines. Either may be missing.
package final class ButtonPanel: Panel {
  package let remarks: [String]
  private var button: GPIOInput?
  private var recogniser: GestureRecogniser
  private var light: GPIOOutput?
  private var player = LightPlayer()
  private var isLit = false
  private let journal: Journal

  /// Requests the lines of `setup` from the kernel; holds none when it throws.
  package static func open(
    _ setup: RecorderSetup, tree: SystemTree = .live, journal: @escaping Journal
  ) throws(LinuxIOError) -> ButtonPanel {
    var isHeld = false
    var remarks: [String] = []
    let button = try ButtonPanel.input(setup, tree, &isHeld, &remarks)
    let light = try ButtonPanel.output(setup, tree)
    return ButtonPanel(
      button: button, light: light, isHeld: isHeld, remarks: remarks, journal: journal)
  }

  /// Does not throw: Swift 6.0 cannot release the members of a class whose initialiser throws.
  private init(
    button: consuming GPIOInput?, light: consuming GPIOOutput?, isHeld: Bool, remarks: [String],
    journal: @escaping Journal
  ) {
    self.button = button
    self.light = light
    // A press from before the start is ignored.
    recogniser = GestureRecogniser(isHeldAtStart: isHeld)
    self.remarks = remarks
    self.journal = journal
  }

  private static func input(
    _ setup: RecorderSetup, _ tree: SystemTree, _ isHeld: inout Bool, _ remarks: inout [String]
  ) throws(LinuxIOError) -> GPIOInput? {
    guard let line = setup.button else {
      remarks.append(
        "there is no button: the board names none, or button = none; `imulog start` does the same")
      return nil
    }
    let input = try GPIOInput(
      line, isActiveLow: setup.configuration.isButtonActiveLow, tree: tree)
    isHeld = try input.isActive()
    if let refusal = input.biasRefusal { remarks.append("\(refusal)") }
    return .some(input)
  }

  private static func output(
    _ setup: RecorderSetup, _ tree: SystemTree
  ) throws(LinuxIOError) -> GPIOOutput? {
    guard let line = setup.light else { return nil }
    return .some(
      try GPIOOutput(line, isActiveLow: setup.configuration.isLightActiveLow, tree: tree))
  }

  package var descriptors: [pollfd] {
    guard let descriptor = button?.fileDescriptor else { return [] }
    return [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
  }

  package func deadline(after now: MonotonicTime) -> MonotonicTime? {
    let change = light == nil ? nil : player.nextChange(after: now)
    return [recogniser.deadline, change].compactMap { $0 }.min()
  }

  /// A button whose chip disappeared ends no recording: its press is forgotten.
  package func inputs(now: MonotonicTime) -> [RecorderInput] {
    var inputs: [RecorderInput] = []
    do {
      try read(&inputs)
      // The kernel may have lost the release, and a button held for long ends the service: so the line is read first.
      if recogniser.isHoldDue(by: now), try button?.isActive() == false {
        // The release may also have arrived just now.
        try read(&inputs)
        if recogniser.isHoldDue(by: now) { inputs += recogniser.forget() }
      }
    } catch {
      journal(.error, "\(error); the button has no effect any more, requests have")
      inputs += dropButton()
    }
    return inputs + recogniser.elapse(to: now)
  }

  private func read(_ inputs: inout [RecorderInput]) throws(LinuxIOError) {
    guard let edges = try button?.read() else { return }
    for edge in edges { inputs += recogniser.handle(edge) }
  }

  package func handle(signal: Int32) -> Bool { false }

  /// A failed light does not affect a recording.
  package func show(_ picture: RecorderPicture, now: MonotonicTime) {
    player.show(picture.light, at: now)
    set(player.level(at: now))
  }

  package func close() -> [RecorderInput] {
    set(false)
    light = nil
    return dropButton()
  }

  private func dropButton() -> [RecorderInput] {
    button = nil
    return recogniser.forget()
  }

  private func set(_ isOn: Bool) {
    guard isOn != isLit else { return }
    isLit = isOn
    do {
      try light?.set(isOn)
    } catch {
      journal(.warning, "\(error)")
      light = nil
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package import Glibc
package import IMUModel
import LinuxIO
package import Recorder

/// A recording on the terminal while it is made: graph, values, keys.
package final class RecordScreen: Panel {
  /// `nil` once the terminal is restored.
  private var session: TerminalSession?
  private let glyphs: GlyphSet
  /// Of each sensor of a take, or of one.
  private let configurations: [RecorderConfiguration]
  /// Whether to show what to do for a calibration.
  private let isGuided: Bool
  private var view: LiveView?
  private var sensors: [SensorStart] = []
  /// The place in the take of the sensor that is drawn.
  private var drawn = 0
  private var status = LiveStatus()
  /// The number of the recording that is shown.
  private var number: UInt32?
  private var plan: RecordingPlan?
  /// When the next frame is due.
  private var frameAt = MonotonicTime(nanoseconds: 0)
  /// When the notice disappears.
  private var noticeUntil = MonotonicTime(nanoseconds: 0)
  package var feed: LiveFeed?

  package init(
    _ session: TerminalSession, _ configurations: [RecorderConfiguration], isGuided: Bool
  ) {
    (self.session, self.configurations, self.isGuided) = (session, configurations, isGuided)
    glyphs = session.glyphs
    // A suspended program would miss samples.
    session.isStoppable = false
  }

  package var remarks: [String] { [] }

  package var descriptors: [pollfd] { session?.descriptors ?? [] }

  package func deadline(after now: MonotonicTime) -> MonotonicTime? {
    min(frameAt, session?.deadline ?? frameAt)
  }

  package func inputs(now: MonotonicTime) -> [RecorderInput] {
    guard let session else { return [] }
    let events = session.keys().compactMap { event(of: $0, now: now) }
    return session.isGone ? events + [.terminate] : events
  }

  package func handle(signal: Int32) -> Bool { session?.handle(signal: signal) ?? false }

  /// Restores the terminal: later reports stay visible.
  package func close() -> [RecorderInput] {
    session = nil
    return []
  }

  private func event(of key: Key, now: MonotonicTime) -> RecorderInput? {
    guard key != .control("z") else {
      status.notice = "Ctrl-Z would leave samples out; s ends the recording"
      noticeUntil = now + 4_000_000_000
      return nil
    }
    // Before there is anything to show, a key can only end the recording.
    switch view.map({ $0.handle(key) }) ?? (LiveView.stops(key) ? .stop : .stay) {
    case .stop: return .stop(at: now)
    case .mark:
      guard let frame else { return nil }
      view?.mark(at: now - frame.start)
      status.markCount += 1
      return .mark(at: now, label: "")
    case .discard: return .discard(at: now)
    case .next:
      drawn = (drawn + 1) % sensors.count
      feed?.choose(drawn)
      draw()
      return nil
    case .stay, .leave, .start: return nil
    }
  }

  package func show(_ picture: RecorderPicture, now: MonotonicTime) {
    guard now >= frameAt else { return }
    frameAt = now + LiveFeed.framePeriod
    if let sampling = picture.sampling, sensors.isEmpty { sensors = sampling.members }
    status.members = picture.members
    if let plan = picture.plan, picture.number != number { begin(picture, plan) }
    guard let view, let session else { return }
    if let feed, let frame {
      let (records, lost) = feed.drain()
      view.append(records.filter { $0.tick >= frame.base }.map(frame.rebased))
      status.unseen += lost
    }
    update(picture, now)
    view.status = status
    let size = session.size
    session.show(view.screen(columns: size.columns, rows: size.rows, now: now.nanoseconds))
  }

  private func begin(_ picture: RecorderPicture, _ plan: RecordingPlan) {
    guard let number = picture.number, !sensors.isEmpty else { return }
    (self.number, self.plan) = (number, plan)
    status = LiveStatus()
    status.planned = plan.plannedTicks.map { configurations[0].rate.nanoseconds(atTick: $0) }
    status.members = picture.members
    draw()
  }

  /// The frame of the sensor that is drawn.
  private var frame: RecordingFrame? {
    plan.map { drawn == 0 ? $0.frame : $0.companions[drawn - 1] }
  }

  /// Begins an empty graph of the sensor that is drawn.
  private func draw() {
    let configuration = configurations[drawn]
    view = LiveView(
      sensors[drawn].sensor, name: status.members.isEmpty ? "" : status.members[drawn].name,
      channels: configuration.channels, rate: configuration.rate, note: configuration.note,
      glyphs: glyphs, purpose: .recording, planned: status.planned, isGuided: isGuided,
      hasOthers: sensors.count > 1)
  }

  private func update(_ picture: RecorderPicture, _ now: MonotonicTime) {
    switch picture.state {
    case .saving, .ending, .ended: status.state = "ending"
    default: status.state = number.map { "recording \($0)" } ?? ""
    }
    status.isRecording = picture.state == .recording || picture.state == .starting
    if !picture.notice.isEmpty || now > noticeUntil { status.notice = picture.notice }
    let elapsed = frame.map { max(0, now - $0.start) } ?? 0
    status.elapsed = min(elapsed, status.planned ?? .max)
  }
}

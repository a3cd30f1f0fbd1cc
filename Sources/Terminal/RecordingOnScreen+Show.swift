// SPDX-License-Identifier: Apache-2.0

import IMUModel
public import LinuxIO
public import LogStore

extension RecordingOnScreen {
  /// Shows the graph until the user leaves, and keeps the labels that are made.
  ///
  /// - Parameter catalogue: The recording's store.
  /// - Returns: `false` when the program must end.
  public func show(
    on session: TerminalSession, _ signals: borrowing SignalWatch, in catalogue: Catalogue
  ) -> Bool {
    var view = ShowView(self, glyphs: session.glyphs)
    showLabels(on: &view, catalogue)
    session.hasMouse = true
    defer { session.hasMouse = false }
    while true {
      let size = session.size
      session.show(view.screen(columns: size.columns, rows: size.rows))
      for event in session.wait(signals, until: nil) {
        switch event {
        case .key(let key):
          switch view.handle(key, columns: size.columns, rows: size.rows) {
          case .stay: break
          case .play:
            session.hasMouse = false
            guard play(on: session, signals, from: view.cursor) else { return false }
            session.hasMouse = true
          case .label(let label): showLabels(on: &view, catalogue, adding: label)
          case .leave: return true
          }
        case .resized: break
        case .ended: return false
        }
      }
    }
  }

  /// Shows the labels that the store has, with a new one, or why that failed.
  private func showLabels(
    on view: inout ShowView, _ catalogue: Catalogue, adding label: RecordingLabel? = nil
  ) {
    do throws(CatalogueError) {
      if let label { try catalogue.add(label, to: id) }
      let list = try catalogue.labels(of: id)
      view.show(labels: list.labels, notice: list.damageSentence ?? "")
    } catch {
      view.show(labels: [], notice: "\(error)")
    }
  }
}

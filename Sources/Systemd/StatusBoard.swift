import Synchronization

/// The service's line in `systemctl status`: what is out of order, each as a remark, then what the
/// service is at.
///
/// Safe to use from any thread; a change is one datagram that does not wait.
package final class StatusBoard: Sendable {
  private struct State {
    /// In the order in which they came.
    var remarks: [(subject: String, text: String)] = []
    var line = ""

    var text: String {
      (remarks.map(\.text) + [line]).filter { !$0.isEmpty }.joined(separator: "; ")
    }
  }

  private let manager: ServiceManager
  private let state = Mutex(State())

  package init(_ manager: ServiceManager) {
    self.manager = manager
  }

  /// Whether there is anybody who reads it.
  package var isRead: Bool { manager.isPresent }

  /// The subject of what there is to say of the last reload.
  package static let reload = "reload"

  /// What is out of order with a subject; nil if nothing is.
  package func remark(on subject: String) -> String? {
    state.withLock { $0.remarks.first { $0.subject == subject }?.text }
  }

  /// What is out of order.
  package var remarks: [String] { state.withLock { $0.remarks.map(\.text) } }

  package func show(_ line: String) {
    change { $0.line = line }
  }

  /// Puts a remark in the place of the one on the same subject; nil takes that back.
  package func remark(on subject: String, _ text: String?) {
    change { state in
      let place = state.remarks.firstIndex { $0.subject == subject }
      switch (place, text) {
      case (let place?, let text?): state.remarks[place].text = text
      case (let place?, nil): state.remarks.remove(at: place)
      case (nil, let text?): state.remarks.append((subject, text))
      case (nil, nil): break
      }
    }
  }

  /// Told under the lock, so that the last that is told is what holds.
  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      manager.status(state.text)
    }
  }
}

/// Text made fit for one field of a notification to the service manager.
struct StatusLine: CustomStringConvertible {
  /// The manager passes over a datagram of more than 4,096 bytes; a line that long is of no use
  /// to a reader either.
  static let byteCountMax = 1_024

  let description: String

  init(_ text: String) {
    var line = String.UnicodeScalarView()
    var byteCount = 0
    for scalar in text.unicodeScalars {
      byteCount += UTF8.width(scalar)
      if byteCount > StatusLine.byteCountMax { break }
      line.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    description = String(line)
  }
}

import Synchronization

/// The service's line in `systemctl status`: a remark for each fault, then the current activity.
///
/// All calls are safe from any thread. A changed line is sent in one datagram, which does not
/// block. If the manager did not receive a line, the next call sends the line again.
package final class StatusBoard: Sendable {
  private struct State {
    /// The current remarks, in order of arrival.
    var remarks: [(subject: String, text: String)] = []
    /// The current activity.
    var line = ""
    /// The last line that the manager received.
    var sent: String?

    /// The line to send: the remarks, then the activity.
    var text: String {
      (remarks.map(\.text.inOneLine) + [line]).filter { !$0.isEmpty }.joined(separator: "; ")
    }
  }

  private let manager: ServiceManager
  private let state = Mutex(State())

  package init(_ manager: ServiceManager) {
    self.manager = manager
  }

  /// Whether a service manager reads the line.
  package var isRead: Bool { manager.isPresent }

  /// The subject of remarks on the last reload.
  package static let reload = "reload"
  /// The subject of the remark on sinks that continue with their former settings, one line for each
  /// sink.
  package static let outdatedSinks = "outdated sinks"
  /// The subject of the remark on a stop of the service that leaves something unrecorded.
  package static let end = "end"

  /// The remark on a subject; nil if there is none.
  package func remark(on subject: String) -> String? {
    state.withLock { $0.remarks.first { $0.subject == subject }?.text }
  }

  /// All current remarks.
  package var remarks: [String] { state.withLock { $0.remarks.map(\.text) } }

  /// Sets the current activity.
  ///
  /// - Returns: whether the manager has received the line; if not, the next call sends it again.
  @discardableResult
  package func show(_ line: String) -> Bool {
    change { $0.line = line }
  }

  /// Sets the remark on a subject; nil removes it.
  package func remark(on subject: String, _ text: String?) {
    change { state in
      let index = state.remarks.firstIndex { $0.subject == subject }
      switch (index, text) {
      case (let index?, let text?): state.remarks[index].text = text
      case (let index?, nil): state.remarks.remove(at: index)
      case (nil, let text?): state.remarks.append((subject, text))
      case (nil, nil): break
      }
    }
  }

  /// Changes the state and sends the line under the lock, so that the last notification has the
  /// current state.
  @discardableResult
  private func change(_ change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      change(&state)
      let text = state.text
      if text != state.sent { state.sent = manager.status(text) ? text : nil }
      return state.sent != nil
    }
  }
}

/// A text that is safe in one field of a notification to the service manager.
struct StatusLine: CustomStringConvertible {
  /// The manager ignores datagrams of more than 4,096 bytes; a reader needs even less.
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

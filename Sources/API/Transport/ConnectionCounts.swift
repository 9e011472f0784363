import Synchronization

/// Counts open connections, and connections that the service ended, on all listeners.
final class ConnectionCounts: Sendable {
  private struct State {
    var openCount = 0
    var ends: [ConnectionEnd: Int] = [:]
  }

  private let state = Mutex(State())

  func count(_ end: ConnectionEnd) {
    state.withLock { $0.ends[end, default: 0] += 1 }
  }

  func countOpened() {
    state.withLock { $0.openCount += 1 }
  }

  func countClosed() {
    state.withLock { $0.openCount -= 1 }
  }

  /// The counts in Prometheus' text format.
  var text: String {
    let state = state.withLock { $0 }
    var writer = MetricsWriter()
    writer.single(
      "chimed_connections", .gauge, "Open connections of clients.", Double(state.openCount))
    writer.begin(
      "chimed_connections_closed_total", .counter,
      "Connections ended by the service, by reason.")
    for end in ConnectionEnd.allCases {
      writer.sample([("reason", end.rawValue)], state.ends[end, default: 0])
    }
    return writer.text
  }
}

/// Why the service, not the client, ended a connection.
enum ConnectionEnd: String, CaseIterable, Sendable {
  /// The connection was idle, and a new connection replaced it.
  case replaced = "room"
  /// The peer had reached its limit of connections, and all of them were in use.
  case share
  /// The listener had reached its limit of connections, and all of them were in use.
  case full
  /// The client sent nothing.
  case silent
  /// The client did not send another request.
  case idle
  /// The head of a request did not arrive in time.
  case slowHead = "slow_head"
  /// The body of a request did not arrive in time.
  case slowBody = "slow_body"
  /// The client did not read the responses.
  case stalled
}

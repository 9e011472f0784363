import Synchronization

/// How many connections are open, and how many the service has ended, on all listeners.
final class ConnectionCounts: Sendable {
  private struct State {
    var open = 0
    var ends: [ConnectionEnd: Int] = [:]
  }

  private let state = Mutex(State())

  func count(_ end: ConnectionEnd) {
    state.withLock { $0.ends[end, default: 0] += 1 }
  }

  func hasOpened() {
    state.withLock { $0.open += 1 }
  }

  func hasClosed() {
    state.withLock { $0.open -= 1 }
  }

  /// As Prometheus reads them.
  var text: String {
    let state = state.withLock { $0 }
    var writer = MetricsWriter()
    writer.single(
      "chimed_connections", .gauge, "Connections of clients that are open.", Double(state.open))
    writer.begin(
      "chimed_connections_closed_total", .counter,
      "Connections that the service ended before their clients did, by reason.")
    for end in ConnectionEnd.allCases {
      writer.sample([("reason", end.rawValue)], state.ends[end, default: 0])
    }
    return writer.text
  }
}

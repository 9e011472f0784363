import NIOCore
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

/// The channels that are open, the listening one and the connections, so that the end of the
/// service reaches every one, also a connection that is just being set up.
package final class OpenChannels: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isEnding = false
    var isCut = false
  }

  private let state = Mutex(State())

  package init() {}

  func add(_ channel: any Channel) {
    let (isEnding, isCut) = state.withLock { state in
      state.channels[ObjectIdentifier(channel)] = channel
      return (state.isEnding, state.isCut)
    }
    channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
    if isCut {
      channel.close(promise: nil)
    } else if isEnding {
      Self.end(channel)
    }
  }

  /// Ends each channel, at once or after the answer that it is about to give; also those that come
  /// later.
  func end() {
    let channels = state.withLock { state in
      state.isEnding = true
      return Array(state.channels.values)
    }
    for channel in channels { Self.end(channel) }
  }

  /// Closes each channel as it is, in the middle of an answer too; also those that come later.
  package func cutOff() {
    let channels = state.withLock { state in
      state.isCut = true
      return Array(state.channels.values)
    }
    for channel in channels { channel.close(promise: nil) }
  }

  private func remove(_ channel: any Channel) {
    state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
  }

  private static func end(_ channel: any Channel) {
    // Not before its set-up is complete, which is one task of its event loop.
    channel.eventLoop.execute {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}

/// Why the service, not the client, ended a connection.
enum ConnectionEnd: String, CaseIterable, Sendable {
  /// It was idle, and another was to have its seat.
  case room
  /// Its peer had as many as one may have, all at work.
  case share
  /// All seats were taken, by connections at work.
  case full
  /// Nothing came on it.
  case silent
  /// No further request came on it.
  case idle
  case slowHead = "slow_head"
  case slowBody = "slow_body"
  /// Its client did not read the answers.
  case stalled
}

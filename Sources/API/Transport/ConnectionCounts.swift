import NIOCore
import Synchronization

/// Counts open connections, and those ended by the service, on all listeners.
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

  /// The counts in Prometheus' text format.
  var text: String {
    let state = state.withLock { $0 }
    var writer = MetricsWriter()
    writer.single(
      "chimed_connections", .gauge, "Open connections of clients.", Double(state.open))
    writer.begin(
      "chimed_connections_closed_total", .counter,
      "Connections ended by the service, by reason.")
    for end in ConnectionEnd.allCases {
      writer.sample([("reason", end.rawValue)], state.ends[end, default: 0])
    }
    return writer.text
  }
}

/// All open channels, listening and connected, so that a shutdown reaches each one, also a
/// connection that is still being set up.
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

  /// Ends each channel, immediately or after its current response; later ones too.
  func end() {
    let channels = state.withLock { state in
      state.isEnding = true
      return Array(state.channels.values)
    }
    for channel in channels { Self.end(channel) }
  }

  /// Closes each channel immediately, even during a response; later ones too.
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
    // Wait until its set-up is complete, which is one task of its event loop.
    channel.eventLoop.execute {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}

/// Why the service, not the client, ended a connection.
enum ConnectionEnd: String, CaseIterable, Sendable {
  /// It was idle, and a new connection replaced it.
  case room
  /// Its peer had reached its own limit, and all of the peer's connections were in use.
  case share
  /// The limit of connections was reached, and all of them were in use.
  case full
  /// It sent nothing.
  case silent
  /// It did not send another request.
  case idle
  case slowHead = "slow_head"
  case slowBody = "slow_body"
  /// Its client did not read the responses.
  case stalled
}

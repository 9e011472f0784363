import NIOCore
import Synchronization

/// All open channels, listening and connected. A shutdown reaches each of them, including a
/// connection that is still being set up.
package final class OpenChannels: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// Whether the channels end after their current responses.
    var isEnding = false
    /// Whether the channels are closed even during a response.
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

  /// Ends each idle channel immediately, and each other channel after its current response.
  /// Channels that are added later end in the same way.
  func end() {
    let channels = state.withLock { state in
      state.isEnding = true
      return Array(state.channels.values)
    }
    for channel in channels { Self.end(channel) }
  }

  /// Closes each channel immediately, even during a response. Channels that are added later are
  /// closed, too.
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
    // The channel is set up in one task of its event loop, so a task that is queued now runs after
    // the set-up.
    channel.eventLoop.execute {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}

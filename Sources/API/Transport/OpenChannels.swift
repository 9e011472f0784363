import NIOCore
import Synchronization

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
